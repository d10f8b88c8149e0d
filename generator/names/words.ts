// Writes the words of a level's names, by which its units are found: words.bin (format/words.ts).
import { FORMAT_VERSION } from '../../format/version.ts';
import { foldedNames, WORDS_MAGIC } from '../../format/words.ts';
import { BuildError } from '../report/errors.ts';

/** Where a word begins in its folded name. */
const WORD = /[^ ]+/g;
/** Code units from here on are surrogates, or sort after them although their UTF-8 bytes sort before. */
const LAST_SIMPLE_UNIT = /[\ud800-\uffff]/;

/** A text, what it is of, and where it lies in the text of all names. */
interface Sorted {
  text: string;
  owner: number;
  at: number;
}

/**
 * The file of a level.
 * @param units all names of each unit, by position
 * @throws BuildError if the names are longer than the file has room for
 */
export function encodeWords(units: Iterable<readonly string[]>): Buffer {
  const names: Sorted[] = [];
  let features = 0;
  for (const own of units) {
    for (const text of new Set(own.flatMap(foldedNames))) names.push({ text, owner: features, at: 0 });
    features++;
  }
  ascend(names);
  const keys: Sorted[] = [];
  const starts: number[] = [];
  let at = 0;
  for (const [owner, { text }] of names.entries()) {
    starts.push(at);
    for (const { index } of text.matchAll(WORD))
      keys.push({ text: text.slice(index), owner, at: at + Buffer.byteLength(text.slice(0, index)) });
    at += Buffer.byteLength(text) + 1;
  }
  starts.push(at);
  ascend(keys);
  if (at > 0xffffffff)
    throw new BuildError(
      `${at} bytes of names in one level, at most ${0xffffffff} are possible`,
      'leave out a --search-column',
    );
  const head = Uint32Array.of(FORMAT_VERSION, features, names.length, keys.length, at, 0);
  const arrays = [
    head,
    Uint32Array.from(starts),
    Uint32Array.from(names, ({ owner }) => owner),
    Uint32Array.from(keys, (key) => key.at),
    Uint32Array.from(keys, ({ owner }) => owner),
  ];
  const parts = arrays.map(({ buffer }) => new Uint8Array(buffer));
  return Buffer.concat([WORDS_MAGIC, ...parts, Buffer.from(names.map(({ text }) => `${text}\n`).join(''))]);
}

/** Sorts by the UTF-8 bytes of the texts, then by what they are of. */
function ascend(sorted: Sorted[]): void {
  if (!sorted.some(({ text }) => LAST_SIMPLE_UNIT.test(text))) {
    sorted.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.owner - b.owner));
    return;
  }
  const encoded = sorted.map((one) => ({ ...one, bytes: Buffer.from(one.text) }));
  encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes) || a.owner - b.owner);
  for (const [i, { text, owner, at }] of encoded.entries()) sorted[i] = { text, owner, at };
}
