// The proxy as a process among others: its access log, also one that cannot be written, its numbers, limits of clients
// across workers, an environment that is not its own, and a start before everything else has started.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMetricsServer } from '../../../proxy/operations/metrics.ts';
import { jsonLines } from '../../support/files.ts';
import { refusal, send, sendRaw } from '../../support/http/http-client.ts';
import { AUDIENCE, ISSUER, token } from '../../support/http/in-process-proxy.ts';
import { issuerKey, startIssuer, tokenOf } from '../../support/http/issuer.ts';
import { holdRequests, startStaticHost } from '../../support/http/static-host.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { without } from '../../support/processes/programs.ts';
import { issuedOptions, issuerOptions, type Running, serve, start } from '../../support/processes/proxy-process.ts';
import { metricsOf, type Scrape, scrape } from '../../support/processes/scrape.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const folder = await buildCountries();
const OPTIONS = issuedOptions(folder);
const PATH = '/api/v1/fc/lv0';

test('the access log has a line of JSON a request, without query where it was refused, without token', async () => {
  const running = await serve([...OPTIONS, '--log-subject']);
  const secret = await token({ sub: 'alice', exp: 1 });
  const known = await token({ sub: 'alice', jti: 'a1' });
  const first = await send(running, '/api/v1/fc/lv1?page-size=2', { authorization: `Bearer ${known}` });
  await send(running, `/api/v1/fc/lv1?access_token=${secret}`);
  const refused = await send(running, '/api/v1/fc/lv1', { authorization: `Bearer ${secret}` });
  await send(running, `/${secret}`, {}, 'POST');
  await send(running, '/', {}, 'HEAD');
  await running.stop();
  const lines = jsonLines(running.out());
  assert.deepEqual(
    lines.map(({ method, path, status, subject, code }) => [method, path, status, subject, code]),
    [
      ['GET', '/api/v1/fc/lv1?page-size=2', 200, 'alice', undefined],
      ['GET', '/api/v1/fc/lv1', 400, 'tester', undefined],
      ['GET', '/api/v1/fc/lv1', 401, undefined, 'expired'],
      ['POST', '(other)', 404, undefined, undefined],
      ['HEAD', '/', 200, undefined, undefined],
    ],
  );
  assert.deepEqual(
    lines.map(({ kid, jti, address }) => [kid, jti, address]),
    [
      ['one', 'a1', undefined],
      ['one', undefined, undefined],
      // What it says itself, and where it came from.
      ['one', undefined, '127.0.0.1'],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ],
  );
  const named = [first, refused].map(({ headers }) => headers['x-request-id']);
  assert.deepEqual([lines[0]?.id, lines[2]?.id], named);
  for (const line of lines) {
    assert.match(line.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.ok(line.bytes > 0 && line.ms >= 0);
  }
  assert.ok(!running.out().includes(secret.slice(-40)) && !running.err().includes(secret.slice(-40)));
});

test('the access log has no query that nobody has looked at: of public files, of OPTIONS, of clients that left early', async () => {
  const issuer = await startIssuer('https://silent.test');
  issuer.fault = () => {};
  const keys = ['--issuer', issuer.name, '--audience', AUDIENCE, '--jwks', issuer.url.href];
  const running = await serve(['--origin', folder, ...keys, '--log-probes']);
  const secret = 'a-token-in-the-wrong-place';
  const query = `?access_token=${secret}`;
  for (const path of ['/', '/docs', '/openapi.json', '/healthz', '/.well-known/oauth-protected-resource'])
    assert.equal((await send(running, path + query, { authorization: undefined })).status, 200, path);
  const preflight = { origin: 'https://a.test', 'access-control-request-method': 'GET', authorization: undefined };
  for (const path of ['/healthz', PATH])
    assert.equal((await send(running, path + query, preflight, 'OPTIONS')).status, 204);
  const [key = issuerKey('none')] = issuer.published;
  const leaving = request(`${running.url}${PATH}${query}`, {
    headers: { authorization: `Bearer ${await tokenOf(issuer, key)}` },
  });
  leaving.on('error', () => {}).end();
  // A later request is answered: the one that waits for keys has been received.
  await once(leaving, 'finish');
  await send(running, '/healthz', { authorization: undefined });
  leaving.destroy();
  await until(() => /"status":0/.test(running.out()), 'the client that left is not logged');
  const paths = [...running.out().matchAll(/"path":"([^"]*)"/g)].map(([, path]) => path);
  const asked = `/ /docs /openapi.json /healthz metadata /healthz (other) /healthz ${PATH}`;
  assert.equal(paths.join(' '), asked);
  assert.ok(!running.out().includes(secret));
});

/** How many requests are counted, by their labels. */
function countsIn(scraped: Scrape): Record<string, number> {
  const name = 'boundaries_request_duration_seconds_count';
  const counts = [...scraped].filter(([series]) => series.startsWith(name));
  return Object.fromEntries(counts.map(([series, count]) => [series.slice(name.length), count]));
}

test('metrics are on a port of their own, with routes of ours as the only labels; the access log has no subjects by default', async () => {
  const running = await serve([...OPTIONS, '--metrics-port', '0', '--log-probes']);
  const url = await metricsOf(running);
  for (const path of ['/api/v1/fc/lv1', '/api/v1/fc/lv1', '/healthz', '/a', '/b', '/api/c']) await send(running, path);
  await send(running, '/api/v1/fc/lv1', { authorization: 'Bearer x' });
  await sendRaw(running, 'nonsense\r\n\r\n');
  const scraped = await scrape(url);
  assert.deepEqual(countsIn(scraped), {
    '{route="/api/v1/fc/lv1",status="200"}': 2,
    // Who is refused for a token is counted with the path, too.
    '{route="/api/v1/fc/lv1",status="401"}': 1,
    '{route="/healthz",status="200"}': 1,
    '{route="other",status="404"}': 3,
  });
  assert.equal(scraped.get('boundaries_refused_tokens_total{code="malformed"}'), 1);
  assert.equal(scraped.get('boundaries_unparsed_requests_total'), 1);
  assert.equal(scraped.get('boundaries_held_bytes'), 0);
  assert.ok((scraped.get('process_resident_memory_bytes') ?? 0) > 0);
  assert.equal((await send(running, '/metrics')).status, 404);
  assert.equal((await send({ url }, '/')).status, 404);
  await running.stop();
  assert.match(running.out(), /"path":"\/api\/v1\/fc\/lv1","status":200/);
  assert.doesNotMatch(running.out(), /tester/);
});

test('health checks are neither in the access log nor in the durations of the metrics, without --log-probes', async () => {
  const running = await serve([...OPTIONS, '--metrics-port', '0']);
  for (const path of ['/healthz', '/readyz', PATH]) assert.equal((await send(running, path)).status, 200);
  assert.deepEqual(countsIn(await scrape(await metricsOf(running))), { [`{route="${PATH}",status="200"}`]: 1 });
  await running.stop();
  assert.deepEqual(
    jsonLines(running.out()).map(({ path }) => path),
    [PATH],
  );
});

test('options come from the environment, where variables of a Kubernetes service called boundaries do not stop the start', async () => {
  const [, jwks = ''] = OPTIONS.slice(OPTIONS.indexOf('--jwks'));
  const running = await serve([], {
    BOUNDARIES_ORIGIN: folder,
    BOUNDARIES_PORT: 'tcp://10.96.12.7:8080',
    BOUNDARIES_SERVICE_HOST: '10.96.12.7',
    BOUNDARIES_SERVICE_PORT: '8080',
    BOUNDARIES_PORT_8080_TCP: 'tcp://10.96.12.7:8080',
    BOUNDARIES_PORT_8080_TCP_ADDR: '10.96.12.7',
    BOUNDARIES_UNHEARD_OF: 'x',
    BOUNDARIES_ISSUER: `${ISSUER}\nhttps://other.test`,
    BOUNDARIES_JWKS: `${jwks}\n${jwks}`,
    BOUNDARIES_AUDIENCE: AUDIENCE,
    BOUNDARIES_ACCESS_LOG: 'false',
  });
  for (const iss of [ISSUER, 'https://other.test'])
    assert.equal((await send(running, PATH, { authorization: `Bearer ${await token({ iss })}` }, 'HEAD')).status, 200);
  assert.equal(running.out(), '');
});

for (const workers of ['1', '2'])
  test(`while a release is loaded health checks are answered, and clients told to try again, by ${workers} processes`, async () => {
    const host = await startStaticHost(folder);
    const { held, release } = holdRequests(host, '/lv1/');
    const port = String(await freePort());
    const target = { url: `http://127.0.0.1:${port}` };
    const args = ['--origin', host.url.href, ...issuerOptions(), '--port', port, '--workers', workers];
    const running = start(args);
    await running.says(/loading release r1\n/);
    await until(() => held() > 0, 'the release is not loaded');
    const isAlive = async (): Promise<boolean> => (await send(target, '/healthz')).status === 200;
    await until(() => isAlive().catch(() => false), 'it does not listen');
    for (const path of ['/readyz', PATH, '/api/v1/names/lv0', '/api/v1/download/lv0.geojsonl.gz?release=r1']) {
      const answer = await send(target, path);
      refusal(answer, 503, 'not-ready');
      assert.ok(Number(answer.headers['retry-after']) > 0, path);
    }
    assert.doesNotMatch(running.err(), /serving/);
    release();
    await running.says(/serving release r1 at http:/);
    for (const path of ['/readyz', PATH]) assert.equal((await send(target, path)).status, 200);
    assert.deepEqual(await running.stop(), [0, null]);
  });

test('without its host and its issuer it starts all the same, is not ready, and is as soon as both are there', async () => {
  const host = await startStaticHost(folder);
  const issuer = await startIssuer('https://late.test');
  host.fault = (_req, res) => res.writeHead(503).end() && true;
  issuer.fault = (res) => res.destroy();
  const keys = ['--issuer', issuer.name, '--jwks', issuer.url.href, '--audience', AUDIENCE, '--jwks-cooldown', '1s'];
  const running = await serve(['--origin', `${host.url.href}?secret`, ...keys]);
  assert.match(running.err(), /serving no release yet/);
  assert.ok(running.err().includes(`${host.url.href}: the release cannot be served: current.json`), running.err());
  assert.equal((await send(running, '/readyz')).status, 503);
  assert.equal((await send(running, '/healthz')).status, 200);
  host.fault = undefined;
  issuer.fault = undefined;
  await running.says(/serving release r1\n/);
  const [key = issuerKey('none')] = issuer.published;
  const authorization = `Bearer ${await tokenOf(issuer, key)}`;
  await until(async () => (await send(running, '/readyz')).status === 200, 'not ready');
  assert.equal((await send(running, '/api/v1/fc/lv1', { authorization })).status, 200);
});

function serveWithLog(stdout: 'unread' | number, ...options: string[]): Promise<Running> {
  return serve([...OPTIONS, '--metrics-port', '0', ...options], {}, { stdout });
}

async function droppedLines(running: Running): Promise<number> {
  return (await scrape(await metricsOf(running))).get('boundaries_access_log_dropped_lines_total') ?? Number.NaN;
}

/** Each line of the log has the 4,000 characters of its target: buffers fill soon. */
const LONG_PATH = `${PATH}?gid-0=${'a'.repeat(4000)}`;

/** Sends requests until lines are dropped: all are answered. */
async function fillLog(running: Running): Promise<void> {
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(running, LONG_PATH)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    return (await droppedLines(running)) > 0;
  }, 'no line is dropped');
}

