// Appends to each row of a table the units at its point: `points` of the command line.
import type { Writable } from 'node:stream';
import { elementAt, f64At } from '../../format/element-at.ts';
import { StartError } from '../config/start-error.ts';
import { AppendedUnits, refuseTwice, TextWriter } from '../tables/appended.ts';
import { NamedRows } from '../tables/named-rows.ts';
import { requireKeys } from '../tables/source-options.ts';
import { readTable } from '../tables/table.ts';
import { type NamedColumns, placeChoice, pointIn } from './columns.ts';
import { ExchangedSample } from './exchanged.ts';
import type { LevelUnits } from './level-units.ts';
import { NOWHERE, PointChunk } from './look-up.ts';
import type { OpenRelease } from './open-release.ts';
import { ParentChains } from './parents.ts';
import type { NoPoint, Summary } from './report.ts';

/** Rows that are looked up together: of more, more are in the same cell. */
const CHUNK_ROWS = 65_536;
/** Their text together, if rows are long. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Rows that are written at a time. */
const WRITTEN_ROWS = 1024;

/** What the rows are read from, and written to. */
export interface PointsStreams {
  input: AsyncIterable<Buffer>;
  output: Writable;
  /** Is called after each chunk. @param rows all so far */
  progress(rows: number): void;
  /** Is called before the first row is written if no point of the first chunk is in a unit, but exchanged they are. */
  exchanged(): void;
}

/** What is appended. */
export interface PointsForm {
  keepFormulas?: boolean;
  /** Are parents those of the deepest unit? */
  parents?: boolean;
  /** Keys of codes; the release must have been opened with them. */
  codes?: readonly string[];
}

/**
 * Appends `gid_N`, `name_N` and codes of each level to the rows of a table.
 * @param open opens the release: it is not needed for a table that is refused
 * @param options its columns, whether formulas are left as they are, and whether parents are those of the deepest unit
 * @throws StartError, before anything is written if the header is wrong; the error of `output` if it takes no more
 */
export async function points(
  open: () => Promise<OpenRelease>,
  { keepFormulas = false, parents = false, codes = [], ...named }: NamedColumns & PointsForm,
  { input, output, progress, exchanged }: PointsStreams,
): Promise<Summary> {
  const table = await readTable(input, placeChoice(named));
  const { id, levels, precision } = await open();
  requireKeys(
    codes,
    levels.flatMap(({ codeKeys }) => codeKeys),
  );
  const added = levels.map((level) => [`gid_${level.level}`, `name_${level.level}`, ...codeNames(level)]);
  refuseTwice(table.header, added.flat(), 'choose other levels with --levels');
  const chains = new ParentChains(levels);
  if (parents) chains.requireParents();
  // One without units has no rows in any.
  const deepest = Math.max(
    0,
    levels.findLastIndex(({ cells }) => cells !== undefined),
  );
  const appended = levels.map((level, n) => {
    const { gids, names } = level;
    const valuesOf = (unit: number): string[] =>
      [gids, names, ...level.codes.values()].map((column) => elementAt(column, unit) ?? '');
    return new AppendedUnits(elementAt(added, n).length, valuesOf, { form: table, keepFormulas });
  });
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
  let begun = `${table.start}${[table.headerText, ...added.flat()].join(table.separator)}${table.lineEnd}`;
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
      if (!texts.add(row.raw)) {
        await append();
        texts.add(row.raw);
      }
      lines[texts.count - 1] = row.line;
      const [longitude, latitude] = pointIn(row.values, table);
      sample.add(longitude, latitude);
      if (!chunk.add(longitude, latitude)) addLine(without, whyNoPoint(longitude, latitude, row.line), row.line);
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

/** The names of the columns with codes of a level. */
function codeNames({ level, codes }: LevelUnits): string[] {
  return Array.from(codes.keys(), (key) => `code_${key}_${level}`);
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const DECIMAL_COMMA = /^-?\d{1,3},\d+$/;

/** @throws StartError if it has a decimal comma: then it is not this row alone that is wrong */
function whyNoPoint(longitude: string, latitude: string, line: number): NoPoint {
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
