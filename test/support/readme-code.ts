// The code in README files, which tests run as it is printed.
import { readFileSync } from 'node:fs';

/** The text of HTML without tags. */
export function unescaped(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/**
 * The only block of code of a README in a language that has a word in it.
 * @param readme its path in the repository
 * @throws Error if there is none or another one
 */
export function codeIn(readme: string, language: string, word: string): string {
  const text = readFileSync(readme, 'utf8');
  const found = [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)]
    .filter(([, name, code = '']) => name === language && code.includes(word))
    .map(([, , code = '']) => code);
  const [code] = found;
  if (code === undefined || found.length > 1) throw new Error(`${readme}: ${found.length} blocks with ${word}`);
  return code;
}

/** The words of a command that a document may break into lines, as a shell divides them. */
export function wordsOf(command: string): string[] {
  const words = command.matchAll(/"((?:[^"\\]|\\.)*)"|[^\s"\\]+/g);
  return Array.from(words, ([word, quoted]) => quoted?.replaceAll('\\"', '"') ?? word);
}
