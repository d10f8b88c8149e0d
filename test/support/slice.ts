// Slices of long lists of cases. A landing tries an eighth of each list, which its commit draws: eight landings try
// all, and so does a weekly run. Anybody else tries the first one, so that the same tests run before and after a change.

/** Into how many slices a list is divided. */
export const SLICES = 8;

/** The variable that names the slice of a run: a number below SLICES, or `all`. */
export const SLICE = 'SLICE';

/** The slice of this run; undefined where it has all cases. */
export const slice: number | undefined = sliceFrom(process.env[SLICE] ?? '0');

/** @throws RangeError if the text names no slice */
export function sliceFrom(text: string): number | undefined {
  if (text === 'all') return undefined;
  const number = Number(text);
  if (/^[0-9]$/.test(text) && number < SLICES) return number;
  throw new RangeError(`SLICE=${text}: expected a number from 0 to ${SLICES - 1}, or all`);
}

/**
 * The cases of this run's slice, in their order: every eighth, so that near and far ones are among them, and at least
 * one.
 * @param isPinned of what has failed once: it is tried in each run
 */
export function sliceOf<T>(cases: readonly T[], isPinned: (value: T) => boolean = () => false): T[] {
  if (slice === undefined) return [...cases];
  const chosen = slice % Math.min(SLICES, Math.max(1, cases.length));
  return cases.filter((value, i) => i % SLICES === chosen || isPinned(value));
}

/** Seeds of what is random, as many as a run has: others in each slice. */
export function seedsOf(count: number): number[] {
  const first = slice === undefined ? 0 : slice * count;
  return Array.from({ length: slice === undefined ? SLICES * count : count }, (_, i) => first + i + 1);
}
