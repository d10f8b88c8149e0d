// How the proxy ends: told to stop, out of time, told twice; alone and with workers.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { newKeyPair } from '../../../proxy/auth/key-pair.ts';
import { after } from '../../support/after.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { send } from '../../support/http/http-client.ts';
import { AUTHORIZED } from '../../support/http/in-process-proxy.ts';
import { holdRequests, startStaticHost } from '../../support/http/static-host.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { without } from '../../support/processes/programs.ts';
import {
  issuedOptions,
  issuerOptions,
  PROXY,
  type Running,
  serve,
  workersOf,
} from '../../support/processes/proxy-process.ts';
import { buildCountries, buildUnchecked } from '../../support/releases/build-release.ts';
import { enlargePage } from '../../support/releases/large-page.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const folder = await buildCountries({ storedPages: 'unfiltered' });
// Larger than all the buffers between a server and a client that does not read.
const { page } = enlargePage(folder, 16 * 1024 * 1024);
const OPTIONS = issuedOptions(folder);
const PATH = '/api/v1/fc/lv0';
const skip = without('test -e /proc/self/task');

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

function isAnswering(running: Running): Promise<boolean> {
  return send(running, '/healthz').then(Boolean, () => false);
}

function isReady(running: Running): Promise<boolean> {
  return send(running, '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  );
}

function untilRefused(running: Running): Promise<void> {
  return until(async () => !(await isAnswering(running)), 'the proxy still takes connections');
}

/** Reads the rest; how much there was until the connection ended. */
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
  const running = await serve(OPTIONS);
  const reader = await slowReader(running);
  const exit = running.stop();
  await untilRefused(running);
  assert.equal(running.child.exitCode, null);
  assert.ok((await drain(reader)) > page.length - 1024 * 1024);
  assert.deepEqual(await exit, [0, null]);
  // The last line of the access log has been written, too.
  assert.match(running.out(), /"status":200,"bytes":1677\d{4},/);
});

test('what is not sent within --stop-timeout is cut, and the exit code is 0 all the same', async () => {
  const running = await serve([...OPTIONS, '--stop-timeout', '1s']);
  const reader = await slowReader(running);
  assert.deepEqual(await running.stop(), [0, null]);
  assert.ok((await drain(reader)) < page.length);
  assert.match(running.out(), /"cut":true/);
});

test('a second signal ends it at once', async () => {
  const running = await serve(OPTIONS);
  const reader = await slowReader(running);
  running.child.kill('SIGTERM');
  await untilRefused(running);
  assert.deepEqual(await running.stop(), [143, null]);
  reader.destroy();
});

/** With port 0 workers that start when none is left would choose another one. */
async function serveCrowd(): Promise<Running> {
  return serve([...OPTIONS, '--port', String(await freePort()), '--workers', '2', '--metrics-port', '0']);
}

const crowd = skip === false ? serveCrowd() : serve(OPTIONS);

test('SIGHUP is ignored, by workers too, and the log says what to send instead', async () => {
  const running = await crowd;
  const workers = skip === false ? workersOf(running.child) : [];
  for (const pid of [...workers, running.child.pid ?? assert.fail()]) process.kill(pid, 'SIGHUP');
  await running.says(/SIGHUP is ignored: .*; SIGTERM stops the service\n/);
  assert.equal((await send(running, '/healthz')).status, 200);
  if (skip === false) assert.deepEqual(workersOf(running.child), workers);
});

test('a worker that is killed leaves no connection open, also not the one that it was just being handed', {
  skip,
}, async () => {
  const running = await crowd;
  const { hostname, port } = new URL(running.url);
  const [killed = assert.fail('no worker')] = workersOf(running.child);
  // It stands still: of the connections below the first that it is handed waits for it, the other worker has the rest.
  process.kill(killed, 'SIGSTOP');
  const open = new Set<Socket>();
  for (let i = 0; i < 8; i++) {
    const socket = connect(Number(port), hostname);
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.resume().write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  }
  await until(
    () => open.size === 1,
    () => `${open.size} connections wait`,
  );
  const [waiting = assert.fail()] = open;
  const closed = new Promise((resolve) => waiting.once('close', resolve));
  process.kill(killed, 'SIGKILL');
  await closed;
  assert.equal((await send(running, '/healthz')).status, 200);
});

