// Texts that are kept. A part of a text holds all of it in memory, such as a piece of a table or a line of a file.

/** A copy, which holds nothing else. */
export function ownText(text: string): string {
  return String(JSON.parse(JSON.stringify(text)));
}
