// Reads a table from a file that somebody has chosen: how it is written, its header, and its rows, some at a time. It is
// read twice, so that no more of it is in memory than what is needed.
import { HEAD_CHARS, lineEndOf, SEPARATORS, startOf } from '../../tables/csv-head.ts';
import { CsvFault, type CsvForm, CsvReader, type CsvRow } from '../../tables/csv-rows.ts';
import { count as inFigures } from '../api/texts.ts';

export const FILE_MAX_BYTES = 50_000_000;
export const ROWS_MAX = 200_000;
export const COLUMNS_MAX = 1000;
const ROW_MAX_CHARS = 1_000_000;
/** Rows by which the separator is found. */
const TRIED_ROWS = 20;
/** Rows by which columns are found. */
const SAMPLE_ROWS = 2000;
const PIECE_BYTES = 256 * 1024;

/** Why a file is refused, in a sentence. */
export class TableFault extends Error {}

/** A table that can be read to its end. */
export interface OpenTable {
  file: Blob;
  form: CsvForm;
  /** What is before its header. */
  start: string;
  /** By WHATWG's name. */
  encoding: string;
  header: readonly string[];
  rows: number;
  /** The first of them. */
  sample: readonly (readonly string[])[];
}

/** Reads a table once. @throws TableFault */
export async function openTable(file: Blob): Promise<OpenTable> {
  if (file.size > FILE_MAX_BYTES) throw new TableFault('The file has more than 50 MB. Take fewer rows or columns.');
  const encoding = await encodingOf(file);
  const head = await headOf(file, encoding);
  const { start, separator } = startOf(head);
  const begun = head.slice(start.length);
  if (begun.trim() === '') throw new TableFault('The file is empty. It must have a header, then rows.');
  const lineEnd = lineEndOf(begun);
  const forms = (separator === undefined ? SEPARATORS : [separator]).map(
    (one): CsvForm => ({ separator: one, lineEnd }),
  );
  const isWhole = head.length < HEAD_CHARS;
  const found = forms.map((form) => ({ form, ...columnsBy(form, begun, isWhole) }));
  const fitting = found.filter(({ columns, isFit }) => isFit && columns > 1);
  // The header may have more of another sign: a name that is a sentence.
  const likely = fitting.length > 0 ? fitting : found;
  const { form, columns } = likely.reduce((most, one) => (one.columns > most.columns ? one : most));
  if (columns === 1)
    throw new TableFault('The table has one column. It must have one of units and one of values, between commas.');
  const written = { file, form, start, encoding };
  // The head may end within a long header, and what is wrong with its quotation marks says who reads all of it.
  let header: readonly string[] | undefined;
  const sample: (readonly string[])[] = [];
  let rows = 0;
  for await (const some of allRows(written)) {
    const own = header === undefined ? some.slice(1) : some;
    header ??= some[0]?.values.map(nameOfColumn);
    rows += own.length;
    if ((header?.length ?? 0) > COLUMNS_MAX)
      throw new TableFault(`The table has more than ${inFigures(COLUMNS_MAX)} columns. Take fewer.`);
    if (rows > ROWS_MAX) throw new TableFault(`The table has more than ${inFigures(ROWS_MAX)} rows. Take fewer.`);
    for (const { values } of own.slice(0, SAMPLE_ROWS - sample.length)) sample.push(values);
  }
  if (header === undefined || rows === 0) throw new TableFault('The table has no rows below its header.');
  return { ...written, header, rows, sample };
}

/**
 * How many columns the header of a text has by a form; none if it cannot be read so.
 * @param isWhole does it end with its last row?
 * @returns `isFit`: the first rows have as many values
 */
function columnsBy(form: CsvForm, text: string, isWhole: boolean): { columns: number; isFit: boolean } {
  const reader = new CsvReader(form, 1, Number.POSITIVE_INFINITY);
  let [columns, rows] = [0, 0];
  try {
    for (const { values } of reader.read(text)) {
      columns ||= values.length;
      if (++rows > TRIED_ROWS) return { columns, isFit: true };
    }
    if (isWhole || rows === 0) for (const { values } of reader.end()) columns ||= values.length;
    return { columns, isFit: true };
  } catch (error) {
    if (error instanceof CsvFault) return { columns, isFit: false };
    throw error;
  }
}

function nameOfColumn(name: string, column: number): string {
  return name.trim() || `column ${column + 1}`;
}

/** Its rows, without the header. @throws TableFault */
export async function* rowsOf(table: OpenTable): AsyncGenerator<CsvRow[], void, undefined> {
  let isHeader = true;
  for await (const rows of allRows(table)) {
    yield isHeader ? rows.slice(1) : rows;
    isHeader &&= rows.length === 0;
  }
}

/** How a table is written. */
type WrittenTable = Pick<OpenTable, 'file' | 'form' | 'start' | 'encoding'>;

/** The header, then the rows. @throws TableFault */
async function* allRows({ file, form, start, encoding }: WrittenTable): AsyncGenerator<CsvRow[], void, undefined> {
  const reader = new CsvReader(form, /[\r\n]$/.test(start) ? 2 : 1, ROW_MAX_CHARS);
  let skipped = start.length;
  try {
    for await (const piece of textOf(file, encoding)) {
      if (piece.includes('\0')) throw new TableFault('This is no CSV: it has NUL characters. Save it as CSV UTF-8.');
      yield Array.from(reader.read(piece.slice(skipped)));
      skipped = Math.max(0, skipped - piece.length);
    }
    yield Array.from(reader.end());
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    throw new TableFault(`The row from line ${inFigures(error.line)} has ${error.message}: ${error.remedy}.`);
  }
}

/** Of UTF-16 by its byte order mark; otherwise UTF-8, or what Excel writes in Western Europe and the Americas. */
async function encodingOf(file: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  try {
    for await (const _ of textOf(file, 'utf-8'));
    return 'utf-8';
  } catch (error) {
    if (error instanceof TableFault) return 'windows-1252';
    throw error;
  }
}

async function headOf(file: Blob, encoding: string): Promise<string> {
  let head = '';
  for await (const piece of textOf(file, encoding)) {
    head += piece;
    if (head.length >= HEAD_CHARS) break;
  }
  return head;
}

async function* textOf(file: Blob, encoding: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const decode = (bytes: ArrayBuffer | undefined): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw new TableFault(`The file is not ${encoding.toUpperCase()}. Save it as CSV UTF-8.`);
    }
  };
  for (let at = 0; at < file.size; at += PIECE_BYTES)
    yield decode(await file.slice(at, at + PIECE_BYTES).arrayBuffer());
  yield decode(undefined);
}
