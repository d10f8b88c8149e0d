// The answer to a search: the units of all levels that are called so, or have a GID. Used by rows.ts.
import { elementAt } from '../../../format/element-at.ts';
import { LEVELS, type Level, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import type { Positions } from '../../../format/positions.ts';
import { foldText } from '../../../format/words.ts';
import type { Answer } from '../../bodies/answer.ts';
import { fixedHeaders, MATCHED } from '../../bodies/headers.ts';
import type { Row, Sources } from '../../bodies/row.ts';
import { gather, type Needs } from '../../data/needs.ts';
import type { LoadedRelease, LoadedTable } from '../../data/release.ts';
import { API_PATH } from '../../http/request.ts';
import { badParameter, type Filter, filtersOf, geometryOf, type Query } from '../../query/parameter.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';
import { matching } from '../pages/resolve.ts';
import { NAMES } from '../places/level-names.ts';
import { type AskedUnits, answerUnits, levelsWithUnits } from '../places/units.ts';
import { findUnits, type SearchedLevel, type SearchResult } from './find-units.ts';
import { WORDS } from './level-words.ts';
import { LEVEL, LIMIT, Q, Q_RULE, SEARCH_LIMIT, SEARCH_PARAMETERS } from './parameters.ts';
import { findInParents, type KnownLevel } from './parent-words.ts';

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
    return answerSearch(sources, {
      path,
      request,
      query,
      fixed: HEADERS[sources.audience],
      reads: sources.reads,
      ...view,
    });
  },
};

const HEADERS = fixedHeaders(SEARCH_ENDPOINT.mediaType);
const RULES = { ...queryRules(5, SEARCH_ENDPOINT.parameters), keepsOrder: true };

const NO_UNITS: number[] = [];

/** A level that is searched. */
interface Searched extends KnownLevel {
  source: LoadedTable;
}

/** @throws LoadError, Problem */
function answerSearch(sources: Sources, asked: AskedUnits): Answer | Promise<Answer> {
  const { query, request } = asked;
  refuseContradiction(query);
  const text = Q.of(query) ?? '';
  const limit = LIMIT.of(query) ?? SEARCH_LIMIT.default;
  return gather(sources, request, undefined, (needs) => {
    const numbers = levelsWithUnits(needs.release, LEVEL.of(query) ?? LEVELS);
    const searched = searchedLevels(query, numbers, needs);
    if (searched === undefined) return undefined;
    const levels = searched.map((level) => searchedLevel(level, text, filtersOf(query)));
    const whole = findUnits(text, levels, limit);
    const deepest = numbers.at(-1);
    if (whole.matched > 0 || deepest === undefined || !foldText(text).includes(' '))
      return respond(asked, needs.release, searched, whole);
    // What is above is looked up, too, whether or not it is searched.
    const above = levelsWithUnits(needs.release, LEVELS.slice(0, deepest + 1));
    const known = searchedLevels(query, above, needs);
    if (known === undefined) return undefined;
    const within = searched.map((level, i) => ({ ...level, isAllowed: elementAt(levels, i).isAllowed }));
    return respond(asked, needs.release, searched, findInParents(text, within, known, limit));
  });
}

/** What is known of levels; undefined if something is not in memory. */
function searchedLevels(query: Query, numbers: readonly Level[], needs: Needs): Searched[] | undefined {
  const geometry = geometryOf(query, needs.release.geometries, 'lightest');
  const searched = numbers.flatMap((number): Searched[] => {
    const level = needs.level(number);
    const words = level && needs.part(level, WORDS);
    const names = level && needs.part(level, NAMES);
    const source = level && needs.table(level, geometry);
    return level && words && names && source ? [{ index: level.index, words, names, source }] : [];
  });
  return searched.length === numbers.length ? searched : undefined;
}

function searchedLevel({ index, words }: Searched, text: string, filters: readonly Filter[]): Required<SearchedLevel> {
  const within = filters.length === 0 ? undefined : matching(index, filters, []);
  const isAllowed = within && isIn(within, index.features);
  const own = elementAt(index.columns, index.level);
  const number = own.find(text);
  const units = number === -1 ? NO_UNITS : allOf(own.positionsAt(number));
  return { words, isAllowed, identified: isAllowed === undefined ? units : units.filter(isAllowed) };
}

function allOf(positions: Positions): number[] {
  return Array.from({ length: positions.count }, (_, rank) => positions.at(rank));
}

function respond(
  asked: AskedUnits,
  release: LoadedRelease,
  searched: readonly Searched[],
  { matched, units }: SearchResult,
): Answer | Promise<Answer> {
  const found = units.map(({ level, position }) => {
    const { source, names } = elementAt(searched, level);
    return { source, names, position };
  });
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
