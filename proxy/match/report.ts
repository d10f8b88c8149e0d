// What `match` decided by itself, what it found, and what it says of it.
import { levelName } from '../../format/levels.ts';
import { ownText } from '../../format/own-text.ts';
import { inFigures, NamedRows, namedLine, rateLine, rowsOf } from '../tables/named-rows.ts';
import type { Table } from '../tables/table.ts';
import type { TextColumn } from './columns.ts';
import type { Match, MatchedRow } from './rules/chains.ts';

/** So many different texts that found nothing are counted, each with so much of it, and so many named. */
const TEXTS_MAX = 100_000;
const TEXT_MAX_CHARS = 200;
const TEXTS_NAMED_MAX = 10;
const SHOWN_MAX_CHARS = 60;

/** How rows were decided, the best first; and why some have no unit. */
const WITHOUT = { ambiguous: 'of several units', none: 'of no unit', empty: 'without a name or code' } as const;

/** What was decided before the first row. */
export function decidedLine(
  columns: readonly TextColumn[],
  { separator, encoding }: Pick<Table<unknown>, 'separator' | 'encoding'>,
): string {
  const named = columns.map(({ name, level }) => `${JSON.stringify(name.trim())} is ${levelName(level)}`).join(', ');
  return `${named}; separated by ${JSON.stringify(separator)}, ${encoding.toUpperCase()}`;
}

/** Counts what became of rows. */
export class MatchSummary {
  readonly release: string;
  rows = 0;
  readonly #counts = new Map<Match, number>();
  readonly #without = new Map<Match, NamedRows>();
  readonly #texts = new Map<string, number>();
  #restored = 0;
  #untried = 0;

  constructor(release: string) {
    this.release = release;
  }

  /** Have all rows a unit? */
  get isComplete(): boolean {
    return this.#without.size === 0;
  }

  /** @param text of the column that gave no unit; empty if all did */
  add({ match, isRestored, isUntried }: MatchedRow, line: number, text: string): void {
    this.rows++;
    this.#counts.set(match, (this.#counts.get(match) ?? 0) + 1);
    if (isRestored) this.#restored++;
    if (isUntried) this.#untried++;
    if (match !== 'ambiguous' && match !== 'none' && match !== 'empty') return;
    const rows = this.#without.get(match) ?? new NamedRows();
    rows.add(line);
    this.#without.set(match, rows);
    if (match === 'none') this.#count(text.slice(0, TEXT_MAX_CHARS));
  }

  #count(text: string): void {
    const known = this.#texts.get(text);
    if (known !== undefined) this.#texts.set(text, known + 1);
    else if (this.#texts.size < TEXTS_MAX) this.#texts.set(ownText(text), 1);
  }

  /** @param ms milliseconds that it took */
  lines(ms: number): string[] {
    const without = Object.entries(WITHOUT).flatMap(([match, what]) => {
      const rows = [...this.#without].find(([own]) => own === match)?.[1];
      return rows === undefined ? [] : [namedLine(rows, what)];
    });
    const byMatch = [...this.#counts]
      .sort((a, b) => b[1] - a[1])
      .map(([match, count]) => `${match} ${inFigures(count)}`);
    return [
      ...without,
      ...this.#frequent(),
      ...(this.#restored > 0
        ? [`${rowsOf(this.#restored)} with a code whose zeros at the beginning were restored`]
        : []),
      ...(this.#untried > 0
        ? [
            `${rowsOf(this.#untried)} with a name on which no edits were tried, as it may be of too many units: a column of the units between would help`,
          ]
        : []),
      ...(byMatch.length > 0 ? [`rows by match: ${byMatch.join(', ')}`] : []),
      rateLine(this.rows, ms, this.release),
    ];
  }

  /** The most frequent texts that found nothing. */
  #frequent(): string[] {
    const texts = [...this.#texts].sort((a, b) => b[1] - a[1]).slice(0, TEXTS_NAMED_MAX);
    const shown = texts.map(([text, count]) => {
      const cut = text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS)}…` : text;
      return `${JSON.stringify(cut)} (${inFigures(count)})`;
    });
    return shown.length === 0 ? [] : [`not found there: ${shown.join(', ')}`];
  }
}
