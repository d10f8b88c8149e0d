// `points`: what it does with tables of every form, what it refuses, and how it gets its release.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { StartError } from '../../proxy/config/start-error.ts';
import { Cache, cacheFolder } from '../../proxy/points/cache.ts';
import type { NamedColumns } from '../../proxy/points/columns.ts';
import { type OpenRelease, openFolder, openService } from '../../proxy/points/open-release.ts';
import { points, type Summary } from '../../proxy/points/points.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { runProgram } from '../support/processes/programs.ts';
import { PROXY } from '../support/processes/proxy-process.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const out = temporaryFolder();
await buildRelease(writeCountries(), out);
const service = await startService(out);
const token = AUTHORIZED.authorization.slice('Bearer '.length);

const ADDED = ['gid_0', 'name_0', 'gid_1', 'name_1', 'gid_2', 'name_2'];
/** A point and what is appended to its row. */
const SOUTH = { at: ['0.5', '0.5'], units: ['AAA', 'Aland', 'AAA.2_1', 'South', 'AAA.2.1_1', 'Søst'] };
const LATE = { at: ['1.5', '3.5'], units: ['AAA', 'Aland', 'AAA.1_1', 'North', 'AAA.1.2_1', '"Wüst ""late"""'] };
const NONE = ['', '', '', '', '', ''];

const ofFolder = (): Promise<OpenRelease> => openFolder(out, undefined);

async function append(
  table: string | Buffer,
  { open = ofFolder, named = {} }: { open?: () => Promise<OpenRelease>; named?: NamedColumns } = {},
): Promise<{ text: string; summary: Summary }> {
  const pieces: Buffer[] = [];
  const output = new Writable({
    write(piece, _, done) {
      // Its memory is used again.
      pieces.push(Buffer.from(piece));
      done();
    },
  });
  const bytes = Buffer.from(table);
  // Pieces end anywhere, also within a character.
  const input = Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => bytes.subarray(7 * i, 7 * i + 7)),
  );
  const summary = await points(open, named, { input, output, progress() {} });
  return { text: Buffer.concat(pieces).toString('utf8'), summary };
}

/** Runs the program. */
function run(args: readonly string[], { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROXY, 'points', ...args], {
    input,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
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
        const { text, summary } = await append(bom + table);
        assert.equal(text, bom + expected, JSON.stringify([separator, end, bom]));
        assert.deepEqual([summary.rows, summary.nowhere, summary.without.size], [3, 1, 0]);
      }
});

test('the last line needs no end, blank lines are left out, and a table without rows gets its header', async () => {
  const { text } = await append(`\n\nlon,lat\n\n${SOUTH.at}\n\n\n${LATE.at}`);
  assert.equal(text, `${['lon', 'lat', ...ADDED]}\n${[...SOUTH.at, ...SOUTH.units]}\n${[...LATE.at, ...LATE.units]}\n`);
  assert.equal((await append('lon,lat')).text, `${['lon', 'lat', ...ADDED]}\n`);
});

test('columns are found by their usual names, x and y last, or as they are named', async () => {
  for (const header of ['lon,lat', 'LNG,Lat', 'long,lat', 'decimalLongitude,decimalLatitude', 'x,y', 'X,Y'])
    assert.match((await append(`${header}\n${SOUTH.at}\n`)).text, /AAA\.2\.1_1/, header);
  const both = await append(`x,y,lon,lat\n7,7,${SOUTH.at}\n`);
  assert.match(both.text, /AAA\.2\.1_1/);
  const named = { longitude: 'östlich', latitude: 'nördlich' };
  assert.match((await append(`lat,lon;nördlich;östlich\n;0.5;0.5\n`, { named })).text, /;AAA;Aland;/);
});

test('a table without such columns is refused with the columns that it has', async () => {
  const refused: [table: string, named: NamedColumns, message: RegExp, remedy: RegExp][] = [
    ['id;east;north\n', {}, /no columns with longitude and latitude; its columns: id, east, north/, /--longitude NAME/],
    ['', {}, /^the table is empty$/, /a header, then rows/],
    ['\n\n', {}, /^the table is empty$/, /a header, then rows/],
    ['"lon,lat\n1,2\n', {}, /no columns/, /--longitude/],
    ['lon,lat\n', { longitude: 'x', latitude: 'lat' }, /not both in the table; its columns: lon, lat/, /name columns/],
    ['lon,lat\n', { longitude: 'lon' }, /one column without the other/, /add --latitude/],
    ['lon,Lon,lat\n', {}, /two columns of this name/, /rename one/],
  ];
  for (const [table, named, message, remedy] of refused)
    await assert.rejects(append(table, { named }), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, message);
      assert.match(error.remedy, remedy);
      return true;
    });
});

