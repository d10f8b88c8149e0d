// What benchmarks ask: by a name, a list of request targets made from a release's indexes, in an order that looks random
// and is the same in every run.
import { join } from 'node:path';
import { contentOf, encodeCursor } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import { foldText } from '../../format/fold-text.ts';
import { type ListingKey, RELEASE_FILE } from '../../format/layout.ts';
import { type LevelIndex, pageCount } from '../../format/level-index.ts';
import { FORMATS, type Format, type Geometry, LEVELS, type Level, levelName } from '../../format/levels.ts';
import { PAGE_CAPS } from '../../format/page-caps.ts';
import { mercatorX, mercatorY } from '../../generator/tiles/tile-arcs.ts';
import { dice } from '../support/dice.ts';
import { sha256Of } from '../support/files.ts';
import { readNames } from '../support/releases/read-index.ts';
import type { MeasuredRelease } from './measured-release.ts';

export interface Question {
  what: string;
  /** Path and query of each request. */
  targets: readonly string[];
  method?: 'HEAD';
  range?: string;
  /** Expected; 200 where left out. For 304 each request has the entity tag of its answer. */
  status?: number;
  token?: 'forged' | 'expired';
}

const SEED = 20_240_607;
/** Boxes that are asked for again and again: their matches are remembered. */
const REPEATED = 100;

/** The questions that a release can be asked, by the names by which they are chosen. */
export function questionsOf(release: MeasuredRelease): Record<string, Question> {
  const { levels } = release;
  const { cells, geometries, neighbours, storedPages } = release.about;
  const all = largestLevel(release);
  const collections = largestLevel(release, [2, 3]);
  const name = levelName(all.level);
  const hot = endpoint('fc', collections.level);
  const deepest = release.about.levels[all.level]?.tiles?.maxzoom;
  const oneOf = `${endpoint('fc', all.level)}?geometry=none&page-size=1`;
  const slice = slices(all, 'geojsonl', 10);
  const box = boxes(all, 0.5, oneOf);
  const many = children(levels, 1000);
  const scattered = scatteredListing(all);
  const begins = foldedNamesOf(release).flatMap((name) => /^\p{L}{4}/u.exec(name)?.[0] ?? []);
  const hasPlaces = cells && geometries.includes('none');
  const asked: Record<string, Question | false | undefined> = {
    hot: { what: `hot page (${hot})`, targets: [hot] },
    unit: { what: 'one unit by its GID', targets: shuffled(levels.flatMap(units)) },
    slice: { what: `10 features of geojsonl/${name} at a random fid`, targets: slice },
    low: { what: 'the same, geometry=low', targets: slices(all, 'geojsonl', 10, 'low') },
    fc: {
      what: `20 features of fc/${levelName(collections.level)} at a random fid`,
      targets: slices(collections, 'fc', 20),
    },
    thousand: { what: `1000 features of fc/${name}, geometry=none`, targets: slices(all, 'fc', 1000, 'none') },
    page: storedPages !== 'none' && {
      what: 'a stored page (random listing and page number)',
      targets: pages(release),
    },
    box: hasPlaces && { what: 'one of the units in a box of half a degree, for the first time', targets: box },
    again: hasPlaces && { what: 'the same, repeated', targets: box.slice(0, REPEATED) },
    degrees: hasPlaces && { what: 'one of the units in a box of 2 degrees', targets: boxes(all, 2, oneOf) },
    world: hasPlaces && { what: 'one of the units in a box of the world', targets: boxes(all, 360, oneOf) },
    point: hasPlaces && {
      what: `one of the units of ${name} at a random point, without geometry`,
      targets: atCentres(all, (x, y) => `${oneOf}&contains=${x.toFixed(7)},${y.toFixed(7)}`),
    },
    at: hasPlaces && {
      what: 'the units of all levels at a random point',
      targets: atCentres(all, (x, y) => `/api/v1/at?point=${x.toFixed(7)},${y.toFixed(7)}`),
    },
    search: {
      what: 'a search of all levels for four letters',
      targets: searches(begins.flatMap((text) => [text, text.toUpperCase()])),
    },
    touches: neighbours &&
      geometries.includes('none') && {
        what: `one of the neighbours of a unit of ${name}, without geometry`,
        targets: shuffled(gidsOf(all, all.level).map((gid) => `${oneOf}&touches=${encodeURIComponent(gid)}`)),
      },
    tile: deepest !== undefined && {
      what: `a tile of zoom ${deepest} of ${name} at a random unit`,
      targets: atCentres(all, (...centre) => {
        const [x, y] = [mercatorX(centre[0]), mercatorY(centre[1])].map((share) => Math.floor(share * 2 ** deepest));
        return `/api/v1/tiles/${name}/${deepest}/${x}/${y}.mvt`;
      }),
    },
    children: { what: 'a unit with its children: 10 to 25 of them', targets: children(levels, 10, 25) },
    'many-children': { what: 'a unit with its children: 1000 or more', targets: many },
    head: { what: 'HEAD of 1000 or more children', targets: many, method: 'HEAD' },
    forged: { what: 'refusal: wrong signature', targets: [hot], token: 'forged', status: 401 },
    expired: { what: 'refusal: expired', targets: [hot], token: 'expired', status: 401 },
    unchanged: { what: '304 of ten features', targets: slice, status: 304 },
    range: { what: 'the last 99 bytes of a scattered download', targets: scattered, range: 'bytes=-99', status: 206 },
    'unchanged-download': { what: '304 of it', targets: scattered, status: 304 },
  };
  return Object.fromEntries(
    Object.entries(asked).flatMap(([key, question]) =>
      question && question.targets.length > 0 ? [[key, question]] : [],
    ),
  );
}

