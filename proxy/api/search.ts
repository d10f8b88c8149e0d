// The answer to a search: the units of all levels that are called so. Used by rows.ts.
import { elementAt } from '../../format/element-at.ts';
import { levelName } from '../../format/levels.ts';
import type { Positions } from '../../format/positions.ts';
import type { Words } from '../../format/words.ts';
import type { Answer } from '../bodies/answer.ts';
import type { LoadedLevel, LoadedRelease, LoadedTable } from '../data/load-release.ts';
import { findUnits } from '../data/words.ts';
import { SEARCH_LIMIT } from './endpoints.ts';
import { MATCHED } from './headers.ts';
import { onceLoaded, type Sources } from './listing.ts';
import { badParameter, geometryOf, type Params, Q_RULE } from './parameters.ts';
import { matching } from './resolve.ts';
import { type AskedUnits, answerUnits } from './units.ts';

/** A level that is searched. */
interface Searched {
  level: LoadedLevel;
  words: Words;
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
  const geometry = geometryOf(params, release.geometries, 'lightest');
  const numbers = params.levels.filter((number) => elementAt(release.summaries, number).features > 0);
  const inMemory = numbers.flatMap((number): Searched[] => {
    const level = release.get(number);
    const [words, source] = [level?.words, level?.get(geometry)];
    return level && words && source ? [{ level, words, source }] : [];
  });
  if (inMemory.length === numbers.length) return respond(asked, release, inMemory);
  // What is loaded is held here: where memory is little, one level may leave it while another one comes.
  const loading = Promise.all(
    numbers.map(async (number): Promise<Searched> => {
      const level = await release.load(number);
      const [words, source] = await Promise.all([level.loadWords(), level.load(geometry)]);
      return { level, words, source };
    }),
  );
  const basis = { release, isPinned: false };
  return onceLoaded(sources, asked.request, basis, loading, (searched) => respond(asked, release, searched));
}

function respond(asked: AskedUnits, release: LoadedRelease, searched: readonly Searched[]): Answer {
  const { text, filters, pageSize } = asked.params;
  const levels = searched.map(({ level, words }) => {
    const within = filters.length === 0 ? undefined : matching(level.index, filters, []);
    return { words, isAllowed: within && isIn(within, level.index.features) };
  });
  const { matched, units } = findUnits(text, levels, pageSize === 0 ? SEARCH_LIMIT.default : pageSize);
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
function refuseContradiction({ text, levels, filters, given }: Params): void {
  if (text === '') throw badParameter('q', 'is missing', Q_RULE);
  const above = levels.find((level) => filters.some(({ column }) => column > level));
  if (above === undefined || !given.some(({ name }) => name === 'level')) return;
  const name = `gid-${filters.find(({ column }) => column > above)?.column}`;
  throw badParameter(name, `is not a filter of ${levelName(above)}`, `gid-0 to gid-${above}`);
}
