// `points` with tables of every form: what it appends, what it refuses, and what it says. points-of-a-service.test.ts
// has how it gets its release.
import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { featuresToCsv } from '../../../proxy/explorer/share/csv.ts';
import { placeChoice, pointIn } from '../../../proxy/points/columns.ts';
import { ExchangedSample } from '../../../proxy/points/exchanged.ts';
import { type OpenRelease, openFolder } from '../../../proxy/points/open-release.ts';
import { CsvReader } from '../../../proxy/tables/csv-rows.ts';
import { readTable } from '../../../proxy/tables/table.ts';
import { layerOf, square, squares } from '../../support/datasets/write-dataset.ts';
import { ADDED, append, LATE, NONE, SOUTH } from '../../support/points-table.ts';
import { heldBytes } from '../../support/processes/collect-garbage.ts';
import { type Typed, type TypedIn, typed } from '../../support/processes/typed.ts';
import { buildCountries, buildLayers } from '../../support/releases/build-release.ts';
import { resealSummary } from '../../support/releases/reseal.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const out = await buildCountries({ cells: true });
const open = (): Promise<OpenRelease> => openFolder(out, undefined);

function run(args: readonly string[], stdin = '', where: TypedIn = {}): Promise<Typed> {
  return typed('proxy', ['points', ...args], { stdin, ...where });
}

test('a table of any form keeps its bytes, and gets the units of each level in its own form', async () => {
  for (const separator of [',', ';', '\t', '|'])
    for (const end of ['\n', '\r\n', '\r'])
      for (const bom of ['', '\ufeff']) {
        const others = separator === ',' ? 'a;b' : 'a,b';
        const quoted = `"line${end}break ${separator} and ""marks"" é"`;
        const lines = [
          ['id', `"odd${separator}name"`, 'Longitude ', 'LATITUDE'],
          ['1', quoted, ...SOUTH.at],
          ['2', others, ...LATE.at],
          ['', ' "x" '.trim(), '10.5', ' 10.5 '],
        ];
        const added = [ADDED, SOUTH.units, LATE.units, NONE];
        const table = lines.map((line) => line.join(separator) + end).join('');
        const expected = lines.map((line, i) => [...line, ...(added[i] ?? [])].join(separator) + end).join('');
        const { text, summary } = await append(bom + table, open);
        assert.equal(text, bom + expected, JSON.stringify([separator, end, bom]));
        assert.deepEqual([summary.rows, summary.nowhere.count, summary.without.size], [3, 1, 0]);
      }
});

test('the last line needs no end, blank lines are left out, and a table without rows gets its header', async () => {
  const { text } = await append(`\n\nlon,lat\n\n${SOUTH.at}\n\n\n${LATE.at}`, open);
  assert.equal(text, `${['lon', 'lat', ...ADDED]}\n${[...SOUTH.at, ...SOUTH.units]}\n${[...LATE.at, ...LATE.units]}\n`);
  assert.equal((await append('lon,lat', open)).text, `${['lon', 'lat', ...ADDED]}\n`);
});

test('columns are found by their usual names, those of the larger languages too, x and y last, or as they are named', async () => {
  const english = ['lon,lat', 'LNG,Lat', 'long,lat', 'decimalLongitude,decimalLatitude', 'x,y', 'X,Y'];
  const others = 'Longitud,Latitud|Längengrad,Breitengrad|LÄNGE,Breite|долгота,широта|经度,纬度|Boylam,enlem'.split(
    '|',
  );
  for (const header of [...english, ...others, 'La\u0308nge,Breite'])
    assert.match((await append(`${header}\n${SOUTH.at}\n`, open)).text, /AAA\.2\.1_1/, header);
  // English ones first.
  for (const header of ['x,y,lon,lat', 'länge,breite,longitud,latitud'])
    assert.match((await append(`${header}\n7,7,${SOUTH.at}\n`, open)).text, /AAA\.2\.1_1/, header);
  const named = { longitude: 'östlich', latitude: 'nördlich' };
  assert.match((await append(`lat,lon;nördlich;östlich\n;0.5;0.5\n`, open, { named })).text, /;AAA;Aland;/);
});

