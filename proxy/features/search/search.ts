// The answer to a search: the units of all levels that are called so, or have a GID.
import { elementAt } from '../../../format/element-at.ts';
import { foldText } from '../../../format/fold-text.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { LEVELS, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import { nameForms } from '../../../format/name-forms.ts';
import { intersect, NO_POSITIONS } from '../../../format/positions.ts';
import type { Steps } from '../../../format/steps.ts';
import type { Answer } from '../../bodies/answer.ts';
import { MATCHED } from '../../bodies/headers.ts';
import type { Row, Sources } from '../../bodies/row.ts';
import { resultInTurns } from '../../data/known.ts';
import type { LoadedLevel } from '../../data/loaded-release.ts';
import { Loads, loadEach, together, withLoaded } from '../../data/loads.ts';
import { API_PATH } from '../../http/request.ts';
import { badParameter, type Filter, filtersOf, geometryOf, type Query } from '../../query/parameter.ts';
import { type Languages, loadNames } from '../names/languages.ts';
import { CODES, hasCodes, type LevelCodes } from '../names/level-codes.ts';
import { GIDS } from '../names/level-names.ts';
import { matching } from '../pages/resolve.ts';
import {
  type AskedUnits,
  answerUnits,
  levelsWithUnits,
  refuseTooLarge,
  type Unit,
  type UnitsMember,
  unitsRow,
} from '../places/units.ts';
import { type FoundUnit, findingUnits, isIn, type SearchedLevel, type SearchResult } from './find-units.ts';
import { type LevelParents, PARENTS } from './level-parents.ts';
import { WORDS } from './level-words.ts';
import { type AddParents, loadParentNames } from './parent-names.ts';
import { findingInParents, type KnownLevel } from './parent-words.ts';
import { LEVEL, LIMIT, Q, Q_RULE, SEARCH_LIMIT, SEARCH_PARAMETERS } from './search-parameters.ts';

/** The path that finds units of all levels by their names. */
export const SEARCH_ENDPOINT = {
  path: `${API_PATH}/search`,
  mediaType: MEDIA_TYPES.fc,
  parameters: SEARCH_PARAMETERS,
} as const;

/** Its row. */
export function searchRow(languages: Languages): Row {
  return unitsRow(SEARCH_ENDPOINT, languages, answerSearch, true);
}

/** The most forms of a text that are looked up: all of it, and four of the names between slashes. */
const FORMS_MAX = 5;
const NOTHING: SearchResult = { matched: 0, units: [] };

/** A level that is searched. */
interface Searched extends KnownLevel {
  level: LoadedLevel;
  index: LevelIndex;
  /** Where words of the text may be of parents. */
  parents: LevelParents | undefined;
  /** Where units have some. */
  codes: LevelCodes | undefined;
}

/** @throws Problem, OriginError, FormatError */
async function answerSearch(sources: Sources, asked: AskedUnits): Promise<Answer> {
  const { query, request, languages } = asked;
  refuseContradiction(query);
  const loads = new Loads(sources, request);
  const release = await loads.release(sources.releases, undefined);
  const searched = levelsWithUnits(release, LEVEL.of(query) ?? LEVELS);
  const deepest = searched.at(-1);
  const isWithParents = deepest !== undefined && hasParents(query);
  // What is above is looked up, too, whether or not it is searched.
  const numbers = isWithParents ? levelsWithUnits(release, LEVELS.slice(0, deepest + 1)) : searched;
  const geometry = geometryOf(query, release.geometries, 'lightest');
  refuseTooLarge(release, geometry);
  const language = languages.asked(query, release);
  const known = await loadEach(numbers, (number) =>
    withLoaded(loads.level(release, number), (level) => {
      const parts = together(
        loads.part(level, WORDS),
        loads.part(level, GIDS),
        isWithParents ? loads.part(level, PARENTS) : undefined,
        searched.includes(number) && hasCodes(level.summary) ? loads.part(level, CODES) : undefined,
      );
      return withLoaded(parts, ([words, gids, parents, codes]): Searched => {
        return { level, index: level.index, words, gids, parents, codes };
      });
    }),
  );
  const levels = numbers === searched ? known : known.filter(({ index }) => searched.includes(index.level));
  const { matched, units } = await resultInTurns(searching(levels, known, query), loads);
  // Of levels without a unit that was found neither names nor the table of the geometry are needed.
  const brought = new Map<number, BroughtLevel>();
  await loadEach([...new Set(units.map(({ level }) => level))], (number) => {
    const { level } = elementAt(levels, number);
    const parts = together(
      loads.table(level, geometry),
      loadNames(level, language, loads),
      loadParentNames(level, release, language, loads),
    );
    return withLoaded(parts, ([source, names, addParents]) => brought.set(number, { source, names, addParents }));
  });
  const found: BroughtUnit[] = [];
  for (const { level, position, match } of units) {
    const own = brought.get(level);
    // Not `...own`: that takes longer than all the rest.
    if (own !== undefined)
      found.push({ source: own.source, names: own.names, addParents: own.addParents, position, match });
  }
  return answerUnits(asked, release, found, loads, [MATCHED, String(matched)], MEMBERS);
}

