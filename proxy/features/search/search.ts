// The answer to a search: the units of all levels that are called so. Used by rows.ts.
import { elementAt } from '../../../format/element-at.ts';
import { LEVELS, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import type { Positions } from '../../../format/positions.ts';
import type { Words } from '../../../format/words.ts';
import type { Answer } from '../../bodies/answer.ts';
import { fixedHeaders, MATCHED } from '../../bodies/headers.ts';
import type { Row, Sources } from '../../bodies/row.ts';
import { gather } from '../../data/needs.ts';
import type { LoadedLevel, LoadedRelease, LoadedTable } from '../../data/release.ts';
import { API_PATH } from '../../http/request.ts';
import { badParameter, filtersOf, geometryOf, type Query } from '../../query/parameter.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';
import { matching } from '../pages/resolve.ts';
import { type AskedUnits, answerUnits, levelsWithUnits } from '../places/units.ts';
import { findUnits } from './find-units.ts';
import { WORDS } from './level-words.ts';
import { LEVEL, LIMIT, Q, Q_RULE, SEARCH_LIMIT, SEARCH_PARAMETERS } from './parameters.ts';

/** The path that finds units of all levels by their names. */
export const SEARCH_ENDPOINT = {
  path: `${API_PATH}/search`,
  mediaType: MEDIA_TYPES.fc,
  parameters: SEARCH_PARAMETERS,
} as const;

/** Its row. */
export const SEARCH_ROW: Row = {
  path: SEARCH_ENDPOINT.path,
  answer(sources, request, view) {
    const query = parseQuery(request.query, RULES);
    const { path } = SEARCH_ENDPOINT;
    return answerSearch(sources, { path, request, query, fixed: HEADERS[sources.audience], ...view });
  },
};

const HEADERS = fixedHeaders(SEARCH_ENDPOINT.mediaType);
const RULES = { ...queryRules(5, SEARCH_ENDPOINT.parameters), keepsOrder: true };

/** A level that is searched. */
interface Searched {
  level: LoadedLevel;
  words: Words;
  source: LoadedTable;
}

/** @throws LoadError, Problem */
function answerSearch(sources: Sources, asked: AskedUnits): Answer | Promise<Answer> {
  const { query, request } = asked;
  refuseContradiction(query);
  return gather(sources, request, undefined, (needs) => {
    const { release } = needs;
    const geometry = geometryOf(query, release.geometries, 'lightest');
    const numbers = levelsWithUnits(release, LEVEL.of(query) ?? LEVELS);
    const searched = numbers.flatMap((number): Searched[] => {
      const level = needs.level(number);
      const words = level && needs.part(level, WORDS);
      const source = level && needs.table(level, geometry);
      return level && words && source ? [{ level, words, source }] : [];
    });
    return searched.length === numbers.length ? respond(asked, release, searched) : undefined;
  });
}

function respond(asked: AskedUnits, release: LoadedRelease, searched: readonly Searched[]): Answer {
  const { query } = asked;
  const filters = filtersOf(query);
  const levels = searched.map(({ level, words }) => {
    const within = filters.length === 0 ? undefined : matching(level.index, filters, []);
    return { words, isAllowed: within && isIn(within, level.index.features) };
  });
  const { matched, units } = findUnits(Q.of(query) ?? '', levels, LIMIT.of(query) ?? SEARCH_LIMIT.default);
  const found = units.map(({ level, position }) => ({ source: elementAt(searched, level).source, position }));
  return answerUnits(asked, release, found, [MATCHED, String(matched)]);
}

/** Is a position one of these? A table of all, unless they follow one another. */
function isIn(positions: Positions, features: number): (position: number) => boolean {
  if (positions.runs <= 1) {
    const [first, end] = positions.runs === 0 ? [0, 0] : [positions.firstOf(0), positions.endOf(0)];
    return (position) => position >= first && position < end;
  }
  const table = new Uint8Array(features);
  for (let run = 0; run < positions.runs; run++) table.fill(1, positions.firstOf(run), positions.endOf(run));
  return (position) => table[position] === 1;
}

/** @throws Problem if the text is missing, or a level is named whose units lie in no unit of a filter */
function refuseContradiction(query: Query): void {
  if (Q.of(query) === undefined) throw badParameter(Q.name, 'is missing', Q_RULE);
  const filters = filtersOf(query);
  const above = LEVEL.of(query)?.find((level) => filters.some(({ column }) => column > level));
  if (above === undefined) return;
  const name = `gid-${filters.find(({ column }) => column > above)?.column}`;
  throw badParameter(name, `is not a filter of ${levelName(above)}`, `gid-0 to gid-${above}`);
}