test('what Excel saves: decimal commas where the separator is none, a line sep=; and UTF-16, which becomes UTF-8', async () => {
  const [x, y] = SOUTH.at.map((text) => text.replace('.', ','));
  for (const separator of [';', '\t', '|'])
    assert.equal(
      (await append(`lon|lat|é\n${x}|${y}|é\n-200,5|0|é\n`.replaceAll('|', separator), open)).text,
      `${['lon', 'lat', 'é', ...ADDED].join(separator)}\n${[x, y, 'é', ...SOUTH.units].join(separator)}\n` +
        `${['-200,5', '0', 'é', ...NONE].join(separator)}\n`,
    );
  const table = `\ufeffsep=;\r\nlon;lat;é\r\n${x};${y};"é\r\n"\r\n;;\r\n`;
  const expected =
    `\ufeffsep=;\r\n${['lon', 'lat', 'é', ...ADDED].join(';')}\r\n` +
    `${[x, y, '"é\r\n"', ...SOUTH.units].join(';')}\r\n${[';;', ...NONE].join(';')}\r\n`;
  for (const bytes of [Buffer.from(table), Buffer.from(table, 'utf16le'), Buffer.from(table, 'utf16le').swap16()])
    for (const pieceBytes of [1, 7, 1000]) {
      const { text, summary } = await append(bytes, open, { pieceBytes });
      assert.equal(text, expected);
      assert.deepEqual(summary.without.get('no longitude or latitude')?.lines, [5]);
    }
  assert.equal((await append('sep=;\nlon;lat\n', open)).text, `sep=;\n${['lon', 'lat', ...ADDED].join(';')}\n`);
});

test('numbers with an exponent, as pandas, Python and R write small ones, are points', async () => {
  const [x, y] = ['5e-1', '5.0E-01'];
  assert.equal((await append(`lon,lat\n${x},${y}\n`, open)).text, `lon,lat,${ADDED}\n${x},${y},${SOUTH.units}\n`);
  const comma = (await append('lon;lat\n5,0e-1;0,5\n7,5e-05;1e3\n', open)).text.split('\n');
  assert.equal(comma[1], ['5,0e-1', '0,5', ...SOUTH.units].join(';'));
  assert.equal(comma[2], ['7,5e-05', '1e3', ...NONE].join(';'));
});

test('a table whose points are all exchanged is said, before its first row and at the end', async () => {
  const exchanged = /no point is in a unit, but with longitude and latitude exchanged they are/;
  const shown = async (table: string): Promise<number> =>
    (await run(['--origin', out], table)).stderr.split('\n').filter((line) => exchanged.test(line)).length;
  // Of Beland, whose longitudes are from 10 to 14.
  const [head, tail] = ['lon,lat\n', '0.5,10.5\n2,13\n'];
  assert.equal(await shown(head + tail), 2);
  assert.equal(await shown(`lat,lon\n${tail}`), 0);
  assert.equal(await shown(`${head}${tail}${SOUTH.at}\n`), 0);
  assert.equal(await shown(`${head}77,50\n`), 0);
  // As soon as a sample says so, and not at the end where it is not true of all.
  assert.equal(await shown(`${head}${tail.repeat(33_000)}${SOUTH.at}\n`), 1);
});

test('a table without such columns is refused with the columns that it has', async () => {
  for (const [table, named, message, remedy] of [
    ['id;east;north\n', {}, /no columns with longitude and latitude; its columns: id, east, north/, /--longitude NAME/],
    ['', {}, /^the table is empty$/, /a header, then rows/],
    ['\n\n', {}, /^the table is empty$/, /a header, then rows/],
    ['"lon,lat\n1,2\n', {}, /no columns/, /--longitude/],
    ['lon,lat\n', { longitude: 'x', latitude: 'lat' }, /not both in the table; its columns: lon, lat/, /name columns/],
    ['lon,lat\n', { longitude: 'lon' }, /one column without the other/, /add --latitude/],
    ['lon,Lon,lat\n', {}, /two columns of this name/, /rename one/],
  ] as const)
    await assert.rejects(append(table, open, { named }), { message, remedy });
});

