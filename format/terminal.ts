// Colours, where there is a terminal that has them and nobody has turned them off (NO_COLOR, https://no-color.org).
import { styleText } from 'node:util';

/** `text` in a colour on a terminal, as it is elsewhere. */
export function coloured(stream: NodeJS.WriteStream, colour: 'red' | 'green', text: string): string {
  return stream.isTTY && stream.hasColors() ? styleText(colour, text) : text;
}