test('a column that is there already is refused before anything is written', () => {
  const { status, stdout, stderr } = run(['--origin', out], { input: `lon,name_1,lat\n0.5,x,0.5\n` });
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^the first line: the table has already name_1\n {2}what to do: rename or remove/);
  const { status: other } = run(['--origin', out, '--levels', 'lv0,lv2'], { input: `lon,name_1,lat\n0.5,x,0.5\n` });
  assert.equal(other, 0);
});

test('rows without a point pass empty and are named with their lines; --strict ends with 1', () => {
  const rows = ['a,0.5,0.5', '"b\n\n",,0.5', 'c,1e1,2', '', 'd,181,0', 'e,0,90.0000000001', 'f,0.5,', 'g,440290.5,1'];
  const input = `id,lon,lat\n${rows.join('\n')}\n`;
  const { status, stdout, stderr } = run(['--origin', out], { input });
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
  const strict = run(['--origin', out, '--strict'], { input });
  assert.deepEqual([strict.status, strict.stdout], [1, stdout]);
  assert.equal(run(['--origin', out, '--strict'], { input: `lon,lat\n${SOUTH.at}\n` }).status, 0);
});

test('what is no such table ends with the line that is wrong, and what to do', async () => {
  const refused: [table: string | Buffer, where: RegExp, message: RegExp][] = [
    ['id;lon;lat\n1;0.5;0.5\n2;-3,7;40,4\n', /^line 3$/, /-3,7 has a decimal comma/],
    ['id,lon,lat\n"a\nb",0.5,0.5\n2,0,5,0,5\n', /^the row from line 4$/, /5 values, the header has 3/],
    ['id,lon,lat\n1,0.5\n', /^the row from line 2$/, /2 values, the header has 3/],
    ['id,lon,lat\n1,0,0\n"2,0.5,0.5\n3,0,0\n', /^the row from line 3$/, /a quotation mark that is not closed/],
    ['id,lon,lat\n1"2,0.5,0.5\n', /^the row from line 2$/, /a quotation mark within a value/],
    ['id,lon,lat\n"1"2,0.5,0.5\n', /^the row from line 2$/, /or a value after one/],
    [Buffer.from('id,lon,lat\nM\xfcnchen,0,0\n', 'latin1'), /^the table$/, /is not UTF-8/],
    [Buffer.from('\ufeffid,lon,lat\n', 'utf16le'), /^the table$/, /is not UTF-8/],
    [Buffer.from('lon,lat\n0,0\n\xc3', 'latin1'), /^the table$/, /is not UTF-8/],
  ];
  for (const [table, where, message] of refused)
    await assert.rejects(append(table), (error) => {
      assert.ok(error instanceof StartError, String(error));
      assert.match(error.where, where);
      assert.match(error.message, message);
      return error.remedy !== '';
    });
});

test('the levels that are named are looked up, also one without units', () => {
  const input = `lon,lat\n${LATE.at}\n`;
  const { stdout } = run(['--origin', out, '--levels', 'lv4,lv1'], { input });
  assert.equal(stdout, `lon,lat,gid_1,name_1,gid_4,name_4\n${[...LATE.at, 'AAA.1_1', 'North', '', '']}\n`);
  for (const levels of ['lv6', 'lv1,lv1', '1', 'lv1,']) {
    const { status, stderr } = run(['--origin', out, '--levels', levels], { input });
    assert.equal(status, 2, levels);
    assert.match(stderr, /not a list of levels/);
  }
});

