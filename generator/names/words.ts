// Writes the words of a level's names, by which its units are found: words.bin (format/words.ts).
import { elementAt, numberAt } from '../../format/element-at.ts';
import { FORMAT_VERSION } from '../../format/version.ts';
import { foldedNames, WORDS_MAGIC } from '../../format/words.ts';
import { ascendingTexts } from '../../format/write/text-order.ts';
import { BuildError } from '../report/errors.ts';

/** Where a word begins in its folded name. */
const WORD = /[^ ]+/g;
/** More bytes are not written at once. */
const FILE_MAX_BYTES = 0x7fffffff;

/** A text and what it is of. */
interface OwnedText {
  text: string;
  owner: number;
}

/** The end of a name, from the beginning of a word on, and where that lies in the text of all names. */
interface Key extends OwnedText {
  at: number;
}

/**
 * The file of a level.
 * @param units all names of each unit, by position
 * @throws BuildError if the names are longer than a file has room for
 */
export function encodeWords(units: Iterable<readonly string[]>): Buffer {
  const read: OwnedText[] = [];
  let features = 0;
  for (const own of units) {
    for (const text of new Set(own.flatMap(foldedNames))) read.push({ text, owner: features });
    features++;
  }
  const names = ascending(read);
  const words: Key[] = [];
  const starts: number[] = [];
  let at = 0;
  for (const [owner, { text }] of names.entries()) {
    starts.push(at);
    for (const { index } of text.matchAll(WORD))
      words.push({ text: text.slice(index), owner, at: at + Buffer.byteLength(text.slice(0, index)) });
    at += Buffer.byteLength(text) + 1;
  }
  starts.push(at);
  const keys = ascending(words);
  const arrays = [
    Uint32Array.of(FORMAT_VERSION, features, names.length, keys.length, at, 0),
    Uint32Array.from(starts),
    Uint32Array.from(names, ({ owner }) => owner),
    Uint32Array.from(keys, (key) => key.at),
    Uint32Array.from(keys, ({ owner }) => owner),
  ];
  const parts = [WORDS_MAGIC, ...arrays.map(({ buffer }) => new Uint8Array(buffer))];
  const before = parts.reduce((sum, { length }) => sum + length, 0);
  if (before + at > FILE_MAX_BYTES)
    throw new BuildError(
      `${before + at} bytes of names in one level, at most ${FILE_MAX_BYTES} are possible`,
      'leave out a --search-column',
    );
  const file = Buffer.concat(parts, before + at);
  for (const [i, { text }] of names.entries()) file.write(`${text}\n`, before + numberAt(starts, i));
  return file;
}

/** In ascending order of the UTF-8 bytes of the texts, then as they are. */
function ascending<Own extends OwnedText>(owned: readonly Own[]): Own[] {
  return ascendingTexts(owned.map(({ text }) => text)).map((i) => elementAt(owned, i));
}
