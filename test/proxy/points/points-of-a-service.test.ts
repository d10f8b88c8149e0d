// `points` with the address of a service: its files are fetched once, are of one release, and are kept in a cache.
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, gzipSync } from 'node:zlib';
import { directoryBytes } from '../../../format/cells.ts';
import { LEVELS, levelName } from '../../../format/levels.ts';
import { StartError } from '../../../proxy/config/start-error.ts';
import { type OpenRelease, openAddress } from '../../../proxy/points/open-release.ts';
import { loadLevel } from '../../../proxy/points/reader.ts';
import { Cache, cacheFolder } from '../../../proxy/tables/cache.ts';
import type { Service } from '../../../proxy/tables/service.ts';
import { layerOf, square } from '../../support/datasets/write-dataset.ts';
import { type RunningService, startService, TOKEN } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { ADDED, append, LATE, SOUTH } from '../../support/points-table.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildCountries, buildLayers } from '../../support/releases/build-release.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const out = await buildCountries({ cells: true });
const service = await startService(out);

function opening(source: Service, cache = new Cache(temporaryFolder())) {
  return (): Promise<OpenRelease> => openAddress(source, undefined, cache);
}

/**
 * A server in front of the service, which says what was asked.
 * @param keeps the paths whose first answer it gives from then on, as a shared cache does for minutes
 */
async function frontOf(
  behind: string,
  before: (path: string, count: number) => Promise<void> = async () => {},
  keeps = /^$/,
) {
  const asked: string[] = [];
  /** What is no path of the API, and how much was asked before. */
  const others: [path: string, before: number][] = [];
  const kept = new Map<string, { status: number; headers: [string, string][]; body: Buffer }>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/api/')) {
      others.push([path, asked.length]);
      return response.writeHead(404).end();
    }
    await before(path, asked.length);
    const known = kept.get(path);
    if (known !== undefined) return response.writeHead(known.status, Object.fromEntries(known.headers)).end(known.body);
    const { authorization = '', 'if-none-match': tag } = request.headers;
    const headers = { authorization, ...(tag !== undefined && { 'if-none-match': tag }) };
    const answer = await fetch(behind + path, { headers });
    asked.push(`${answer.status} ${path.replace('/api/v1/', '')}`);
    const headersOf = ['etag', 'boundaries-release', 'boundaries-matched', 'content-type'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (keeps.test(path)) kept.set(path, { status: answer.status, headers: headersOf, body });
    return response.writeHead(answer.status, Object.fromEntries(headersOf)).end(body);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, asked, others };
}

/** Makes a release of another country, r2, the one that a service serves. */
async function replaceRelease(folder: string, { releases }: RunningService): Promise<void> {
  const layer = layerOf('ADM_0', ['GID_0', 'COUNTRY'], [[['CCC', 'Celand'], square(0, 0, 4)]]);
  await buildLayers([layer], { release: 'r2', cells: true }, folder);
  await releases.refresh();
}

/** Fails unless a service is refused with this message, and its cache has no draft. */
async function assertRefused(source: Omit<Service, 'token'>, message: RegExp): Promise<void> {
  const folder = temporaryFolder();
  const open = opening({ ...source, token: TOKEN }, new Cache(folder));
  await assert.rejects(append(TABLE, open), { message, remedy: /./ });
  assert.ok(readdirSync(folder).every((name) => /^[0-9a-f]{32}\.(bin|json)$/.test(name)));
}

const TABLE = `lon,lat\n${SOUTH.at}\n${LATE.at}\n`;
const EXPECTED = `${['lon', 'lat', ...ADDED]}\n${[...SOUTH.at, ...SOUTH.units]}\n${[...LATE.at, ...LATE.units]}\n`;

test('of a service the files are fetched once, and asked for by entity tag from then on', async () => {
  const { url, asked, others } = await frontOf(service.url);
  const env = { TOKEN, XDG_CACHE_HOME: temporaryFolder() };
  const printed = async (base: string): Promise<string> =>
    (await typed('proxy', ['points', '--url', base], { stdin: TABLE, env })).stdout;
  const count = (status: string): number => asked.filter((one) => one.startsWith(status)).length;
  assert.equal(await printed(url), EXPECTED);
  assert.deepEqual([count('200 '), asked.length], [9, 9], asked.join());
  asked.length = 0;
  assert.equal(await printed(`${url}/api/v1/`), EXPECTED);
  assert.deepEqual([count('304 '), asked.length], [9, 9], asked.join());
  // Each time first whether it is an output folder.
  assert.deepEqual(others, [
    ['/current.json', 0],
    ['/current.json', 0],
  ]);
  const files = cacheFolder(env);
  for (const name of readdirSync(files)) assert.equal(statSync(join(files, name)).mode & 0o077, 0, name);
});

test('a file of the cache that was cut, changed or removed is fetched again', async () => {
  const { url, asked } = await frontOf(service.url);
  const folder = temporaryFolder();
  const open = opening({ url, token: TOKEN }, new Cache(folder));
  assert.equal((await append(TABLE, open)).text, EXPECTED);
  const names = readdirSync(folder).sort();
  assert.equal(names.length, 18);
  const flip = (file: string): Uint8Array => readFileSync(file).map((byte) => byte ^ 1);
  const faults: ((file: string) => void)[] = [
    (file) => truncateSync(file, 10),
    (file) => writeFileSync(file, ''),
    (file) => writeFileSync(file, flip(file)),
    (file) => rmSync(file),
  ];
  for (const [i, fault] of faults.entries())
    for (const ending of ['.bin', '.json']) {
      const name = names.filter((one) => one.endsWith(ending))[i] ?? assert.fail();
      fault(join(folder, name));
      asked.length = 0;
      assert.equal((await append(TABLE, open)).text, EXPECTED);
      assert.equal(asked.filter((one) => one.startsWith('200 ')).length, 1, `${ending} ${asked.join()}`);
    }
  assert.deepEqual(readdirSync(folder).sort(), names);
});

