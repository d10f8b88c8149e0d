// A table of comma-separated values (RFC 4180, and what programs make of it): its header, then its rows as they are
// written. The bytes of a row are kept: what is appended does not change what was there.
import { type CsvError, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { elementAt } from '../../format/element-at.ts';
import { plainDecimal } from '../../format/grid.ts';
import { StartError } from '../config/start-error.ts';
import { type CoordinateColumns, type NamedColumns, noPlaceColumns, placeColumns } from './columns.ts';

/** The header is within the first bytes. */
const HEAD_BYTES = 64 * 1024;
/**
 * Longest row, with blank lines before it: a geometry as text may be one of its values. A quotation mark that is not
 * closed ends here at the latest.
 */
const ROW_MAX_BYTES = 16 * 1024 * 1024;
const SEPARATORS = [',', ';', '\t', '|'] as const;
const BOM = '\ufeff';
/** What Excel takes for the separator: a line before the header. */
const SEPARATOR_LINE = /^(\ufeff?sep=([,;\t|])(?:\r\n|\n|\r))/i;
/** That line is no longer, with a byte order mark. */
const SEPARATOR_LINE_BYTES = 16;
/** A number as many languages write it. Where the separator is a comma, it may be two values. */
const DECIMAL_COMMA = /^(-?\d+),(\d+(?:e[+-]?\d+)?)$/i;

/** Of UTF-16. */
const BOM_BYTES = 2;
/** UTF-16 by its byte order mark, as hexadecimal digits. */
const UTF_16: ReadonlyMap<string, string> = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);

/** How a table is written. */
export interface TableForm {
  separator: string;
  /** What is before its header: a byte order mark, and a line `sep=;`. */
  start: string;
  /** What ends its lines. */
  lineEnd: '\n' | '\r\n' | '\r';
  /** The names of its columns. */
  header: readonly string[];
}

/** A row. */
export interface Row {
  /** As it is written, maybe with line ends around it. */
  raw: string;
  /** The number of its first line, from 1. */
  line: number;
  /** With a decimal point, also where the table has a comma and another separator. */
  longitude: string;
  latitude: string;
}

/** A table whose header has been read. */
export interface Table extends TableForm {
  /** The line of the header, as it is written. */
  headerText: string;
  /**
   * Its rows, in the order of the table, some at a time. Blank lines are left out.
   * @throws StartError that names the line of what is no such table
   */
  rows(): AsyncGenerator<Row[], void, undefined>;
}

/**
 * Reads the header of a table.
 * @param input pieces of its bytes
 * @param rowMaxBytes longest row
 * @throws StartError if it is not one, or has no columns with points
 */
export async function readTable(
  input: AsyncIterable<Buffer>,
  named: NamedColumns,
  rowMaxBytes = ROW_MAX_BYTES,
): Promise<Table> {
  const pieces = utf8Of(input);
  const begun: Buffer[] = [];
  for (let bytes = 0; bytes < HEAD_BYTES; ) {
    const { value, done } = await pieces.next();
    if (done) break;
    begun.push(value);
    bytes += value.length;
  }
  const bytes = Buffer.concat(begun);
  const [, start = '', separator] = SEPARATOR_LINE.exec(bytes.toString('utf8', 0, SEPARATOR_LINE_BYTES)) ?? [];
  const head = bytes.subarray(Buffer.byteLength(start));
  const { form, columns, headerText } = headerIn(head, named, start, separator);
  async function* all(): AsyncGenerator<Buffer> {
    yield head;
    yield* pieces;
  }
  return { ...form, headerText, rows: () => rowsIn(all(), form, columns, rowMaxBytes) };
}

