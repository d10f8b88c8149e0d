// Appends to each row of a table the unit that its names or codes are: `match` of the command line.
import type { Writable } from 'node:stream';
import { elementAt } from '../../format/element-at.ts';
import { AppendedUnits, appendedText, refuseTwice, TextWriter, withoutFormula } from '../tables/appended.ts';
import type { CsvRow } from '../tables/csv-rows.ts';
import { requireKeys } from '../tables/source-options.ts';
import { readTable } from '../tables/table.ts';
import { columnsWithUnits, type TextColumn, textChoice } from './columns.ts';
import type { MatchSource } from './open-source.ts';
import type { MatchSettings } from './options.ts';
import { decidedLine, MatchSummary } from './report.ts';
import { Chains, type MatchedRow } from './rules/chains.ts';
import type { Edits } from './rules/edits.ts';
import { FormerUnits } from './rules/former-units.ts';
import { type LevelNames, NO_UNIT } from './rules/level-names.ts';
import { Scopes } from './rules/scopes.ts';

/** Characters that are written at a time. */
const WRITTEN_CHARS = 256 * 1024;
/** Between the candidates of a row. */
const BETWEEN = '|';

/** What the rows are read from, and written to. */
export interface MatchStreams {
  input: AsyncIterable<Buffer>;
  output: Writable;
  /** Is called now and then. @param rows all so far */
  progress(rows: number): void;
  /** Is called before the first row is written with what was decided, a line for people. */
  decided(line: string): void;
}

/**
 * Appends `gid_N`, `name_N` and codes of the unit of each row and of its parents, and how the unit was found.
 * @throws StartError, before anything is written if the header is wrong; the error of `output` if it takes no more
 */
export async function match(
  open: () => Promise<MatchSource>,
  { columns: named, codes, edits, keepFormulas }: Omit<MatchSettings, 'source'>,
  { input, output, progress, decided }: MatchStreams,
): Promise<MatchSummary> {
  const source = await open();
  const table = await readTable(input, textChoice(source.levels, named));
  const deepest = Math.max(...table.columns.map(({ level }) => level));
  const release = await source.open(source.levels.map(({ level }) => level).filter((level) => level <= deepest));
  const names = release.levels;
  requireKeys(
    codes,
    names.flatMap(({ codeKeys }) => codeKeys),
  );
  const added = names.map((level) => [
    `gid_${level.level}`,
    `name_${level.level}`,
    ...keysOf(level, codes).map((key) => `code_${key}_${level.level}`),
  ]);
  const header = [...added.flat(), 'match', 'match_at', 'candidates'];
  refuseTwice(table.header, header, 'match fewer columns with --column');
  const changes = await source.changes();
  const scopes = new Scopes(names);
  const former = changes.rows.length === 0 ? undefined : new FormerUnits(names, changes.rows);
  const chainsOf = (own: readonly TextColumn[], most: Edits): Chains =>
    new Chains(
      scopes,
      own.map(({ level }) => level),
      { edits: most, former },
    );
  const batches = table.rows();
  const first = await batches.next();
  const columns = columnsWithUnits(table.columns, first.value ?? [], (own) => chainsOf(own, 0));
  const chains = chainsOf(columns, edits);
  decided(decidedLine(columns, table));
  if (changes.leftOut.length > 0)
    decided(`former names and GIDs are not read, as they are too many, of ${changes.leftOut.join(', ')}`);
  const form = { form: table, keepFormulas };
  const appended = names.map((level, n) => {
    return new AppendedUnits(elementAt(added, n).length, (unit) => valuesOf(level, unit, codes), form);
  });
  const summary = new MatchSummary(release.id);
  const writer = new TextWriter(output);
  let written = `${table.start}${[table.headerText, ...header].join(table.separator)}${table.lineEnd}`;
  async function* all(): AsyncGenerator<CsvRow[]> {
    if (!first.done) yield first.value;
    yield* batches;
  }
  for await (const rows of all()) {
    for (const { raw, line, values } of rows) {
      const texts = columns.map(({ column }) => elementAt(values, column));
      const row = chains.match(texts);
      summary.add(row, line, row.at === undefined ? '' : elementAt(texts, row.at).trim());
      written += raw;
      for (const [n, level] of names.entries()) written += elementAt(appended, n).textAt(unitIn(level, row, scopes));
      const how = howTexts(row, columns);
      written += appendedText(keepFormulas ? how : how.map(withoutFormula), table) + table.lineEnd;
      if (written.length < WRITTEN_CHARS) continue;
      await writer.write(written);
      written = '';
    }
    progress(summary.rows);
  }
  await writer.write(written);
  return summary;
}

/** The unit of a row on a level: its own, or the one that it is in. */
function unitIn({ level }: LevelNames, { unit }: MatchedRow, scopes: Scopes): number {
  if (unit === undefined || level > unit.level) return NO_UNIT;
  return level === unit.level ? unit.position : scopes.namesOf(unit.level).parentOf(unit.position, level);
}

function howTexts({ match: how, at, candidates }: MatchedRow, columns: readonly TextColumn[]): string[] {
  return [how, at === undefined ? '' : elementAt(columns, at).name.trim(), candidates.join(BETWEEN)];
}

/** Of the codes that are wanted, those that a level has. */
function keysOf({ codeKeys }: LevelNames, codes: readonly string[]): string[] {
  return codes.filter((key) => codeKeys.includes(key));
}

function valuesOf(level: LevelNames, position: number, codes: readonly string[]): string[] {
  const unit = level.unitAt(position);
  const own = keysOf(level, codes).map((key) => unit.codes[level.codeKeys.indexOf(key)] ?? '');
  return [unit.gid ?? '', unit.name ?? '', ...own];
}
