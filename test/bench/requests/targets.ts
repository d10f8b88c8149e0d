// What the serving benchmark asks: lists of request targets made from a release's indexes, no two the same, in an
// order that looks random and is the same in every run.
import { join } from 'node:path';
import { contentOf, encodeCursor } from '../../../format/cursor.ts';
import { elementAt } from '../../../format/element-at.ts';
import { type ListingKey, pagePath, RELEASE_FILE } from '../../../format/layout.ts';
import { type LevelIndex, pageCount } from '../../../format/level-index.ts';
import { FORMATS, type Format, type Geometry, LEVELS, type Level, levelName } from '../../../format/levels.ts';
import { PAGE_CAPS, pageCap } from '../../../format/page-caps.ts';
import { foldText } from '../../../format/words.ts';
import { mercatorX, mercatorY } from '../../../generator/tiles/tile-arcs.ts';
import { dice } from '../../support/dice.ts';
import { sha256Of } from '../../support/files.ts';
import { readNames } from '../../support/releases/read-index.ts';
import type { MeasuredRelease } from './measured-release.ts';

const ABOVE_ALL_CAPS = 1_000_000;
const SEED = 20_240_607;
/** By which texts are put together with others. */
const PRIME = 7;
/** Texts of digits. */
const DIGITS = 100;

export interface Target {
  /** Path and query. */
  path: string;
  /** Of a stored page: its file. */
  page?: string;
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
  const withGeometry = geometry === 'full' ? '' : `, geometry=${geometry}`;
  const what = `${sizes.length === 1 ? '' : 'about '}${size} features of ${format}/${levelName(level)} at a random fid${withGeometry}`;
  return { what, targets: shuffled(targets) };
}

/** Single units by GID, of the largest level first, until there are `wanted`. */
export function singleUnits({ levels }: MeasuredRelease, wanted: number): TargetList {
  const targets: Target[] = [];
  for (const { level, columns } of levels.toSorted((a, b) => b.features - a.features || b.level - a.level)) {
    const own = elementAt(columns, level);
    for (const format of targets.length < wanted ? FORMATS : [])
      for (let number = 0; number < own.size; number++)
        targets.push({ path: `${endpoint(format, level)}?gid-${level}=${encodeURIComponent(own.gidAt(number))}` });
  }
  return { what: 'one unit by its GID', targets: shuffled(targets) };
}

/** The download of a listing with the most runs. */
export function scatteredListing(index: LevelIndex): TargetList {
  const numbers = Array.from({ length: index.listings }, (_, number) => number);
  const runsOf = (number: number): number => index.listingPositions(number).runs;
  const [most = 0] = numbers.sort((a, b) => runsOf(b) - runsOf(a));
  const path = `/api/v1/download/${levelName(index.level)}.geojsonl.gz?${filterOf(index.listingKey(most))}`;
  return { what: `99 bytes of a download of ${runsOf(most)} runs`, targets: [{ path }] };
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
          const position = positions.at(number * PAGE_CAPS[format][level]);
          const cursor = encodeCursor({ release: about.release, content, level, position });
          const start = number === 0 ? '' : `start-at=${targets.length % 2 === 0 ? cursor : index.fidAt(position)}`;
          const query = [filterOf(key), start].filter((part) => part !== '').join('&');
          targets.push({
            path: `${endpoint(format, level)}?${query}`.replace(/\?$/, ''),
            page: join(out, path, pagePath(level, format, key, number)),
          });
        }
    }
  }
  return { what: 'a stored page (random listing and page number)', targets: shuffled(moreOf(targets, wanted)) };
}

/** Boxes of so many degrees around random units, of which one feature without its geometry is asked for. */
export function boxesAround(index: LevelIndex, degrees: number): TargetList {
  const within = (value: number, most: number): string => Math.max(-most, Math.min(most, value)).toFixed(7);
  const boxAround = (x: number, y: number): string =>
    [-degrees / 2, degrees / 2].flatMap((by) => [within(x + by, 180), within(y + by, 90)]).join();
  return {
    what: `one of the units in a box of ${degrees} degrees (lv${index.level}), without geometry`,
    targets: aroundCentres(index, (x, y) => `${oneOf(index)}&bbox=${boxAround(x, y)}`),
  };
}

/** One of the units that are at the centre of random units, without its geometry. */
export function unitsAtPoints(index: LevelIndex): TargetList {
  return {
    what: `one of the units at a random point (lv${index.level}), without geometry`,
    targets: aroundCentres(index, (x, y) => `${oneOf(index)}&contains=${x.toFixed(7)},${y.toFixed(7)}`),
  };
}

/** One of the units that share a border with a random one, without its geometry; and that one by its GID likewise. */
export function neighboursOfUnits(index: LevelIndex): [neighbours: TargetList, byGid: TargetList] {
  const { level, columns } = index;
  const own = elementAt(columns, level);
  const gids = shuffled(Array.from({ length: own.size }, (_, number) => encodeURIComponent(own.gidAt(number))));
  const of = (parameter: string): Target[] => gids.map((gid) => ({ path: `${oneOf(index)}&${parameter}=${gid}` }));
  return [
    { what: `one of the neighbours of a random unit (lv${level}), without geometry`, targets: of('touches') },
    { what: `one unit by its GID (lv${level}), without geometry`, targets: of(`gid-${level}`) },
  ];
}

