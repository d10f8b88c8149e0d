// The deny list: tokens that are refused although they are valid, because they leaked or their holder has left. A file
// with a `sub` or a `jti` a line.
import { readFile } from 'node:fs/promises';
import { codeOf } from '../../format/error-code.ts';
import { FormatError } from '../../format/parse.ts';
import type { DenyList } from './authenticate.ts';

/** Longer than any real name. */
const LINE_MAX_CHARS = 1000;

/**
 * Reads the text of a deny list.
 * @throws Error with a message for the log
 */
export async function readDenyList(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new Error(`cannot be read (${codeOf(error)})`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('is not UTF-8');
  }
}

/**
 * The entries of a deny list. Empty lines, and spaces around an entry, mean nothing.
 * @throws FormatError if a line cannot be a `sub` or a `jti`; nothing of a token is in its message
 */
export function textToDenyList(text: string): DenyList {
  const entries = new Set<string>();
  for (const [i, line] of text.split('\n').entries()) {
    const entry = line.trim();
    const where = `line ${i + 1}`;
    if (entry.length > LINE_MAX_CHARS) throw new FormatError(where, `more than ${LINE_MAX_CHARS} characters`);
    if (/\p{Cc}/u.test(entry)) throw new FormatError(where, 'a control character');
    // Whoever reads the file could use it.
    if (/^(Bearer )?eyJ[\w-]+\.[\w-]+\.[\w-]+$/i.test(entry))
      throw new FormatError(where, 'a whole token, expected its sub or jti');
    if (entry !== '') entries.add(entry);
  }
  return entries;
}
