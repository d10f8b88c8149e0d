// The reader of comma-separated values, in pieces of any size, beside a library that reads them whole.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { CsvFault, type CsvForm, CsvReader, type CsvRow } from '../../../proxy/tables/csv-rows.ts';
import { dice } from '../../support/dice.ts';

function rowsOf(text: string, form: CsvForm, pieceChars: number, rowMaxChars = 1000): CsvRow[] {
  const reader = new CsvReader(form, 1, rowMaxChars);
  const rows: CsvRow[] = [];
  for (let at = 0; at < text.length; at += pieceChars) rows.push(...reader.read(text.slice(at, at + pieceChars)));
  return [...rows, ...reader.end()];
}

test('rows are those of the library, in pieces of any size, and stay as they are written', () => {
  const roll = dice(94);
  const values = ['', 'a', ' b ', '"c"', '"d ""e"""', '""', '"f\n\r\ng"', '"h,;i"', 'é'];
  for (const separator of [',', ';'])
    for (const lineEnd of ['\n', '\r\n', '\r'] as const) {
      const lines = Array.from({ length: 40 }, () =>
        Array.from({ length: 3 }, () => values[roll(values.length)] ?? '').join(separator),
      );
      const text = lines.join(lineEnd) + lineEnd.repeat(roll(3));
      const expected: string[][] = parse(text, {
        delimiter: separator,
        record_delimiter: lineEnd,
        skip_empty_lines: true,
      });
      for (const pieceChars of [1, 2, 7, 10_000]) {
        const rows = rowsOf(text, { separator, lineEnd }, pieceChars);
        assert.deepEqual([rows.map((row) => row.values), rows.map(({ raw }) => raw)], [expected, lines]);
      }
    }
});

test('blank lines are empty cells of a table of one column, but for the last one; its rows may end as the header does not', () => {
  for (const [text, lineEnd] of [
    ['\n\nname\nA\n\n\n"B\n1"\n\n', '\n'],
    ['\r\n\r\nname\r\nA\r\n\r\n\r\n"B\n1"\r\n\r\n', '\r\n'],
    ['\r\n\r\nname\r\nA\n\n\n"B\n1"\n', '\r\n'],
    ['\n\nname\nA\r\n\r\n\r\n"B\n1"\r\n', '\n'],
    ['\r\rname\rA\r\r\r"B\n1"\r', '\r'],
  ] as const)
    for (const pieceChars of [1, 2, 7, 100]) {
      const rows = rowsOf(text, { separator: ',', lineEnd }, pieceChars);
      assert.deepEqual(
        rows.map(({ values, line }) => [...values, line]),
        [
          ['name', 3],
          ['A', 4],
          ['', 5],
          ['', 6],
          ['B\n1', 7],
        ],
        JSON.stringify(text),
      );
    }
});

test('what is no row is said with the line where it begins', () => {
  const form = { separator: ',', lineEnd: '\n' } as const;
  for (const [text, line, message] of [
    ['a,b\n1,2,3\n', 2, '3 values, the header has 2'],
    ['a,b\n\n"1\n2",3\n4\n', 5, '1 values, the header has 2'],
    ['a,b\n1,"2\n', 2, 'a quotation mark that is not closed'],
    ['a,b\n1,"2"3\n', 2, 'a quotation mark within a value, or a value after one'],
    ['a,b\n1,2"3"\n', 2, 'a quotation mark within a value, or a value after one'],
    [`a,b\n1,"${'x'.repeat(100)}\n`, 2, 'more than 50 characters, perhaps a quotation mark that is not closed'],
  ] as const)
    for (const pieceChars of [1, 200])
      assert.throws(
        () => rowsOf(text, form, pieceChars, 50),
        (error) => {
          assert.ok(error instanceof CsvFault);
          assert.deepEqual([error.line, error.message], [line, message], text);
          return error.remedy !== '';
        },
      );
});
