// `match` with tables: what it appends, what it refuses, what it says, and what it asks for.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MatchSummary } from '../../../proxy/match/report.ts';
import { CsvReader } from '../../../proxy/tables/csv-rows.ts';
import { layerOf, square } from '../../support/datasets/write-dataset.ts';
import { startService, TOKEN } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { matching, namedLevels } from '../../support/named-units.ts';
import { heldBytes } from '../../support/processes/collect-garbage.ts';
import { type Typed, type TypedIn, typed } from '../../support/processes/typed.ts';
import { buildCountries, buildLayers } from '../../support/releases/build-release.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const out = await buildCountries();

const ADDED = 'gid_0,name_0,gid_1,name_1,gid_2,name_2,match,match_at,candidates';
const NORTH = 'AAA,Aland,AAA.1_1,North,,';

function run(args: readonly string[], stdin: string | Buffer = '', where: TypedIn = {}): Promise<Typed> {
  return typed('proxy', ['match', '--origin', out, ...args], { stdin, ...where });
}

/** The rows of a table with their ends cut off. */
function rowsOf(stdout: string): string[] {
  return stdout.trimEnd().split('\n').slice(1);
}

test('rows keep their bytes and get the unit, those that it is in, and how it was found', async () => {
  const rows = ['1,Aland,North,', '"2 ""x""",AAA,SOUTH,Søst', '3,Aland,South,Sost', '4,Atlantis,North,', '5,,,'];
  const { status, stdout, stderr } = await run([], `id,country,admin1,admin2\n${rows.join('\n')}\n`);
  assert.equal(status, 0, stderr);
  const south = 'AAA,Aland,AAA.2_1,South,AAA.2.1_1,Søst';
  const ends = [`${NORTH},exact,,`, `${south},folded,,`, `${south},folded,,`, ',,,,,,none,country,', ',,,,,,empty,,'];
  assert.equal(stdout, `id,country,admin1,admin2,${ADDED}\n${rows.map((row, i) => `${row},${ends[i]}\n`).join('')}`);
  assert.match(stderr, /^"country" is lv0, "admin1" is lv1, "admin2" is lv2; separated by ",", UTF-8\n/);
  assert.match(stderr, /^1 row of no unit: line 5$/m);
  assert.match(stderr, /^1 row without a name or code: line 6$/m);
  assert.match(stderr, /^not found there: "Atlantis" \(1\)$/m);
  assert.match(stderr, /^rows by match: folded 2, exact 1, none 1, empty 1$/m);
  assert.match(stderr, /^5 rows in .* s, .* a second, from release r1$/m);
});

test('columns are found by usual headers and those of the source, codes first, or as they are named', async () => {
  for (const header of ['COUNTRY;NAME_1', 'Country Name;adm1_name', 'ISO3;Admin 1 Name', 'iso_a3;ADM1'])
    assert.match((await run([], `${header}\nAland;North\n`)).stdout, /;AAA;Aland;AAA\.1_1;North;exact;;\n$/, header);
  const both = await run([], 'country,GID_1,NAME_1\nAland,AAA.1_1,South\n');
  assert.match(both.stdout, /AAA\.1_1,North,exact,,\n$/);
  const named = await run(['--column', 'lv1=Provincia', '--column', 'lv0=País'], 'Provincia|País\nNorth|Aland\n');
  assert.match(named.stdout, /\|AAA\|Aland\|AAA\.1_1\|North\|exact\|\|\n$/);
  const one = await run(['--column', 'lv2=place'], 'place\nSøst\n');
  assert.match(one.stdout, /^Søst,AAA,Aland,AAA\.2_1,South,AAA\.2\.1_1,Søst,exact,,$/m);
  // Codes that the release does not have, at least not in the first rows, are left for names that it has.
  const codes = 'iso2,country,adm1_pcode,admin1';
  const byNames = await run([], `${codes}\nAL,Aland,AL01,North\nAL,Aland,AAA.2_1,North\n`);
  assert.match(byNames.stderr, /^"country" is lv0, "adm1_pcode" is lv1;/);
  assert.match(byNames.stdout, /^AL,Aland,AL01,North,AAA,Aland,,,none,adm1_pcode,$/m);
  assert.match((await run([], `${codes}\nAL,Aland,AL01,North\n`)).stdout, /,AAA\.1_1,North,exact,,\n$/);
  assert.match((await run([], 'iso2,country\nAL,Atlantis\n')).stdout, /,none,iso2,\n$/);
  assert.match((await run([], 'iso3,country\nBBB,Aland\n')).stdout, /,BBB,Beland,code,,\n$/);
  // Whole headers would be usual ones, too.
  for (const [header, separator] of [
    ['country;name', ';'],
    ['country\tcode', '\t'],
    ['name|ISO3', '|'],
  ] as const)
    assert.match(
      (await run([], `${header}\nAland${separator}AAA\n`)).stdout,
      /^Aland.AAA.AAA.Aland.(exact|code)..$/m,
      header,
    );
});