test('what is no such table ends with the line that is wrong, and what to do', async () => {
  for (const [table, where, message] of [
    ['id,lon,lat\n1,0.5,0.5\n2,"-3,7","40,4"\n', /^line 3$/, /-3,7 has a decimal comma/],
    ['id,lon,lat\n"a\nb",0.5,0.5\n2,0,5,0,5\n', /^the row from line 4$/, /5 values, the header has 3/],
    ['id,lon,lat\n1,0.5\n', /^the row from line 2$/, /2 values, the header has 3/],
    ['id,lon,lat\n1,0,0\n"2,0.5,0.5\n3,0,0\n', /^the row from line 3$/, /a quotation mark that is not closed/],
    ['id,lon,lat\n1"2,0.5,0.5\n', /^the row from line 2$/, /a quotation mark within a value/],
    ['id,lon,lat\n"1"2,0.5,0.5\n', /^the row from line 2$/, /or a value after one/],
    [Buffer.from('id,lon,lat\nM\xfcnchen,0,0\n', 'latin1'), /^the table$/, /is not UTF-8/],
    [Buffer.from('\ufeffid,lon,lat\n\ud800', 'utf16le'), /^the table$/, /begins as UTF-16, and is not/],
    [Buffer.from('id,lon,lat\nMü', 'utf16le'), /^the table$/, /is not UTF-8/],
    [Buffer.from('lon,lat\n0,0\n\xc3', 'latin1'), /^the table$/, /is not UTF-8/],
  ] as const)
    await assert.rejects(append(table, open), { where, message, remedy: /./ });
});

test('a row, or blank lines, longer than a row may be are refused before all of it is in memory', async () => {
  for (const more of [',', '\n', '9', 'a,']) {
    let read = 0;
    async function* input(): AsyncGenerator<Buffer> {
      yield Buffer.from(`id,lon,lat\n1,0,0\n${more === 'a,' ? '"' : ''}`.padEnd(64 * 1024, more));
      for (; read < 1000; read++) yield Buffer.from(more.repeat(1000));
    }
    const rows = (await readTable(input(), placeChoice({}), 100_000)).rows();
    const all = async (): Promise<void> => {
      for await (const _ of rows);
    };
    const expected = {
      message: /^more than 100,000 characters, perhaps a quotation mark that is not closed$/,
      remedy: /./,
    };
    await assert.rejects(all, expected, more);
    assert.ok(read < 1000, more);
  }
});

test('a header is read to its end, however long it is, and refused where a row would be', async () => {
  const header = ['lon', 'lat', 'x'.repeat(64 * 1024 - 9), ...Array.from({ length: 20_000 }, (_, i) => `column ${i}`)];
  // At first the head ends within a line end.
  for (const columns of [header, header.slice(0, 3)]) {
    const row = [...SOUTH.at, ...columns.slice(2).map(() => '')];
    const { text } = await append(`${columns}\r\n${row}\r\n`, open, { pieceBytes: 1024 });
    assert.equal(text, `${[...columns, ...ADDED]}\r\n${[...row, ...SOUTH.units]}\r\n`);
  }
  async function* input(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.from('lon,lat,'.repeat(1000));
  }
  await assert.rejects(readTable(input(), placeChoice({}), 100_000), {
    where: /^the first line$/,
    message: /^more than 100,000 characters, perhaps a quotation mark that is not closed$/,
    remedy: /./,
  });
});

test('a first line without an end is not printed whole', async () => {
  const { message = '' } = await append('a,b,'.repeat(10_000), open).catch((error) => error);
  assert.match(message, /no columns with longitude and latitude; its columns: a, b, .*…$/);
  assert.ok(message.length < 700);
});

test('names that a spreadsheet takes for formulas are made safe as the explorer does, unless they are to be left', async () => {
  const formulas = ['=HYPERLINK("http://a.test","b")', '+1+1', '-2+3', '@SUM(1)', '\t=1', '＝1', 'a,=1+1'];
  const names = [...formulas, '-5', "O'Brien"];
  const layer = squares('ADM_0', ['GID_0', 'COUNTRY'], ...names.map((name, i) => [`G${i}`, name]));
  const folder = await buildLayers([layer], { cells: true });
  const table = `lon;lat\n${names.map((_, i) => `${i}.5;0.5\n`).join('')}`;
  const valuesIn = (text: string, delimiter: string): string[][] => parse(text, { delimiter });
  const valuesOf = (text: string): string[] =>
    valuesIn(text, ';')
      .slice(1)
      .map((row) => row.at(-1) ?? '');
  const [, , ...safe] = featuresToCsv(names.map((name) => JSON.stringify({ id: 1, properties: { name } })));
  const explorer = safe.map((line) => valuesIn(line, ',')[0]?.at(-1) ?? '');
  assert.equal(explorer.filter((name, i) => name !== names[i]).length, formulas.length, explorer.join('|'));
  assert.deepEqual(valuesOf((await run(['--origin', folder], table)).stdout), explorer);
  assert.deepEqual(valuesOf((await run(['--origin', folder, '--keep-formulas'], table)).stdout), names);
});

