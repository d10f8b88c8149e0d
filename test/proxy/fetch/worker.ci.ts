// The example for Cloudflare Workers in workerd: a bucket of R2 as origin, what is loaded and when, what workerd itself
// answers. The contract suite runs on it, too.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { signRelease } from '../../../generator/release/sign.ts';
import { newKeyPair } from '../../../proxy/auth/key-pair.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { filesUnder } from '../../support/files.ts';
import { refusal, send, sendRaw, walk } from '../../support/http/http-client.ts';
import { AUTHORIZED, JWKS, NO_TOKEN } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { startR2 } from '../../support/http/r2-server.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { runProgram } from '../../support/processes/programs.ts';
import { withCompiledPrograms } from '../../support/processes/typed-commands.ts';
import { startWorker } from '../../support/processes/workerd.ts';
import { codeIn } from '../../support/readme-code.ts';
import { buildCountries, buildRelease } from '../../support/releases/build-release.ts';
import { enlargeFeature } from '../../support/releases/large-page.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { worldOutput } from '../../support/releases/world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const PATH = '/api/v1/geojsonl/lv2?page-size=7';
/** The variables of tokens that a public Worker does without. */
const NO_TOKENS = { JWKS_URL: undefined, ISSUER: undefined, AUDIENCE: undefined };
const folder = await worldOutput();
const bucket = await startR2(folder);
const stored = await startWorker({ r2Port: bucket.port, vars: {} });
const host = await startStaticHost(folder);
const worker = await startWorker({ vars: { ORIGIN_URL: host.url.href } });

/** What it logs comes by another way than its answers, and may come after them. */
function untilLogged({ log }: { log: readonly string[] }, text: RegExp): Promise<void> {
  return until(
    () => text.test(log.join()),
    () => `${text} is not logged: ${log.join()}`,
  );
}

test('a bucket of R2 is an origin: all pages, stored and sliced; one that fails is a 503', async () => {
  assert.equal((await walk(stored, '/api/v1/fc/lv2')).length, 260);
  assert.equal((await walk(stored, '/api/v1/geojsonl/lv2?page-size=99&gid-0=U0.3_1')).length > 0, true);
  assert.deepEqual(stored.log, []);
  bucket.isBroken = true;
  refusal(await send(stored, '/api/v1/fc/lv4'), 503, 'origin-unreachable');
  await untilLogged(stored, /./);
  assert.equal(stored.log.length, 1);
  bucket.isBroken = false;
});

test('in a bucket, too, a feature of 3 MB is sent as it is, and a file that is cut is a 502 and named in the log', async () => {
  const changed = await worldOutput({ pages: 'none', isChanged: true });
  const { data } = enlargeFeature(changed, 3_000_000);
  for (const file of ['lv1/index.bin', 'lv2/features/000001.geojsonl.gz'])
    truncateSync(join(changed, 'releases/r1', file), 100);
  const worker = await startWorker({ r2Port: (await startR2(changed)).port, vars: {} });
  const { status, body } = await send(worker, '/api/v1/geojsonl/lv0?page-size=1', { 'accept-encoding': 'gzip' });
  assert.equal(status, 200);
  const at = body.indexOf(data.subarray(0, 64));
  assert.ok(body.subarray(at, at + data.length).equals(data));
  for (const level of ['lv1', 'lv2'])
    refusal(await send(worker, `/api/v1/geojsonl/${level}?page-size=3`), 502, 'origin-damaged');
  const named = /lv1\/index\.bin: 100 bytes, expected \d+.*lv2\/features\/000001\.geojsonl\.gz: damaged/s;
  await untilLogged(worker, named);
});