/** Questions by their names, and says which of these a release cannot be asked. */
export function chosenOf(
  questions: Readonly<Record<string, Question>>,
  names: readonly string[],
): [string, Question][] {
  return names.flatMap((name): [string, Question][] => {
    const question = questions[name];
    if (question === undefined) console.error(`the release cannot be asked for ${name}`);
    return question === undefined ? [] : [[name, question]];
  });
}

/** The level with the most units among these, the deepest of equals. */
function largestLevel({ levels }: MeasuredRelease, among: readonly Level[] = LEVELS): LevelIndex {
  const ordered = levels
    .filter(({ level }) => among.includes(level))
    .sort((a, b) => b.features - a.features || b.level - a.level);
  return elementAt(ordered, 0);
}

function slices({ level, arrays }: LevelIndex, format: Format, size: number, geometry: Geometry = 'full'): string[] {
  const more = geometry === 'full' ? '' : `&geometry=${geometry}`;
  return shuffled([...arrays.fid].map((fid) => `${endpoint(format, level)}?page-size=${size}&start-at=${fid}${more}`));
}

function units(index: LevelIndex): string[] {
  const { level } = index;
  return gidsOf(index, level).map((gid) => `${endpoint('fc', level)}?gid-${level}=${encodeURIComponent(gid)}`);
}

/** The download of a listing with the most runs. */
function scatteredListing(index: LevelIndex): string[] {
  const runsOf = (number: number): number => index.listingPositions(number).runs;
  const numbers = Array.from({ length: index.listings }, (_, number) => number);
  const [most = 0] = numbers.sort((a, b) => runsOf(b) - runsOf(a));
  return [`/api/v1/download/${levelName(index.level)}.geojsonl.gz?${filterOf(index.listingKey(most))}`];
}

