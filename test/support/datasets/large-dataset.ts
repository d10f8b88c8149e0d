// The invented world: units of every shape and name that a release must cope with, at the size of the tests or at any
// other (synthetic/synthetic.ts), and its features as stored.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Position } from 'geojson';
import { elementAt } from '../../../format/element-at.ts';
import { featureFilePath, releasePath } from '../../../format/layout.ts';
import { type Format, FRAMES, type Geometry, LEVELS, type Level } from '../../../format/levels.ts';
import {
  type PolygonPositions,
  type Unit,
  type WriteOptions,
  writeGeopackage,
} from '../../../generator/sample/write-geopackage.ts';
import { readIndex } from '../releases/read-index.ts';

/** GIDs of level 1 that would break a path, a query, a header or a shell. */
export const ODD_GIDS = [
  ...['?', 'a/../b', "O'Brien & Söhne=1+1", 'same', 'SAME', '50%', '100%25', '東京', '-', 'x"><', '..'],
];

/** Names that break programs without proper escaping, in many scripts; null for no name. One unit in eight has one. */
const ODD_NAMES: readonly (string | null)[] = [
  ...[
    '',
    null,
    ' leading and trailing ',
    'double " quote',
    "single ' quote",
    'back \\ slash',
    'for / ward',
    'tab\there',
  ],
  ...['line\nfeed', 'carriage\r\nreturn', 'bell \u0007 and escape \u001b', 'delete \u007f', '\ufeffbyte order mark'],
  ...[
    'line \u2028 and paragraph \u2029 separators',
    '<b>&amp;</b>',
    '{"type":"Feature"}',
    'a,b;c|d',
    '100 % %20 %s {x}',
  ],
  ...[
    '🏴󠁧󠁢󠁷󠁬󠁳󠁿 👩‍👩‍👧‍👦 🇪🇸',
    '\u202eright to left override\u202c',
    'שלום \u200f(عالم)\u200e',
    'e\u0301 is not \u00e9',
    'ﬁ ß İ ı ǆ',
  ],
  ...['Z\u0351\u036b\u0343a\u0310\u0321l\u0348g\u0337o\u035c', 'null', 'NaN', '-0', `very ${'long '.repeat(100)}name`],
];

/** What an invented world is like: how many units it has at each of its levels, and how many vertices they have. */
export interface World {
  counts: readonly number[];
  verticesOf(level: Level, i: number): number;
  /** One unit in so many lies away from its siblings. */
  strayEvery: number;
  /** Names of units that are called otherwise, by level and number. */
  names?: Readonly<Record<string, string>>;
  /** Bytes, once compressed, of the notes of units that are large, by level and number. */
  large?: ReadonlyMap<string, number>;
  /** Are units as much smaller as there are more of them, so that those of a level hardly overlap? */
  isSparse?: boolean;
}

/** Who is named for an invented world. */
const ATTRIBUTION = ['Invented data: no place, name or border in it is real'];

/** The range of the middles of units, in degrees. */
const [WIDTH, HEIGHT] = [320, 130];

/** The radius of the units of a level in degrees. */
const RADII = [8, 4, 2, 1, 0.5, 0.25] as const;

/**
 * Writes a GeoPackage: gaps between fids, children away from their siblings, odd GIDs and names, units with
 * holes and islands, without a geometry and on the antimeridian. The same arguments give the same bytes.
 * @returns the number of units of each level
 */
export function writeInvented(file: string, world: World, options: WriteOptions = {}): number[] {
  let above: readonly string[][] = [[]];
  const layers = LEVELS.slice(0, world.counts.length).map((level) => {
    const count = elementAt(world.counts, level);
    const parents = above;
    const gids = Array.from({ length: count }, (_, i) => {
      const isStray = i % world.strayEvery === 3;
      const parent = isStray ? (i * 31) % parents.length : Math.floor((i * parents.length) / count);
      return [...elementAt(parents, parent), (level === 1 ? ODD_GIDS[i] : undefined) ?? `U${level}.${i}_1`];
    });
    above = gids;
    const columns = [...LEVELS.slice(0, level + 1).map((n) => `GID_${n}`), `NAME_${level}`];
    if (world.large !== undefined) columns.push('NOTE');
    return { name: `ADM_${level}`, columns, count, units: unitsOf(level, gids, world) };
  });
  return writeGeopackage(file, layers, ATTRIBUTION, options);
}

function* unitsOf(level: Level, gids: readonly string[][], world: World): Generator<Unit> {
  const { verticesOf, names = {}, large, isSparse = false } = world;
  const radius = Math.min(RADII[level], isSparse ? 0.4 * Math.sqrt((WIDTH * HEIGHT) / gids.length) : Infinity);
  for (const [i, own] of gids.entries()) {
    const odd = ODD_NAMES[(i / 8 + level * 5) % ODD_NAMES.length];
    const name = names[`${level}.${i}`] ?? (odd === undefined ? `Unit ${i} "é東"` : odd);
    const isNowhere = level === 2 && i % 500 === 9;
    const coordinates = isNowhere ? null : polygonsOf(radius, level, i, verticesOf(level, i));
    const values = [...own, name, ...(large === undefined ? [] : [noteOf(large.get(`${level}.${i}`))])];
    yield { fid: 1 + i + Math.floor(i / 5) * 3, values, coordinates };
  }
}

