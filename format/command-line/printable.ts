// Text from outside the program, for a terminal or a log. Used wherever data, file names or arguments are printed.

/**
 * Text without control characters and line breaks, which a terminal or a log of continuous integration would interpret:
 * each becomes its JSON escape, so that JSON remains the same JSON.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Like `printable`, of text with line breaks of the program's own, which remain. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