test('several chunks of rows, and rows longer than a chunk, stay in their order', async () => {
  const rows = Array.from({ length: 140_000 }, (_, i) =>
    i % 7 === 3 ? `${i},,` : `${i},${((i * 37) % 40) / 10},${((i * 53) % 40) / 10}`,
  );
  rows[70_000] = `"${'é'.repeat(5_000_000)}",0.5,0.5`;
  const chunks: Buffer[] = [];
  const table = Buffer.from(`id,lon,lat\n${rows.join('\n')}\n`);
  const output = new Writable({
    write(piece, _, done) {
      chunks.push(Buffer.from(piece));
      done();
    },
  });
  const pieces = Array.from({ length: Math.ceil(table.length / 65_536) }, (_, i) =>
    table.subarray(65_536 * i, 65_536 * (i + 1)),
  );
  const summary = await points(ofFolder, {}, { input: Readable.from(pieces), output, progress() {} });
  const printed = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n').slice(1);
  assert.equal(printed.length, rows.length);
  for (const [i, row] of rows.entries()) {
    const [id = '', longitude = '', latitude = ''] = row.split(',');
    const region =
      latitude === ''
        ? []
        : Number(latitude) >= 2 && Number(longitude) < 2
          ? ['AAA.1_1']
          : Number(longitude) < 2
            ? ['AAA.2_1']
            : [''];
    const [gid0, , gid1] = printed[i]?.slice(row.length + 1).split(',') ?? [];
    assert.ok(printed[i]?.startsWith(`${row},`), `row ${i}`);
    assert.deepEqual([gid0, gid1], latitude === '' ? ['', ''] : ['AAA', ...region], id.slice(0, 20));
  }
  assert.equal(summary.rows, rows.length);
  assert.equal(
    summary.without.get('no longitude or latitude')?.length,
    rows.filter((row) => row.endsWith(',,')).length,
  );
});

test('of several units of a level at a point the first by fid is taken, and such rows are counted', async () => {
  const folder = temporaryFolder();
  const features = [
    { fid: 7, values: ['BBB'], wkt: square(0, 0, 4) },
    { fid: 3, values: ['AAA'], wkt: square(2, 0, 4) },
  ];
  const source = writeDataset(join(folder, 'two.gpkg'), 'GPKG', [{ name: 'ADM_0', columns: ['GID_0'], features }]);
  await buildRelease(source, folder);
  const { text, summary } = await append('lon,lat\n1,1\n3,1\n5,1\n', { open: () => openFolder(folder, undefined) });
  // The level has no column with names.
  assert.equal(text, 'lon,lat,gid_0,name_0\n1,1,BBB,\n3,1,AAA,\n5,1,AAA,\n');
  assert.equal(summary.several, 1);
});

test('head ends it quietly', async () => {
  const table = join(temporaryFolder(), 'table.csv');
  writeFileSync(table, `lon,lat\n${`${SOUTH.at}\n`.repeat(200_000)}`);
  const command = '"$0" "$1" points --origin "$2" "$3" | head -n 2';
  const { status, text } = await runProgram('sh', ['-c', command, process.execPath, PROXY, out, table]);
  assert.equal(status, 0);
  assert.equal(text, `${['lon', 'lat', ...ADDED]}\n${[...SOUTH.at, ...SOUTH.units]}\n`);
});

test('wrong options and files are refused', () => {
  const refused: [args: string[], code: number, message: RegExp][] = [
    [['--origin', out, '--url', 'https://a.test'], 2, /--origin with --url: two sources/],
    [['--url', 'ftp://a.test'], 2, /--url: not a usable URL/],
    [['--origin', 's3://a/b'], 2, /--origin: not a folder/],
    [['--origin', out, 'nothing.csv'], 2, /nothing\.csv: not found/],
    [['--origin', temporaryFolder()], 1, /there is no release to serve/],
  ];
  for (const [args, code, message] of refused) {
    const { status, stdout, stderr } = run(args, { input: 'lon,lat\n' });
    assert.deepEqual([status, stdout], [code, ''], stderr);
    assert.match(stderr, message);
    assert.match(stderr, /what to do: /);
  }
  const { stderr } = run(['--url', 'https://a.test'], { input: '', env: { TOKEN: 'two secrets' } });
  assert.match(stderr, /TOKEN of the environment: not a usable token/);
  assert.doesNotMatch(stderr, /two secrets/);
});