test('a release that takes the place of another meanwhile is fetched as a whole', async () => {
  const folder = copyOf(out);
  const changing = await startService(folder);
  const { url, asked } = await frontOf(changing.url, async (_, count) => {
    if (count !== 4) return;
    await replaceRelease(folder, changing);
  });
  const { text, summary } = await append(TABLE, opening({ url, token: TOKEN }));
  assert.equal(summary.release, 'r2');
  assert.equal(text, `lon,lat,gid_0,name_0\n${SOUTH.at},CCC,Celand\n${LATE.at},CCC,Celand\n`);
  assert.equal(asked.length, 6 + 6 + 1, asked.join());
});

test('behind a cache that has names of the release before, units are of that release: by points and by its module', async () => {
  const folder = copyOf(out);
  const changing = await startService(folder, { isPublic: true });
  const { url } = await frontOf(changing.url, undefined, /names/);
  for (const level of LEVELS) await fetch(`${url}/api/v1/names/${levelName(level)}`);
  await replaceRelease(folder, changing);
  const { text, summary } = await append(TABLE, opening({ url, token: undefined }));
  assert.deepEqual([text, summary.release], [EXPECTED, 'r1']);
  const [longitude = '', latitude = ''] = SOUTH.at;
  // The address that README calls BASE, too.
  for (const address of [url, `${url}/api/v1`, `${url}/api/v1/`]) {
    const [unit] = (await loadLevel({ url: address, level: 'lv0' })).at(longitude, latitude);
    assert.equal(unit?.gid, SOUTH.units[0]);
  }
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
  for (const [port, message] of [
    [await listen(endless), /replaced again and again/],
    [await listen(other), /is neither this service nor an output folder/],
    [await listen(cut), /did not answer, or not to the end/],
    [1, /did not answer, or not to the end/],
  ] as const)
    await assertRefused({ url: `http://127.0.0.1:${port}` }, message);
});

test('endless names and cells, silence, and cells that are none are errors that say what to do, and nothing is kept', async () => {
  const headers = { etag: '"1"', 'boundaries-release': 'r1', 'boundaries-matched': '1' };
  const names = '["fid","gid","name","type","parent","children"]\n[1,"A","A",null,null,0]\n';
  const cells = readFileSync(join(out, 'releases', 'r1', 'lv0', 'cells.bin'));
  const many = Buffer.from(cells);
  many.writeUInt32LE(2 ** 32 - 1, 24);
  const elsewhere = Buffer.from(cells);
  elsewhere.writeDoubleLE(2 ** 50, 32 + 8 * cells.readUInt32LE(24) + 8 * cells.readUInt32LE(24));
  elsewhere.writeUInt32LE(crc32(elsewhere.subarray(16, directoryBytes(cells.readUInt32LE(24)))), 12);
  const zeros = gzipSync(Buffer.alloc(2_000_000));
  const bomb = { path: /names/, body: zeros, coding: 'gzip', message: /sends more than a file of names has/ };
  for (const { path, body, coding = 'identity', message } of [
    bomb,
    { path: /cells/, body: Buffer.alloc(2_000_000), message: /sends more than a file of cells has/ },
    { path: /names/, body: undefined, message: /did not answer, or not to the end: .*nothing came for 0.2 s/ },
    { path: /cells/, body: Buffer.from('rubbish'), message: /not what they should be: .* like a file of cells/ },
    { path: /cells/, body: many, message: /not what they should be: / },
    { path: /cells/, body: elsewhere, message: /not what they should be: / },
  ]) {
    const server = createServer((request, response) => {
      const isIt = path.test(request.url ?? '');
      response.writeHead(200, { ...headers, ...(isIt && { 'content-encoding': coding }) });
      if (!isIt) response.end(/names/.test(request.url ?? '') ? names : cells);
      else if (body === undefined) response.flushHeaders();
      else response.end(body);
    });
    // Only who is silent is given up soon: others may be slow.
    const limits = { namesBytes: 1_000_000, cellsBytes: 1_000_000, idleMs: body === undefined ? 200 : 60_000 };
    await assertRefused({ url: `http://127.0.0.1:${await listen(server)}`, limits }, message);
  }
});

test('without a token, or with one that is refused, the error says so, and shows no token', async () => {
  const { url } = service;
  const without = append(TABLE, opening({ url, token: undefined }));
  await assert.rejects(without, { message: /wants a token/, remedy: /set TOKEN/ });
  await assert.rejects(append(TABLE, opening({ url, token: 'abc.def' })), (error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /the token is refused, 401: /);
    assert.doesNotMatch(`${error.message}${error.where}${error.remedy}`, /abc\.def/);
    return true;
  });
  const free = await startService(out, { isPublic: true });
  assert.equal((await append(TABLE, opening({ url: free.url, token: undefined }))).text, EXPECTED);
});

test('a service without cells is named as such', async () => {
  const folder = await buildCountries();
  const { url } = await startService(folder);
  const refused = append(TABLE, opening({ url, token: TOKEN }));
  await assert.rejects(refused, { message: /no cells to look points up in/, remedy: /--no-cells/ });
});

test('a cache that cannot be written is named, with what to do', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const expected = { message: /the cache cannot be written/, remedy: /XDG_CACHE_HOME/ };
  assert.throws(() => new Cache(join(file, 'points')), expected);
  const shared = temporaryFolder();
  chmodSync(shared, 0o777);
  assert.throws(() => new Cache(shared), { message: /^others may write to the cache$/, remedy: /XDG_CACHE_HOME/ });
});
