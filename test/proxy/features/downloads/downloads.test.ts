// Downloads as clients make them: with curl, wget and zcat, over connections that are cut, while a release
// switches, and from files that are damaged. Conditions on entity tags: If-Match, which pins what is read in ranges,
// beside If-None-Match and Range (RFC 9110 section 13.2.2); of other adapters contract/exchanges.ts compares them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../../format/element-at.ts';
import { featureFilePath, neighboursTablePath, releasePath, unitsTablePath } from '../../../../format/layout.ts';
import { circularMemory } from '../../../../proxy/work/body-buffers.ts';
import { testAnyDownload } from '../../../contract/any-request.ts';
import { after } from '../../../support/after.ts';
import { MANY_SIZES, readStored } from '../../../support/datasets/large-dataset.ts';
import { writeCountries } from '../../../support/datasets/small-datasets.ts';
import { dice } from '../../../support/dice.ts';
import { refusal, send, type Target } from '../../../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../../../support/http/in-process-proxy.ts';
import { runProgram, without } from '../../../support/processes/programs.ts';
import { buildCountries, buildRelease } from '../../../support/releases/build-release.ts';
import { enlargeFeature } from '../../../support/releases/large-page.ts';
import { pointTo } from '../../../support/releases/point-to.ts';
import { replaceNeighbours } from '../../../support/releases/reseal.ts';
import { worldOutput } from '../../../support/releases/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { watchedOrigin } from '../../../support/watched-origin.ts';

/** Runs of the comparison of any download with the stored text, here of one with large units. */
const RUNS = 20;
const MIB = 1024 * 1024;
/** Countries, of which one has more than a MiB. */
const COUNTRIES = '/api/v1/download/lv0.geojsonl.gz';
const COLLECTION = '/api/v1/download/lv0.geojson.gz';
const HEADER = `Authorization: ${AUTHORIZED.authorization}`;

const folder = await worldOutput({ size: MANY_SIZES, pages: 'unfiltered', isChanged: true });
const stored = readStored(folder, 'r1');
const proxy = await startService(folder);
const whole = { [COUNTRIES]: (await send(proxy, COUNTRIES)).body, [COLLECTION]: (await send(proxy, COLLECTION)).body };
assert.ok(whole[COUNTRIES].length > 1.5 * MIB, `${whole[COUNTRIES].length}`);

testAnyDownload(proxy, stored, RUNS);

/** An answer of which nothing but its head has been read. */
async function begin({ url }: Target, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const sent = request(`${url}${path}`, { agent: false, headers: { ...AUTHORIZED, ...headers } }).end();
  const [res] = await once(sent, 'response');
  return res;
}

/** What arrives of its body until its connection ends. */
async function restOf(res: IncomingMessage): Promise<{ body: Buffer; isWhole: boolean }> {
  const pieces: Buffer[] = [];
  res.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => {});
  await new Promise((resolve) => res.once('close', resolve));
  return { body: Buffer.concat(pieces), isWhole: res.complete };
}

interface Received {
  status: number | undefined;
  body: Buffer;
  isWhole: boolean;
}

async function receive(at: Target, path: string, headers: Record<string, string> = {}): Promise<Received> {
  const res = await begin(at, path, headers);
  return { status: res.statusCode, ...(await restOf(res)) };
}

/** What arrived of bytes that are damaged further on: none, with a problem, or the right ones up to there. */
function beginningOf({ status, body, isWhole }: Received, right: Buffer, what: string): Buffer {
  if (status === 502) return Buffer.of();
  assert.ok(!isWhole && body.length < right.length, `${what} looks whole`);
  assert.ok(right.subarray(0, body.length).equals(body), `${what}: wrong bytes were sent`);
  return body;
}

