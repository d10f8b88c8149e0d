// A table of a person's own, as the explorer reads it: what it takes, what it refuses, numbers and classes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLASSES, classify, NO_CLASS, quantiles, TEXTS_MAX } from '../../proxy/explorer/table/classes.ts';
import { withColumn } from '../../proxy/explorer/table/geojson.ts';
import { decimalSignOf, readNumber } from '../../proxy/explorer/table/numbers.ts';
import {
  COLUMNS_MAX,
  FILE_MAX_BYTES,
  type OpenTable,
  openTable,
  ROWS_MAX,
  rowsOf,
  TableFault,
} from '../../proxy/explorer/table/reading.ts';
import { joinValues, shownText, valueAt } from '../../proxy/explorer/table/values.ts';
import type { CsvRow } from '../../proxy/tables/csv-rows.ts';

const fileOf = (...parts: (string | Uint8Array<ArrayBuffer>)[]): Blob => new Blob(parts);

async function allRows(table: OpenTable): Promise<CsvRow[]> {
  const all: CsvRow[] = [];
  for await (const rows of rowsOf(table)) all.push(...rows);
  return all;
}

/** A file of a size that nobody has to make. */
function largeFile(size: number): Blob {
  return Object.defineProperty(new Blob(['a,b\n1,2\n']), 'size', { value: size });
}

test('a table is read with its separator and encoding, as programs write it', async () => {
  const rows = [
    ['ES', '1,5'],
    ['Åland', '2'],
  ];
  const latin = Uint8Array.from('gid;v\nES;1,5\n\xc5land;2\n', (c) => c.charCodeAt(0));
  const utf16 = new Uint8Array(Uint16Array.from('\ufeffgid\tv\r\nES\t1,5\r\nÅland\t2', (c) => c.charCodeAt(0)).buffer);
  for (const [file, encoding, separator] of [
    [fileOf('gid;v\nES;1,5\nÅland;2\n'), 'utf-8', ';'],
    [fileOf('\ufeffgid,v\r\nES,"1,5"\r\nÅland,2'), 'utf-8', ','],
    [fileOf('sep=|\ngid|v\nES|1,5\nÅland|2\n'), 'utf-8', '|'],
    [fileOf(latin), 'windows-1252', ';'],
    [fileOf(utf16), 'utf-16le', '\t'],
    [fileOf('gid;v (2020, vorläufig, geschätzt)\nES;1,5\nÅland;2\n'), 'utf-8', ';'],
    [fileOf('gid;code;name,v\nES,"1,5"\nÅland,2'), 'utf-8', ','],
  ] as const) {
    const table = await openTable(file);
    assert.deepEqual(
      [table.encoding, table.form.separator, table.header.length, table.rows],
      [encoding, separator, 2, 2],
    );
    const read = await allRows(table);
    assert.deepEqual(
      read.map(({ values }) => values),
      rows,
    );
    assert.deepEqual(table.sample, rows);
  }
});

test('a header is read to its end, however long it is', async () => {
  const names = Array.from({ length: 900 }, (_, i) => `${i}-`.padEnd(1000, 'x'));
  const { header, rows } = await openTable(fileOf(`${names}\n${names.map((_, i) => i)}\n`));
  assert.deepEqual([header, rows], [names, 1]);
});

test('lines count as an editor counts them, and empty names of columns have one', async () => {
  const table = await openTable(fileOf('sep=,\n__proto__,\n\n"a\nb",1\nc,2\n'));
  assert.deepEqual(table.header, ['__proto__', 'column 2']);
  const rows = await allRows(table);
  assert.deepEqual(
    rows.map(({ line }) => line),
    [4, 6],
  );
});

