// How a table of comma-separated values begins: what programs write before its header, how its lines end, and its first
// row. As csv-rows.ts, browsers run this, too.
import { CsvFault, type CsvForm, CsvReader, type CsvRow } from './csv-rows.ts';

/** So much of a table is looked at first: its header is rarely longer. */
export const HEAD_CHARS = 64 * 1024;
export const SEPARATORS = [',', ';', '\t', '|'] as const;

const BOM = '\ufeff';
/** What Excel takes for the separator: a line before the header. */
const SEPARATOR_LINE = /^(\ufeff?sep=([,;\t|])(?:\r\n|\n|\r))/i;

/** What is before the header: a byte order mark, a line `sep=;`, and the separator that this names. */
export function startOf(head: string): { start: string; separator: string | undefined } {
  const [, line, separator] = SEPARATOR_LINE.exec(head) ?? [];
  return { start: line ?? (head.startsWith(BOM) ? BOM : ''), separator };
}

/** Is the first row in it to its end? */
export function hasFirstRow(head: string): boolean {
  const begun = head.slice(startOf(head).start.length);
  // The last character may be half a line end.
  return firstLineEnd(begun.replace(/^[\r\n]+|\r$/g, '')) !== undefined;
}

/** The first line end that is not within quotation marks. */
export function lineEndOf(head: string): CsvForm['lineEnd'] {
  return firstLineEnd(head) ?? '\n';
}

function firstLineEnd(head: string): CsvForm['lineEnd'] | undefined {
  let isQuoted = false;
  for (const [found] of head.matchAll(/"|\r\n|\n|\r/g)) {
    if (found === '"') isQuoted = !isQuoted;
    else if (!isQuoted) return found === '\n' || found === '\r' ? found : '\r\n';
  }
  return undefined;
}

/** Undefined if there is none, or if it cannot be parsed so. */
export function firstRow(head: string, form: CsvForm): CsvRow | undefined {
  try {
    const reader = new CsvReader(form, 1, Number.POSITIVE_INFINITY);
    return reader.read(head).next().value ?? reader.end().next().value ?? undefined;
  } catch (error) {
    // Quotation marks in wrong places: with another separator they are right, or the table has no header.
    if (error instanceof CsvFault) return undefined;
    throw error;
  }
}
