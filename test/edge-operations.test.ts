// The proxy as a process among others: how it stops, several workers, its access log, its numbers, and an environment
// that is not its own.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { send, sendRaw } from './exchange.ts';
import { buildRelease, countryLayers, temporaryFolder, writeDataset } from './fixture.ts';
import { issuerKey, startIssuer, tokenOf } from './issuer.ts';
import { enlargePage } from './large-page.ts';
import { AUDIENCE, AUTHORIZED, ISSUER, JWKS, token } from './running.ts';
import { startStaticHost } from './static-host.ts';

const folder = temporaryFolder();
const layers = countryLayers((level) => `ADM_${level}`);
await buildRelease(writeDataset(join(folder, 'small.gpkg'), 'GPKG', layers), folder);
// Larger than all the buffers between a server and a client that does not read.
const { page } = enlargePage(folder, 32 * 1024 * 1024);
const jwks = join(folder, 'keys.json');
writeFileSync(jwks, JWKS);

const TOKENS = ['--issuer', ISSUER, '--audience', AUDIENCE, '--jwks', jwks];
const PATH = '/api/v1/fc/lv0';
const isLinux = existsSync('/proc/self/task');

interface Running {
  child: ChildProcess;
  url: string;
  /** All that it has written so far. */
  out(): string;
  err(): string;
  /** Resolves when a line on standard error holds this. */
  says(text: RegExp): Promise<string>;
}