/** What of a level is in the answer. */
interface BroughtLevel extends Omit<Unit, 'position'> {
  addParents: AddParents;
}

/** A unit of the answer. */
interface BroughtUnit extends BroughtLevel, Pick<FoundUnit, 'position' | 'match'> {}

/** What the answer says of each unit, besides what `/at` says. */
const MEMBERS: readonly UnitsMember<BroughtUnit>[] = [
  { name: 'matches', add: (json, { match }) => json.ascii(`"${match}"`) },
  {
    name: 'parents',
    add(json, { addParents, position }) {
      json.ascii('[');
      addParents(json, position);
      json.ascii(']');
    },
  },
];

/** May words at the end of the text be of parents? */
function hasParents(query: Query): boolean {
  return foldText(Q.of(query) ?? '').includes(' ');
}

/** The forms of a text that are looked up, folded: it may have the article at its end, or several names, as names have. */
function formsOf(text: string): string[] {
  const forms = new Set(nameForms(text).map(foldText));
  forms.delete('');
  return [...forms].slice(0, FORMS_MAX);
}

function* searching(levels: readonly Searched[], known: readonly KnownLevel[], query: Query): Steps<SearchResult> {
  const text = Q.of(query) ?? '';
  const limit = LIMIT.of(query) ?? SEARCH_LIMIT.default;
  const filters = filtersOf(query);
  const searched: SearchedLevel[] = [];
  for (const level of levels) searched.push(yield* searchedLevel(level, text, filters));
  for (const form of formsOf(text)) {
    const found = yield* findingUnits(form, searched, limit);
    if (found.matched > 0) return found;
  }
  if (!hasParents(query)) return NOTHING;
  const within = levels.flatMap(({ parents, ...level }, i) =>
    parents === undefined ? [] : [{ ...level, parents, isAllowed: elementAt(searched, i).isAllowed }],
  );
  return yield* findingInParents(text, within, known, limit);
}

function* searchedLevel(
  { index, words, codes }: Searched,
  text: string,
  filters: readonly Filter[],
): Steps<SearchedLevel> {
  const within = filters.length === 0 ? undefined : matching(index, filters, []);
  const own = elementAt(index.columns, index.level);
  // As cells of tables are pasted: of a GID or code with a space before or behind, what is between.
  const bare = text.trim();
  const exact = own.find(text);
  const number = exact === -1 ? own.find(bare) : exact;
  const units = number === -1 ? NO_POSITIONS : own.positionsAt(number);
  const isAllowed = within && isIn(within);
  const identified = within === undefined ? units : intersect(within, units);
  if (codes === undefined) return { words, isAllowed, identified };
  const isIdentified = isIn(identified);
  const isWanted = (unit: number): boolean => isAllowed?.(unit) !== false && !isIdentified(unit);
  // A code may be in small letters.
  const coded = yield* codes.finding([...new Set([text, bare, bare.toUpperCase()])], isWanted);
  return { words, isAllowed, identified, coded };
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
