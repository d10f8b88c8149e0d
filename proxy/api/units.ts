// The answers with units of all levels: what is at a point. Used by rows.ts.
import type { Level } from '../../format/levels.ts';
import { LEVELS } from '../../format/levels.ts';
import type { Answer, Basis } from '../bodies/answer.ts';
import { type Unit, Units } from '../bodies/units.ts';
import type { LoadedRelease } from '../data/load-release.ts';
import { type Degrees, placesOf } from '../data/spatial-index.ts';
import { notReady } from '../http/problem.ts';
import type { HttpRequest } from '../http/request.ts';
import { POINT } from './endpoints.ts';
import { codedAnswer, type FixedHeaders, MATCHED } from './headers.ts';
import { clientOf, LoadError, type Sources } from './listing.ts';
import { badParameter, geometryOf, PARAMETERS, type Params } from './parameters.ts';

/** The most units of an answer. */
const UNITS_MAX = 1000;

/** A request for units of all levels, by a point or by their names. */
export interface AskedUnits extends Pick<Basis, 'base' | 'coding'> {
  path: string;
  request: HttpRequest;
  params: Params;
  fixed: FixedHeaders;
}

/** What is at a point: units from the country down, by fid within a level. */
interface Found {
  release: LoadedRelease;
  units: readonly Unit[];
  /** Is something at the exchanged numbers, where nothing is at the point? */
  isElsewhere: boolean;
}

/**
 * The answer to what is at a point: from what is in memory, or after that has been brought there.
 * @throws LoadError, Problem
 */
export function answerAt(sources: Sources, asked: AskedUnits): Answer | Promise<Answer> {
  asked.params.geometry ??= 'none';
  const release = sources.releases.requireCurrent();
  const found = find(sources, asked, release);
  return found === undefined
    ? bringIn(sources, asked, release).then((later) => respond(asked, later))
    : respond(asked, found);
}

function respond({ path, params, fixed, base, coding }: AskedUnits, { release, units, isElsewhere }: Found): Answer {
  const body = new Units(units);
  const more = [MATCHED, String(units.length)];
  const { latitude, longitude } = pointOf(params);
  if (isElsewhere) more.push('Link', `<${base}${path}?${POINT}=${latitude},${longitude}>; rel="alternate"`);
  return codedAnswer(fixed, { release, base, coding, isPinned: false }, body, body, path, more);
}

/** Undefined if something is not in memory. @throws Problem bad-parameter */
function find(sources: Sources, { params }: AskedUnits, release: LoadedRelease): Found | undefined {
  const units = unitsAt(sources, params, release, pointOf(params));
  if (units === undefined) return undefined;
  const other = units.length > 0 ? undefined : exchanged(params);
  const elsewhere = other === undefined ? [] : unitsAt(sources, params, release, other);
  return elsewhere && { release, units, isElsewhere: elsewhere.length > 0 };
}

function unitsAt({ reads }: Sources, params: Params, release: LoadedRelease, contains: Degrees): Unit[] | undefined {
  const geometry = geometryOf(params, release.geometries);
  const places = placesOf(release, { bbox: undefined, contains });
  const units: Unit[] = [];
  for (const number of levelsOf(release)) {
    const level = release.get(number);
    const source = level?.get(geometry);
    const [positions] = level?.spatial.at(places, reads) ?? [];
    if (source === undefined || positions === undefined) return undefined;
    for (let rank = 0; rank < positions.count; rank++) units.push({ source, position: positions.at(rank) });
  }
  return units.slice(0, UNITS_MAX);
}

/** The same after what is missing has been brought into memory: of all levels side by side. */
async function bringIn({ reads, ...sources }: Sources, asked: AskedUnits, release: LoadedRelease): Promise<Found> {
  const { params, request } = asked;
  const client = clientOf(request);
  const geometry = geometryOf(params, release.geometries);
  const load = async (number: Level): Promise<void> => {
    const level = await release.load(number);
    await level.load(geometry);
    for (const contains of [pointOf(params), exchanged(params)])
      await level.spatial.load(placesOf(release, { bbox: undefined, contains }), reads, client.client);
  };
  try {
    await Promise.all(levelsOf(release).map(load));
  } catch (error) {
    throw new LoadError({ release, isPinned: false }, error);
  }
  // What many have waited for is not answered to all of them at once.
  await reads.turn(client, request.peer);
  const found = find({ reads, ...sources }, asked, release);
  if (found === undefined) throw notReady('Too much is being loaded at the moment. Try again.');
  return found;
}

/** Those that have units. */
function levelsOf({ summaries }: LoadedRelease): Level[] {
  return LEVELS.filter((level) => (summaries[level]?.features ?? 0) > 0);
}

/** @throws Problem bad-parameter */
function pointOf({ contains }: Params): Degrees {
  if (contains === undefined) throw badParameter(POINT, 'is missing', PARAMETERS.get(POINT)?.rule(0) ?? '');
  return contains;
}

/** The point whose latitude comes first, if it is one: the most frequent mistake. */
function exchanged(params: Params): Degrees | undefined {
  const { longitude, latitude } = pointOf(params);
  return Math.abs(Number(longitude)) > 90 ? undefined : { longitude: latitude, latitude: longitude };
}
