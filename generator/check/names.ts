// Compares the names and the words of a level with its units: both follow from the texts of its features and its index.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { namesPath, releasePath, wordsPath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { namesHeader, namesLine } from '../../format/names.ts';
import type { JsonObject } from '../../format/parse.ts';
import type { LevelAbout } from '../../format/release.ts';
import { isNoName } from '../geojson/property-values.ts';
import { featureFrom, parsedToJson } from '../reader/parse-feature.ts';
import { relationsOf } from '../write/named-units.ts';
import { encodeWords } from '../write/words.ts';
import { readNeighbours } from './neighbours.ts';

/** Which properties are names and types. */
export type NameColumns = Pick<LevelAbout, 'nameColumn' | 'typeColumn' | 'searchColumns'>;

/** What the unit at a position is called. */
export interface NamedPosition {
  position: number;
  name: string | null;
  type: string | null;
  /** All its names. */
  names: readonly string[];
}

/** The release of a level, and what takes problems of its files. */
interface NamesOf {
  out: string;
  id: string;
  levels: readonly (LevelIndex | undefined)[];
  found(path: string, problem: string): void;
}

/** What a unit is called, by its properties. @param text of its feature */
export function namedPosition(
  position: number,
  properties: JsonObject,
  text: Buffer,
  { nameColumn, typeColumn, searchColumns }: NameColumns,
): NamedPosition {
  const textOf = (column: string): string | null => {
    const parsed = properties[column] ?? null;
    // Whole numbers beyond 2^53 have to be read exactly.
    const value = typeof parsed === 'number' ? featureFrom(text).properties[column] : parsed;
    if (value === null || value === '') return null;
    const own = typeof value === 'string' ? value : (parsedToJson(value) ?? '');
    return isNoName(own, column) ? null : own;
  };
  const name = textOf(nameColumn);
  const others = searchColumns.flatMap((column) => textOf(column)?.split('|') ?? []);
  return { position, name, type: textOf(typeColumn), names: name === null ? others : [name, ...others] };
}

/** Compares names and words of a level. Nothing is said where another file is damaged that they follow from. */
export function checkNames(
  index: LevelIndex,
  named: readonly NamedPosition[],
  { out, id, levels, found }: NamesOf,
): void {
  const { level, features } = index;
  if (named.length !== features || levels.includes(undefined)) return;
  const filled = levels.filter((other) => other !== undefined && other.features > 0);
  const parent = filled.findLast((other) => other !== undefined && other.level < level)?.level;
  const below = filled.find((other) => other !== undefined && other.level > level);
  const relationsAt = relationsOf(level, index, parent, below && elementAt(below.columns, level));
  const ordered = named.toSorted((a, b) => a.position - b.position);
  const root = join(out, releasePath(id));
  const colours = coloursOf(root, index);
  const lines = readLines(join(root, namesPath(level)));
  const expected = [namesHeader()];
  for (const { position, name, type } of ordered)
    expected.push(
      namesLine({
        fid: index.fidAt(position),
        name,
        type,
        ...relationsAt(position),
        colour: colours?.[position] ?? colourIn(lines?.[position + 1]),
      }),
    );
  for (const [i, line] of expected.entries()) {
    if (lines === undefined || lines[i] === line) continue;
    const has = lines[i]?.trimEnd().slice(0, 100) ?? 'missing';
    found(namesPath(level), `line ${i + 1} is ${has}, its unit makes ${line.trimEnd().slice(0, 100)}`);
  }
  if (lines !== undefined && lines.length > expected.length) found(namesPath(level), 'has more lines than units');
  const words = readWhole(join(root, wordsPath(level)));
  if (words !== undefined && !encodeWords(ordered.map(({ names }) => names)).equals(words))
    found(wordsPath(level), 'does not have the words of the names of its units');
}

/** The colours that follow from the neighbours; undefined if there are none, or they are damaged. */
function coloursOf(root: string, index: LevelIndex): Uint8Array | undefined {
  try {
    return readNeighbours(root, index).colours();
  } catch {
    return undefined;
  }
}

/** The colour in a line, which nothing else says where there are no neighbours; 0 if it is none. */
function colourIn(line = ''): number {
  const [, digit = '0'] = /,([0-5])\]\n$/.exec(line) ?? [];
  return Number(digit);
}

/** The lines of a compressed file; undefined if it is damaged, which is found elsewhere. */
function readLines(file: string): string[] | undefined {
  try {
    const text = gunzipSync(readFileSync(file)).toString();
    return text === '' ? [] : text.split(/(?<=\n)/);
  } catch {
    return undefined;
  }
}

function readWhole(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