test('a column that is there already is refused before anything is written', async () => {
  const table = `lon,name_1,lat\n0.5,x,0.5\n`;
  const { status, stdout, stderr } = await run(['--origin', out], table);
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^the first line: the table has already name_1\n {2}what to do: rename or remove/);
  assert.equal((await run(['--origin', out, '--levels', 'lv0,lv2'], table)).status, 0);
});

test('rows without a point pass empty and are named with their lines; --strict ends with 1', async () => {
  const rows = ['a,0.5,0.5', '"b\n\n",,0.5', 'c,1e,2', '', 'd,181,0', 'e,0,90.0000000001', 'f,0.5,', 'g,440290.5,1'];
  const table = `id,lon,lat\n${rows.join('\n')}\n`;
  const { status, stdout, stderr } = await run(['--origin', out], table);
  assert.equal(status, 0);
  const kept = rows.filter((row) => row !== '').slice(1);
  assert.equal(
    stdout,
    `id,lon,lat,${ADDED}\n${rows[0]},${SOUTH.units}\n${kept.map((row) => `${row},${NONE}\n`).join('')}`,
  );
  assert.match(stderr, /^2 rows without a point, no longitude or latitude: line 3, 10$/m);
  assert.match(stderr, /^1 row without a point, not plain decimal degrees: line 6$/m);
  assert.match(stderr, /^3 rows without a point, out of range: line 8, 9, 11$/m);
  assert.match(stderr, /^7 rows in .* s, .* a second, from release r1$/m);
  const strict = await run(['--origin', out, '--strict'], table);
  assert.deepEqual([strict.status, strict.stdout], [1, stdout]);
  assert.equal((await run(['--origin', out, '--strict'], `lon,lat\n${SOUTH.at}\n`)).status, 0);
});

test('rows in no unit, or in none of the deepest level, are named with their lines', async () => {
  // Aland's districts are in its north and south, at its west alone.
  const rows = ['a,0.5,0.5', 'b,3,3', 'c,30,30', 'd,-40,2', '"e\n",2.5,0.5', 'f,0.5,0.5', 'g,3.5,1'];
  const table = `id,lon,lat\n${rows.join('\n')}\n`;
  const all = await run(['--origin', out], table);
  assert.match(all.stderr, /^2 rows in no unit: line 4, 5$/m);
  assert.match(all.stderr, /^3 rows in no unit of lv2, but in one of a level above: line 3, 6, 9$/m);
  const countries = await run(['--origin', out, '--levels', 'lv0'], table);
  assert.match(countries.stderr, /^2 rows in no unit: line 4, 5$/m);
  assert.doesNotMatch(countries.stderr, /level above/);
  const none = await run(['--origin', out, '--levels', 'lv0,lv5'], table);
  assert.equal(none.stderr.replace(/^7 rows in.*/m, ''), countries.stderr.replace(/^7 rows in.*/m, ''));
  const many = await run(['--origin', out, '--levels', 'lv0'], `lon,lat\n${'30,30\n'.repeat(102)}`);
  assert.match(many.stderr, /^102 rows in no unit: line 2, 3, .*, 101 and 2 more$/m);
});

test('the levels that are named are looked up, also one without units', async () => {
  const table = `lon,lat\n${LATE.at}\n`;
  const { stdout } = await run(['--origin', out, '--levels', 'lv4,lv1'], table);
  assert.equal(stdout, `lon,lat,gid_1,name_1,gid_4,name_4\n${[...LATE.at, 'AAA.1_1', 'North', '', '']}\n`);
  for (const levels of ['lv6', 'lv1,lv1', '1', 'lv1,']) {
    const { status, stderr } = await run(['--origin', out, '--levels', levels], table);
    assert.equal(status, 2, levels);
    assert.match(stderr, /not a list of levels/);
  }
});