test('workers share a port; those that die are replaced, all at once too; told to stop, all finish and end', {
  skip,
}, async () => {
  const running = await crowd;
  const workers = (): number[] => workersOf(running.child);
  const metricsUrl = await running.says(/metrics at (http:\S+)\/metrics/);
  const dead = workers();
  for (const worker of dead) process.kill(worker, 'SIGKILL');
  for (const worker of dead)
    await running.says(new RegExp(`worker ${worker} exited \\(SIGKILL\\); starting a replacement`));
  // Whatever the dead ones had accepted is lost with them; nobody accepts more until the first replacement has started.
  const isReplaced = async (): Promise<boolean> =>
    (await isReady(running)) && workers().length >= 2 && !workers().some((worker) => dead.includes(worker));
  await until(isReplaced, () => `the workers are ${workers()}, and ${dead} were killed`);
  for (let i = 0; i < 20; i++) assert.equal((await send(running, '/api/v1/fc/lv1')).status, 200);
  const metrics = (await send({ url: metricsUrl }, '/metrics')).body.toString();
  assert.match(metrics, /boundaries_request_duration_seconds_count\{route="\/api\/v1\/fc\/lv1",status="200"\} 20\n/);
  assert.match(metrics, /^process_resident_memory_bytes \d+/m);
  const reader = await slowReader(running);
  const last = workers();
  const exit = running.stop();
  assert.ok((await drain(reader)) > page.length - 1024 * 1024);
  assert.deepEqual(await exit, [0, null]);
  for (const worker of last) assert.equal(existsSync(`/proc/${worker}`), false);
});

test('a worker that takes the place of another one serves what the others do, although current.json names an older release', {
  skip,
}, async () => {
  const out = temporaryFolder();
  const { privateKey, publicKey } = newKeyPair();
  for (const release of ['r1', 'r2']) await buildUnchecked(writeCountries(), out, { release, signKey: privateKey });
  const key = join(out, 'public.pem');
  writeFileSync(key, publicKey.export({ format: 'pem', type: 'spki' }));
  const args = ['--origin', out, '--public', '--trusted-key', key, '--workers', '2'];
  const running = await serve([...args, '--port', String(await freePort())]);
  pointTo(out, 'r1', ['r1', 'r2']);
  await running.says(/r1 is older than what is served/);
  const dead = workersOf(running.child);
  for (const worker of dead) process.kill(worker, 'SIGKILL');
  for (const worker of dead) await running.says(new RegExp(`worker ${worker} exited`));
  await until(() => isReady(running), 'no worker is ready');
  for (let i = 0; i < 20; i++) {
    const { status, headers } = await send(running, '/api/v1/fc/lv1');
    assert.deepEqual([status, headers['boundaries-release']], [200, 'r2']);
  }
  assert.deepEqual(await running.stop(), [0, null]);
});

test('a worker that takes the place of another one takes no connections before it has loaded the release', {
  skip,
}, async () => {
  const host = await startStaticHost(folder);
  const args = ['--origin', host.url.href, ...issuerOptions(), '--port', String(await freePort()), '--workers', '2'];
  const running = await serve(args);
  const { held, release } = holdRequests(host, '/lv1/');
  const [killed = assert.fail('no worker')] = workersOf(running.child);
  process.kill(killed, 'SIGKILL');
  await until(() => held() > 0, 'no release is loaded');
  for (let i = 0; i < 8; i++) assert.equal((await send(running, '/readyz')).status, 200);
  release();
  assert.deepEqual(await running.stop(), [0, null]);
});

test('a worker that is killed before it is ready ends the start, and the log says so', { skip }, async () => {
  // None is ready before it has read the release.
  const host = await startStaticHost(folder);
  const { held } = holdRequests(host, '');
  const origin = ['--origin', host.url.href, ...issuerOptions()];
  const child = spawn(process.execPath, [PROXY, 'serve', ...origin, '--port', '0', '--workers', '2']);
  after(() => child.kill('SIGKILL'));
  const ended = Promise.all([text(child.stderr), once(child, 'close')]);
  await until(() => held() > 0, 'no release is loaded');
  const [worker = assert.fail('no worker')] = workersOf(child);
  process.kill(worker, 'SIGKILL');
  const [err, code] = await ended;
  assert.deepEqual(code, [1, null]);
  assert.match(err, /worker \d+ exited \(SIGKILL\) before it was ready/);
});