const unread = await serveWithLog('unread', '--host', '0.0.0.0');

test('metrics listen on the loopback address, whatever --host is', {
  skip: without('test -e /proc/net/tcp'),
}, async () => {
  const port = Number(await unread.says(/metrics at http:\/\/127\.0\.0\.1:(\d+)/));
  // The listening sockets of this machine: local address and port in hexadecimal.
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  assert.match(readFileSync('/proc/net/tcp', 'utf8'), new RegExp(` 0100007F:${hex} 00000000:0000 0A`));
});

test('an access log that nobody reads takes bounded memory, lines are counted as dropped, and SIGTERM ends the process', async () => {
  await fillLog(unread);
  assert.deepEqual(await unread.stop(), [0, null]);
});

test('a full disk under the access log: requests are answered, lines beyond a buffer are counted as dropped, SIGTERM ends', {
  skip: without('test -e /dev/full'),
}, async () => {
  const full = openSync('/dev/full', 'w');
  const running = await serveWithLog(full);
  closeSync(full);
  await fillLog(running);
  assert.deepEqual(await running.stop(), [0, null]);
});

test('an access log in a file goes on when the disk has space again, and says how many lines are missing', {
  skip: without('prlimit --version'),
}, async () => {
  const file = join(temporaryFolder(), 'access.log');
  const log = openSync(file, 'a');
  const running = await serveWithLog(log);
  closeSync(log);
  // A limit for the size of files in the place of a full disk.
  const limitFiles = (limit: string): unknown =>
    execFileSync('prlimit', ['--pid', String(running.child.pid), `--fsize=${limit}:`]);
  limitFiles('10000');
  await fillLog(running);
  limitFiles('unlimited');
  const gap = (): string | undefined => /"dropped":(\d+)/.exec(readFileSync(file, 'utf8'))?.[1];
  const isNamed = async (): Promise<boolean> => (await send(running, LONG_PATH)).status === 200 && gap() !== undefined;
  await until(isNamed, 'the gap is not named');
  assert.equal(Number(gap()), await droppedLines(running));
  assert.deepEqual(await running.stop(), [0, null]);
  // Every line is whole, and the log goes on after the gap.
  const lines = jsonLines(readFileSync(file, 'utf8'));
  assert.deepEqual([lines.find(({ dropped }) => dropped)?.level, lines.at(-1)?.path], ['warn', LONG_PATH]);
});

test('limits of a client count across workers', async () => {
  const running = await serve([...OPTIONS, '--workers', '2', '--rate-limit', '6/h', '--no-access-log']);
  const authorization = `Bearer ${await token({ sub: 'alice' })}`;
  const statuses: number[] = [];
  // Connections are handed to the workers in turn.
  for (let i = 0; i < 8; i++) statuses.push((await send(running, PATH, { authorization, connection: 'close' })).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429, 429]);
  const bob = `Bearer ${await token({ sub: 'bob' })}`;
  assert.equal((await send(running, PATH, { authorization: bob })).status, 200);
  await running.stop();
});

test('metrics of workers are there also when one announces a release in that moment', async () => {
  // Compiled, it is another file.
  const program = new URL(`announcing-worker${extname(import.meta.url)}`, import.meta.url);
  cluster.setupPrimary({ exec: fileURLToPath(program), args: [] });
  const worker = cluster.fork();
  await once(worker, 'message');
  const server = createMetricsServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const scraped = await scrape(`http://127.0.0.1:${port}`);
  const ended = once(worker, 'exit');
  worker.kill();
  await ended;
  server.close();
  assert.equal(scraped.get('boundaries_access_log_dropped_lines_total'), 1);
});