test('a damaged release is refused, and so is one without cells', async () => {
  const folder = temporaryFolder();
  await buildRelease(writeCountries(), folder);
  const open = (): Promise<OpenRelease> => openFolder(folder, undefined);
  await assert.rejects(append('lon,lat\n', { open }), { message: /no cells/, remedy: /--no-cells/ });
  const other = temporaryFolder();
  await buildRelease(writeCountries(), other);
  const file = join(other, 'releases', 'r1', 'lv2', 'cells.bin');
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length - 4);
  writeFileSync(file, bytes);
  const table = join(other, 'table.csv');
  writeFileSync(table, `lon,lat\n${SOUTH.at}\n${LATE.at}\n0.1,3.5\n10.5,0.5\n`);
  const { status, stderr } = run(['--origin', other, table]);
  assert.equal(status, 1);
  assert.match(stderr, /lv2\/cells\.bin: cell \d+ is damaged/);
  assert.match(stderr, /what to do: /);
  truncateSync(join(other, 'releases', 'r1', 'lv1', 'names.jsonl.gz'), 20);
  assert.match(run(['--origin', other, table]).stderr, /names\.jsonl\.gz.*\n {2}what to do: /);
});

/** A server in front of the service, which says what was asked. */
async function frontOf(behind: string, before: (path: string, count: number) => Promise<void> = async () => {}) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    await before(path, asked.length);
    const { authorization = '', 'if-none-match': tag } = request.headers;
    const headers = { authorization, ...(tag !== undefined && { 'if-none-match': tag }) };
    const answer = await fetch(behind + path, { headers });
    asked.push(`${answer.status} ${path.replace('/api/v1/', '')}`);
    const kept = ['etag', 'boundaries-release', 'boundaries-matched', 'content-type'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    });
    response.writeHead(answer.status, Object.fromEntries(kept));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, asked };
}

const TABLE = `lon,lat\n${SOUTH.at}\n${LATE.at}\n`;
const EXPECTED = `${['lon', 'lat', ...ADDED]}\n${[...SOUTH.at, ...SOUTH.units]}\n${[...LATE.at, ...LATE.units]}\n`;

test('of a service the files are fetched once, and asked for by entity tag from then on', async () => {
  const { url, asked } = await frontOf(service.url);
  const cache = temporaryFolder();
  const env = { TOKEN: token, XDG_CACHE_HOME: cache };
  const runThere = (base: string) =>
    runProgram('sh', ['-c', 'printf "$3" | "$0" "$1" points --url "$2"', process.execPath, PROXY, base, TABLE], {
      env: { ...process.env, ...env },
    });
  const first = await runThere(url);
  assert.ok(first.text.startsWith(EXPECTED), first.text);
  assert.equal(asked.filter((one) => one.startsWith('200 ')).length, 9);
  assert.equal(asked.filter((one) => one.startsWith('304 ')).length, 9);
  asked.length = 0;
  assert.ok((await runThere(`${url}/api/v1/`)).text.startsWith(EXPECTED));
  assert.equal(asked.length, 9);
  assert.ok(
    asked.every((one) => one.startsWith('304 ')),
    asked.join(),
  );
  const files = cacheFolder({ XDG_CACHE_HOME: cache });
  for (const name of readdirSync(files)) assert.equal(statSync(join(files, name)).mode & 0o077, 0, name);
});

test('a file of the cache that was cut, changed or removed is fetched again', async () => {
  const { url, asked } = await frontOf(service.url);
  const folder = temporaryFolder();
  const open = (): Promise<OpenRelease> => openService({ url, token }, undefined, new Cache(folder));
  assert.equal((await append(TABLE, { open })).text, EXPECTED);
  const names = readdirSync(folder).sort();
  assert.equal(names.length, 18);
  const faults: ((file: string) => void)[] = [
    (file) => truncateSync(file, 10),
    (file) => writeFileSync(file, ''),
    (file) =>
      writeFileSync(
        file,
        readFileSync(file).map((byte) => byte ^ 1),
      ),
  ];
  for (const [i, fault] of faults.entries())
    for (const ending of ['.bin', '.json']) {
      const name = names.filter((one) => one.endsWith(ending))[i] ?? assert.fail();
      fault(join(folder, name));
      asked.length = 0;
      assert.equal((await append(TABLE, { open })).text, EXPECTED);
      assert.equal(asked.filter((one) => one.startsWith('200 ')).length, 1, `${ending} ${asked.join()}`);
    }
  assert.deepEqual(readdirSync(folder).sort(), names);
});