/** Every stored page, half of them by a cursor, half by a fid. */
function pages({ out, about, levels, path }: MeasuredRelease): string[] {
  const targets: string[] = [];
  const content = contentOf(sha256Of(join(out, path, RELEASE_FILE)));
  for (const index of levels) {
    const { level } = index;
    const listings = { all: index.listings, unfiltered: 1, none: 0 }[index.storedPages];
    for (let listing = 0; listing < listings; listing++) {
      const positions = index.listingPositions(listing);
      for (const format of FORMATS)
        for (let number = 0; number < pageCount(level, format, positions.count); number++) {
          const position = positions.at(number * PAGE_CAPS[format][level]);
          const cursor = encodeCursor({ release: about.release, content, level, position });
          const start = number === 0 ? '' : `start-at=${targets.length % 2 === 0 ? cursor : index.fidAt(position)}`;
          const query = [filterOf(index.listingKey(listing)), start].filter((part) => part !== '').join('&');
          targets.push(`${endpoint(format, level)}?${query}`.replace(/\?$/, ''));
        }
    }
  }
  return shuffled(targets);
}

/** Boxes of so many degrees around random units. @param target to which the box is added */
function boxes(index: LevelIndex, degrees: number, target: string): string[] {
  const within = (value: number, most: number): string => Math.max(-most, Math.min(most, value)).toFixed(7);
  return atCentres(index, (x, y) => {
    const corners = [-degrees / 2, degrees / 2].flatMap((by) => [within(x + by, 180), within(y + by, 90)]);
    return `${target}&bbox=${corners.join()}`;
  });
}

/** Units with so many children on the next level that has some. */
function children(levels: readonly LevelIndex[], least: number, most = Number.POSITIVE_INFINITY): string[] {
  const targets = levels.flatMap((index) =>
    gidsOf(index, index.level).flatMap((gid) => {
      const counts = levels.slice(index.level + 1).map(({ columns }) => {
        const column = elementAt(columns, index.level);
        const number = column.find(gid);
        return number === -1 ? 0 : column.countAt(number);
      });
      const count = counts.find((inside) => inside > 0) ?? 0;
      const path = `/api/v1/children?gid=${encodeURIComponent(gid)}&level=${levelName(index.level)}`;
      return count < least || count > most ? [] : [path];
    }),
  );
  return shuffled(targets);
}

function gidsOf({ columns }: LevelIndex, level: Level): string[] {
  const own = elementAt(columns, level);
  return Array.from({ length: own.size }, (_, number) => own.gidAt(number));
}

function searches(texts: readonly string[]): string[] {
  return shuffled([...new Set(texts)].map((text) => `/api/v1/search?q=${encodeURIComponent(text)}`));
}

function foldedNamesOf({ out, path, levels }: MeasuredRelease): string[] {
  return levels.flatMap(({ level }) => {
    const [, ...lines] = readNames(join(out, path), level);
    return lines.map(([, , name]) => foldText(String(name ?? '')));
  });
}

/** At the centre of each unit's box in degrees; of those across the antimeridian at a point that is far away. */
function atCentres({ arrays: { box } }: LevelIndex, targetAt: (x: number, y: number) => string): string[] {
  const targets = Array.from({ length: box.length / 4 }, (_, i) => {
    const [west = 0, south = 0, east = 0, north = 0] = box.subarray(4 * i, 4 * i + 4);
    return targetAt((west + east) / 2e7, (south + north) / 2e7);
  });
  return shuffled(targets);
}

function endpoint(format: Format, level: Level): string {
  return `/api/v1/${format}/${levelName(level)}`;
}

function filterOf(key: ListingKey): string {
  return key === 'all' ? '' : `gid-${key.column}=${encodeURIComponent(key.gid)}`;
}

/** In an order that depends on nothing but their number: Fisher and Yates. */
function shuffled<T>(values: readonly T[]): T[] {
  const [drawn, roll] = [[...values], dice(SEED)];
  for (let left = drawn.length; left > 1; left--) {
    const chosen = roll(left);
    const value = elementAt(drawn, chosen);
    drawn[chosen] = elementAt(drawn, left - 1);
    drawn[left - 1] = value;
  }
  return drawn;
}