test('what is no table of names is refused before anything is written, and says what to do', async () => {
  const iso = Buffer.from('country\nEspa\xf1a\n', 'latin1');
  for (const [args, table, status, message] of [
    [
      [],
      'id,value\n1,2\n',
      1,
      /no column that could have names or codes of units; its columns: id, value\n.*--column lv0=/,
    ],
    [[], '', 1, /the table is empty/],
    [[], iso, 1, /is not UTF-8\n.*iconv/],
    [[], 'country,gid_0\nAland,x\n', 1, /the table has already gid_0\n.*rename/],
    [['--column', 'lv0=Land'], 'country\nAland\n', 2, /--column lv0=Land: not all in the table; its columns: country/],
    [['--column', 'lv4=a'], 'a\nNorth\n', 2, /--column lv4=a: the level has no units\n.*: lv0, lv1, lv2/],
    [[], 'country,id,country \nAland,1,Beland\n', 1, /column country: two columns of this name\n.*--column/],
    [['--column', 'lv0=a'], 'a,b,a\nAland,1,Beland\n', 1, /column a: two columns of this name\n.*rename/],
    [['--column', 'Land'], '', 2, /--column Land: not a level and a column/],
    [['--column', 'lv0=a', '--column', 'lv0=b'], '', 2, /two columns of a level/],
    [['--edits', '3'], '', 2, /--edits 3: not a number of edits/],
    [
      ['--codes', 'ine'],
      'country\nAland\n',
      2,
      /--codes: no codes of this key: ine\n.*omit it: no level that is looked up has codes$/m,
    ],
  ] as const) {
    const typedIt = await run(args, table);
    assert.deepEqual([typedIt.status, typedIt.stdout], [status, ''], typedIt.stderr);
    assert.match(typedIt.stderr, message);
    assert.match(typedIt.stderr, /what to do: /);
  }
  const open = await run([], 'country\n"Aland\nBeland\n');
  assert.equal(open.status, 1);
  assert.match(open.stderr, /the row from line 2: a quotation mark that is not closed/);
});

test('a cell of ten megabytes is none, a wrong parent is shown, and --strict ends with 1', async () => {
  const table = `country,admin1\n"${'Aland, '.repeat(1_500_000)}",North\nBeland,North\n`;
  const { status, stdout } = await run(['--strict'], table);
  assert.equal(status, 1);
  const [long = '', wrong = ''] = rowsOf(stdout);
  assert.ok(long.endsWith('",North,,,,,none,country,'), long.slice(-50));
  assert.equal(wrong, 'Beland,North,BBB,Beland,,,none,admin1,');
  assert.equal((await run(['--strict'], 'country\nAland\n')).status, 0);
});

test('texts that are counted or kept do not hold the rows that they were in', () => {
  const units = Array.from({ length: 20 }, (_, i) => ({ gid: `A.${i}`, name: `Region ${i}` }));
  const find = matching(namedLevels({ 0: units }), [0]);
  const summary = new MatchSummary('r1');
  const reader = new CsvReader({ separator: ',', lineEnd: '\n' }, 1, 1_000_000);
  const shape = '1 2 '.repeat(125_000);
  const before = heldBytes();
  for (let i = 0; i < 40; i++)
    for (const { values, line } of reader.read(`Nowhere of number ${i},${shape}\n`)) {
      const [text = ''] = values;
      assert.equal(find(text).match, 'none');
      const found = {
        match: 'none',
        at: 0,
        unit: undefined,
        candidates: [],
        isRestored: false,
        isUntried: false,
      } as const;
      summary.add(found, line, text);
    }
  const held = heldBytes() - before;
  assert.ok(held < 5_000_000, `${held} bytes`);
  assert.match(summary.lines(1).join('\n'), /^not found there: "Nowhere of number 0" \(1\), /m);
  assert.equal(find('Region 1').gid, 'A.1');
});

test('a wrong parent in the same country has candidates; names that are formulas are made safe, unless they are to be left', async () => {
  const folder = await buildLayers([
    layerOf('ADM_0', ['GID_0', 'COUNTRY'], [[['AAA', 'Aland'], square(0, 0, 4)]]),
    layerOf(
      'ADM_1',
      ['GID_0', 'GID_1', 'NAME_1'],
      [
        [['AAA', 'AAA.1', '=1+1'], square(0, 0, 2)],
        [['AAA', 'AAA.2', 'South'], square(2, 0, 2)],
      ],
    ),
    layerOf('ADM_2', ['GID_0', 'GID_1', 'GID_2', 'NAME_2'], [[['AAA', 'AAA.2', 'AAA.2.1', 'Port'], square(2, 0, 1)]]),
  ]);
  const table = 'country,admin1,admin2\nAland,=1+1,Port\n';
  const safe = await typed('proxy', ['match', '--origin', folder], { stdin: table });
  assert.equal(rowsOf(safe.stdout)[0], "Aland,=1+1,Port,AAA,Aland,AAA.1,'=1+1,,,none,admin2,AAA.2.1");
  const left = await typed('proxy', ['match', '--origin', folder, '--keep-formulas'], { stdin: table });
  assert.equal(rowsOf(left.stdout)[0], 'Aland,=1+1,Port,AAA,Aland,AAA.1,=1+1,,,none,admin2,AAA.2.1');
});

