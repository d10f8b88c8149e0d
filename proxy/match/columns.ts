// Which columns of a table have names or codes of units, and of which level: by their usual headers, or as they are
// named.
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { OptionError, StartError } from '../config/start-error.ts';
import { SEPARATORS } from '../tables/csv-head.ts';
import type { CsvRow } from '../tables/csv-rows.ts';
import { type ColumnChoice, refuseSameNames, shownColumns } from '../tables/table.ts';
import type { Chains } from './rules/chains.ts';

/** A column of a table, as it was named. */
export interface NamedColumn {
  level: Level;
  name: string;
}

/** A column that texts are taken from. */
export interface TextColumn extends NamedColumn {
  /** Its number, from 0. */
  column: number;
  /** Columns of its level with other usual headers: of names, if the release does not have its codes. */
  others?: readonly TextColumn[];
}

/** The columns of a level in its source; empty texts where there is none. */
export interface SourceColumns {
  level: Level;
  gid: string;
  name: string;
  /** By their tags, and by their keys. */
  names: Readonly<Record<string, string>>;
  codes: Readonly<Record<string, string>>;
}

/** So many rows say which of several columns of a level has units. */
const TRIED_ROWS = 1000;

/** What columns of countries are called, of codes first; of the levels below `N` stands for the number. */
const COUNTRY_HEADERS = ['iso3', 'isoa3', 'iso2', 'isoa2', 'countrycode', 'country', 'countryname'];
const CODE_HEADERS = ['gidN', 'admNpcode', 'adminNpcode', 'admNcode', 'adminNcode', 'lvNgid'];
const NAME_HEADERS = ['nameN', 'admNname', 'adminNname', 'admN', 'adminN', 'levelN', 'lvN', 'lvNname'];

/**
 * Which columns of a table have texts.
 * @param levels those that have units @param named all of them; empty to find them by their headers
 * @throws OptionError if one is of a level without units; `choose` a StartError if there are two of a name
 */
export function textChoice(
  levels: readonly SourceColumns[],
  named: readonly NamedColumn[],
): ColumnChoice<readonly TextColumn[]> {
  refuseLevels(levels, named);
  return {
    choose(header) {
      const columns = named.length > 0 ? namedColumns(header, named) : usualColumns(header, levels);
      const names = header.map((name) => name.trim());
      for (const { name } of columns ?? []) refuseSameNames(names, name.trim(), 'rename one, or name others: --column');
      return columns;
    },
    refusal: (header) => refusal(header, levels, named),
  };
}

function refuseLevels(levels: readonly SourceColumns[], named: readonly NamedColumn[]): void {
  const wrong = named.find((own) => levels.every(({ level }) => level !== own.level));
  if (wrong === undefined) return;
  const there = levels.map(({ level }) => levelName(level)).join(', ');
  const remedy = there === '' ? 'build the release again: it has no units' : `use levels that have units: ${there}`;
  throw new OptionError('the level has no units', `--column ${levelName(wrong.level)}=${wrong.name}`, remedy);
}

function namedColumns(header: readonly string[], named: readonly NamedColumn[]): TextColumn[] | undefined {
  const columns = named.map((own) => ({ ...own, column: header.findIndex((name) => name.trim() === own.name.trim()) }));
  return columns.every(({ column }) => column !== -1) ? columns.sort((a, b) => a.level - b.level) : undefined;
}

