// Asks which units contain a point, and says it.
import { type Point, pointToContains, pointToText } from '../api/coordinates.ts';
import { titleOf } from '../api/unit.ts';
import { readUnits } from '../api/units.ts';
import { NOTHING_HERE } from '../messages/messages.ts';
import { announce, page } from '../state/page.ts';
import type { Visit } from '../state/visit.ts';

/**
 * @param other that its text may mean as well
 * @throws RefusalError
 */
export async function tellHere(
  point: Point,
  other: Point | undefined,
  visit: Pick<Visit, 'client' | 'about'>,
  signal: AbortSignal,
): Promise<void> {
  page.here.value = { point, other, units: undefined };
  const path = `at?point=${pointToContains(point)}&geometry=${visit.about.lightest}`;
  const found = await readUnits(path, visit, signal);
  signal.throwIfAborted();
  const units = found.units.map(({ row }) => row);
  page.here.value = { point, other, units };
  announce(`${pointToText(point)}: ${units.map(titleOf).join(', ') || NOTHING_HERE}`);
}