test('what is no table, or too large, is refused in a sentence', async () => {
  const wide = Array.from({ length: COLUMNS_MAX + 1 }, (_, i) => `c${i}`).join();
  for (const [file, message] of [
    [fileOf(''), /^The file is empty/],
    [fileOf('\ufeff\n'), /^The file is empty/],
    [fileOf('gid\nES\n'), /^The table has one column/],
    [fileOf('Population 2020\ngid,v\nES,1\n'), /^The table has one column/],
    [fileOf('"gid,v\nES,1\n'), /^The row from line 1 has a quotation mark that is not closed/],
    [fileOf('gid,v\n'), /^The table has no rows/],
    [fileOf('gid,v\nES,1\0\n'), /NUL characters/],
    [fileOf('PK\x03\x04\0\0,\0'), /NUL characters/],
    [
      fileOf('gid,v\nES,1\nFR,1,5\n'),
      /^The row from line 3 has 3 values, the header has 2: put values .* in quotation marks/,
    ],
    [fileOf('gid,v;w\nES,1\nFR,1,5\n'), /^The row from line 3 has 3 values, the header has 2/],
    [fileOf('gid,v\nES,"1\nFR,2\n'), /^The row from line 2 has a quotation mark that is not closed/],
    [fileOf('gid,v\n', 'x'.repeat(1_000_001)), /^The row from line 2 has more than 1,000,000 characters/],
    [fileOf(`${wide}\n`), /^The table has more than 1,000 columns/],
    [fileOf('gid,v\n', 'ES,1\n'.repeat(ROWS_MAX + 1)), /^The table has more than 200,000 rows/],
    [largeFile(FILE_MAX_BYTES + 1), /^The file has more than 50 MB/],
    [fileOf(Uint8Array.of(0xff, 0xfe, 0x00, 0xd8, 0x2c)), /^The file is not UTF-16LE/],
  ] as const)
    await assert.rejects(openTable(file), (error) => error instanceof TableFault && message.test(error.message));
});

test('numbers are read with point or comma, signs between thousands, and nothing else', () => {
  for (const [text, byPoint, byComma] of [
    ['1,234.5', 1234.5, undefined],
    ['1.234,5', undefined, 1234.5],
    ['1,234', 1234, 1.234],
    ['1.234', 1.234, 1234],
    [' −12 345 ', -12345, -12345],
    ["1'000'000", 1_000_000, 1_000_000],
    ['1e3', 1000, 1000],
    ['12 %', 12, 12],
    ['.5', 0.5, undefined],
    ['1,23,4', undefined, undefined],
    ['=1+1', undefined, undefined],
    ['1e999', undefined, undefined],
    ['', undefined, undefined],
    ['-', undefined, undefined],
    ['n/a', undefined, undefined],
  ] as const) {
    assert.equal(readNumber(text, '.'), byPoint, text);
    assert.equal(readNumber(text, ','), byComma, text);
  }
});

test('a comma is decimal only where every value allows it, and something says so', () => {
  assert.equal(decimalSignOf(['1,5', '2', 'n/a'], ','), ',');
  assert.equal(decimalSignOf(['1,5', '2.25'], ','), '.');
  assert.equal(decimalSignOf(['1,234', '2,345'], ','), '.');
  assert.equal(decimalSignOf(['1,234', '2,345'], ';'), ',');
  assert.equal(decimalSignOf(['1.234', '2.345'], ';'), '.');
  assert.equal(decimalSignOf([], ';'), '.');
});

test('numbers are in quantiles; equal bounds are one class, and equal values one', () => {
  const numbers = (values: readonly number[], count: number = CLASSES.usual) =>
    classify(values.map(String), { count }, ',').classes.map(({ text, units }) => `${text}: ${units}`);
  assert.deepEqual(quantiles(Float64Array.of(1, 2, 3, 4), 2), [3]);
  assert.deepEqual(numbers([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]), [
    '1 to 2: 2',
    '3 to 4: 2',
    '5 to 6: 2',
    '7 to 8: 2',
    '9 to 10: 2',
  ]);
  assert.deepEqual(numbers([0, 0, 0, 0, 0, 0, 1, 2, 3, 12345.5]), ['0: 6', '1 to 2: 2', '3 to 12,345.5: 2']);
  assert.deepEqual(numbers([7, 7, 7]), ['7: 3']);
  assert.deepEqual(numbers([2020, 2024], 3), ['2020: 1', '2024: 1']);
  assert.deepEqual(classify(['-0', '1', '-0.0'], { count: 3 }, ',').classes[0], { text: '0', units: 2 });
});