/** The pieces as UTF-8: as they come, or of UTF-16 with a byte order mark. @throws StartError if they are neither */
async function* utf8Of(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let begun: Buffer = Buffer.alloc(0);
  let toUtf8: ReturnType<typeof converterOf> | undefined;
  for await (const piece of input) {
    begun = toUtf8 === undefined ? Buffer.concat([begun, piece]) : piece;
    if (begun.length < BOM_BYTES && toUtf8 === undefined) continue;
    toUtf8 ??= converterOf(begun);
    yield toUtf8(begun);
  }
  if (toUtf8 === undefined) yield converterOf(begun)(begun);
  else toUtf8(undefined);
}

/** @param first at least as much of the table as a byte order mark */
function converterOf(first: Buffer): (piece: Buffer | undefined) => Buffer {
  const utf16 = UTF_16.get(first.toString('hex', 0, BOM_BYTES));
  const decoder = new TextDecoder(utf16 ?? 'utf-8', { fatal: true, ignoreBOM: true });
  return (piece) => {
    try {
      const text = decoder.decode(piece, { stream: piece !== undefined });
      return utf16 === undefined && piece !== undefined ? piece : Buffer.from(text);
    } catch {
      const remedy = 'convert it first, e.g. iconv -f WINDOWS-1252 -t UTF-8 (Excel: CSV UTF-8)';
      if (utf16 === undefined) throw new StartError('is not UTF-8', 'the table', remedy);
      throw new StartError('begins as UTF-16, and is not', 'the table', 'save it as UTF-8 (Excel: CSV UTF-8)');
    }
  };
}

/** A table as it is parsed. */
interface ParsedRow {
  record: string[];
  raw: string;
}

/** What csv-parse gives with `raw`, which its types do not know. */
function parsedRow(row: unknown): ParsedRow {
  if (typeof row === 'object' && row !== null && 'raw' in row && 'record' in row) {
    const { raw, record } = row;
    if (typeof raw === 'string' && Array.isArray(record)) return { raw, record };
  }
  throw new TypeError('csv-parse gives other rows');
}

/**
 * Tries each separator: the one with which the header has the columns is the table's.
 * @param before what is before the head
 * @param said the separator that the table names itself
 */
function headerIn(
  head: Buffer,
  named: NamedColumns,
  before: string,
  said: string | undefined,
): { form: TableForm; columns: CoordinateColumns; headerText: string } {
  let longest: string[] = [];
  for (const separator of said === undefined ? SEPARATORS : [said]) {
    const parsed = firstRow(head, separator);
    if (parsed === undefined) continue;
    const header = parsed.record;
    if (header.length > longest.length) longest = header;
    const columns = placeColumns(header, named);
    if (columns === undefined) continue;
    const form = {
      separator,
      start: before + (head.toString('utf8', 0, 3) === BOM ? BOM : ''),
      lineEnd: lineEndOf(head, parsed.raw),
      header,
    };
    return { form, columns, headerText: withoutEnds(parsed.raw) };
  }
  if (head.toString('utf8').trim() === '')
    throw new StartError('the table is empty', 'the first line', 'give a table with a header, then rows');
  throw noPlaceColumns(longest, named);
}

/** Undefined if there is none, or if it cannot be parsed so. */
function firstRow(head: Buffer, separator: string): ParsedRow | undefined {
  try {
    const options = { bom: true, delimiter: separator, to: 1, raw: true, skip_empty_lines: true } as const;
    const rows: unknown[] = parseAtOnce(head, options);
    return rows[0] === undefined ? undefined : parsedRow(rows[0]);
  } catch {
    // Quotation marks in wrong places: with another separator they are right, or the table has no header.
    return undefined;
  }
}

/** What follows the header; csv-parse leaves the second byte out of two. */
function lineEndOf(head: Buffer, raw: string): TableForm['lineEnd'] {
  if (!raw.endsWith('\r')) return '\n';
  const end = head.indexOf(raw) + Buffer.byteLength(raw);
  return head.toString('latin1', end, end + 1) === '\n' ? '\r\n' : '\r';
}

