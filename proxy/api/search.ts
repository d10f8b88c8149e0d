// The answer to a search: the units of all levels that are called so, or have a GID. Used by rows.ts.
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { Positions } from '../../format/positions.ts';
import { foldText } from '../../format/words.ts';
import type { Answer } from '../bodies/answer.ts';
import type { LoadedRelease, LoadedTable } from '../data/load-release.ts';
import { findInParents, type KnownLevel } from '../data/parent-words.ts';
import { type Found, findUnits, type SearchedLevel } from '../data/words.ts';
import { SEARCH_LIMIT } from './endpoints.ts';
import { MATCHED } from './headers.ts';
import { onceLoaded, type Sources } from './listing.ts';
import { badParameter, geometryOf, type Params, Q_RULE } from './parameters.ts';
import { matching } from './resolve.ts';
import { type AskedUnits, answerUnits } from './units.ts';

const NO_UNITS: number[] = [];

/** A level that is searched. */
interface Searched extends KnownLevel {
  source: LoadedTable;
}

/**
 * The answer to a search: from what is in memory, or after that has been brought there.
 * @throws LoadError, Problem
 */
export function answerSearch(sources: Sources, asked: AskedUnits): Answer | Promise<Answer> {
  const { params } = asked;
  refuseContradiction(params);
  const release = sources.releases.requireCurrent();
  const numbers = params.levels.filter((number) => elementAt(release.summaries, number).features > 0);
  const deepest = numbers.at(-1);
  return withLevels(sources, asked, release, numbers, (searched) => {
    const levels = searched.map((level) => searchedLevel(level, params));
    const whole = findUnits(params.text, levels, limitOf(params));
    if (whole.matched > 0 || deepest === undefined || !foldText(params.text).includes(' '))
      return respond(asked, release, searched, whole);
    // What is above is looked up, too, whether or not it is searched.
    const all = LEVELS.filter((number) => number <= deepest && elementAt(release.summaries, number).features > 0);
    return withLevels(sources, asked, release, all, (known) => {
      const within = searched.map((level, i) => ({ ...level, isAllowed: elementAt(levels, i).isAllowed }));
      return respond(asked, release, searched, findInParents(params.text, within, known, limitOf(params)));
    });
  });
}

/** The answer of `answer` to levels: from memory, or after they have been brought there. @throws LoadError, Problem */
function withLevels(
  sources: Sources,
  { request, params }: AskedUnits,
  release: LoadedRelease,
  numbers: readonly Level[],
  answer: (levels: readonly Searched[]) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const geometry = geometryOf(params, release.geometries, 'lightest');
  const inMemory = numbers.flatMap((number): Searched[] => {
    const level = release.get(number);
    const [words, names, source] = [level?.words, level?.names, level?.get(geometry)];
    return level && words && names && source ? [{ index: level.index, words, names, source }] : [];
  });
  if (inMemory.length === numbers.length) return answer(inMemory);
  // What is loaded is held here: where memory is little, one level may leave it while another one comes.
  const loading = Promise.all(
    numbers.map(async (number): Promise<Searched> => {
      const level = await release.load(number);
      const [words, names, source] = await Promise.all([level.loadWords(), level.loadNames(), level.load(geometry)]);
      return { index: level.index, words, names, source };
    }),
  );
  return onceLoaded(sources, request, { release, isPinned: false }, loading, (levels) => levels).then(answer);
}

function searchedLevel({ index, words }: Searched, { text, filters }: Params): Required<SearchedLevel> {
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
  { matched, units }: Found,
): Answer {
  const found = units.map(({ level, position }) => {
    const { source, names } = elementAt(searched, level);
    return { source, names, position };
  });
  return answerUnits(asked, release, found, [MATCHED, String(matched)]);
}

function limitOf({ pageSize }: Params): number {
  return pageSize === 0 ? SEARCH_LIMIT.default : pageSize;
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
function refuseContradiction({ text, levels, filters, given }: Params): void {
  if (text === '') throw badParameter('q', 'is missing', Q_RULE);
  const above = levels.find((level) => filters.some(({ column }) => column > level));
  if (above === undefined || !given.some(({ name }) => name === 'level')) return;
  const name = `gid-${filters.find(({ column }) => column > above)?.column}`;
  throw badParameter(name, `is not a filter of ${levelName(above)}`, `gid-0 to gid-${above}`);
}
