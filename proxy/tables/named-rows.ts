// Rows of a table as a program speaks of them at the end: how many, and where the first of them are.

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

/** @param what is said of them */
export function namedLine({ count: all, lines }: NamedRows, what: string): string {
  return `${rowsOf(all)} ${what}: line ${lines.join(', ')}${others(all, lines.length, ' and')}`;
}

/** What is said of those that are not named. */
export function others(all: number, named: number, and: string): string {
  return all > named ? `${and} ${inFigures(all - named)} more` : '';
}

/** How many rows, how long they took, and from which release. @param ms milliseconds */
export function rateLine(rows: number, ms: number, release: string): string {
  const seconds = ms / 1000;
  const rate = inFigures(Math.round(rows / seconds));
  return `${rowsOf(rows)} in ${seconds.toFixed(1)} s, ${rate} a second, from release ${release}`;
}

export function rowsOf(number: number): string {
  return `${inFigures(number)} ${number === 1 ? 'row' : 'rows'}`;
}

export function inFigures(number: number): string {
  return number.toLocaleString('en');
}
