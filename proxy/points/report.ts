// What `points` found, and says of it at the end.
import { type Level, levelName } from '../../format/levels.ts';
import type { Contradictions } from './parents.ts';

/** Why a row has no point. */
export type NoPoint = 'no longitude or latitude' | 'not plain decimal degrees' | 'out of range';

/** Lines of a table that are named for each reason. */
const NAMED_MAX = 100;

/** Some rows of a table: how many, and the numbers of the lines where the first of them begin. */
export class NamedRows {
  count = 0;
  readonly lines: number[] = [];

  add(line: number): void {
    if (this.count++ < NAMED_MAX) this.lines.push(line);
  }
}

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
  const lines = [...without].map(([why, own]) => named(own, `without a point, ${why}`));
  if (nowhere.count > 0) lines.push(named(nowhere, 'in no unit'));
  if (shallow.count > 0) lines.push(named(shallow, `in no unit of ${levelName(deepest)}, but in one of a level above`));
  if (several.count > 0) lines.push(named(several, 'in several units of a level, of which the first by fid was taken'));
  if (contradictions.count > 0) lines.push(contradictionLine(contradictions));
  if (isExchanged) lines.push(EXCHANGED);
  const seconds = ms / 1000;
  const rate = count(Math.round(rows / seconds));
  return [...lines, `${rowsOf(rows)} in ${seconds.toFixed(1)} s, ${rate} a second, from release ${release}`];
}

function contradictionLine({ count: all, examples, areTaken }: Summary['contradictions']): string {
  const others = all > examples.length ? `, and ${count(all - examples.length)} more` : '';
  const what = areTaken
    ? 'got the parents of the deepest unit, which are not at the point'
    : 'with levels that contradict each other (--parents takes the parents of the deepest unit)';
  return `${rowsOf(all)} ${what}: ${examples.join(', ')}${others}`;
}

function named({ count: all, lines }: NamedRows, what: string): string {
  const others = all > lines.length ? ` and ${count(all - lines.length)} more` : '';
  return `${rowsOf(all)} ${what}: line ${lines.join(', ')}${others}`;
}

function rowsOf(number: number): string {
  return `${count(number)} ${number === 1 ? 'row' : 'rows'}`;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