/** A text that has so many bytes when it is compressed, as base64 has six bits in each character. */
function noteOf(bytes: number | undefined): string | null {
  if (bytes === undefined) return null;
  return createHash('shake256', { outputLength: bytes }).digest('base64');
}

/** Places spread evenly: multiples of irrational numbers fill a range without clusters. */
function polygonsOf(radius: number, level: Level, i: number, vertices: number): PolygonPositions {
  const x = ((i * 0.6180339887) % 1) * WIDTH - WIDTH / 2;
  const y = ((i * 0.7548776662) % 1) * HEIGHT - HEIGHT / 2;
  // The second country: a half on either side of the antimeridian.
  if (level === 0 && i === 1)
    return [[ringAround(180, y, radius, vertices, 0.25)], [ringAround(-180, y, radius, vertices, -0.25)]];
  const main = [ringAround(x, y, radius, vertices)];
  if (i % 11 === 2) main.push(ringAround(x, y, radius / 4, 8).reverse());
  const islands = i % 9 === 1 ? 1 + (i % 3) : 0;
  return [
    main,
    ...Array.from({ length: islands }, (_, n) => [ringAround(x + radius * (1.4 + n / 2), y, radius / 8, 8)]),
  ];
}

/** A round counter-clockwise ring whose edge is too uneven to compress well; a half of one from a turn on. */
function ringAround(x: number, y: number, radius: number, vertices: number, halfFrom?: number): Position[] {
  const [from, turn, last] = halfFrom === undefined ? [0, 1, 0] : [halfFrom, 0.5, 1];
  const ring = Array.from({ length: vertices + last }, (_, n) => {
    const angle = (from + (turn * n) / vertices) * 2 * Math.PI;
    const distance = radius * (1 + (Math.abs(Math.sin(n * 12.9898 + x) * 43.758) % 1) / 5);
    return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)];
  });
  return [...ring, [...elementAt(ring, 0)]];
}

/** How many units the world of the tests has at each level. */
const COUNTS = [47, 130, 260, 160, 230, 250];

/**
 * How large the units are: each has four vertices, and up to `vertices` more; the large ones have notes of so many
 * bytes besides, by level and number, which make them as large as a long border does, and no build longer.
 */
export interface WorldSize {
  vertices: number;
  large?: ReadonlyMap<string, number>;
}

/** Every unit is small. */
const SMALL: WorldSize = { vertices: 40 };
/** One page and one unit are larger than what is ever held at once. */
export const ONE_LARGE: WorldSize = { vertices: 12, large: new Map([['0.3', 2_400_000]]) };
/**
 * Units of every size: chained ones, ones that are alone, larger ones than are read in vain, one that no read is large
 * enough for.
 */
export const MANY_SIZES: WorldSize = {
  vertices: 250,
  large: new Map([
    ['0.3', 60_000],
    ['0.4', 80_000],
    ['0.6', 1_700_000],
    ['0.8', 3_000],
    ['0.21', 60_000],
    ['1.40', 140_000],
    ['1.98', 3_000],
  ]),
};

/** Writes the world of the tests. @param names of units that are called otherwise, by level and number */
export function writeWorld(file: string, { vertices, large } = SMALL, names: World['names'] = {}): string {
  const verticesOf = (_: Level, i: number): number => 4 + ((i * 97) % vertices);
  writeInvented(file, { counts: COUNTS, verticesOf, strayEvery: 7, names, ...(large && { large }) });
  return file;
}

/** 250 countries and 450 regions: several feature files at both levels. */
export function writeTwoLevels(file: string): string {
  writeInvented(file, { counts: [250, 450], verticesOf: () => 4, strayEvery: 2 });
  return file;
}

/** More regions than any page has, of one country. */
export function writeManyRegions(file: string): string {
  writeInvented(file, { counts: [1, 1_010], verticesOf: () => 4, strayEvery: 2 });
  return file;
}

/** A level as it is stored: the text of every feature in order. */
export interface StoredLevel {
  /** With their full geometry; each ends in a line feed. */
  lines: string[];
  /** With each geometry of the release. */
  withGeometry: ReadonlyMap<Geometry, string[]>;
  /** Each fid and its GIDs at levels 0 to the level's own. */
  units: { fid: number; gids: string[] }[];
}

/** Reads a release's levels from their feature files. */
export function readStored(folder: string, release: string): StoredLevel[] {
  const root = join(folder, releasePath(release));
  return LEVELS.map((level) => {
    const { files, geometries } = readIndex(root, level);
    const linesWith = (geometry: Geometry): string[] =>
      Array.from({ length: files }, (_, number) => {
        const text = gunzipSync(readFileSync(join(root, featureFilePath(level, number, geometry)))).toString('utf8');
        return text.split(/(?<=\n)/);
      }).flat();
    const lines = linesWith('full');
    const units = lines.map((line) => {
      const { id, properties } = JSON.parse(line);
      return { fid: Number(id), gids: LEVELS.slice(0, level + 1).map((n) => String(properties[`GID_${n}`])) };
    });
    const others = geometries.map((geometry): [Geometry, string[]] => [geometry, linesWith(geometry)]);
    return { lines, withGeometry: new Map([['full', lines], ...others]), units };
  });
}

/** The body that has these features. */
export function bodyOf(format: Format, lines: readonly string[]): string {
  const { before, separator, after } = FRAMES[format];
  const texts = lines.map((line) => line.slice(0, -1));
  return `${before}${texts.join(separator)}${texts.length > 0 ? '\n' : ''}${after}`;
}
