// What `points` says at the end. Used by main.ts.
import type { Summary } from './points.ts';

/** Lines of a table that are named for each reason. */
const NAMED_MAX = 100;

/** What is said before the first row is written, and at the end if it is true of all rows. */
export const EXCHANGED =
  'no point is in a unit, but with longitude and latitude exchanged they are: name the columns the other way round, --longitude and --latitude';

/** @param ms milliseconds that it took */
export function summaryLines({ release, rows, without, nowhere, several, isExchanged }: Summary, ms: number): string[] {
  const lines = [...without].map(([why, own]) => {
    const named = own.slice(0, NAMED_MAX).join(', ');
    const others = own.length > NAMED_MAX ? ` and ${count(own.length - NAMED_MAX)} more` : '';
    return `${rowsOf(own.length)} without a point, ${why}: line ${named}${others}`;
  });
  if (nowhere > 0) lines.push(`${rowsOf(nowhere)} in no unit`);
  if (several > 0) lines.push(`${rowsOf(several)} in several units of a level: the first by fid was taken`);
  if (isExchanged) lines.push(EXCHANGED);
  const seconds = ms / 1000;
  const rate = count(Math.round(rows / seconds));
  return [...lines, `${rowsOf(rows)} in ${seconds.toFixed(1)} s, ${rate} a second, from release ${release}`];
}

function rowsOf(number: number): string {
  return `${count(number)} ${number === 1 ? 'row' : 'rows'}`;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
