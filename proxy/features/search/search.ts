// The answer to a search: the units of all levels that are called so, or have a GID.
import { elementAt } from '../../../format/element-at.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { LEVELS, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import { intersect, NO_POSITIONS } from '../../../format/positions.ts';
import type { Steps } from '../../../format/steps.ts';
import { foldText } from '../../../format/words.ts';
import type { Answer } from '../../bodies/answer.ts';
import { fixedHeaders, MATCHED } from '../../bodies/headers.ts';
import type { Row, Sources } from '../../bodies/row.ts';
import { gather, gatherMore, type Needs } from '../../data/needs.ts';
import type { LoadedLevel } from '../../data/release.ts';
import { overloaded } from '../../http/problem.ts';
import { API_PATH, principalOf } from '../../http/request.ts';
import { lastingClient } from '../../origin/origin.ts';
import { badParameter, type Filter, filtersOf, geometryOf, type Query } from '../../query/parameter.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';
import { inTurns } from '../../work/in-turns.ts';
import { matching } from '../pages/resolve.ts';
import { GIDS, NAMES } from '../places/level-names.ts';
import { type AskedUnits, answerUnits, levelsWithUnits, refuseTooLarge, type Unit } from '../places/units.ts';
import { findingUnits, isIn, type SearchedLevel, type SearchResult } from './find-units.ts';
import { type LevelParents, PARENTS } from './level-parents.ts';
import { WORDS } from './level-words.ts';
import { LEVEL, LIMIT, Q, Q_RULE, SEARCH_LIMIT, SEARCH_PARAMETERS } from './parameters.ts';
import { findingInParents, type KnownLevel } from './parent-words.ts';

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

/** A level that is searched. */
interface Searched extends KnownLevel {
  level: LoadedLevel;
  index: LevelIndex;
  /** Where words of the text may be of parents. */
  parents: LevelParents | undefined;
}

/** What a search needs of a release. */
interface SearchedRelease {
  needs: Needs;
  levels: readonly Searched[];
  /** What is above is looked up, too, whether or not it is searched. */
  known: readonly KnownLevel[];
}

/** @throws LoadError, Problem */
function answerSearch(sources: Sources, asked: AskedUnits): Answer | Promise<Answer> {
  refuseContradiction(asked.query);
  const needed = gather(sources, asked.request, undefined, (needs) => neededFor(asked.query, needs));
  return needed instanceof Promise
    ? needed.then((of) => answerFrom(of, sources, asked))
    : answerFrom(needed, sources, asked);
}

/** What a search needs; undefined if something is not in memory. */
function neededFor(query: Query, needs: Needs): SearchedRelease | undefined {
  const { release } = needs;
  const searched = levelsWithUnits(release, LEVEL.of(query) ?? LEVELS);
  const deepest = searched.at(-1);
  const isWithParents = deepest !== undefined && hasParents(query);
  const numbers = isWithParents ? levelsWithUnits(release, LEVELS.slice(0, deepest + 1)) : searched;
  refuseTooLarge(release, geometryOf(query, release.geometries, 'lightest'));
  const known = numbers.flatMap((number): Searched[] => {
    const level = needs.level(number);
    const words = level && needs.part(level, WORDS);
    const gids = level && needs.part(level, GIDS);
    const parents = isWithParents && level ? needs.part(level, PARENTS) : undefined;
    const isThere = words && gids && (parents !== undefined || !isWithParents);
    return isThere ? [{ level, index: level.index, words, gids, parents }] : [];
  });
  if (known.length < numbers.length) return undefined;
  const levels = numbers === searched ? known : known.filter(({ index }) => searched.includes(index.level));
  return { needs, levels, known };
}

/** May words at the end of the text be of parents? */
function hasParents(query: Query): boolean {
  return foldText(Q.of(query) ?? '').includes(' ');
}

/** The answer: at once if that takes one step, otherwise as work of the client, in turns with that of others. */
function answerFrom(needed: SearchedRelease, { reads }: Sources, asked: AskedUnits): Answer | Promise<Answer> {
  const search = searching(needed, asked.query);
  const first = search.next();
  if (first.done) return respond(asked, needed, first.value);
  const { request } = asked;
  const client = lastingClient(principalOf(request).id);
  const found = reads.later(client, () => {
    // Nobody receives the answer.
    if (request.peer.destroyed === true) throw overloaded();
    return inTurns(search);
  });
  return found.then((result) => respond(asked, needed, result));
}

function* searching({ levels, known }: SearchedRelease, query: Query): Steps<SearchResult> {
  const text = Q.of(query) ?? '';
  const limit = LIMIT.of(query) ?? SEARCH_LIMIT.default;
  const filters = filtersOf(query);
  const searched = levels.map((level) => searchedLevel(level, text, filters));
  const whole = yield* findingUnits(text, searched, limit);
  if (whole.matched > 0 || !hasParents(query)) return whole;
  const within = levels.flatMap(({ parents, ...level }, i) =>
    parents === undefined ? [] : [{ ...level, parents, isAllowed: elementAt(searched, i).isAllowed }],
  );
  return yield* findingInParents(text, within, known, limit);
}

function searchedLevel({ index, words }: Searched, text: string, filters: readonly Filter[]): SearchedLevel {
  const within = filters.length === 0 ? undefined : matching(index, filters, []);
  const own = elementAt(index.columns, index.level);
  const number = own.find(text);
  const units = number === -1 ? NO_POSITIONS : own.positionsAt(number);
  return {
    words,
    isAllowed: within && isIn(within),
    identified: within === undefined ? units : intersect(within, units),
  };
}

/** Of levels without a unit that was found neither names nor the table of the geometry are needed. */
function respond(
  asked: AskedUnits,
  { needs, levels }: SearchedRelease,
  { matched, units }: SearchResult,
): Answer | Promise<Answer> {
  const geometry = geometryOf(asked.query, needs.release.geometries, 'lightest');
  const numbers = new Set(units.map(({ level }) => level));
  return gatherMore(asked, asked.request, needs, () => {
    const brought = new Map<number, Omit<Unit, 'position'>>();
    for (const number of numbers) {
      const { level } = elementAt(levels, number);
      const source = needs.table(level, geometry);
      const names = needs.part(level, NAMES);
      if (source !== undefined && names !== undefined) brought.set(number, { source, names });
    }
    if (brought.size < numbers.size) return undefined;
    const found = units.flatMap(({ level, position }): Unit[] => {
      const own = brought.get(level);
      return own === undefined ? [] : [{ source: own.source, names: own.names, position }];
    });
    return answerUnits(asked, needs.release, found, [MATCHED, String(matched)]);
  });
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
