// Rows of comma-separated values (RFC 4180) in a text that comes in pieces. Not by a library: each row is kept as it is
// written, and browsers run this, too.

/** How values and rows end. */
export interface CsvForm {
  separator: string;
  lineEnd: '\n' | '\r\n' | '\r';
}

/** A row. */
export interface CsvRow {
  /** As it is written, without the line end. */
  raw: string;
  /** The number of its first line, from 1. */
  line: number;
  values: readonly string[];
}

/** What is no row. */
export class CsvFault extends Error {
  /** Where the row begins. */
  readonly line: number;
  /** What to do. */
  readonly remedy: string;

  constructor(problem: string, line: number, remedy: string) {
    super(problem);
    this.line = line;
    this.remedy = remedy;
  }
}

const QUOTES = 'put such values in quotation marks, and double those within: "a ""b"" c"';
const SEPARATED = 'put values that contain the separator (also decimal commas) or line breaks in quotation marks';

export const SHORTER = 'make it shorter, or put quotation marks in pairs';

/** Of a row. */
export function tooLong(rowMaxChars: number): string {
  return `more than ${rowMaxChars.toLocaleString('en')} characters, perhaps a quotation mark that is not closed`;
}

/**
 * Reads rows, each with as many values as the first one. Blank lines are left out, but of a table of one column they are
 * empty cells; the last line may be blank.
 */
export class CsvReader {
  readonly #form: CsvForm;
  #lineEnd: CsvForm['lineEnd'];
  readonly #rowMaxChars: number;
  /** The line where the next row begins. */
  #line: number;
  #columns = 0;
  /** The row that has begun; is its last character in quotation marks? */
  #begun = '';
  #isQuoted = false;
  /** Characters of the blank lines before it. */
  #blank = 0;
  /** Is the line before it an empty cell, unless it is the last one? */
  #isAfterEmpty = false;
  /** The first half of a line end, at the end of a piece. */
  #held = '';

  /** @param line the number of the first line @param rowMaxChars longest row, with blank lines before it */
  constructor(form: CsvForm, line: number, rowMaxChars: number) {
    this.#form = form;
    this.#lineEnd = form.lineEnd;
    this.#line = line;
    this.#rowMaxChars = rowMaxChars;
  }

  /** The rows that end in the next piece. @throws CsvFault */
  *read(piece: string): Generator<CsvRow, void, undefined> {
    const isHeld = this.#lineEnd === '\r\n' && piece.endsWith('\r');
    const text = this.#held + (isHeld ? piece.slice(0, -1) : piece);
    this.#held = isHeld ? '\r' : '';
    let from = 0;
    let end = text.indexOf(this.#lineEnd);
    for (let quote = text.indexOf('"'); quote !== -1 || (end !== -1 && !this.#isQuoted); ) {
      if (quote !== -1 && (this.#isQuoted || end === -1 || quote < end)) {
        this.#isQuoted = !this.#isQuoted;
        // What looks like a line end within quotation marks is none.
        if (!this.#isQuoted && end !== -1 && end < quote) end = text.indexOf(this.#lineEnd, quote);
        quote = text.indexOf('"', quote + 1);
        continue;
      }
      const next = end + this.#lineEnd.length;
      yield* this.#rowIn(this.#begun + text.slice(from, end));
      this.#begun = '';
      from = next;
      end = text.indexOf(this.#lineEnd, from);
    }
    this.#begun += text.slice(from);
    if (this.#begun.length + this.#blank <= this.#rowMaxChars) return;
    throw this.#fault(tooLong(this.#rowMaxChars), SHORTER);
  }

  /** The last row, if it has no line end. @throws CsvFault */
  *end(): Generator<CsvRow, void, undefined> {
    const text = this.#begun + this.#held;
    if (text !== '') yield* this.#rowIn(text);
  }

  *#rowIn(text: string): Generator<CsvRow, void, undefined> {
    const line = this.#line;
    const raw = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (this.#isAfterEmpty) yield { raw: '', line: line - 1, values: [''] };
    this.#isAfterEmpty = raw === '' && this.#columns === 1;
    if (raw === '') this.#blank += this.#columns === 1 ? 0 : this.#lineEnd.length;
    else {
      const values = raw.includes('"') ? this.#quoted(raw) : raw.split(this.#form.separator);
      this.#columns ||= values.length;
      // What is no separator in one column is a line end, though the header has another.
      if (this.#columns === 1 && this.#lineEnd === '\r\n') this.#lineEnd = '\n';
      if (values.length !== this.#columns)
        throw this.#fault(`${values.length} values, the header has ${this.#columns}`, SEPARATED);
      this.#blank = 0;
      this.#line += raw.includes('"') ? (raw.match(/\r\n|\n|\r/g)?.length ?? 0) : 0;
      yield { raw, line, values };
    }
    this.#line++;
  }

  #quoted(raw: string): string[] {
    const { separator } = this.#form;
    const values: string[] = [];
    // A separator at the end has an empty value behind it.
    for (let at = 0, end = 0; at <= raw.length; at = end + 1) {
      const isQuoted = raw[at] === '"';
      if (isQuoted) {
        for (end = raw.indexOf('"', at + 1); end !== -1 && raw[end + 1] === '"'; ) end = raw.indexOf('"', end + 2);
        if (end === -1) throw this.#fault('a quotation mark that is not closed', QUOTES);
        values.push(raw.slice(at + 1, end++).replaceAll('""', '"'));
      } else {
        end = raw.indexOf(separator, at);
        if (end === -1) end = raw.length;
        values.push(raw.slice(at, end));
      }
      if (isQuoted ? end < raw.length && raw[end] !== separator : values.at(-1)?.includes('"'))
        throw this.#fault('a quotation mark within a value, or a value after one', QUOTES);
    }
    return values;
  }

  #fault(problem: string, remedy: string): CsvFault {
    return new CsvFault(problem, this.#line, remedy);
  }
}
