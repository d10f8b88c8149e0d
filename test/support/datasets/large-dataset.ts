// An invented world whose units have every shape that pages and slices must cope with, and its features as stored.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { featureFilePath, releasePath } from '../../../format/layout.ts';
import type { Format, Level } from '../../../format/levels.ts';
import { FRAMES, LEVELS } from '../../../format/levels.ts';
import { readIndex } from '../releases/read-index.ts';
import type { FixtureFeature } from './write-dataset.ts';
import { writeDataset } from './write-dataset.ts';

/** GIDs of level 1 that would break a path, a query, a header or a shell. */
export const ODD_GIDS = [
  '?',
  'a/../b',
  "O'Brien & Söhne=1+1",
  'same',
  'SAME',
  '50%',
  '100%25',
  '東京',
  '-',
  'x"><',
  '..',
];

/** How many units the world has at each level. */
const COUNTS = [47, 130, 260, 160, 230, 250] as const;

/** Vertices of units, by level and number, that are large; one has over a MiB even when compressed. */
const LARGE: ReadonlyMap<string, number> = new Map([
  ['0.3', 9_000],
  ['0.4', 12_000],
  ['0.6', 160_000],
  ['0.21', 8_000],
  ['1.40', 20_000],
]);

/** How many vertices the units have: usually fewer than `vertices`, `large` of those that are named. */
export interface WorldSize {
  vertices: number;
  large: ReadonlyMap<string, number>;
}

/** Every unit is small. */
const SMALL: WorldSize = { vertices: 40, large: new Map() };
/** One page and one unit are larger than what is ever held at once. */
export const ONE_LARGE: WorldSize = { vertices: 12, large: new Map([['0.3', 160_000]]) };
/** Units of every size: small ones, ones whose deflate data pages reuse, one that no read is large enough for. */
export const MANY_SIZES: WorldSize = { vertices: 500, large: LARGE };

/**
 * Writes the world as a GeoPackage with six levels: gaps between fids, children away from their siblings, odd GIDs, one
 * unit without a geometry.
 * @param names of units that are called otherwise, by level and number
 */
export function writeWorld(
  file: string,
  { vertices, large }: WorldSize = SMALL,
  names: Readonly<Record<string, string>> = {},
): string {
  const rows: string[][][] = [];
  const layers = LEVELS.map((level) => {
    const above = rows[level - 1] ?? [[]];
    const own = Array.from({ length: COUNTS[level] }, (_, i) => {
      // Mostly side by side, but every seventh lies somewhere else.
      const parent = i % 7 === 3 ? (i * 31) % above.length : Math.floor((i * above.length) / COUNTS[level]);
      return [...(above[parent] ?? []), gidOf(level, i)];
    });
    rows.push(own);
    const features = own.map((gids, i): FixtureFeature => {
      const isNowhere = level === 2 && i === 9;
      const wkt = isNowhere ? null : polygon(i, large.get(`${level}.${i}`) ?? 4 + ((i * 97) % vertices));
      return {
        fid: 1 + i + Math.floor(i / 5) * 3,
        values: [...gids, names[`${level}.${i}`] ?? `Unit ${i} "é東"`],
        wkt,
      };
    });
    return { name: `ADM_${level}`, columns: [...LEVELS.slice(0, level + 1).map((n) => `GID_${n}`), 'NAME'], features };
  });
  return writeDataset(file, 'GPKG', layers);
}

/** A level as it is stored: the text of every feature in order. */
export interface StoredLevel {
  /** Each ends in a line feed. */
  lines: string[];
  /** Each fid and its GIDs at levels 0 to the level's own. */
  units: { fid: number; gids: string[] }[];
}

/** Reads a release's levels from their feature files. */
export function readStored(folder: string, release: string): StoredLevel[] {
  const root = join(folder, releasePath(release));
  return LEVELS.map((level) => {
    const lines = Array.from({ length: readIndex(root, level).files }, (_, number) => {
      const text = gunzipSync(readFileSync(join(root, featureFilePath(level, number)))).toString('utf8');
      return text.split(/(?<=\n)/);
    }).flat();
    const units = lines.map((line) => {
      const { id, properties } = JSON.parse(line);
      return { fid: Number(id), gids: LEVELS.slice(0, level + 1).map((n) => String(properties[`GID_${n}`])) };
    });
    return { lines, units };
  });
}

/** The body that has these features. */
export function bodyOf(format: Format, lines: readonly string[]): string {
  const { before, between, after } = FRAMES[format];
  return `${before}${lines.join(between)}${after}`;
}

function gidOf(level: Level, i: number): string {
  return (level === 1 ? ODD_GIDS[i] : undefined) ?? `U${level}.${i}_1`;
}

/** A round polygon whose edge is too uneven to compress well. */
function polygon(seed: number, vertices: number): string {
  const [x, y] = [(seed % 20) * 8 - 80, (seed % 9) * 8 - 36];
  const corners = Array.from({ length: vertices }, (_, i) => {
    const angle = (i / vertices) * 2 * Math.PI;
    const radius = 2 + Math.abs(Math.sin(i * 12.9898 + seed) * 43.758) / 100;
    return `${x + radius * Math.cos(angle)} ${y + radius * Math.sin(angle)}`;
  });
  return `MULTIPOLYGON(((${[...corners, corners[0]].join(',')})))`;
}
