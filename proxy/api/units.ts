// The answers with units of all levels: what is at a point; and the body that it shares with a search. Used by rows.ts
// and search.ts.

import { isDecimal } from '../../format/grid.ts';
import { FRAME_DATA, storedBlock } from '../../format/gzip.ts';
import type { Level } from '../../format/levels.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import type { Answer, Basis, HeaderList } from '../bodies/answer.ts';
import { Slice } from '../bodies/slice.ts';
import type { LevelNames } from '../data/level-names.ts';
import type { LoadedLevel, LoadedRelease, LoadedTable } from '../data/load-release.ts';
import { type Degrees, placesOf, pointOf } from '../data/spatial-index.ts';
import type { HttpRequest } from '../http/request.ts';
import { POINT } from './endpoints.ts';
import { codedAnswer, type FixedHeaders, MATCHED } from './headers.ts';
import { clientOf, onceLoaded, type Sources } from './listing.ts';
import { badParameter, type Given, geometryOf, PARAMETERS, type Params } from './parameters.ts';
import { urlOf } from './query.ts';

/** The most units of an answer. */
const UNITS_MAX = 1000;

/** A request for units of all levels, by a point or by their names. */
export interface AskedUnits extends Pick<Basis, 'base' | 'coding'> {
  path: string;
  request: HttpRequest;
  params: Params;
  fixed: FixedHeaders;
}

/** A unit: a feature of a level, with the geometry that its table is of. */
export interface Unit {
  source: LoadedTable;
  names: LevelNames;
  position: number;
}

/** What is at a point: units from the country down, by fid within a level. */
interface Found {
  units: readonly Unit[];
  /** Is something at the exchanged numbers, where nothing is at the point? */
  isElsewhere: boolean;
}

/**
 * The answer to what is at a point: from what is in memory, or after that has been brought there.
 * @throws LoadError, Problem
 */
export function answerAt(sources: Sources, asked: AskedUnits): Answer | Promise<Answer> {
  const { params, request } = asked;
  const release = sources.releases.requireCurrent();
  const found = find(sources, params, release, release.get);
  if (found !== undefined) return respond(asked, release, found);
  const basis = { release, isPinned: false };
  const loading = load(sources, params, release, clientOf(request).client);
  // What is loaded is held here: where memory is little, one level may leave it while another one comes.
  const findIn = (held: ReadonlyMap<Level, LoadedLevel>) => find(sources, params, release, (level) => held.get(level));
  return onceLoaded(sources, request, basis, loading, findIn).then((later) => respond(asked, release, later));
}

function respond(asked: AskedUnits, release: LoadedRelease, { units, isElsewhere }: Found): Answer {
  const more = [MATCHED, String(units.length)];
  if (isElsewhere) more.push('Link', `<${exchangedUrl(asked)}>; rel="alternate"`);
  return answerUnits(asked, release, units, more);
}

/**
 * The answer with units as one FeatureCollection that says their levels, GIDs and names.
 * @param units in the order of the body
 * @param more further headers
 */
export function answerUnits(
  { path, fixed, base, coding }: AskedUnits,
  release: LoadedRelease,
  units: readonly Unit[],
  more: HeaderList,
): Answer {
  const levels = JSON.stringify(units.map(({ source }) => levelName(source.table.level)));
  const gids = JSON.stringify(units.map(({ names, position }) => names.gidAt(position)));
  const own = units.map(({ names, position }) => names.nameAt(position)).join();
  const after = storedBlock(`],"levels":${levels},"gids":${gids},"names":[${own}]}\n`);
  const slice = new Slice(
    units.map(({ source }) => source),
    { ...FRAME_DATA.fc, after },
    `${after.crc.toString(36)}-units`,
    units.flatMap(({ position }) => [position, position + 1]),
  );
  return codedAnswer(fixed, { release, base, coding, isPinned: false }, slice, slice, path, more);
}

/** Undefined if something is not in memory. @throws Problem bad-parameter */
function find(sources: Sources, params: Params, release: LoadedRelease, get: LoadedRelease['get']): Found | undefined {
  const at = (point: Degrees) => unitsAt(sources, params, release, get, point);
  const units = at(askedPoint(params));
  if (units === undefined) return undefined;
  const other = units.length > 0 ? undefined : exchanged(params);
  const elsewhere = other === undefined ? [] : at(other);
  return elsewhere && { units, isElsewhere: elsewhere.length > 0 };
}

function unitsAt(
  { reads }: Sources,
  params: Params,
  release: LoadedRelease,
  get: LoadedRelease['get'],
  contains: Degrees,
): Unit[] | undefined {
  const geometry = geometryOf(params, release.geometries, 'lightest');
  const point = pointOf(release, contains);
  const units: Unit[] = [];
  for (const number of levelsOf(release)) {
    const level = get(number);
    const source = level?.get(geometry);
    const positions = level?.spatial.unitsAt(point, reads);
    const names = level?.names;
    if (source === undefined || positions === undefined || names === undefined) return undefined;
    for (const position of positions) units.push({ source, names, position });
  }
  return units.slice(0, UNITS_MAX);
}

/** Brings what is missing into memory: of all levels side by side. */
async function load(
  { reads }: Sources,
  params: Params,
  release: LoadedRelease,
  client: string,
): Promise<ReadonlyMap<Level, LoadedLevel>> {
  const geometry = geometryOf(params, release.geometries, 'lightest');
  const points = [askedPoint(params), exchanged(params)];
  const places = points.map((contains) => placesOf(release, { bbox: undefined, contains }));
  const loadLevel = async (number: Level): Promise<[Level, LoadedLevel]> => {
    const level = await release.load(number);
    await Promise.all([level.load(geometry), level.loadNames()]);
    for (const place of places) await level.spatial.load(place, reads, client);
    return [number, level];
  };
  return new Map(await Promise.all(levelsOf(release).map(loadLevel)));
}

/** Those that have units. */
function levelsOf({ summaries }: LoadedRelease): Level[] {
  return LEVELS.filter((level) => (summaries[level]?.features ?? 0) > 0);
}

/** @throws Problem bad-parameter */
function askedPoint({ contains }: Params): Degrees {
  if (contains === undefined) throw badParameter(POINT, 'is missing', PARAMETERS.get(POINT)?.rule(0) ?? '');
  return contains;
}

/** The same request with the numbers exchanged. */
function exchangedUrl({ base, path, params }: AskedUnits): string {
  const { latitude, longitude } = askedPoint(params);
  const exchange = (one: Given): Given => (one.name === POINT ? { ...one, text: `${latitude},${longitude}` } : one);
  return urlOf(base + path, { ...params, given: params.given.map(exchange) }, undefined);
}

/** The point whose latitude comes first, if it is one: the most frequent mistake. */
function exchanged(params: Params): Degrees | undefined {
  const { longitude, latitude } = askedPoint(params);
  return isDecimal(longitude, 90) ? { longitude: latitude, latitude: longitude } : undefined;
}