/** What is on all levels at the centre of random units. */
export function hierarchiesAtPoints(index: LevelIndex): TargetList {
  return {
    what: `the units of all levels at a random point (of lv${index.level})`,
    targets: aroundCentres(index, (x, y) => `/api/v1/at?point=${x.toFixed(7)},${y.toFixed(7)}`),
  };
}

/** Units with their children: those that have so many. */
export function childrenOfUnits({ levels }: MeasuredRelease, least: number, most: number): TargetList {
  const targets = levels.flatMap(({ level, columns }): Target[] => {
    const own = elementAt(columns, level);
    return Array.from({ length: own.size }, (_, number) => own.gidAt(number)).flatMap((gid) => {
      const counts = levels.filter((below) => below.level > level).map((below) => countIn(below, level, gid));
      const count = counts.find((children) => children > 0) ?? 0;
      const path = `/api/v1/children?gid=${encodeURIComponent(gid)}&level=${levelName(level)}`;
      return count < least || count > most ? [] : [{ path }];
    });
  });
  return { what: `a unit with its children: ${least} to ${most} of them`, targets: shuffled(targets) };
}

function countIn({ columns }: LevelIndex, column: Level, gid: string): number {
  const gids = elementAt(columns, column);
  const number = gids.find(gid);
  return number === -1 ? 0 : gids.countAt(number);
}

export function tilesAtUnits(index: LevelIndex, zoom: number): TargetList {
  const across = 2 ** zoom;
  const tileAt = (longitude: number, latitude: number): string => {
    const [x, y] = [mercatorX(longitude), mercatorY(latitude)].map((share) => Math.floor(share * across));
    return `/api/v1/tiles/${levelName(index.level)}/${zoom}/${x}/${y}.mvt`;
  };
  return { what: `a tile of zoom ${zoom} at a random unit (lv${index.level})`, targets: aroundCentres(index, tileAt) };
}

function oneOf({ level }: LevelIndex): string {
  return `${endpoint('fc', level)}?geometry=none&page-size=1`;
}

/** Units of all levels whose names begin like those of random units: four letters, in small letters and in capitals. */
export function searchesByName(release: MeasuredRelease): TargetList {
  const beginnings = foldedNamesOf(release).flatMap((name) => {
    const letters = /^\p{L}{4}/u.exec(name)?.[0];
    return letters === undefined ? [] : [letters, letters.toUpperCase()];
  });
  return { what: 'a search of all levels for four letters', targets: searchesFor(beginnings) };
}

/** The same of several words, which no name has: of two, of nine, and of digits. What is behind is of parents. */
export function searchesInParents(release: MeasuredRelease): TargetList[] {
  const beginnings = [...new Set(foldedNamesOf(release).flatMap((name) => /^\p{L}{1,4}/u.exec(name)?.[0] ?? []))];
  const another = (i: number): string => elementAt(beginnings, (PRIME * i + 1) % beginnings.length);
  const digits = Array.from({ length: DIGITS }, (_, i) => `${i % 10} ${(PRIME * i + 1) % 100}`);
  return [
    { what: 'a search for two words', targets: searchesFor(beginnings.map((text, i) => `${text} ${another(i)}`)) },
    {
      what: 'a search for nine words',
      targets: searchesFor(beginnings.map((text, i) => `${`${text.slice(0, 1)} `.repeat(8)}${another(i)}`)),
    },
    { what: 'a search for digits', targets: searchesFor(digits) },
  ];
}

function searchesFor(texts: readonly string[]): Target[] {
  return shuffled([...new Set(texts)].map((text) => ({ path: `/api/v1/search?q=${encodeURIComponent(text)}` })));
}

function foldedNamesOf({ out, path, levels }: MeasuredRelease): string[] {
  return levels.flatMap(({ level }) => {
    const [, ...lines] = readNames(join(out, path), level);
    return lines.map(([, , name]) => foldText(String(name ?? '')));
  });
}

/** At the centre of each unit's box in degrees; of those across the antimeridian at a point that is far away. */
function aroundCentres({ arrays: { box } }: LevelIndex, pathAt: (x: number, y: number) => string): Target[] {
  const paths = Array.from({ length: box.length / 4 }, (_, i) => {
    const [west = 0, south = 0, east = 0, north = 0] = box.subarray(4 * i, 4 * i + 4);
    return pathAt((west + east) / 2e7, (south + north) / 2e7);
  });
  return shuffled(paths.map((path) => ({ path })));
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

/** In an order that depends on nothing but their number: Fisher and Yates. */
function shuffled<T>(values: readonly T[]): T[] {
  const [left, roll] = [[...values], dice(SEED)];
  const drawn: T[] = [];
  while (left.length > 0) {
    const chosen = roll(left.length);
    drawn.push(elementAt(left, chosen));
    left[chosen] = elementAt(left, left.length - 1);
    left.pop();
  }
  return drawn;
}