/** A way to the service on which every connection is cut: after so many bytes from the service. */
async function cuttingWay({ url }: Target, below: number, seed: number): Promise<{ url: string; cuts: () => number }> {
  const random = dice(seed);
  let cuts = 0;
  const server = createServer((client) => {
    const service = connect(Number(new URL(url).port), '127.0.0.1');
    let left = 1000 + random(below);
    const end = (): void => {
      client.destroy();
      service.destroy();
    };
    service.on('data', (piece) => {
      client.write(piece.subarray(0, left));
      left -= piece.length;
      if (left > 0) return;
      cuts++;
      // What was written arrives, then the connection ends.
      client.end();
      service.destroy();
    });
    client.on('data', (piece) => service.write(piece));
    for (const socket of [client, service]) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cuts: () => cuts };
}

for (const [program, seed, argsOf] of [
  ['curl', 7, (file: string, url: string) => ['-s', '-C', '-', '-H', HEADER, '-o', file, url, '-f']],
  [
    'wget',
    8,
    (file: string, url: string) => ['-q', '-c', '--tries=0', '--waitretry=0', '--header', HEADER, '-O', file, url],
  ],
] as const)
  test(`${program} completes a download whose connections are cut at random places`, {
    skip: without(`${program} --version`),
  }, async () => {
    for (const [path, right] of Object.entries(whole)) {
      const way = await cuttingWay(proxy, MIB / 4, seed);
      const file = join(temporaryFolder(), 'countries.gz');
      const args = argsOf(file, `${way.url}${path}`);
      let ended = await runProgram(program, args);
      // Of curl, 18: the connection ended before the file did.
      while (program === 'curl' && ended.status === 18) ended = await runProgram(program, args);
      assert.equal(ended.status, 0, ended.text);
      assert.ok(way.cuts() >= 4, `${way.cuts()} cuts`);
      assert.ok(readFileSync(file).equals(right));
      // Nothing is left to do: 416, of which -f would make an error.
      assert.equal((await runProgram(program, args.slice(0, program === 'curl' ? -1 : undefined))).status, 0);
      assert.ok(readFileSync(file).equals(right));
    }
  });

test('curl saves a download under the name that it is given, and zcat prints a line for each feature', {
  skip: without('curl --version', 'zcat --version'),
}, async () => {
  const cwd = temporaryFolder();
  const url = `${proxy.url}/api/v1/download/lv2.geojsonl.gz?gid-0=U0.3_1`;
  assert.equal((await runProgram('curl', ['-sSOJ', '-H', HEADER, url], { cwd })).status, 0);
  const { text } = await runProgram('sh', ['-c', 'zcat boundaries-r1-lv2-U0.3_1.geojsonl.gz | wc -l'], { cwd });
  const units = elementAt(stored, 2).units.filter(({ gids }) => gids[0] === 'U0.3_1');
  assert.ok(units.length > 1);
  assert.equal(Number(text), units.length);
});

test('memory of a stream is used again only where nothing can still wait to be sent', () => {
  /** The largest high-water mark of node:http. */
  const waitingMax = 64 * 1024 - 1;
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: MIB }), fc.integer({ min: 1, max: 40_000 })), {
    minLength: 5,
    maxLength: 60,
  });
  fc.assert(
    fc.property(sizes, (taken) => {
      const take = circularMemory();
      let waiting: { bytes: Buffer; mark: number }[] = [];
      for (const [i, size] of taken.entries()) {
        const piece = take(size).fill(i + 1);
        for (const { bytes, mark } of waiting) assert.ok(bytes.equals(Buffer.alloc(bytes.length, mark)));
        // Of what was taken, the last bytes wait.
        let left = waitingMax;
        waiting = [{ bytes: piece, mark: i + 1 }, ...waiting].map(({ bytes, mark }) => {
          const kept = bytes.subarray(Math.max(0, bytes.length - left));
          left -= kept.length;
          return { bytes: kept, mark };
        });
      }
    }),
    { numRuns: 50 },
  );
});

