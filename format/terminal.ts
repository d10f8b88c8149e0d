// Colours on terminals that support them, unless NO_COLOR is set (https://no-color.org).
import { styleText } from 'node:util';

/** `text` in a colour on a terminal; unchanged otherwise. */
export function coloured(stream: NodeJS.WriteStream, colour: 'red' | 'green', text: string): string {
  return stream.isTTY && stream.hasColors() ? styleText(colour, text) : text;
}