test('codes are appended, zeros that a spreadsheet has eaten are restored and counted', async () => {
  const layers = [
    layerOf('ADM_0', ['GID_0', 'COUNTRY'], [[['AAA', 'Aland'], square(0, 0, 4)]]),
    layerOf(
      'ADM_1',
      ['GID_0', 'GID_1', 'NAME_1', 'CC_1'],
      [
        [['AAA', 'AAA.1', 'North', '01'], square(0, 0, 2)],
        [['AAA', 'AAA.2', 'South', '02'], square(2, 0, 2)],
      ],
    ),
  ];
  const folder = await buildLayers(layers, { cells: true, codeColumns: [{ level: 1, tag: 'ine', value: 'CC_1' }] });
  const table = 'country,CC_1,lon,lat\nAAA,2,2.5,0.5\nAAA,North,0.5,0.5\n';
  const matched = await typed('proxy', ['match', '--origin', folder, '--codes', 'ine'], { stdin: table });
  assert.match(
    matched.stdout,
    /^country,CC_1,lon,lat,gid_0,name_0,gid_1,name_1,code_ine_1,match,match_at,candidates\n/,
  );
  assert.deepEqual(rowsOf(matched.stdout), [
    'AAA,2,2.5,0.5,AAA,Aland,AAA.2,South,02,code,,',
    'AAA,North,0.5,0.5,AAA,Aland,AAA.1,North,01,exact,,',
  ]);
  assert.match(matched.stderr, /^1 row with a code whose zeros at the beginning were restored$/m);
  const placed = await typed('proxy', ['points', '--origin', folder, '--codes', 'ine'], { stdin: table });
  assert.match(placed.stdout, /,gid_0,name_0,gid_1,name_1,code_ine_1\nAAA,2,2\.5,0\.5,AAA,Aland,AAA\.2,South,02\n/);
  const unknown = await typed('proxy', ['points', '--origin', folder, '--codes', 'nuts'], { stdin: table });
  assert.match(unknown.stderr, /--codes: no codes of this key: nuts\n.*use some of ine/);
  const above = await typed('proxy', ['match', '--origin', folder, '--codes', 'ine'], { stdin: 'country\nAAA\n' });
  assert.match(above.stderr, /--codes: no codes of this key: ine\n.*omit it: no level that is looked up has codes$/m);
});

test('former names and GIDs of releases before are what has taken their place', async () => {
  const folder = copyOf(out);
  const text =
    'level,from_gid,from_name,to_gid,to_name,class,share_of_from,share_of_to\r\n' +
    'lv1,AAA.9_1,Nordland,AAA.1_1,North,recoded,1.0000,1.0000\r\n';
  const zipped = gzipSync(text);
  const pointer = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8'));
  const sha256 = createHash('sha256').update(zipped).digest('hex');
  const changes = [
    { from: 'r0', to: 'r1', bytes: zipped.length, textBytes: Buffer.byteLength(text), sha256, counts: { recoded: 1 } },
  ];
  mkdirSync(join(folder, 'changes'));
  writeFileSync(join(folder, 'changes', 'r0..r1.csv.gz'), zipped);
  writeFileSync(join(folder, 'current.json'), JSON.stringify({ ...pointer, changes }));
  const table = 'country,admin1\nAAA,Nordland\nAAA,AAA.9_1\n';
  const service = await startService(folder);
  for (const source of [
    ['--origin', folder],
    ['--url', service.url],
  ]) {
    const env = { TOKEN, XDG_CACHE_HOME: temporaryFolder() };
    const { stdout, stderr } = await typed('proxy', ['match', ...source], { stdin: table, env });
    assert.deepEqual(
      rowsOf(stdout),
      [`AAA,Nordland,AAA,Aland,AAA.1_1,North,former,,`, `AAA,AAA.9_1,AAA,Aland,AAA.1_1,North,successor,,`],
      stderr,
    );
  }
});

test('nothing of a table leaves the machine: whatever it has, names files and what describes them are asked for', async () => {
  const service = await startService(out);
  const asked: string[] = [];
  const front = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['content-length'] ?? ''}`.trim());
    const { authorization = '' } = request.headers;
    const answer = await fetch(service.url + request.url, { headers: { authorization } });
    const names = ['etag', 'boundaries-release', 'boundaries-matched'];
    const headers = names.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
  const url = `http://127.0.0.1:${await listen(front)}`;
  const lists: string[][] = [];
  for (const table of ['country,admin1\nAland,North\n', 'country,admin1\nSecret place,AAA.1_1\n,\n']) {
    asked.length = 0;
    const env = { TOKEN, XDG_CACHE_HOME: temporaryFolder() };
    const { status, stderr } = await typed('proxy', ['match', '--url', url], { stdin: table, env });
    assert.equal(status, 0, stderr);
    lists.push([...asked]);
  }
  const expected = ['/current.json', '/api/v1/', '/current.json', '/api/v1/names/lv0', '/api/v1/names/lv1'];
  assert.deepEqual(
    lists,
    [expected, expected].map((paths) => paths.map((path) => `GET ${path}`)),
  );
});