test('a download through a release switch ends on the release it began with', async () => {
  const own = await buildCountries();
  const { data } = enlargeFeature(own, 16 * MIB);
  await buildRelease(writeCountries(), own, { release: 'r2' });
  pointTo(own, 'r1', ['r1', 'r2']);
  const service = await startService(own);
  const [first, second] = [await begin(service, COUNTRIES), await begin(service, `${COUNTRIES}?release=r1`)];
  pointTo(own, 'r2', ['r1', 'r2']);
  await service.releases.refresh();
  assert.equal((await send(service, COUNTRIES)).headers['boundaries-release'], 'r2');
  const { body, isWhole } = await restOf(first);
  assert.equal(isWhole, true);
  assert.equal(body.length, Number(first.headers['content-length']));
  // Not `includes`: in bytes that repeat it takes time in proportion to the square of their number.
  const at = body.indexOf(data.subarray(0, 64));
  assert.ok(body.subarray(at, at + data.length).equals(data));
  // Of a release whose files are removed meanwhile the rest cannot be had, and no other bytes instead of it.
  pointTo(own, 'r2');
  rmSync(join(own, releasePath('r1')), { recursive: true });
  await service.releases.refresh();
  const cut = await restOf(second);
  assert.equal(cut.isWhole, false);
  assert.ok(body.subarray(0, cut.body.length).equals(cut.body));
  const more = { range: `bytes=${cut.body.length}-` };
  refusal(await send(service, `${COUNTRIES}?release=r1`, more), 410, 'release-gone');
});

/** Of each level and file, a byte that is flipped, as a part of the file. */
const DAMAGES = [
  { name: 'lv0.geojsonl.gz', level: 0, file: 0, part: 0.000_01 },
  // In the unit that is larger than what is held of a download.
  { name: 'lv0.geojson.gz', level: 0, file: 0, part: 0.6 },
  { name: 'lv1.geojsonl.gz', level: 1, file: 1, part: 0.9 },
] as const;

test('of a damaged file nothing wrong is sent: the download ends before its last byte, and is completed once it is mended', async () => {
  // Of smaller units, and of any range, simulations have it.
  for (const { name, level, file, part } of DAMAGES) {
    const path = `/api/v1/download/${name}`;
    const right = (await send(proxy, path)).body;
    const damaged = join(folder, releasePath('r1'), featureFilePath(level, file));
    const bytes = readFileSync(damaged);
    const offset = Math.floor(part * bytes.length);
    writeFileSync(damaged, bytes.with(offset, elementAt(bytes, offset) ^ 1));
    // With a service that has not read the file yet.
    const service = await startService(folder);
    const have = beginningOf(await receive(service, path), right, path);
    const rest = { range: `bytes=${have.length}-` };
    beginningOf(await receive(service, path, rest), right.subarray(have.length), `${path}: a range with the damage`);
    writeFileSync(damaged, bytes);
    const end = await receive(service, path, rest);
    assert.ok(end.isWhole && Buffer.concat([have, end.body]).equals(right), `${path}: cannot be completed`);
  }
});

const countries = await buildCountries();
const small = await startService(countries);
const UNITS = '/api/v1/download/lv2.geojsonl.gz';
const PAGE = '/api/v1/fc/lv1';

async function tagOf(path: string): Promise<string> {
  const { etag } = (await send(small, path, {}, 'HEAD')).headers;
  return etag ?? assert.fail(`${path} has no ETag`);
}

test('If-Match that names another entity tag is 412, by strong comparison, whatever else the request says', async () => {
  for (const path of [UNITS, PAGE]) {
    const etag = await tagOf(path);
    for (const wanted of ['"another"', `W/${etag}`, `"a", W/${etag}`, ''])
      for (const more of [{}, { range: 'bytes=0-1' }, { range: 'bytes=999999999-' }, { 'if-none-match': etag }]) {
        const answer = await send(small, path, { 'if-match': wanted, ...more });
        refusal(answer, 412, 'precondition-failed');
      }
    assert.equal((await send(small, path, { 'if-match': '"another"' }, 'HEAD')).status, 412);
  }
});

test('If-Match that names it changes nothing: whole, range, 304 and 416 are as without', async () => {
  const etag = await tagOf(UNITS);
  for (const wanted of [etag, '*', `"a" , ${etag}`])
    for (const more of [{}, { range: 'bytes=2-5' }, { range: 'bytes=999999999-' }, { 'if-none-match': etag }]) {
      const [plain, pinned] = [
        await send(small, UNITS, more),
        await send(small, UNITS, { ...more, 'if-match': wanted }),
      ];
      assert.deepEqual([pinned.status, pinned.body], [plain.status, plain.body], JSON.stringify(more));
    }
  // What has no entity tag has no condition.
  assert.equal((await send(small, '/healthz', { 'if-match': '"a"' })).status, 200);
  assert.equal((await send(small, '/api/v1/fc/lv9', { 'if-match': '"a"' })).status, 404);
});

