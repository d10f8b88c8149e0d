// What is at a point: the units of all levels that contain it, from the country down.
import { LEVELS, MEDIA_TYPES } from '../../../format/levels.ts';
import type { Answer } from '../../bodies/answer.ts';
import { fixedHeaders, MATCHED } from '../../bodies/headers.ts';
import type { Row, Sources } from '../../bodies/row.ts';
import { gather, type Needs } from '../../data/needs.ts';
import { API_PATH } from '../../http/request.ts';
import { badParameter, geometryOf, type Parameter, type Query } from '../../query/parameter.ts';
import { parseQuery, queryRules, urlOf } from '../../query/parse.ts';
import { exchanged, withExchanged } from './exchanged.ts';
import { NAMES } from './level-names.ts';
import { type Degrees, pointOf, unitsAt } from './level-places.ts';
import { POINT } from './parameters.ts';
import { type AskedUnits, answerUnits, levelsWithUnits, refuseTooLarge, type Unit, unitsGeometry } from './units.ts';

/** The most units of an answer. */
const UNITS_MAX = 1000;

const PARAMETERS: readonly Parameter<unknown>[] = [
  POINT,
  unitsGeometry(
    'at-geometry',
    'Geometry of the features, as of pages; none if absent. The full one decides what is at the point.',
  ),
];

/** The path that returns what is at a point, of all levels. */
export const AT_ENDPOINT = { path: `${API_PATH}/at`, mediaType: MEDIA_TYPES.fc, parameters: PARAMETERS } as const;

/** Its row. */
export const AT_ROW: Row = {
  path: AT_ENDPOINT.path,
  answer(sources, request, view) {
    const query = parseQuery(request.query, RULES);
    const { path } = AT_ENDPOINT;
    return answerAt(sources, { path, request, query, fixed: HEADERS[sources.audience], reads: sources.reads, ...view });
  },
};

const HEADERS = fixedHeaders(AT_ENDPOINT.mediaType);
const RULES = queryRules(5, AT_ENDPOINT.parameters);

/** @throws LoadError, Problem */
function answerAt(sources: Sources, asked: AskedUnits): Answer | Promise<Answer> {
  const { query, request } = asked;
  return gather(sources, request, undefined, (needs) => {
    const point = askedPoint(query);
    const found = unitsOf(query, point, needs);
    if (found === undefined) return undefined;
    const { units, matched } = found;
    const more = [MATCHED, String(matched)];
    const other = matched > 0 ? undefined : exchanged(point);
    const elsewhere = other && unitsOf(query, other, needs);
    if (other !== undefined && elsewhere === undefined) return undefined;
    if (elsewhere !== undefined && elsewhere.matched > 0)
      more.push('Link', `<${urlOf(asked.base + asked.path, withExchanged(query, point), undefined)}>; rel="alternate"`);
    return answerUnits(asked, needs.release, units, more);
  });
}

/** The units at a point. */
interface UnitsAt {
  /** The first UNITS_MAX, from the country down, by fid within a level. */
  units: Unit[];
  /** How many there are. */
  matched: number;
}

/** The units of all levels at a point; undefined if something is not in memory. */
function unitsOf(query: Query, asked: Degrees, needs: Needs): UnitsAt | undefined {
  const { release } = needs;
  const geometry = geometryOf(query, release.geometries, 'lightest');
  refuseTooLarge(release, geometry);
  const point = pointOf(release, asked);
  const units: Unit[] = [];
  let matched = 0;
  let isMissing = false;
  for (const number of levelsWithUnits(release, LEVELS)) {
    const level = needs.level(number);
    const positions = level && unitsAt(level, point, needs);
    if (positions?.length === 0) continue;
    // Of levels with no unit there neither names nor the table are needed.
    const source = positions && needs.table(level, geometry);
    const names = positions && needs.part(level, NAMES);
    // All levels note what they miss, so that it is brought in side by side.
    if (positions === undefined || source === undefined || names === undefined) {
      isMissing = true;
      continue;
    }
    matched += positions.length;
    for (const position of positions.slice(0, UNITS_MAX - units.length)) units.push({ source, names, position });
  }
  return isMissing ? undefined : { units, matched };
}

/** @throws Problem bad-parameter */
function askedPoint(query: Query): Degrees {
  const point = POINT.of(query);
  if (point === undefined) throw badParameter(POINT.name, 'is missing', POINT.rule(0));
  return point;
}