async function* rowsIn(
  input: AsyncIterable<Buffer>,
  { separator, header, start }: TableForm,
  columns: CoordinateColumns,
  rowMaxBytes: number,
): AsyncGenerator<Row[], void, undefined> {
  let rows: Row[] = [];
  /** Bytes that were read since a row ended: csv-parse counts neither separators nor blank lines. */
  let pending = 0;
  /** Lines up to the end of the last row. */
  let lines = endsIn(start, 0, start.length);
  let isHeader = true;
  const point = (text: string): string =>
    plainDecimal(text.trim().replace(DECIMAL_COMMA, separator === ',' ? '$&' : '$1.$2'));
  const take = ({ record, raw }: ParsedRow): void => {
    const [before, within] = [endsIn(raw, 0, leadingEnds(raw)), endsIn(raw, leadingEnds(raw), raw.length)];
    pending = 0;
    const line = lines + before + 1;
    lines += before + Math.max(1, within);
    if (!isHeader) {
      const [longitude, latitude] = [elementAt(record, columns.longitude), elementAt(record, columns.latitude)];
      rows.push({ raw, line, longitude: point(longitude), latitude: point(latitude) });
    }
    isHeader = false;
  };
  const parser = parse({
    bom: true,
    delimiter: separator,
    raw: true,
    skip_empty_lines: true,
    max_record_size: rowMaxBytes,
  });
  const failed = new Promise<never>((_, reject) => {
    parser.once('error', (error: CsvError) => reject(rowError(error, lines + 1, header.length, rowMaxBytes)));
  });
  // Whoever waits for it gets it.
  failed.catch(() => {});
  parser.on('data', (row: unknown) => take(parsedRow(row)));
  const done = (run: (done: () => void) => void): Promise<void> =>
    Promise.race([new Promise<void>((resolve) => run(resolve)), failed]);
  for await (const piece of input) {
    if (pending > rowMaxBytes) throw tooLong(lines + 1, rowMaxBytes);
    pending += piece.length;
    await done((resolve) => parser.write(piece, () => resolve()));
    if (rows.length > 0) yield rows;
    rows = [];
  }
  await done((resolve) => parser.once('end', resolve).end());
  if (rows.length > 0) yield rows;
}

/** An error of the parser as one that says what to do. @param line where the row begins */
function rowError({ code, record }: CsvError, line: number, columns: number, rowMaxBytes: number): StartError {
  if (/MAX_RECORD/.test(code)) return tooLong(line, rowMaxBytes);
  const where = `the row from line ${line}`;
  if (/INCONSISTENT|DONT_MATCH/.test(code))
    return new StartError(
      `${Array.isArray(record) ? record.length : 'not as many'} values, the header has ${columns}`,
      where,
      'put values that contain the separator (also decimal commas) or line breaks in quotation marks',
    );
  const problem = /NOT_CLOSED/.test(code)
    ? 'a quotation mark that is not closed'
    : 'a quotation mark within a value, or a value after one';
  return new StartError(problem, where, 'put such values in quotation marks, and double those within: "a ""b"" c"');
}

function tooLong(line: number, rowMaxBytes: number): StartError {
  const problem = `more than ${rowMaxBytes.toLocaleString('en')} bytes, perhaps a quotation mark that is not closed`;
  return new StartError(problem, `the row from line ${line}`, 'make it shorter, or put quotation marks in pairs');
}

/** How many line ends a row has before it begins: those of blank lines. */
function leadingEnds(text: string): number {
  let at = 0;
  while (isEnd(text.charCodeAt(at))) at++;
  return at;
}

/** The text of a row as it is written, without line ends around it. */
export function withoutEnds(text: string): string {
  let end = text.length;
  while (end > 0 && isEnd(text.charCodeAt(end - 1))) end--;
  return text.slice(leadingEnds(text), end);
}

/** Line ends in a part of a text: \n, \r\n or \r. */
function endsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === LF ? text.charCodeAt(at - 1) !== CR || at === from : code === CR) count++;
  }
  return count;
}

const LF = 10;
const CR = 13;

function isEnd(code: number): boolean {
  return code === LF || code === CR;
}
