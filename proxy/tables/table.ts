// A table of comma-separated values (RFC 4180, and what programs make of it): its header, then its rows as they are
// written. The bytes of a row are kept: what is appended does not change what was there.
import { StartError } from '../config/start-error.ts';
import { firstRow, HEAD_CHARS, hasFirstRow, lineEndOf, SEPARATORS, startOf } from './csv-head.ts';
import { CsvFault, type CsvForm, CsvReader, type CsvRow, SHORTER, tooLong } from './csv-rows.ts';

/**
 * Longest row, with blank lines before it: a geometry as text may be one of its values. A quotation mark that is not
 * closed ends here at the latest.
 */
const ROW_MAX_CHARS = 16 * 1024 * 1024;

/** Of UTF-16. */
const BOM_BYTES = 2;
/** UTF-16 by its byte order mark, as hexadecimal digits. */
const UTF_16: ReadonlyMap<string, string> = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);

/** How a table is written. */
export interface TableForm extends CsvForm {
  /** What is before its header: a byte order mark, and a line `sep=;`. */
  start: string;
  /** The names of its columns. */
  header: readonly string[];
}

/** A table whose header has been read. */
export interface Table<Columns> extends TableForm {
  /** As it came, by WHATWG's name: rows are written as UTF-8. */
  encoding: string;
  /** The line of the header, as it is written. */
  headerText: string;
  /** Those that were chosen. */
  columns: Columns;
  /**
   * Its rows, in the order of the table, some at a time.
   * @throws StartError that names the line of what is no such table
   */
  rows(): AsyncGenerator<CsvRow[], void, undefined>;
}

/** Which columns of a table are wanted. */
export interface ColumnChoice<Columns> {
  /** Undefined if a table with this header has none: then it has another separator. */
  choose(header: readonly string[]): Columns | undefined;
  /** Why a table is refused. @param header its columns with the separator that gives most of them */
  refusal(header: readonly string[]): StartError;
}

/** A first line may have no end: so much of it is shown. */
const SHOWN_CHARS = 500;

/** Which columns there are, for messages. */
export function shownColumns(header: readonly string[]): string {
  const names = header.join(', ') || 'none';
  return `its columns: ${names.length > SHOWN_CHARS ? `${names.slice(0, SHOWN_CHARS)}…` : names}`;
}

/** @throws StartError if several columns have a name: which one is meant cannot be known */
export function refuseSameNames(header: readonly string[], name: string, remedy: string): void {
  if (header.indexOf(name) !== header.lastIndexOf(name))
    throw new StartError('two columns of this name', `column ${name}`, remedy);
}

/**
 * Reads the header of a table.
 * @param input pieces of its bytes
 * @param rowMaxChars longest row
 * @throws StartError if it is not one, or has none of the columns
 */
export async function readTable<Columns>(
  input: AsyncIterable<Buffer>,
  choice: ColumnChoice<Columns>,
  rowMaxChars = ROW_MAX_CHARS,
): Promise<Table<Columns>> {
  let encoding = '';
  const pieces = textOf(input, (said) => {
    encoding = said;
  });
  const head = await headOf(pieces, rowMaxChars);
  const { start, separator } = startOf(head);
  const begun = head.slice(start.length);
  const { form, columns, headerText } = headerIn(begun, choice, start, separator);
  async function* all(): AsyncGenerator<string> {
    yield begun;
    yield* pieces;
  }
  return { ...form, encoding, headerText, columns, rows: () => rowsIn(all(), form, rowMaxChars) };
}

/** The beginning of a table, with its whole header. @throws StartError if that is longer than a row may be */
async function headOf(pieces: AsyncGenerator<string, void, undefined>, rowMaxChars: number): Promise<string> {
  let head = '';
  // Twice as much each time, as it is looked through from its beginning.
  for (let chars = HEAD_CHARS; ; chars = Math.min(2 * chars, rowMaxChars + 1)) {
    while (head.length < chars) {
      const { value, done } = await pieces.next();
      if (done) return head;
      head += value;
    }
    if (hasFirstRow(head)) return head;
    if (head.length > rowMaxChars) throw new StartError(tooLong(rowMaxChars), 'the first line', SHORTER);
  }
}

/** The pieces as text: of UTF-8, or of UTF-16 with a byte order mark. @throws StartError if they are neither */
async function* textOf(
  input: AsyncIterable<Buffer>,
  says: (encoding: string) => void,
): AsyncGenerator<string, void, undefined> {
  let begun: Buffer = Buffer.alloc(0);
  let toText: ReturnType<typeof decoderOf> | undefined;
  for await (const piece of input) {
    begun = toText === undefined ? Buffer.concat([begun, piece]) : piece;
    if (begun.length < BOM_BYTES && toText === undefined) continue;
    toText ??= decoderOf(begun, says);
    yield toText(begun);
  }
  if (toText === undefined) yield decoderOf(begun, says)(begun);
  else toText(undefined);
}

/** @param first at least as much of the table as a byte order mark @param says is called with its encoding */
function decoderOf(first: Buffer, says: (encoding: string) => void): (piece: Buffer | undefined) => string {
  const utf16 = UTF_16.get(first.toString('hex', 0, BOM_BYTES));
  const decoder = new TextDecoder(utf16 ?? 'utf-8', { fatal: true, ignoreBOM: true });
  says(decoder.encoding);
  return (piece) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      const remedy = 'convert it first, e.g. iconv -f WINDOWS-1252 -t UTF-8 (Excel: CSV UTF-8)';
      if (utf16 === undefined) throw new StartError('is not UTF-8', 'the table', remedy);
      throw new StartError('begins as UTF-16, and is not', 'the table', 'save it as UTF-8 (Excel: CSV UTF-8)');
    }
  };
}

/**
 * Tries each separator: the one with which the header has the columns is the table's.
 * @param start what is before the head
 * @param said the separator that the table names itself
 */
function headerIn<Columns>(
  head: string,
  { choose, refusal }: ColumnChoice<Columns>,
  start: string,
  said: string | undefined,
): { form: TableForm; columns: Columns; headerText: string } {
  const lineEnd = lineEndOf(head);
  let longest: readonly string[] = [];
  for (const separator of said === undefined ? SEPARATORS : [said]) {
    const first = firstRow(head, { separator, lineEnd });
    if (first === undefined) continue;
    const header = first.values;
    if (header.length > longest.length) longest = header;
    const columns = choose(header);
    if (columns !== undefined) return { form: { separator, lineEnd, start, header }, columns, headerText: first.raw };
  }
  if (head.trim() === '')
    throw new StartError('the table is empty', 'the first line', 'give a table with a header, then rows');
  throw refusal(longest);
}

async function* rowsIn(
  input: AsyncIterable<string>,
  form: TableForm,
  rowMaxChars: number,
): AsyncGenerator<CsvRow[], void, undefined> {
  const reader = new CsvReader(form, /[\r\n]$/.test(form.start) ? 2 : 1, rowMaxChars);
  let isHeader = true;
  try {
    for await (const piece of input) {
      const rows = Array.from(reader.read(piece));
      if (isHeader && rows.length > 0) {
        rows.shift();
        isHeader = false;
      }
      if (rows.length > 0) yield rows;
    }
    const last = Array.from(reader.end());
    if (!isHeader && last.length > 0) yield last;
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    throw new StartError(error.message, `the row from line ${error.line}`, error.remedy);
  }
}