test('a level is loaded when it is first requested, once for requests that arrive together', async () => {
  const asked = (end: string): number => host.asked.filter(({ url }) => url.endsWith(end)).length;
  const answers = await Promise.all(Array.from({ length: 40 }, () => send(worker, PATH)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.deepEqual([asked('lv2/manifest.json'), asked('manifest.json'), asked('current.json')], [1, 1, 1]);
});

test('workerd joins repeated headers: two tokens are no token, two hosts no host', async () => {
  const auth = `Authorization: ${AUTHORIZED.authorization}\r\n`;
  const start = `GET ${PATH} HTTP/1.1\r\nConnection: close\r\n`;
  assert.match(await sendRaw(worker, `${start}Host: a.test\r\n${auth}${auth}\r\n`), /^HTTP\/1\.1 401 .*token-invalid/s);
  assert.match(
    await sendRaw(worker, `${start}Host: a.test\r\nHost: b.test\r\n${auth}\r\n`),
    /^HTTP\/1\.1 400 .*bad-host/s,
  );
  assert.match(await sendRaw(worker, `${start}Host: a/b\r\n${auth}\r\n`), /^HTTP\/1\.1 400 .*bad-host/s);
  for (const unparsed of [`${start}${auth}\r\n`, 'nonsense\r\n\r\n'])
    assert.match(await sendRaw(worker, unparsed), /^HTTP\/1\.1 (400|501) /);
});

test('headers that are too large get 431 or 414 up to the limit of workerd, which answers beyond it', async () => {
  refusal(await send(worker, `${PATH}&gid-0=${'a'.repeat(9000)}`), 414, 'uri-too-long');
  refusal(await send(worker, PATH, { 'x-long': 'a'.repeat(20_000) }), 431, 'headers-too-large');
});

test('a Worker with a trusted key serves what is signed with it, and nothing else', async () => {
  const signed = await worldOutput({ isChanged: true });
  const { privateKey, publicKey } = newKeyPair();
  await signRelease(signed, 'r1', privateKey);
  const TRUSTED_KEY = String(publicKey.export({ format: 'pem', type: 'spki' }));
  const vars = { ORIGIN_URL: (await startStaticHost(signed)).url.href, TRUSTED_KEY };
  const answer = await send(await startWorker({ vars }), PATH);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, (await send(worker, PATH)).body);
  const refused = await startWorker({ vars: { ...vars, ORIGIN_URL: host.url.href } });
  refusal(await send(refused, PATH), 503, 'not-ready');
  const unsigned = /release\.json\.sig: missing, so nobody has signed the release; expected one of the keys/;
  await untilLogged(refused, unsigned);
});

test("keys of one's own are a variable, PUBLIC serves everybody, and of keys that cannot be used little is shown", async () => {
  const ORIGIN_URL = host.url.href;
  const own = await startWorker({ vars: { ORIGIN_URL, JWKS, JWKS_URL: undefined } });
  assert.equal((await send(own, PATH)).status, 200);
  assert.equal((await send(own, PATH, NO_TOKEN)).status, 401);
  const open = await startWorker({ vars: { ORIGIN_URL, PUBLIC: 'true', ...NO_TOKENS } });
  assert.equal((await send(open, PATH, NO_TOKEN)).status, 200);
  const closed = await startWorker({ vars: { ORIGIN_URL, PUBLIC: false } });
  assert.equal((await send(closed, PATH, NO_TOKEN)).status, 401);
  const cut = JWKS.slice(0, -3);
  await assert.rejects(startWorker({ vars: { ORIGIN_URL, JWKS: cut, JWKS_URL: undefined } }), (error: Error) => {
    assert.match(error.message, /the key set cannot be used/);
    return !error.message.includes(cut.slice(0, 60));
  });
});

test('keys are an object of wrangler.toml, or a file of the bucket, too, which is read when a token needs it', async () => {
  const vars = { JWKS_URL: undefined };
  const object = await startWorker({ r2Port: bucket.port, vars: { ...vars, JWKS: JSON.parse(JWKS) } });
  assert.equal((await send(object, PATH)).status, 200);
  const out = await worldOutput({ isChanged: true });
  const own = await startR2(out);
  const file = await startWorker({ r2Port: own.port, vars: { ...vars, JWKS_FILE: 'keys.json' } });
  refusal(await send(file, PATH), 503, 'keys-unavailable');
  await untilLogged(file, /keys\.json is not in the bucket/);
  writeFileSync(join(out, 'keys.json'), JWKS);
  const later = await startWorker({ r2Port: own.port, vars: { ...vars, JWKS_FILE: 'keys.json' } });
  assert.equal((await send(later, PATH, NO_TOKEN)).status, 401);
  assert.equal(own.asked.filter(({ key }) => key === 'keys.json').length, 1);
  assert.equal((await send(later, PATH)).status, 200);
});

/**
 * Starts a cache: a server with the part of the protocol of workerd's Cache API that the Worker uses. What it keeps is what
 * Cache-Control lets it keep, until `kept` is cleared.
 */
async function startCache() {
  const kept = new Map<string, { head: string[]; body: Buffer }>();
  const server = createServer(async (req, res) => {
    const url = `${req.headers.host}${req.url}`;
    if (req.method === 'PUT') {
      const stored = await buffer(req);
      const end = stored.indexOf('\r\n\r\n');
      const [status = '', ...head] = stored.subarray(0, end).toString('latin1').split('\r\n');
      assert.match(status, / 200 /);
      assert.match(head.join('\n'), /^cache-control: public, max-age=\d+/im);
      kept.set(url, { head, body: stored.subarray(end + 4) });
      return void res.writeHead(204).end();
    }
    const known = kept.get(url);
    if (known === undefined) return void res.writeHead(504, { 'CF-Cache-Status': 'MISS' }).end();
    const headers = known.head.map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trim()];
    });
    const sent = headers.filter(([name]) => !/^(content-length|transfer-encoding)$/i.test(name));
    res.writeHead(200, [...sent, ['CF-Cache-Status', 'HIT']].flat()).end(known.body);
  });
  return { port: await listen(server), kept };
}