test('several chunks of rows, and rows longer than a chunk, stay in their order', async () => {
  // Chunks end after 65,536 rows, and before a row that does not fit.
  const rows = Array.from({ length: 70_000 }, (_, i): [row: string, units: string] => {
    if (i % 7 === 3) return [`${i},,`, ',,,'];
    const [x, y] = [((i * 37) % 40) / 10, ((i * 53) % 40) / 10];
    const region = x >= 2 ? ',' : y >= 2 ? 'AAA.1_1,North' : 'AAA.2_1,South';
    return [`${i},${x},${y}`, `AAA,Aland,${region}`];
  });
  rows[67_001] = [`"${'é'.repeat(5_000_000)}",0.5,0.5`, 'AAA,Aland,AAA.2_1,South'];
  const table = `id,lon,lat\n${rows.map(([row]) => `${row}\n`).join('')}`;
  const { text, summary } = await append(table, () => openFolder(out, [0, 1]), { pieceBytes: 65_536 });
  const expected = rows.map((row) => row.join());
  const printed = text.trimEnd().split('\n').slice(1);
  const wrong = expected.findIndex((row, i) => row !== printed[i]);
  assert.deepEqual([wrong, printed.length, summary.rows], [-1, rows.length, rows.length], printed[wrong]?.slice(0, 99));
  assert.equal(summary.without.get('no longitude or latitude')?.count, rows.length / 7);
});

test('of several units of a level at a point the first by fid is taken, and such rows are counted', async () => {
  const features = [
    { fid: 7, values: ['BBB'], wkt: square(0, 0, 4) },
    { fid: 3, values: ['AAA'], wkt: square(2, 0, 4) },
  ];
  const folder = await buildLayers([{ name: 'ADM_0', columns: ['GID_0'], features }], { cells: true });
  const { text, summary } = await append('lon,lat\n1,1\n3,1\n5,1\n', () => openFolder(folder, undefined));
  // The level has no column with names.
  assert.equal(text, 'lon,lat,gid_0,name_0\n1,1,BBB,\n3,1,AAA,\n5,1,AAA,\n');
  assert.deepEqual([summary.several.count, summary.several.lines], [1, [3]]);
});

test('rows whose levels contradict each other are counted, three are named, and --parents takes those of the deepest unit', async () => {
  // A region that its source draws beyond its country, over another one and over the sea.
  const folder = await buildLayers(
    [
      layerOf(
        'ADM_0',
        ['GID_0'],
        [
          [['AAA'], square(0, 0, 2)],
          [['BBB'], square(2, 0, 2)],
        ],
      ),
      layerOf(
        'ADM_1',
        ['GID_0', 'GID_1'],
        [
          [['AAA', 'AAA.1_1'], square(0, 0, 3)],
          [['BBB', 'BBB.1_1'], square(3, 0)],
        ],
      ),
    ],
    { cells: true },
  );
  const table = 'lon,lat\n1,1\n2.5,1\n0.5,2.5\n3.5,0.5\n2.5,1\n2.6,1\n9,9\n';
  const plain = await append(table, () => openFolder(folder, undefined));
  const rows = (text: string): string[] =>
    text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.replace(/^[\d.]+,[\d.]+,/, ''));
  const inCountry = 'AAA,,AAA.1_1,';
  assert.deepEqual(rows(plain.text).slice(1, 4), ['BBB,,AAA.1_1,', ',,AAA.1_1,', 'BBB,,BBB.1_1,']);
  const { count, examples } = plain.summary.contradictions;
  assert.deepEqual(
    [count, examples],
    [
      4,
      [
        'line 3 (lv1 AAA.1_1 belongs to AAA, the point is in BBB)',
        'line 4 (lv1 AAA.1_1 belongs to AAA, the point is in no unit)',
        'line 6 (lv1 AAA.1_1 belongs to AAA, the point is in BBB)',
      ],
    ],
  );
  const taken = await append(table, () => openFolder(folder, undefined), { parents: true });
  const expected = [inCountry, inCountry, inCountry, 'BBB,,BBB.1_1,', inCountry, inCountry, ',,,'];
  assert.deepEqual(rows(taken.text), expected);
  const said = async (...args: string[]): Promise<string> => (await run(['--origin', folder, ...args], table)).stderr;
  assert.match(
    await said(),
    /^4 rows with levels that contradict each other \(--parents .*\): line 3 .*, and 1 more$/m,
  );
  assert.match(
    await said('--parents'),
    /^4 rows got the parents of the deepest unit, which are not at the point: line 3/m,
  );
  assert.match(await said('--parents', '--levels', 'lv1'), /--parents: the parents of lv1 are not among the levels/);
});

