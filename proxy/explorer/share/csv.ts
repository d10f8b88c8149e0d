// The properties of units as CSV (RFC 4180), for spreadsheets.
import { elementsOf, memberOf, membersOf } from '../api/json-text.ts';

/** Without it Excel reads UTF-8 as the code page of the system. GDAL, pandas, R and DuckDB skip it. */
const BYTE_ORDER_MARK = '\ufeff';
const LINE_END = '\r\n';
/**
 * What a spreadsheet takes for a formula, which can read other cells and call other programs; Excel takes full-width
 * signs for one, too.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]./s;
const NUMBER = /^[+-]?\d+([.,]\d+)?$/;
/**
 * Before a formula within a text, where a cell begins for who reads the file with another separator; numbers up to the
 * next one are none, nor are those of JSON.
 */
const INNER_FORMULA = /([,;\t\r\n])(?="*[=+\-@＝＋－＠].)(?![+-]\d+([.,]\d+)?(\1|[\r\n\]}]|$))/gs;

/**
 * One line for each unit, with `fid` first and then all columns that any of them has, in order of appearance. Numbers
 * are those of the text received. Every text is quoted; what a spreadsheet would run as a formula gets an apostrophe.
 * @param features each as GeoJSON text
 * @param options add two columns for the geometries, which are points?
 * @returns parts of the file
 */
export function featuresToCsv(
  features: readonly string[],
  { hasPoints }: { hasPoints: boolean } = { hasPoints: false },
): string[] {
  const columns = new Set(['fid']);
  for (const feature of features) for (const [name] of propertiesOf(feature)) columns.add(name);
  const names = hasPoints ? ['longitude', 'latitude'].map((name) => freeName(name, columns)) : [];
  const lines = [csvLine([...columns, ...names].map(textCell))];
  for (const feature of features) {
    const values = new Map([['fid', memberOf(feature, 'id') ?? ''], ...propertiesOf(feature)]);
    const point = hasPoints ? pointOf(feature) : [];
    lines.push(csvLine([...[...columns].map((column) => values.get(column)), ...point].map(cell)));
  }
  return [BYTE_ORDER_MARK, ...lines];
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name;
}

/** @returns longitude and latitude as received; empty without geometry */
function pointOf(feature: string): string[] {
  const geometry = memberOf(feature, 'geometry') ?? 'null';
  return geometry === 'null' ? ['', ''] : elementsOf(memberOf(geometry, 'coordinates') ?? '[]').slice(0, 2);
}

function propertiesOf(feature: string) {
  const properties = memberOf(feature, 'properties') ?? 'null';
  return properties.startsWith('{') ? membersOf(properties) : [];
}

function csvLine(cells: readonly string[]) {
  return cells.join(',') + LINE_END;
}

/**
 * An empty cell for null and for a column that the unit does not have; two quotation marks for an empty text.
 * @param value as JSON
 */
function cell(value: string | undefined) {
  if (value === undefined || value === 'null') return '';
  if (value.startsWith('"')) return textCell(JSON.parse(value));
  return /^[[{]/.test(value) ? quoted(value) : value;
}

function textCell(text: string) {
  return quoted(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
}

function quoted(text: string) {
  return `"${text.replaceAll(INNER_FORMULA, "$1'").replaceAll('"', '""')}"`;
}
