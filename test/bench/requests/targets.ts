// What the serving benchmark asks: lists of request targets made from a release's indexes, no two the same, in an
// order that looks random and is the same in every run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { contentOf, encodeCursor } from '../../../format/cursor.ts';
import { elementAt } from '../../../format/element-at.ts';
import { type ListingKey, namesPath, pagePath, RELEASE_FILE } from '../../../format/layout.ts';
import { type LevelIndex, pageCount } from '../../../format/level-index.ts';
import {
  FORMATS,
  type Format,
  type Geometry,
  LEVELS,
  type Level,
  levelName,
  PAGE_CAPS,
  pageCap,
} from '../../../format/levels.ts';
import { foldText } from '../../../format/words.ts';
import { sha256Of } from '../../support/files.ts';
import type { MeasuredRelease } from './measured-release.ts';

/** One request. */
export interface Target {
  /** Path and query. */
  path: string;
  /** Of a stored page: its file relative to the output folder, its length, and the beginning of its SHA-256 in hex. */
  page?: { file: string; bytes: number; digest: string };
}

/** Targets and what they have in common. */
export interface TargetList {
  what: string;
  targets: Target[];
}

/** The level with the most units among these, the deepest of equals. */
export function largestLevel({ levels }: MeasuredRelease, among: readonly Level[] = LEVELS): LevelIndex {
  const [largest] = levels
    .filter(({ level }) => among.includes(level))
    .sort((a, b) => b.features - a.features || b.level - a.level);
  if (largest === undefined) throw new Error(`the release has none of the levels ${among.join(', ')}`);
  return largest;
}

/** The path of the page that is asked for again and again: the first one of the larger of fc/lv2 and fc/lv3. */
export function hotPath(release: MeasuredRelease): string {
  return endpoint('fc', largestLevel(release, [2, 3]).level);
}

/**
 * Slices of `size` features with a geometry that start at a random fid. Where the level has fewer than `wanted` fids,
 * page sizes around `size` are asked for as well, so that no request occurs twice.
 */
export function slicesAtRandomFids(
  index: LevelIndex,
  format: Format,
  size: number,
  wanted: number,
  geometry: Geometry = 'full',
): TargetList {
  const { level, features, arrays } = index;
  const sizes = sizesAround(size, pageCap(format, level, geometry), Math.ceil(wanted / features));
  const more = geometry === 'full' ? '' : `&geometry=${geometry}`;
  const targets = [...arrays.fid].flatMap((fid) =>
    sizes.map((pageSize) => ({ path: `${endpoint(format, level)}?page-size=${pageSize}&start-at=${fid}${more}` })),
  );
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const count = least === most ? String(size) : `${least} to ${most}`;
  const withGeometry = geometry === 'full' ? '' : `, geometry=${geometry}`;
  const what = `${count} features of ${format}/${levelName(level)} at a random fid${withGeometry}`;
  return { what, targets: shuffled(targets) };
}

/** Single units by GID, of the largest level first, until there are `wanted`. */
export function singleUnits({ levels }: MeasuredRelease, wanted: number): TargetList {
  const targets: Target[] = [];
  const used = new Set<string>();
  for (const { level, columns } of levels.toSorted((a, b) => b.features - a.features || b.level - a.level))
    for (const format of FORMATS) {
      if (targets.length >= wanted) break;
      used.add(levelName(level));
      const own = elementAt(columns, level);
      for (let number = 0; number < own.size; number++)
        targets.push({ path: `${endpoint(format, level)}?gid-${level}=${encodeURIComponent(own.gidAt(number))}` });
    }
  return { what: `one unit by its GID (${[...used].join(', ')})`, targets: shuffled(targets) };
}

/**
 * Every stored page, half of them by a cursor, half by a fid. Until there are `wanted`, they are asked for with page
 * sizes above the cap as well, which lead to the same pages.
 */
export function storedPages({ out, about, levels, path }: MeasuredRelease, wanted: number): TargetList {
  const targets: Target[] = [];
  const content = contentOf(sha256Of(join(out, path, RELEASE_FILE)));
  for (const index of levels) {
    const { level, storedPages } = index;
    const listings = { all: index.listings, unfiltered: 1, none: 0 }[storedPages];
    for (let listing = 0; listing < listings; listing++) {
      const key = index.listingKey(listing);
      const positions = index.listingPositions(listing);
      for (const format of FORMATS)
        for (let number = 0; number < pageCount(level, format, positions.count); number++) {
          const rank = number * PAGE_CAPS[format][level];
          const count = Math.min(PAGE_CAPS[format][level], positions.count - rank);
          const page = index.storedPage(format, listing, positions.count, rank, count);
          if (page === undefined) continue;
          const position = positions.at(rank);
          const cursor = encodeCursor({ release: about.release, content, level, position });
          const start = number === 0 ? '' : `start-at=${targets.length % 2 === 0 ? cursor : index.fidAt(position)}`;
          const query = [filterOf(key), start].filter((part) => part !== '').join('&');
          targets.push({
            path: `${endpoint(format, level)}?${query}`.replace(/\?$/, ''),
            page: {
              bytes: page.bytes,
              digest: index.pageDigest(format, page.number),
              file: `${path}/${pagePath(level, format, key, number)}`,
            },
          });
        }
    }
  }
  return { what: 'a stored page (random listing and page number)', targets: shuffled(moreOf(targets, wanted)) };
}