test('a release that takes the place of another meanwhile is fetched as a whole', async () => {
  const folder = temporaryFolder();
  await buildRelease(writeCountries(), folder);
  const changing = await startService(folder);
  const next = writeDataset(join(folder, 'next.gpkg'), 'GPKG', [
    {
      name: 'ADM_0',
      columns: ['GID_0', 'COUNTRY'],
      features: [{ fid: 1, values: ['CCC', 'Celand'], wkt: square(0, 0, 4) }],
    },
  ]);
  const { url, asked } = await frontOf(changing.url, async (_, count) => {
    if (count !== 4) return;
    await buildRelease(next, folder, { release: 'r2' });
    await changing.releases.refresh();
  });
  const open = (): Promise<OpenRelease> => openService({ url, token }, undefined, new Cache(temporaryFolder()));
  const { text, summary } = await append(TABLE, { open });
  assert.equal(summary.release, 'r2');
  assert.equal(text, `lon,lat,gid_0,name_0\n${SOUTH.at},CCC,Celand\n${LATE.at},CCC,Celand\n`);
  assert.ok(asked.length > 14, asked.join());
});

test('a release that is replaced for ever, a wrong service, and none at all are errors', async () => {
  let count = 0;
  const endless = createServer((_, response) => {
    response.writeHead(200, { etag: `"${count++}"`, 'boundaries-release': `r${count}`, 'boundaries-matched': '0' });
    response.end('["fid","gid","name","type","parent","children"]\n');
  });
  const other = createServer((_, response) => response.end('hello'));
  const cut = createServer((_, response) => {
    response.writeHead(200, { etag: '"1"', 'boundaries-release': 'r1', 'content-length': '100' });
    response.write('["fid"', () => response.destroy());
  });
  const refused: [url: string, message: RegExp][] = [
    [`http://127.0.0.1:${await listen(endless)}`, /replaced again and again/],
    [`http://127.0.0.1:${await listen(other)}`, /is not this service/],
    [`http://127.0.0.1:${await listen(cut)}`, /did not answer, or not to the end/],
    ['http://127.0.0.1:1', /did not answer, or not to the end/],
  ];
  for (const [url, message] of refused) {
    const folder = temporaryFolder();
    const open = (): Promise<OpenRelease> => openService({ url, token }, undefined, new Cache(folder));
    await assert.rejects(append(TABLE, { open }), (error) => {
      assert.ok(error instanceof StartError, String(error));
      assert.match(error.message, message);
      return error.remedy !== '';
    });
    // No draft is left.
    assert.ok(readdirSync(folder).every((name) => /^[0-9a-f]{32}\.(bin|json)$/.test(name)));
  }
});

test('without a token, or with one that is refused, the error says so, and shows no token', async () => {
  const cache = new Cache(temporaryFolder());
  const open = (given: string | undefined) => () => openService({ url: service.url, token: given }, undefined, cache);
  await assert.rejects(append(TABLE, { open: open(undefined) }), { message: /wants a token/, remedy: /set TOKEN/ });
  await assert.rejects(append(TABLE, { open: open('abc.def') }), (error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /the token is refused, 401: /);
    assert.doesNotMatch(`${error.message}${error.where}${error.remedy}`, /abc\.def/);
    return true;
  });
  const open2 = await startService(out, { isPublic: true });
  const free = (): Promise<OpenRelease> => openService({ url: open2.url, token: undefined }, undefined, cache);
  assert.equal((await append(TABLE, { open: free })).text, EXPECTED);
});

test('a service without cells is named as such', async () => {
  const folder = temporaryFolder();
  await buildRelease(writeCountries(), folder);
  const { url } = await startService(folder);
  const open = (): Promise<OpenRelease> => openService({ url, token }, undefined, new Cache(temporaryFolder()));
  await assert.rejects(append(TABLE, { open }), { message: /no cells to look points up in/, remedy: /--no-cells/ });
});

test('a cache that cannot be written is named, with what to do', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  assert.throws(() => new Cache(join(file, 'points')), {
    message: /the cache cannot be written/,
    remedy: /XDG_CACHE_HOME/,
  });
});
