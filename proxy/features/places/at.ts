// What is at a point: the units of all levels that contain it, from the country down.
import { elementAt } from '../../../format/element-at.ts';
import { LEVELS, MEDIA_TYPES } from '../../../format/levels.ts';
import type { Answer } from '../../bodies/answer.ts';
import { MATCHED } from '../../bodies/headers.ts';
import type { Row, Sources } from '../../bodies/row.ts';
import type { LoadedRelease } from '../../data/loaded-release.ts';
import { Loads, loadEach, together } from '../../data/loads.ts';
import { API_PATH } from '../../http/request.ts';
import { badParameter, geometryOf, type Parameter, type Query } from '../../query/parameter.ts';
import { urlOf } from '../../query/parse.ts';
import { LANG, type Languages, loadNames } from '../names/languages.ts';
import { exchanged, withExchanged } from './exchanged.ts';
import { type Degrees, pointOf, unitsAt } from './level-places.ts';
import { POINT } from './place-parameters.ts';
import {
  type AskedUnits,
  answerUnits,
  levelsWithUnits,
  refuseTooLarge,
  type Unit,
  unitsGeometry,
  unitsRow,
} from './units.ts';

/** The most units of an answer. */
const UNITS_MAX = 1000;

const PARAMETERS: readonly Parameter<unknown>[] = [
  POINT,
  unitsGeometry(
    'at-geometry',
    'Geometry of the features, as for pages; none if absent. The full geometry decides what is at the point.',
  ),
  LANG,
];

/** The path that returns what is at a point, of all levels. */
export const AT_ENDPOINT = { path: `${API_PATH}/at`, mediaType: MEDIA_TYPES.fc, parameters: PARAMETERS } as const;

/** Its row. */
export function atRow(languages: Languages): Row {
  return unitsRow(AT_ENDPOINT, languages, answerAt);
}

/** @throws Problem, OriginError, FormatError */
async function answerAt(sources: Sources, asked: AskedUnits): Promise<Answer> {
  const { request } = asked;
  const loads = new Loads(sources, request);
  const release = await loads.release(sources.releases, undefined);
  const point = askedPoint(asked.query);
  const { units, matched } = await unitsOf(asked, point, release, loads);
  const more = [MATCHED, String(matched)];
  const other = matched > 0 ? undefined : exchanged(point);
  const elsewhere = other && (await unitsOf(asked, other, release, loads));
  if (elsewhere !== undefined && elsewhere.matched > 0)
    more.push(
      'Link',
      `<${urlOf(asked.base + asked.path, withExchanged(asked.query, point), undefined)}>; rel="alternate"`,
    );
  return answerUnits(asked, release, units, loads, more);
}

/** The units at a point. */
interface UnitsAt {
  /** The first UNITS_MAX, from the country down, by fid within a level. */
  units: Unit[];
  /** How many there are. */
  matched: number;
}

/** The units of all levels at a point. */
async function unitsOf(
  { query, languages }: AskedUnits,
  asked: Degrees,
  release: LoadedRelease,
  loads: Loads,
): Promise<UnitsAt> {
  const language = languages.asked(query, release);
  const geometry = geometryOf(query, release.geometries, 'lightest');
  refuseTooLarge(release, geometry);
  const point = pointOf(release, asked);
  const numbers = levelsWithUnits(release, LEVELS);
  const levels = await loadEach(numbers, (number) => loads.level(release, number));
  const positions = await loadEach(levels, (level) => unitsAt(level, point, loads));
  // Of levels with no unit there neither names nor the table are needed.
  const found = levels.filter((_, i) => elementAt(positions, i).length > 0);
  const [sources, names] = await together(
    loadEach(found, (level) => loads.table(level, geometry)),
    loadEach(found, (level) => loadNames(level, language, loads)),
  );
  const units: Unit[] = [];
  for (const [i, own] of positions.filter(({ length }) => length > 0).entries())
    for (const position of own.slice(0, UNITS_MAX - units.length))
      units.push({ source: elementAt(sources, i), names: elementAt(names, i), position });
  return { units, matched: positions.reduce((sum, { length }) => sum + length, 0) };
}

/** @throws Problem bad-parameter */
function askedPoint(query: Query): Degrees {
  const point = POINT.of(query);
  if (point === undefined) throw badParameter(POINT.name, 'is missing', POINT.rule(0));
  return point;
}
