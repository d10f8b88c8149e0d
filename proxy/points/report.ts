// What `points` found, and says of it at the end.
import { type Level, levelName } from '../../format/levels.ts';
import { type NamedRows, namedLine, others, rateLine, rowsOf } from '../tables/named-rows.ts';
import type { Contradictions } from './parents.ts';

/** Why a row has no point. */
export type NoPoint = 'no longitude or latitude' | 'not plain decimal degrees' | 'out of range';

/** What has been done. */
export interface Summary {
  release: string;
  rows: number;
  /** Rows without a point, by reason. */
  without: ReadonlyMap<NoPoint, NamedRows>;
  /** Rows whose point is in no unit. */
  nowhere: NamedRows;
  /** Rows whose point is in a unit, but in none of the deepest level. */
  shallow: NamedRows;
  /** The deepest level that was asked for, of those with units. */
  deepest: Level;
  /** Rows whose point is in several units of a level, of which the first by fid was taken. */
  several: NamedRows;
  /** Rows with a unit whose parent is not at the point; `areTaken`: the row has that parent all the same. */
  contradictions: Contradictions & { areTaken: boolean };
  /** No point is in a unit, but exchanged those of a sample are. */
  isExchanged: boolean;
}

/** What is said before the first row is written, and at the end if it is true of all rows. */
export const EXCHANGED =
  'no point is in a unit, but with longitude and latitude exchanged they are: name the columns the other way round, --longitude and --latitude';

/** @param ms milliseconds that it took */
export function summaryLines(summary: Summary, ms: number): string[] {
  const { release, rows, without, nowhere, shallow, deepest, several, contradictions, isExchanged } = summary;
  const lines = [...without].map(([why, own]) => namedLine(own, `without a point, ${why}`));
  if (nowhere.count > 0) lines.push(namedLine(nowhere, 'in no unit'));
  if (shallow.count > 0)
    lines.push(namedLine(shallow, `in no unit of ${levelName(deepest)}, but in one of a level above`));
  if (several.count > 0)
    lines.push(namedLine(several, 'in several units of a level, of which the first by fid was taken'));
  if (contradictions.count > 0) lines.push(contradictionLine(contradictions));
  if (isExchanged) lines.push(EXCHANGED);
  return [...lines, rateLine(rows, ms, release)];
}

function contradictionLine({ count: all, examples, areTaken }: Summary['contradictions']): string {
  const what = areTaken
    ? 'got the parents of the deepest unit, which are not at the point'
    : 'with levels that contradict each other (--parents takes the parents of the deepest unit)';
  return `${rowsOf(all)} ${what}: ${examples.join(', ')}${others(all, examples.length, ', and')}`;
}