async function serve(args: string[], env: Record<string, string> = {}, origin = folder): Promise<Running> {
  const all = ['--import', 'tsx', 'proxy/main.ts', 'serve', '--origin', origin, ...args];
  const child = spawn(process.execPath, all, { env: { ...process.env, BOUNDARIES_PORT: '0', ...env } });
  after(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  child.stderr.on('data', (piece) => {
    err += piece;
  });
  const says = async (text: RegExp): Promise<string> => {
    for (;;) {
      const found = text.exec(err);
      if (found) return found[1] ?? found[0];
      if (child.exitCode !== null) assert.fail(err);
      await Promise.race([once(child.stderr, 'data'), once(child, 'exit')]);
    }
  };
  return { child, url: await says(/ at (http:\/\/127\.0\.0\.1:\d+)\n/), out: () => out, err: () => err, says };
}

/** A client that reads the beginning of the large page and then waits. */
async function slowReader({ url }: Running): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const head = `GET ${PATH} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n`;
  const socket = connect(Number(port), hostname);
  socket.write(`${head}Authorization: ${AUTHORIZED.authorization}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  return socket;
}

async function drain(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (piece) => {
    bytes += piece.length;
  });
  socket.on('error', () => {}).resume();
  await once(socket, 'close');
  return bytes;
}

test('told to stop, it takes no more connections, finishes what it is sending and exits with 0', async () => {
  const running = await serve(TOKENS);
  const reader = await slowReader(running);
  running.child.kill('SIGTERM');
  const refused = async (): Promise<boolean> =>
    send(running, '/healthz').then(
      () => false,
      () => true,
    );
  while (!(await refused()));
  assert.equal(running.child.exitCode, null);
  const exit = once(running.child, 'exit');
  assert.ok((await drain(reader)) > page.length - 1024 * 1024);
  assert.deepEqual(await exit, [0, null]);
  // The last line of the access log has been written, too.
  assert.match(running.out(), /"status":200,"bytes":3355\d{4},/);
});

test('what is not sent within --stop-timeout is cut, and the exit code is 0 all the same', async () => {
  const running = await serve([...TOKENS, '--stop-timeout', '1s']);
  const reader = await slowReader(running);
  running.child.kill('SIGTERM');
  assert.deepEqual(await once(running.child, 'exit'), [0, null]);
  assert.ok((await drain(reader)) < page.length);
  assert.match(running.out(), /"cut":true/);
});

test('a second signal ends it at once', async () => {
  const running = await serve(TOKENS);
  const reader = await slowReader(running);
  running.child.kill('SIGTERM');
  while (
    await send(running, '/healthz').then(
      () => true,
      () => false,
    )
  );
  running.child.kill('SIGTERM');
  assert.deepEqual(await once(running.child, 'exit'), [143, null]);
  reader.destroy();
});

test('workers share a port; one that dies is replaced; told to stop, all finish and end', {
  skip: !isLinux,
}, async () => {
  const running = await serve([...TOKENS, '--workers', '2', '--metrics-port', '0']);
  const { pid } = running.child;
  const workers = (): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const metricsUrl = await running.says(/metrics at (http:\S+)\/metrics/);
  const [first = 0] = workers();
  process.kill(first, 'SIGKILL');
  await running.says(new RegExp(`worker ${first} ended \\(SIGKILL\\) and is replaced`));
  // Whatever the dead one had accepted is lost with it.
  while (workers().length < 2 || workers().includes(first)) await send(running, '/healthz').catch(() => {});
  for (let i = 0; i < 20; i++) assert.equal((await send(running, '/api/v1/fc/lv1')).status, 200);
  const metrics = (await send({ url: metricsUrl }, '/metrics')).body.toString();
  assert.match(metrics, /boundaries_request_duration_seconds_count\{route="\/api\/v1\/fc\/lv1",status="200"\} 20\n/);
  assert.match(metrics, /^process_resident_memory_bytes \d+/m);
  const reader = await slowReader(running);
  const last = workers();
  running.child.kill('SIGTERM');
  const exit = once(running.child, 'exit');
  assert.ok((await drain(reader)) > page.length - 1024 * 1024);
  assert.deepEqual(await exit, [0, null]);
  for (const worker of last) assert.equal(existsSync(`/proc/${worker}`), false);
});

test('the access log has a line of JSON a request, without query where it was refused, without token', async () => {
  const running = await serve([...TOKENS, '--log-subject']);
  const secret = await token({ sub: 'alice', exp: 1 });
  await send(running, '/api/v1/fc/lv1?page-size=2', { authorization: `Bearer ${await token({ sub: 'alice' })}` });
  await send(running, `/api/v1/fc/lv1?access_token=${secret}`);
  await send(running, '/api/v1/fc/lv1', { authorization: `Bearer ${secret}` });
  await send(running, `/${secret}`, {}, 'POST');
  await send(running, '/healthz', {}, 'HEAD');
  running.child.kill('SIGTERM');
  await once(running.child, 'exit');
  const lines = running
    .out()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ method, path, status, subject }) => [method, path, status, subject]),
    [
      ['GET', '/api/v1/fc/lv1?page-size=2', 200, 'alice'],
      ['GET', '/api/v1/fc/lv1', 400, 'tester'],
      ['GET', '(other)', 401, undefined],
      ['POST', '(other)', 404, undefined],
      ['HEAD', '/healthz', 200, undefined],
    ],
  );
  for (const line of lines) {
    assert.match(line.id, /^[0-9a-f-]{36}$/);
    assert.match(line.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.ok(line.bytes > 0 && line.ms >= 0);
  }
  assert.equal(new Set(lines.map(({ id }) => id)).size, lines.length);
  assert.ok(!running.out().includes(secret.slice(-40)) && !running.err().includes(secret.slice(-40)));
});

test('without --access-log nothing is written, and subjects only where they are asked for', async () => {
  const quiet = await serve([...TOKENS, '--no-access-log']);
  const plain = await serve(TOKENS);
  for (const running of [quiet, plain]) {
    await send(running, '/api/v1/fc/lv1');
    running.child.kill('SIGTERM');
    await once(running.child, 'exit');
  }
  assert.equal(quiet.out(), '');
  assert.match(plain.out(), /"path":"\/api\/v1\/fc\/lv1","status":200/);
  assert.doesNotMatch(plain.out(), /tester/);
});

test('metrics are on a port of their own, with routes of ours as the only labels', async () => {
  const running = await serve([...TOKENS, '--metrics-port', '0']);
  const url = await running.says(/metrics at (http:\S+)\/metrics/);
  for (const path of ['/api/v1/fc/lv1', '/api/v1/fc/lv1', '/healthz', '/a', '/b', '/api/c']) await send(running, path);
  await send(running, '/api/v1/fc/lv1', { authorization: 'Bearer x' });
  await sendRaw(running, 'nonsense\r\n\r\n');
  const text = (await send({ url }, '/metrics', { authorization: undefined })).body.toString();
  const counts = [...text.matchAll(/^boundaries_request_duration_seconds_count(\S+) (\d+)$/gm)].map(([, labels, n]) => [
    labels,
    n,
  ]);
  assert.deepEqual(Object.fromEntries(counts), {
    '{route="/api/v1/fc/lv1",status="200"}': '2',
    '{route="/healthz",status="200"}': '1',
    '{route="other",status="404"}': '3',
    '{route="other",status="401"}': '1',
  });
  assert.match(text, /^boundaries_unparsed_requests_total 1$/m);
  assert.match(text, /^process_resident_memory_bytes \d+/m);
  assert.equal((await send(running, '/metrics')).status, 404);
  assert.equal((await send({ url }, '/')).status, 404);
});

test('variables of a Kubernetes service called boundaries do not stop the start; a bad value of an option does', async () => {
  const kubernetes = {
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
  };
  const running = await serve(['--port', '0'], kubernetes);
  for (const iss of [ISSUER, 'https://other.test'])
    assert.equal((await send(running, PATH, { authorization: `Bearer ${await token({ iss })}` }, 'HEAD')).status, 200);
  assert.equal(running.out(), '');
  for (const [name, value, where] of [
    ['BOUNDARIES_PORT', 'http', '--port'],
    ['BOUNDARIES_WORKERS', 'many', '--workers'],
    ['BOUNDARIES_STOP_TIMEOUT', '5', '--stop-timeout 5'],
  ] as const) {
    const args = ['--import', 'tsx', 'proxy/main.ts', 'serve', '--origin', folder, ...TOKENS];
    const { status, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, BOUNDARIES_PORT: '0', [name]: value },
    });
    assert.equal(status, 1, name);
    assert.match(stderr, new RegExp(`\\n {2}where: ${where}\\n`));
  }
});

test('without its host and its issuer it starts all the same, is not ready, and is as soon as both are there', async () => {
  const host = await startStaticHost(folder);
  const issuer = await startIssuer('https://late.test');
  host.fault = (_req, res) => res.writeHead(503).end() && true;
  issuer.fault = (res) => res.destroy();
  const rules = ['--issuer', issuer.name, '--jwks', issuer.url.href, '--audience', AUDIENCE, '--jwks-cooldown', '1s'];
  const running = await serve(rules, {}, host.url.href);
  assert.match(running.err(), /serving no release yet/);
  assert.equal((await send(running, '/readyz')).status, 503);
  assert.equal((await send(running, '/healthz')).status, 200);
  host.fault = undefined;
  issuer.fault = undefined;
  await running.says(/serving release r1\n/);
  const [key = issuerKey('none')] = issuer.published;
  const authorization = `Bearer ${await tokenOf(issuer, key)}`;
  while ((await send(running, '/readyz')).status === 503);
  assert.equal((await send(running, '/api/v1/fc/lv1', { authorization })).status, 200);
});
