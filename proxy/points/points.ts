// Appends to each row of a table the units at its point: `points` of the command line.
import type { Writable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { elementAt, f64At } from '../../format/element-at.ts';
import { StartError } from '../config/start-error.ts';
import type { NamedColumns } from './columns.ts';
import { ExchangedSample } from './exchanged.ts';
import type { LevelUnits } from './level-units.ts';
import { NOWHERE, PointChunk } from './look-up.ts';
import type { OpenRelease } from './open-release.ts';
import { ParentChains } from './parents.ts';
import { NamedRows, type NoPoint, type Summary } from './report.ts';
import { type Row, readTable, type TableForm, withoutEnds } from './table.ts';

/** Rows that are looked up together: of more, more are in the same cell. */
const CHUNK_ROWS = 65_536;
/** Their text together, if rows are long. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Rows that are written at a time, and memory for them, which is used again and again. */
const WRITTEN_ROWS = 1024;
const WRITTEN_BYTES = 1024 * 1024;

/** What the rows are read from, and written to. */
export interface PointsStreams {
  input: AsyncIterable<Buffer>;
  output: Writable;
  /** Is called after each chunk. @param rows all so far */
  progress(rows: number): void;
  /** Is called before the first row is written if no point of the first chunk is in a unit, but exchanged they are. */
  exchanged(): void;
}

/**
 * Appends `gid_N` and `name_N` of each level to the rows of a table.
 * @param open opens the release: it is not needed for a table that is refused
 * @param options its columns, whether formulas are left as they are, and whether parents are those of the deepest unit
 * @throws StartError, before anything is written if the header is wrong; the error of `output` if it takes no more
 */
export async function points(
  open: () => Promise<OpenRelease>,
  { keepFormulas = false, parents = false, ...named }: NamedColumns & { keepFormulas?: boolean; parents?: boolean },
  { input, output, progress, exchanged }: PointsStreams,
): Promise<Summary> {
  const table = await readTable(input, named);
  const { id, levels, precision } = await open();
  const added = levels.flatMap(({ level }) => [`gid_${level}`, `name_${level}`]);
  refuseTwice(table.header, added);
  const chains = new ParentChains(levels);
  if (parents) chains.requireParents();
  // One without units has no rows in any.
  const deepest = Math.max(
    0,
    levels.findLastIndex(({ cells }) => cells !== undefined),
  );
  const appended = levels.map((level) => new AppendedUnits(level, table, keepFormulas));
  const positions = levels.map(() => new Int32Array(CHUNK_ROWS));
  const writer = new TextWriter(output);
  const chunk = new PointChunk(CHUNK_ROWS, precision);
  const without = new Map<NoPoint, NamedRows>();
  const [nowhere, shallow] = [new NamedRows(), new NamedRows()];
  const lines = new Float64Array(CHUNK_ROWS);
  const several = new NamedRows();
  let total = 0;
  let [looked, isExchanged] = [0, false];
  const sample = new ExchangedSample();
  const texts = new RowTexts();
  let begun = `${table.start}${[table.headerText, ...added].join(table.separator)}${table.lineEnd}`;
  const append = async (): Promise<void> => {
    const rows = chunk.sort();
    const found = levels.map((level, n) => chunk.lookUp(level, elementAt(positions, n)));
    for (const row of [...new Set(found.flatMap((level) => level.several))].sort((a, b) => a - b))
      several.add(f64At(lines, row));
    // By line, as the table has them.
    const { first: inDeepest } = elementAt(found, deepest);
    const outside = rows.filter((row) => inDeepest[row] === NOWHERE).sort();
    for (const row of outside) {
      const isNowhere = found.every(({ first }) => first[row] === NOWHERE);
      (isNowhere ? nowhere : shallow).add(f64At(lines, row));
    }
    const firsts = found.map(({ first }) => first);
    for (const row of rows.toSorted()) chains.follow(firsts, row, f64At(lines, row), parents);
    looked += rows.length;
    const inUnits = looked - nowhere.count;
    if (total === 0 && inUnits === 0) isExchanged = sample.isInUnits(levels, precision);
    if (total === 0 && isExchanged) exchanged();
    for (let from = 0; from < texts.count; from += WRITTEN_ROWS) {
      let written = begun;
      begun = '';
      for (let row = from; row < Math.min(from + WRITTEN_ROWS, texts.count); row++) {
        written += texts.at(row);
        for (const [n, { first }] of found.entries()) written += elementAt(appended, n).textAt(first[row] ?? NOWHERE);
        written += table.lineEnd;
      }
      await writer.write(written);
    }
    total += texts.count;
    progress(total);
    chunk.clear();
    texts.clear();
  };
  for await (const rows of table.rows())
    for (const row of rows) {
      const text = withoutEnds(row.raw);
      if (!texts.add(text)) {
        await append();
        texts.add(text);
      }
      lines[texts.count - 1] = row.line;
      sample.add(row.longitude, row.latitude);
      if (!chunk.add(row.longitude, row.latitude)) addLine(without, whyNoPoint(row), row.line);
    }
  await append();
  if (begun !== '') await writer.write(begun);
  const isNothing = looked === nowhere.count;
  return {
    release: id,
    rows: total,
    without,
    nowhere,
    shallow,
    deepest: elementAt(levels, deepest).level,
    several,
    contradictions: { count: chains.count, examples: chains.examples, areTaken: parents },
    isExchanged: isExchanged && isNothing,
  };
}

/** The texts of a chunk of rows: bytes, which the collector of garbage need not follow. */
class RowTexts {
  count = 0;
  #memory = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** Where each begins, and the last ends. */
  readonly #starts = new Float64Array(CHUNK_ROWS + 1);

  /** @returns is there room for it? There is for one. */
  add(text: string): boolean {
    const begin = f64At(this.#starts, this.count);
    const end = begin + Buffer.byteLength(text);
    if (this.count === CHUNK_ROWS || (this.count > 0 && end > this.#memory.length)) return false;
    if (end > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(end);
    this.#memory.write(text, begin);
    this.#starts[++this.count] = end;
    return true;
  }

  at(row: number): string {
    return this.#memory.toString('utf8', f64At(this.#starts, row), f64At(this.#starts, row + 1));
  }

  clear(): void {
    this.count = 0;
  }
}

/** The texts that are appended for the units of a level. */
class AppendedUnits {
  readonly #units: LevelUnits;
  readonly #form: TableForm;
  /** By position: each is made once. */
  readonly #texts: string[] = [];
  readonly #none: string;
  readonly #keepFormulas: boolean;

  constructor(units: LevelUnits, form: TableForm, keepFormulas: boolean) {
    this.#units = units;
    this.#form = form;
    this.#keepFormulas = keepFormulas;
    this.#none = form.separator.repeat(2);
  }

  textAt(position: number): string {
    if (position === NOWHERE) return this.#none;
    const known = this.#texts[position];
    if (known !== undefined) return known;
    const { gids, names } = this.#units;
    const { separator } = this.#form;
    const own = [elementAt(gids, position), elementAt(names, position)];
    const values = this.#keepFormulas ? own : own.map((text) => text && withoutFormula(text));
    // The empty text before them brings their separator.
    const text = stringify([['', ...values]], { delimiter: separator, eof: false, quoted_match: /[\r\n]/ });
    this.#texts[position] = text;
    return text;
  }
}

/**
 * What a spreadsheet takes for a formula at the beginning of a cell, which one with another separator may begin within
 * a text. As download/csv.js of the explorer, which is code for browsers, has them.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]./s;
const NO_FORMULA = /^[+-]?\d+([.,]\d+)?$/;
const INNER_FORMULA = /([,;\t\r\n])(?="*[=+\-@＝＋－＠].)(?![+-]\d+([.,]\d+)?(\1|[\r\n\]}]|$))/gs;

/** An apostrophe makes a text of it. */
function withoutFormula(text: string): string {
  const isFormula = FORMULA.test(text) && !NO_FORMULA.test(text);
  return `${isFormula ? "'" : ''}${text.replaceAll(INNER_FORMULA, "$1'")}`;
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const DECIMAL_COMMA = /^-?\d{1,3},\d+$/;

/** @throws StartError if it has a decimal comma: then it is not this row alone that is wrong */
function whyNoPoint({ longitude, latitude, line }: Row): NoPoint {
  if (longitude === '' || latitude === '') return 'no longitude or latitude';
  const comma = [longitude, latitude].find((text) => DECIMAL_COMMA.test(text));
  if (comma !== undefined)
    throw new StartError(
      `${comma} has a decimal comma`,
      `line ${line}`,
      'write longitudes and latitudes with decimal points',
    );
  return NUMBER.test(longitude) && NUMBER.test(latitude) ? 'out of range' : 'not plain decimal degrees';
}

function addLine(without: Map<NoPoint, NamedRows>, why: NoPoint, line: number): void {
  const rows = without.get(why) ?? new NamedRows();
  rows.add(line);
  without.set(why, rows);
}

function refuseTwice(header: readonly string[], added: readonly string[]): void {
  const there = added.filter((name) => header.some((own) => own.trim() === name));
  if (there.length > 0)
    throw new StartError(
      `the table has already ${there.join(', ')}`,
      'the first line',
      'rename or remove these columns, or choose other levels with --levels',
    );
}

/** Writes texts one after the other. */
class TextWriter {
  readonly #output: Writable;
  readonly #memory = Buffer.allocUnsafe(WRITTEN_BYTES);

  constructor(output: Writable) {
    this.#output = output;
  }

  /** Waits until it is taken. @throws the error of the stream, e.g. EPIPE */
  write(text: string): Promise<void> {
    const isLong = Buffer.byteLength(text) > this.#memory.length;
    const bytes = isLong ? Buffer.from(text) : this.#memory.subarray(0, this.#memory.write(text));
    return new Promise((resolve, reject) => {
      this.#output.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }
}