test('wrong options and files are refused, and no token is shown', async () => {
  for (const [args, code, message, TOKEN] of [
    [['--origin', out, '--url', 'https://a.test'], 2, /--origin with --url: two sources/],
    [['--url', 'ftp://a.test'], 2, /--url: not a usable URL/],
    [['--origin', 's3://a/b'], 2, /--origin: not a folder/],
    [['--origin', out, 'nothing.csv'], 2, /nothing\.csv: not found/],
    [['--origin', out, out], 2, /: is a folder\n/],
    [['--origin', temporaryFolder()], 1, /there is no release to serve/],
    [['--url', 'https://a.test'], 2, /TOKEN of the environment: not a usable token/, 'two secrets'],
    [['--url', 'http://a.test'], 2, /--url: the token would be sent unencrypted/, 'secret'],
    // These may be asked, but nothing listens there.
    [['--url', 'http://127.0.0.1:1'], 1, /did not answer/, 'secret'],
    [['--url', 'http://a.invalid'], 1, /did not answer/, ''],
  ] as const) {
    const { status, stdout, stderr } = await run(args, 'lon,lat\n', { env: { TOKEN } });
    assert.deepEqual([status, stdout], [code, ''], stderr);
    assert.match(stderr, message);
    assert.match(stderr, /what to do: /);
    assert.doesNotMatch(stderr, /two secrets/);
  }
});

test('a damaged release is refused, and so is one without cells', async () => {
  const without = await buildCountries();
  const refused = append('lon,lat\n', () => openFolder(without, undefined));
  await assert.rejects(refused, { message: /no cells/, remedy: /--no-cells/ });
  const damaged = copyOf(out);
  const file = join(damaged, 'releases', 'r1', 'lv2', 'cells.bin');
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length - 4);
  writeFileSync(file, bytes);
  const table = `lon,lat\n${SOUTH.at}\n${LATE.at}\n0.1,3.5\n10.5,0.5\n`;
  const { status, stderr } = await run(['--origin', damaged], table);
  assert.equal(status, 1);
  assert.match(stderr, /lv2\/cells\.bin: cell \d+ is damaged/);
  assert.match(stderr, /what to do: /);
  const longer = copyOf(out);
  resealSummary(join(longer, 'releases', 'r1'), 1, ({ names }) => ({ names: { ...names, textBytes: 100 } }));
  await assert.rejects(openFolder(longer, undefined), { message: /lv1\/names\.jsonl\.gz: is not 100 bytes of text/ });
  truncateSync(join(damaged, 'releases', 'r1', 'lv1', 'names.jsonl.gz'), 20);
  assert.match((await run(['--origin', damaged], table)).stderr, /names\.jsonl\.gz.*\n {2}what to do: /);
});

test('the sample of exchanged points does not hold the rows that they were in', () => {
  const sample = new ExchangedSample();
  const reader = new CsvReader({ separator: ',', lineEnd: '\n' }, 1, 1_000_000);
  const shape = '1 2 '.repeat(125_000);
  const before = heldBytes();
  for (let i = 0; i < 40; i++)
    for (const { values } of reader.read(`${i}.123456789012,2.123456789012,${shape}\n`)) {
      const columns = { longitude: 0, latitude: 1 };
      sample.add(...pointIn(values, { columns, separator: ',' }));
    }
  const held = heldBytes() - before;
  assert.ok(held < 5_000_000, `${held} bytes`);
  assert.equal(sample.isInUnits([], 6), false);
});
