// Verifies the neighbours of a level: the file by itself, and the table, which follows from it and the index.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { neighboursPath, neighboursTablePath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { decodingNeighbours, type Neighbours } from '../../format/neighbours.ts';
import { neighbourLines } from '../borders/neighbours.ts';
import { gidsOf } from '../names/named-units.ts';
import { FileError } from '../release-reader/file-error.ts';
import { EXCESS_BYTES, gunzipWithin } from '../release-reader/inflate.ts';

/** Reads the neighbours of a level. @throws FormatError if they are not those of as many units, or not symmetric */
export function readNeighbours(root: string, { level, features }: LevelIndex): Neighbours {
  const path = neighboursPath(level);
  const decoding = decodingNeighbours(readFileSync(join(root, path)), features, path);
  for (;;) {
    const { done, value } = decoding.next();
    if (done === true) return value;
  }
}

/** Compares the table with the neighbours. @throws FileError that says where it differs */
export function checkNeighboursTable(root: string, index: LevelIndex, neighbours: Neighbours): void {
  const lines = (): Iterable<string> =>
    neighbourLines(neighbours, (position) => index.fidAt(position), gidsOf(index, index.level));
  let expected = 0;
  for (const line of lines()) expected += Buffer.byteLength(line);
  const bytes = readFileSync(join(root, neighboursTablePath(index.level)));
  const text = gunzipWithin(bytes, expected + EXCESS_BYTES).toString();
  let [at, number] = [0, 0];
  for (const line of lines()) {
    number++;
    if (!text.startsWith(line, at))
      throw new FileError(
        `line ${number} is ${shown(text.slice(at, at + line.length))}, ${neighboursPath(index.level)} has ${shown(line)}`,
      );
    at += line.length;
  }
  if (at < text.length) throw new FileError(`goes on after line ${number}`);
}

/** The beginning of a line, for messages. */
function shown(line: string): string {
  return JSON.stringify(line.trimEnd().slice(0, 100));
}
