// Finds the units that the rows of a table are, by the rules of `match` without edits: which columns have them, and what
// each row is.
import { elementAt } from '../../../format/element-at.ts';
import type { Level } from '../../../format/levels.ts';
import { Chains } from '../../match/rules/chains.ts';
import { type LevelNames, LevelsReader, NO_UNIT } from '../../match/rules/level-names.ts';
import { decide } from '../../match/rules/rules.ts';
import { type Scope, Scopes } from '../../match/rules/scopes.ts';
import { readNumber } from './numbers.ts';
import { type OpenTable, rowsOf, TableFault } from './reading.ts';
import { shownText } from './values.ts';

/** The rules that find a unit by its name or code. */
const SURE = { edits: 0, former: undefined } as const;
/** Texts of a column that are tried, and columns. */
const TRIED_TEXTS = 100;
const TRIED_COLUMNS = 30;
/** A column of which so many texts are units has units. */
const UNITS_SHARE = 0.8;
/** A column of texts may have them with less. */
const TEXTS_SHARE = 0.5;
/** With so many different texts it is surely the one that rows are about, not one of the units above. */
const DIFFERENT_SHARE = 0.9;
/** Numbers are rather values than codes. */
const NUMBERS_WEIGHT = 0.7;
/** Of a column of values so many are numbers. */
const VALUES_SHARE = 0.9;
/** Rows of each kind that are named, and characters of each. */
const NAMED_MAX = 100;
const NAMED_CHARS = 100;

/** A column that has units of a level. */
export interface UnitColumn {
  level: Level;
  column: number;
}

/** Which columns of a table are read. */
export interface Choice {
  /** The units, and those above that they are in; one a level, ascending. */
  units: readonly UnitColumn[];
  value: number;
}

/** The names of levels, which are asked for from the highest one down. */
export class NamesDown {
  readonly levels: readonly Level[];
  readonly #ask: (level: Level) => Promise<Uint8Array>;
  readonly #reader = new LevelsReader();
  readonly #read: LevelNames[] = [];
  #scopes: Scopes | undefined;

  /** @param levels that have units @param ask for the text of a level's names */
  constructor(levels: readonly Level[], ask: (level: Level) => Promise<Uint8Array>) {
    this.levels = levels;
    this.#ask = ask;
  }