/** The first column of each level that has a usual header, with the others; one that would be of two levels is of none. */
function usualColumns(header: readonly string[], levels: readonly SourceColumns[]): TextColumn[] | undefined {
  const headers = header.map(simplified);
  const found = levels.map((source) => {
    const columns = usualHeaders(source).map((name) => headers.indexOf(name));
    const { level } = source;
    return [...new Set(columns)].flatMap((column): TextColumn[] =>
      column === -1 ? [] : [{ level, name: header[column] ?? '', column }],
    );
  });
  const firsts = found.flatMap(([first]) => first ?? []);
  const isOfOne = ({ column }: TextColumn, all: readonly TextColumn[]): boolean =>
    all.filter((other) => other.column === column).length === 1;
  const isOnly = ({ name }: TextColumn): boolean => header.filter((own) => own.trim() === name.trim()).length === 1;
  const own = found.flatMap(([first, ...others]): TextColumn[] =>
    first === undefined || !isOfOne(first, firsts)
      ? []
      : [{ ...first, others: others.filter((other) => isOfOne(other, found.flat()) && isOnly(other)) }],
  );
  return own.length === 0 ? undefined : own;
}

/**
 * The column of each level that has units in some rows: the first one, unless it has none and another has.
 * @param columns by level, ascending
 */
export function columnsWithUnits(
  columns: readonly TextColumn[],
  rows: readonly CsvRow[],
  chainsOf: (columns: readonly TextColumn[]) => Chains,
): readonly TextColumn[] {
  const chosen: TextColumn[] = [];
  for (const { others = [], ...first } of columns) {
    const hasUnits = (own: TextColumn): boolean => {
      const tried = [...chosen, own];
      const chains = chainsOf(tried);
      const textsOf = ({ values }: CsvRow): string[] => tried.map(({ column }) => elementAt(values, column));
      return rows.slice(0, TRIED_ROWS).some((row) => chains.match(textsOf(row)).unit?.level === own.level);
    };
    const found = others.length === 0 ? first : [first, ...others].find(hasUnits);
    chosen.push(found ?? first);
  }
  return chosen;
}

/** Codes first: they are surer. */
function usualHeaders({ level, gid, name, names, codes }: SourceColumns): string[] {
  const countries = level === 0 ? COUNTRY_HEADERS : [];
  const numbered = (headers: readonly string[]) => headers.map((header) => header.replace('N', String(level)));
  const all = [gid, ...Object.values(codes), ...numbered(CODE_HEADERS), ...countries, name, ...Object.values(names)];
  return [...all, ...numbered(NAME_HEADERS)].map(simplified).filter((header) => header !== '');
}

/** Without regard to case and to what stands between words, unless it would separate columns of another table. */
function simplified(header: string): string {
  if (SEPARATORS.some((separator) => header.trim().includes(separator))) return header;
  return header
    .normalize()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

function refusal(
  header: readonly string[],
  levels: readonly SourceColumns[],
  named: readonly NamedColumn[],
): StartError {
  const there = shownColumns(header);
  if (named.length > 0)
    return new OptionError(
      `not all in the table; ${there}`,
      named.map(({ level, name }) => `--column ${levelName(level)}=${name}`).join(' '),
      'name columns of the table',
    );
  const names = levels.map(({ level, name }) => `${levelName(level)}: ${name || `name_${level}`}`).join(', ');
  return new StartError(
    `no column that could have names or codes of units; ${there}`,
    'the first line',
    `name them, e.g. --column lv0=COUNTRY --column lv1=PROVINCE (found by themselves: country, admin1, adm1_name, gid_1 and so on; ${names})`,
  );
}

/**
 * The columns that --column names: the level, an equals sign, the header.
 * @throws OptionError
 */
export function parseColumns(texts: readonly string[]): NamedColumn[] {
  const columns = texts.map((text) => {
    const [, name, header = ''] = /^(lv\d)=(.+)$/s.exec(text) ?? [];
    const level = LEVELS.find((known) => levelName(known) === name);
    if (level !== undefined) return { level, name: header };
    throw new OptionError('not a level and a column', `--column ${text}`, 'write e.g. --column lv1=Province');
  });
  const twice = columns.find(({ level }, i) => columns.findIndex((other) => other.level === level) !== i);
  if (twice === undefined) return columns;
  throw new OptionError('two columns of a level', `--column ${levelName(twice.level)}=${twice.name}`, 'name one');
}
