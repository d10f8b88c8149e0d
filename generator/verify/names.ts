// Compares the names and the words of a level with its units: both follow from the texts of its features and its index.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { namesPath, releasePath, wordsPath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { Level } from '../../format/levels.ts';
import { NAME_FIELDS, namesHeader, namesLine, valuesIn } from '../../format/names.ts';
import { COLOURS } from '../../format/neighbours.ts';
import type { JsonObject } from '../../format/parse.ts';
import type { LevelAbout } from '../../format/release.ts';
import { MAX_PRECISION } from '../geojson/geometry.ts';
import { isNoName } from '../geojson/property-values.ts';
import { insideOf, relationsOf, viewOf } from '../names/named-units.ts';
import { encodeWords } from '../names/words.ts';
import { FileError } from '../release-reader/file-error.ts';
import { EXCESS_BYTES, gunzipWithin } from '../release-reader/inflate.ts';
import { featureFrom, isObject, listOf, parsedToJson } from '../release-reader/parse-feature.ts';
import { type IndexBox, indexBoxAt } from '../rings/bbox.ts';
import { Coordinates } from '../rings/coordinates.ts';
import { MainPart } from '../rings/main-part.ts';
import { readNeighbours } from './neighbours.ts';

/** Which properties are names and types. */
export type NameColumns = Pick<LevelAbout, 'nameColumn' | 'typeColumn' | 'typeName' | 'searchColumns'>;

/** What the unit at a position is called. */
export interface NamedPosition {
  position: number;
  name: string | null;
  type: string | null;
  /** All its names. */
  names: readonly string[];
  /** As `MainPart` has it. */
  view: IndexBox;
}

/** The release of a level, and what takes problems of its files. */
interface NamesOf {
  out: string;
  id: string;
  levels: readonly (LevelIndex | undefined)[];
  found(path: string, problem: string): void;
}

/** What a unit is called, by its properties, and where maps go to see it. @param text of its feature */
export function namedPosition(
  { arrays: { box } }: LevelIndex,
  position: number,
  { properties, geometry }: { properties: JsonObject; geometry: unknown },
  text: Buffer,
  { nameColumn, typeColumn, typeName, searchColumns }: NameColumns,
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
  const view = viewIn(geometry, indexBoxAt(box, position));
  return {
    position,
    name,
    type: textOf(typeColumn) ?? typeName ?? null,
    names: name === null ? others : [name, ...others],
    view,
  };
}

/** The view of a geometry as it was published. @param box of its unit, as the index has it */
function viewIn(geometry: unknown, box: IndexBox): IndexBox {
  const main = new MainPart(MAX_PRECISION);
  const ring = new Coordinates();
  const polygons =
    isObject(geometry) && geometry['type'] === 'MultiPolygon' ? listOf(geometry['coordinates']).map(listOf) : [];
  for (const [exterior] of polygons) {
    const positions = listOf(exterior);
    ring.resize(positions.length);
    for (const [i, position] of positions.entries()) {
      const [x, y] = listOf(position);
      ring.set(i, Math.round(Number(x) * SCALE), Math.round(Number(y) * SCALE));
    }
    main.ring(ring, false);
  }
  return main.finish(box);
}

/** Units in a degree, of which every coordinate that a release can have is a whole number. */
const SCALE = 10 ** MAX_PRECISION;

/**
 * Compares names and words of a level. Nothing is said where another file is damaged that they follow from.
 * @param namedIn the units of each level, by position
 */
export function checkNames(
  index: LevelIndex,
  namedIn: (level: Level) => readonly NamedPosition[],
  { out, id, levels, found }: NamesOf,
): void {
  const { level } = index;
  const filled = levels.flatMap((other) => (other !== undefined && other.features > 0 ? [other] : []));
  const parent = filled.findLast((other) => other.level < level)?.level;
  const below = filled.filter((other) => other.level > level);
  const isWhole = ({ level: own, features }: LevelIndex): boolean => namedIn(own).length === features;
  if (levels.includes(undefined) || ![index, ...below].every(isWhole)) return;
  const relationsAt = relationsOf(level, index, parent, below[0] && elementAt(below[0].columns, level));
  const insideAt = insideOf(
    below.map(({ level: deeper, columns }) => {
      const units = namedIn(deeper);
      return {
        level: deeper,
        column: elementAt(columns, level),
        typeAt: (position: number) => elementAt(units, position).type,
      };
    }),
  );
  const ordered = namedIn(level);
  const root = join(out, releasePath(id));
  const colours = coloursOf(root, index);
  const expectedWith = (colourAt: (position: number) => number): string[] => [
    namesHeader(),
    ...ordered.map(({ position, name, type, view }) => {
      const relations = relationsAt(position);
      return namesLine({
        ...{ fid: index.fidAt(position), name, type },
        ...relations,
        colour: colourAt(position),
        view: viewOf(view),
        inside: insideAt(relations.gid),
      });
    }),
  ];
  // Every colour is one digit.
  const drafts = expectedWith((position) => colours?.[position] ?? 0);
  const length = drafts.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  const lines = readLines(join(root, namesPath(level)), length, (problem) => found(namesPath(level), problem));
  const expected = colours === undefined ? expectedWith((position) => colourIn(lines?.[position + 1])) : drafts;
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
  try {
    const colour = valuesIn(line, '')[NAME_FIELDS.indexOf('colour')];
    return typeof colour === 'number' && colour >= 0 && colour < COLOURS && Number.isInteger(colour) ? colour : 0;
  } catch {
    return 0;
  }
}

/**
 * The lines of a compressed file; undefined if it is damaged, which is found elsewhere, or much longer than it should be.
 * @param length of its text
 */
function readLines(file: string, length: number, found: (problem: string) => void): string[] | undefined {
  try {
    const text = gunzipWithin(readFileSync(file), length + EXCESS_BYTES).toString();
    return text === '' ? [] : text.split(/(?<=\n)/);
  } catch (error) {
    if (error instanceof FileError) found(error.message);
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