test('a value that is no number has no class, and is named; none at all is not', () => {
  const values = [...Array.from({ length: 20 }, (_, i) => `${i},5`), 'secret', ''];
  const { kind, sign, of, noNumbers, read } = classify(values, { count: 5 }, ';');
  assert.deepEqual([kind, sign, noNumbers], ['numbers', ',', [20]]);
  assert.deepEqual([...of.slice(19)], [4, NO_CLASS, NO_CLASS]);
  assert.deepEqual(read[1], { text: '1,5', number: 1.5 });
  assert.equal(read.length, 5);
  const byPoint = classify(values, { count: 5, sign: '.' }, ';');
  assert.equal(byPoint.kind, 'classes');
});

test('texts are classes, in their order, at most twelve; the others are one more', () => {
  const values = Array.from({ length: 15 }, (_, i) => Array<string>(i < 3 ? 1 : 2).fill(`zone ${i + 1}`)).flat();
  const { kind, classes, of } = classify([...values, ''], { count: 5 }, ',');
  assert.equal(kind, 'classes');
  assert.equal(classes.length, TEXTS_MAX + 1);
  assert.deepEqual(classes.slice(0, 2), [
    { text: 'zone 4', units: 2 },
    { text: 'zone 5', units: 2 },
  ]);
  assert.deepEqual(classes.at(-1), { text: 'other', units: 3 });
  assert.deepEqual([of[0], of[3], of.at(-1)], [TEXTS_MAX, 0, NO_CLASS]);
  const named = classify([...values, 'other', 'other', 'other'], { count: 5 }, ',').classes.map(({ text }) => text);
  assert.deepEqual([named.includes('other'), new Set(named).size], [true, TEXTS_MAX + 1]);
  const formulas = classify(['=cmd()', '__proto__'], { count: 5 }, ',');
  assert.deepEqual(formulas.classes.map(({ text }) => text).sort(), ['=cmd()', '__proto__']);
});

test('each value is found in the text of all, without reading them', () => {
  const values = ['12', '', '𝒜 "é"', '3'];
  const joined = joinValues(values);
  assert.deepEqual(
    values.map((_, i) => valueAt(joined, i)),
    values,
  );
  assert.deepEqual([valueAt(joined, 4), valueAt(joined, undefined), valueAt(joinValues([]), 0)], ['', '', '']);
});

test('of a long text the beginning is shown', () => {
  assert.equal(shownText('x'.repeat(100)), 'x'.repeat(100));
  assert.equal(shownText('x'.repeat(101)), `${'x'.repeat(100)}…`);
});

test('units get a column of the table as their first property, under a name of its own', () => {
  const features = [2, 9].map(
    (fid) =>
      `{"type":"Feature","id":${fid},"bbox":[0,0,1,1],"properties":{"fid":${fid},"POP":12345678901234567890},"geometry":null}`,
  );
  const values = new Map([[2, '1.234,5']]);
  const [first, second] = withColumn(features, { name: 'POP', values, sign: ',' });
  assert.ok(first?.includes('"properties":{"POP_":1234.5,"fid":2,"POP":12345678901234567890}'), first);
  assert.ok(second?.includes('"properties":{"POP_":null,"fid":9,'), second);
  const [text] = withColumn(features, { name: '__proto__', values, sign: undefined });
  assert.ok(text?.includes('"properties":{"__proto__":"1.234,5","fid":2,'), text);
});

test('a column of numbers keeps their digits, and the names of all units differ from its own', () => {
  const feature = (fid: number, properties: string): string =>
    `{"type":"Feature","id":${fid},"properties":{"fid":${fid}${properties}},"geometry":{"type":"Point","coordinates":[1,2]}}`;
  const features = [feature(1, ''), feature(2, ',"v":7'), feature(3, '')];
  const values = new Map([
    [1, '12 345 678 901 234 567 890'],
    [2, '0,10'],
    [3, '007'],
  ]);
  assert.deepEqual(withColumn(features, { name: 'v', values, sign: ',' }), [
    feature(1, '').replace('"fid":1', '"v_":12345678901234567890,"fid":1'),
    feature(2, ',"v":7').replace('"fid":2', '"v_":0.10,"fid":2'),
    feature(3, '').replace('"fid":3', '"v_":7,"fid":3'),
  ]);
  const [typed] = withColumn(features, { name: 'type', values, sign: undefined });
  assert.ok(typed?.includes('"properties":{"type":"12 345'), typed);
});