test('a flipped byte in any block of a table is 502 before a byte of that block is sent; other blocks are right', async () => {
  const path = '/api/v1/download/lv0.parquet';
  const name = join(folder, releasePath('r1'), unitsTablePath(0));
  const file = readFileSync(name);
  const block = 64 * 1024;
  const ask = (from: number, to = from + 1) => send(service, path, { range: `bytes=${from}-${to - 1}` });
  assert.ok(file.length > 8 * block, `${file.length} bytes`);
  const service = await startService(folder);
  const blocks = Math.ceil(file.length / block);
  for (const damaged of [0, blocks >> 1, blocks - 1]) {
    const start = damaged * block;
    const end = Math.min(file.length, start + block);
    for (const at of [start, end - 1]) {
      writeFileSync(name, file.with(at, 1 ^ elementAt(file, at)));
      for (const from of [start, start + 100, end - 1]) refusal(await ask(from), 502, 'origin-damaged');
      assert.ok(beginningOf(await receive(service, path), file, `byte ${at}`).length <= start);
      for (const other of [start - 1, end].filter((byte) => byte >= 0 && byte < file.length)) {
        const { status, body } = await ask(other);
        assert.deepEqual([status, body[0]], [206, file[other]]);
      }
    }
  }
  writeFileSync(name, file);
  assert.ok((await send(service, path)).body.equals(file));
});

test('a table of neighbours is read as a whole for its first range, for others only the blocks that they meet', async () => {
  const own = await buildCountries({ cells: true, neighbours: true });
  const line = (): string => `${randomBytes(512).toString('base64url')}\n`;
  const more = Array.from({ length: 3000 }, line).join('');
  replaceNeighbours(join(own, 'releases/r1'), 1, { table: (text) => text + more });
  const path = join('releases/r1', neighboursTablePath(1));
  const file = readFileSync(join(own, path));
  let bytes = 0;
  const origin = watchedOrigin(own, (asked, extent) => {
    if (asked === path && typeof extent === 'object') bytes += extent.length;
  });
  const service = await startService(own, { origin });
  const download = '/api/v1/download/lv1.neighbours.csv.gz';
  const rangeOf = (from: number, to: number) => ({ range: `bytes=${from}-${to - 1}` });
  const ask = (from: number, to: number) => send(service, download, rangeOf(from, to));
  const assertRange = async (from: number, to: number): Promise<void> => {
    const { status, body } = await ask(from, to);
    assert.ok(status === 206 && body.equals(file.subarray(from, to)), `${from}-${to}: ${status}`);
  };
  const last = file.length - 1;
  await Promise.all(Array.from({ length: 20 }, () => assertRange(last, last + 1)));
  for (let i = 0; i < 20; i++) await assertRange(i * 70_000, i * 70_000 + 1);
  const blocks = 40 * 64 * 1024;
  assert.ok(bytes > 0 && bytes <= file.length + blocks, `${bytes} bytes of ${file.length}`);
  for (const [from, to] of [
    [0, file.length],
    [65_535, 65_537],
    [65_536, 131_072],
    [300_000, 1_400_001],
    [1, last],
  ] as const)
    await assertRange(from, to);
  // What was right once is compared each time.
  writeFileSync(join(own, path), file.with(200_000, 1 ^ elementAt(file, 200_000)));
  await assertRange(0, 100_000);
  refusal(await ask(199_000, 199_001), 502, 'origin-damaged');
  const damaged = await receive(service, download, rangeOf(100_000, 300_000));
  assert.ok(beginningOf(damaged, file.subarray(100_000, 300_000), 'a range with the damage').length <= 100_000);
  writeFileSync(join(own, path), file);
  await assertRange(100_000, 300_000);
});