test('a public Worker answers from the cache, which has each answer once and plain; after a minute it has the next release', async () => {
  const out = await buildCountries({ cells: true });
  await buildRelease(writeCountries(), out, { release: 'r2' });
  pointTo(out, 'r1', ['r1', 'r2']);
  const own = await startStaticHost(out);
  const cache = await startCache();
  const path = '/api/v1/geojsonl/lv0?page-size=2';
  const vars = {
    ORIGIN_URL: own.url.href,
    PUBLIC: 'true',
    CURRENT_CACHE: '0s',
    ...NO_TOKENS,
  };
  const open = await startWorker({ vars, cachePort: cache.port });
  const plain = await send(await startWorker({ vars }), path, NO_TOKEN);
  const gzip = { ...NO_TOKEN, 'accept-encoding': 'gzip' };
  const first = await send(open, path, gzip);
  assert.deepEqual(
    [first.status, first.headers['content-encoding'], first.headers['etag']],
    [200, undefined, plain.headers['etag']],
  );
  assert.deepEqual(first.body, plain.body);
  await until(() => cache.kept.size === 1, 'nothing is kept');
  const asked = own.asked.length;
  const again = await send(open, path, gzip);
  assert.deepEqual([again.status, again.body, again.headers['etag']], [200, plain.body, plain.headers['etag']]);
  assert.equal(own.asked.length, asked);
  const replaced = { ...gzip, 'if-match': '"replaced"' };
  refusal(await send(open, path, replaced), 412, 'precondition-failed');
  // Neither errors, nor parts, nor what is large.
  refusal(await send(open, `${path}&x=1`, NO_TOKEN), 400, 'unknown-parameter');
  assert.equal((await send(open, '/api/v1/download/lv0.cells', { ...NO_TOKEN, range: 'bytes=0-6' })).status, 206);
  await send(open, path, NO_TOKEN, 'HEAD');
  assert.equal(cache.kept.size, 1);
  // The host has the next release.
  pointTo(out, 'r2', ['r1', 'r2']);
  assert.equal((await send(open, path, NO_TOKEN)).headers['boundaries-release'], 'r1');
  cache.kept.clear();
  assert.equal((await send(open, path, NO_TOKEN)).headers['boundaries-release'], 'r2');
  assert.deepEqual(open.log, []);
});

test("the lines of the example's page make keys, a token and the variables with which it answers", async () => {
  const there = temporaryFolder();
  // In the place of wrangler, which is another project's.
  const lines = codeIn('proxy/examples/worker/README.md', 'sh', '.dev.vars').replace('npx wrangler dev --local\n', '');
  const env = withCompiledPrograms();
  const { status, text } = await runProgram(
    'sh',
    ['-ec', lines.replaceAll('npx boundaries-proxy', 'npx tsx proxy/main.ts')],
    { cwd: there, env },
  );
  assert.equal(status, 0, text);
  const vars = Object.fromEntries(
    readFileSync(join(there, '.dev.vars'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const local = await startWorker({ vars: { ORIGIN_URL: host.url.href, JWKS_URL: undefined, ...vars } });
  const token = text.trimEnd().split('\n').at(-1);
  assert.equal((await send(local, PATH, { authorization: `Bearer ${token}` })).status, 200);
  assert.equal((await send(local, PATH)).status, 401);
});

test('the files of a folder are put into the bucket with current.json last of all', async () => {
  const there = temporaryFolder();
  const out = await buildCountries();
  symlinkSync(out, join(there, 'output'));
  mkdirSync(join(there, 'worker'));
  const stub = join(there, 'npx');
  writeFileSync(stub, '#!/bin/sh\necho "$@"\n');
  chmodSync(stub, 0o755);
  const lines = codeIn('proxy/examples/worker/README.md', 'sh', 'r2 bulk put');
  const env = { ...process.env, PATH: `${there}:${process.env['PATH']}` };
  const printed = execFileSync('sh', ['-ec', lines], { cwd: join(there, 'worker'), env, encoding: 'utf8' });
  assert.match(
    printed,
    /^wrangler r2 bulk put .* files\.json\nwrangler r2 object put boundaries\/current\.json --local/,
  );
  const listed: { key: string; file: string }[] = JSON.parse(readFileSync(join(there, 'worker/files.json'), 'utf8'));
  assert.deepEqual(
    listed.map(({ key }) => key).sort(),
    filesUnder(out).filter((path) => path.startsWith('releases/')),
  );
  for (const { file } of listed) assert.ok(existsSync(join(there, 'worker', file)), file);
});

test('a Worker with a variable that is not valid does not start, and says which', async () => {
  const ORIGIN_URL = host.url.href;
  for (const [vars, message] of [
    [{ ORIGIN_URL: 'ftp://a.test' }, /not a usable URL/],
    [{ ORIGIN_URL, PUBLIC: '', ...NO_TOKENS }, /PUBLIC is "", neither true nor false/],
    [{ ORIGIN_URL, PUBLIC: 'yes' }, /PUBLIC is "yes", neither true nor false/],
    [{ ORIGIN_URL, PUBLIC: 'true' }, /PUBLIC and JWKS_URL, ISSUER, AUDIENCE: leave out PUBLIC or the others/],
  ] as const)
    await assert.rejects(startWorker({ vars }), message);
});