/** Boxes of so many degrees around random units, of which one feature without its geometry is asked for. */
export function boxesAround({ level, arrays: { box } }: LevelIndex, degrees: number): TargetList {
  const within = (value: number, most: number): string => Math.max(-most, Math.min(most, value)).toFixed(7);
  const targets = centresOf(box).map(([x, y]) => {
    const [longitudes, latitudes] = [
      [x - degrees / 2, x + degrees / 2].map((value) => within(value, 180)),
      [y - degrees / 2, y + degrees / 2].map((value) => within(value, 90)),
    ];
    const bbox = [longitudes[0], latitudes[0], longitudes[1], latitudes[1]].join();
    return { path: `${endpoint('fc', level)}?bbox=${bbox}&geometry=none&page-size=1` };
  });
  return {
    what: `one of the units in a box of ${degrees} degrees (lv${level}), without geometry`,
    targets: shuffled(targets),
  };
}

/** One of the units that are at the centre of random units, without its geometry. */
export function unitsAtPoints({ level, arrays: { box } }: LevelIndex): TargetList {
  const targets = centresOf(box).map(([x, y]) => ({
    path: `${endpoint('fc', level)}?contains=${x.toFixed(7)},${y.toFixed(7)}&geometry=none&page-size=1`,
  }));
  return { what: `one of the units at a random point (lv${level}), without geometry`, targets: shuffled(targets) };
}

/** What is on all levels at the centre of random units. */
export function hierarchiesAtPoints({ level, arrays: { box } }: LevelIndex): TargetList {
  const targets = centresOf(box).map(([x, y]) => ({ path: `/api/v1/at?point=${x.toFixed(7)},${y.toFixed(7)}` }));
  return { what: `the units of all levels at a random point (of lv${level})`, targets: shuffled(targets) };
}

/** Units of all levels whose names begin like those of random units: four letters, in small letters and in capitals. */
export function searchesByName({ out, path, levels }: MeasuredRelease): TargetList {
  const beginnings = levels.flatMap(({ level }) =>
    gunzipSync(readFileSync(join(out, path, namesPath(level))))
      .toString()
      .trimEnd()
      .split('\n')
      .slice(1)
      .flatMap((line): string[] => {
        const letters = foldText(JSON.parse(line)[2] ?? '').match(/^\p{L}{4}/u);
        return letters === null ? [] : [letters[0], letters[0].toUpperCase()];
      }),
  );
  const targets = [...new Set(beginnings)].map((text) => ({ path: `/api/v1/search?q=${encodeURIComponent(text)}` }));
  return { what: 'a search of all levels for four letters', targets: shuffled(targets) };
}

/** The centre of each box in degrees; of those across the antimeridian a point that is far away. */
function centresOf(box: Int32Array): [x: number, y: number][] {
  return Array.from({ length: box.length / 4 }, (_, i): [number, number] => {
    const [west = 0, south = 0, east = 0, north = 0] = box.subarray(4 * i, 4 * i + 4);
    return [(west + east) / 2e7, (south + north) / 2e7];
  });
}

/** The targets, and the same pages with other page sizes. */
function moreOf(targets: readonly Target[], wanted: number): Target[] {
  const times = targets.length === 0 ? 0 : Math.ceil(wanted / targets.length);
  return Array.from({ length: times }, (_, time) => {
    if (time === 0) return targets;
    const size = `page-size=${ABOVE_ALL_CAPS + time}`;
    return targets.map(({ path, ...page }) => ({ ...page, path: `${path}${path.includes('?') ? '&' : '?'}${size}` }));
  }).flat();
}

function endpoint(format: Format, level: Level): string {
  return `/api/v1/${format}/${levelName(level)}`;
}

function filterOf(key: ListingKey): string {
  return key === 'all' ? '' : `gid-${key.column}=${encodeURIComponent(key.gid)}`;
}

/** `count` sizes from 1 to `cap`: the wanted one and its nearest neighbours, at most half of it away. */
function sizesAround(size: number, cap: number, count: number): number[] {
  const distances = Array.from({ length: Math.floor(size / 2) }, (_, i) => i + 1);
  const all = [size, ...distances.flatMap((distance) => [size - distance, size + distance])];
  return all.filter((near) => near <= cap).slice(0, count);
}

const ABOVE_ALL_CAPS = 1_000_000;
const SEED = 20_240_607;

/** In an order that depends on nothing but their number: Fisher and Yates, with a linear congruential generator. */
function shuffled<T>(values: T[]): T[] {
  let state = SEED;
  for (let left = values.length; left > 1; left--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * left);
    const last = values[left - 1];
    const drawn = values[other];
    if (last === undefined || drawn === undefined) continue;
    values[left - 1] = drawn;
    values[other] = last;
  }
  return values;
}