  /** The units of the levels down to this one. */
  async downTo(level: Level): Promise<Scopes> {
    for (const next of this.levels) {
      if (next > level || this.#read.some((names) => names.level === next)) continue;
      this.#read.push(this.#reader.read({ level: next, text: await this.#ask(next), file: `names of lv${next}` }));
      this.#scopes = undefined;
    }
    this.#scopes ??= new Scopes(this.#read);
    return this.#scopes;
  }
}

/** How many texts of a column are units of a level. */
interface Share {
  column: number;
  level: Level;
  found: number;
  /** By codes, not by names. */
  coded: number;
  /** By codes whose zeros at the beginning are not written: they may as well be values. */
  restored: number;
  /** How many of its texts differ. */
  different: number;
  areNumbers: boolean;
  score: number;
}

/** Which columns have units, the units above and values, by their texts. @throws TableFault if none has */
export async function findColumns(table: OpenTable, names: NamesDown): Promise<Choice> {
  const columns = table.header.slice(0, TRIED_COLUMNS).map((_, column) => textsIn(table, column));
  const shares: Share[] = [];
  for (const level of names.levels) {
    const scope = (await names.downTo(level)).scopeOf(level, undefined);
    for (const [column, texts] of columns.entries()) shares.push(shareOf(texts, column, scope));
    if (shares.some(isSurelyOfRows)) break;
  }
  const sure = shares.filter(({ found }) => found >= UNITS_SHARE);
  const likely = shares.filter(({ found, areNumbers }) => found >= (areNumbers ? UNITS_SHARE : TEXTS_SHARE));
  const units = greatest(likely, ({ score }) => score) ?? greatest(shares, ({ found }) => found);
  if (units === undefined || units.found === 0) {
    const tried = table.header.length > TRIED_COLUMNS ? `None of the first ${TRIED_COLUMNS} columns` : 'No column';
    throw new TableFault(`${tried} has names or codes of units of this release: ${shown(table.header)}.`);
  }
  const above = units.coded >= UNITS_SHARE ? [] : columnsAbove(units, sure);
  const taken = sure.filter(({ level }) => level === units.level);
  const used = new Set([units, ...above].map(({ column }) => column));
  return {
    units: [...above, units].map(({ level, column }) => ({ level, column })),
    value: valueColumn(table, used, taken),
  };
}

function isSurelyOfRows({ found, different, areNumbers }: Share): boolean {
  return found >= UNITS_SHARE && different >= DIFFERENT_SHARE && !areNumbers;
}

/** For each level above the column that has its units, if there is one. */
function columnsAbove({ column, level }: Share, sure: readonly Share[]): Share[] {
  const found: Share[] = [];
  const others = sure.filter((other) => other.level < level && other.column !== column);
  for (const share of others.toSorted((a, b) => b.found - a.found))
    if (found.every((one) => one.level !== share.level && one.column !== share.column)) found.push(share);
  return found.sort((a, b) => a.level - b.level);
}

/**
 * The first column of numbers that has no units, or else of numbers that are codes only with zeros before them, or else
 * the first other one. One without values only if there is no other.
 * @param used not these @param units columns that may have units
 */
function valueColumn({ header, sample }: OpenTable, used: ReadonlySet<number>, units: readonly Share[]): number {
  const areNumbers = (column: number): boolean => {
    const texts = sample.map((values) => values[column] ?? '').filter((text) => text.trim() !== '');
    return texts.filter(isNumber).length >= VALUES_SHARE * texts.length;
  };
  const free = header.map((_, column) => column).filter((column) => !used.has(column));
  const columns = free.filter((column) => sample.some((values) => (values[column] ?? '').trim() !== ''));
  const others = columns.filter((column) => !units.some((share) => share.column === column));
  const bare = units.filter(({ found, restored }) => found - restored < UNITS_SHARE).map(({ column }) => column);
  const numbers = [...others, ...columns.filter((column) => bare.includes(column))].find(areNumbers);
  return numbers ?? others[0] ?? columns[0] ?? free[0] ?? 0;
}

function isNumber(text: string): boolean {
  return readNumber(text, '.') !== undefined || readNumber(text, ',') !== undefined;
}

/** Texts of a column, each once, and how many of those that are there differ. */
function textsIn({ sample }: OpenTable, column: number): { texts: string[]; different: number } {
  const there = sample.map((values) => (values[column] ?? '').trim()).filter((text) => text !== '');
  const texts = [...new Set(there)];
  return { texts: texts.slice(0, TRIED_TEXTS), different: texts.length / Math.max(1, there.length) };
}

function shareOf({ texts, different }: { texts: string[]; different: number }, column: number, scope: Scope): Share {
  const decisions = texts.map((text) => decide(scope, text, SURE));
  const all = Math.max(1, texts.length);
  const found = decisions.filter(({ rule }) => rule !== undefined).length / all;
  const coded = decisions.filter(({ rule }) => rule === 'code').length / all;
  const restored = decisions.filter(({ isRestored }) => isRestored).length / all;
  const areNumbers = texts.every(isNumber);
  const score = found * different * (areNumbers ? NUMBERS_WEIGHT : 1);
  return { column, level: scope.names.level, found, coded, restored, different, areNumbers, score };
}

/** The first of the greatest. */
function greatest<T>(list: readonly T[], of: (one: T) => number): T | undefined {
  return list.reduce<T | undefined>((most, one) => (most === undefined || of(one) > of(most) ? one : most), undefined);
}

function shown(header: readonly string[]): string {
  return shownText(header.slice(0, TRIED_COLUMNS).join(', '));
}

/** Rows that are no unit of the level, or one that was there before. */
export type Problem = 'none' | 'several' | 'above' | 'twice' | 'no number';

/** Some rows: how many, and the first of them. */
export interface NamedRows {
  count: number;
  rows: { line: number; text: string; note: string }[];
}

export type Problems = Partial<Record<Problem, NamedRows>>;

/** What the rows of a table are. */
export interface MatchedTable {
  level: Level;
  /** The units that have a row, their lines, and the values. */
  positions: number[];
  lines: number[];
  values: string[];
  problems: Problems;
  /** The lowest unit that has all of them inside; undefined if none has. */
  within: { level: Level; gid: string; name: string } | undefined;
  /** Units of the level, in `within`; several of one GID are one. */
  units: number;
}

/** Names a row of a kind, as far as there is room. */
export function addProblem(
  problems: Problems,
  kind: Problem,
  row: { line: number; text: string; note?: string },
): void {
  const named = problems[kind] ?? { count: 0, rows: [] };
  problems[kind] = named;
  if (named.count++ < NAMED_MAX) named.rows.push({ note: '', ...row, text: row.text.slice(0, NAMED_CHARS) });
}

/** Reads a table to its end. @throws TableFault */
export async function matchTable(table: OpenTable, { units, value }: Choice, names: NamesDown): Promise<MatchedTable> {
  const { level } = elementAt(units, units.length - 1);
  const scopes = await names.downTo(level);
  const chains = new Chains(
    scopes,
    units.map((own) => own.level),
    SURE,
  );
  const own = scopes.namesOf(level);
  const found: Pick<MatchedTable, 'positions' | 'lines' | 'values'> = { positions: [], lines: [], values: [] };
  const lineOf = new Map<number, number>();
  const problems: Problems = {};
  for await (const rows of rowsOf(table))
    for (const { line, values } of rows) {
      const texts = units.map(({ column }) => values[column] ?? '');
      const { match, unit, candidates } = chains.match(texts);
      const text = texts.filter((one) => one.trim() !== '').join(' › ');
      if (match === 'empty') {
        if (values.some((one) => one.trim() !== '')) addProblem(problems, 'none', { line, text });
      } else if (match === 'ambiguous') addProblem(problems, 'several', { line, text, note: candidates.join(', ') });
      else if (match === 'none' || unit === undefined)
        addProblem(problems, 'none', { line, text, note: elsewhere(candidates) });
      else if (unit.level < level) addProblem(problems, 'above', { line, text, note: `level ${unit.level}` });
      else if (lineOf.has(unit.position))
        addProblem(problems, 'twice', { line, text, note: `first in line ${lineOf.get(unit.position)}` });
      else {
        lineOf.set(unit.position, line);
        found.positions.push(unit.position);
        found.lines.push(line);
        found.values.push(elementAt(values, value));
      }
    }
  const within = unitAround(found.positions, own, scopes);
  const all = within === undefined ? Array(own.units).keys() : own.below(within.level, within.position);
  const size = new Set(Array.from(all, (unit) => own.firstOf(unit))).size;
  return { level, ...found, problems, within: within && named(within, scopes), units: size };
}

function elsewhere(candidates: readonly string[]): string {
  return candidates.length === 0 ? '' : `elsewhere ${candidates.join(', ')}`;
}

function unitAround(
  positions: readonly number[],
  own: LevelNames,
  { levels }: Scopes,
): { level: Level; position: number } | undefined {
  const [first] = positions;
  if (first === undefined) return undefined;
  for (const { level } of levels.toReversed()) {
    if (level >= own.level) continue;
    const position = own.parentOf(first, level);
    if (position !== NO_UNIT && positions.every((one) => own.parentOf(one, level) === position))
      return { level, position };
  }
  return undefined;
}

function named({ level, position }: { level: Level; position: number }, scopes: Scopes): MatchedTable['within'] {
  const { gid, name } = scopes.namesOf(level).unitAt(position);
  return gid === null ? undefined : { level, gid, name: name ?? gid };
}
