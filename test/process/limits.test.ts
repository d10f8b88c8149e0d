// The proxy as a process at its limits: an access log that cannot be written, limits of clients across workers, and the
// metrics port.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { after } from '../support/after.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { send } from '../support/http/http-client.ts';
import { AUDIENCE, ISSUER, JWKS, token } from '../support/http/in-process-proxy.ts';
import { PROXY, serve } from '../support/processes/proxy-process.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder);
const jwks = join(folder, 'keys.json');
writeFileSync(jwks, JWKS);

const OPTIONS = ['--origin', folder, '--issuer', ISSUER, '--audience', AUDIENCE, '--jwks', jwks];
const PATH = '/api/v1/fc/lv1';

/** A proxy whose access log goes to `stdout`, and the number of lines of it that were dropped so far. */
async function serveWithLog(stdout: 'pipe' | number, ...options: string[]) {
  const args = [PROXY, 'serve', ...OPTIONS, '--port', '0', '--metrics-port', '0', ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'] });
  after(() => child.kill('SIGKILL'));
  let err = '';
  child.stderr?.on('data', (piece) => {
    err += piece;
  });
  await until(
    () => /serving .* at http/.test(err) && /metrics at http/.test(err),
    () => err,
  );
  const [, url = ''] = /serving .* at (http:\S+)/.exec(err) ?? [];
  const [, metrics = ''] = /metrics at (http:\S+)\/metrics/.exec(err) ?? [];
  const droppedLines = async (): Promise<number> => {
    const text = (await send({ url: metrics }, '/metrics')).body.toString();
    return Number(/^boundaries_access_log_dropped_lines_total (\d+)$/m.exec(text)?.[1]);
  };
  return { child, url, droppedLines };
}

/** Each line of the log has the 4,000 characters of its target: buffers fill soon. */
const LONG_PATH = `${PATH}?gid-0=${'a'.repeat(4000)}`;

test('an access log that nobody reads takes bounded memory, lines are counted as dropped, and SIGTERM ends the process', async () => {
  const { child, url, droppedLines } = await serveWithLog('pipe', '--stop-timeout', '1s');
  await until(async () => {
    await Promise.all(Array.from({ length: 50 }, () => send({ url }, LONG_PATH)));
    return (await droppedLines()) > 0;
  }, 'no line is dropped');
  const stopped = once(child, 'exit');
  const startedAt = performance.now();
  child.kill('SIGTERM');
  assert.deepEqual(await stopped, [0, null]);
  assert.ok(performance.now() - startedAt < 5000);
});

test('a full disk under the access log: requests are answered, lines beyond a buffer are counted as dropped, SIGTERM ends', {
  skip: existsSync('/dev/full') ? false : 'needs /dev/full',
}, async () => {
  const full = openSync('/dev/full', 'w');
  const { child, url, droppedLines } = await serveWithLog(full);
  closeSync(full);
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ url }, LONG_PATH)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    return (await droppedLines()) > 0;
  }, 'no line is dropped');
  const stopped = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await stopped, [0, null]);
});

test('an access log in a file goes on when the disk has space again, and says how many lines are missing', {
  skip: spawnSync('prlimit', ['--version']).error === undefined ? false : 'needs prlimit',
}, async () => {
  const file = join(temporaryFolder(), 'access.log');
  const log = openSync(file, 'a');
  const { child, url, droppedLines } = await serveWithLog(log);
  closeSync(log);
  // A limit for the size of files in the place of a full disk.
  const limitFiles = (limit: string): unknown =>
    execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${limit}:`]);
  const isAllowed = async (): Promise<boolean> => (await send({ url }, LONG_PATH)).status === 200;
  limitFiles('10000');
  await until(async () => {
    assert.ok(!(await Promise.all(Array.from({ length: 50 }, isAllowed))).includes(false));
    return (await droppedLines()) > 0;
  }, 'no line is dropped');
  limitFiles('unlimited');
  const gap = /"dropped":(\d+)/;
  await until(async () => (await isAllowed()) && gap.test(readFileSync(file, 'utf8')), 'the gap is not named');
  assert.equal(Number(gap.exec(readFileSync(file, 'utf8'))?.[1]), await droppedLines());
  const stopped = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await stopped, [0, null]);
  // Every line is whole, and the log goes on after the gap.
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
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
  running.child.kill('SIGTERM');
  await once(running.child, 'exit');
});

test('metrics listen on the loopback address, whatever --host is', { skip: process.platform !== 'linux' }, async () => {
  const args = [PROXY, 'serve', ...OPTIONS, '--host', '0.0.0.0', '--port', '0', '--metrics-port', '0'];
  const child = spawn(process.execPath, args);
  after(() => child.kill('SIGKILL'));
  let err = '';
  child.stderr.on('data', (piece) => {
    err += piece;
  });
  await until(
    () => /metrics at/.test(err),
    () => err,
  );
  const port = Number(/metrics at http:\/\/127\.0\.0\.1:(\d+)/.exec(err)?.[1]);
  // The listening sockets of this machine: local address and port in hexadecimal.
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  assert.match(readFileSync('/proc/net/tcp', 'utf8'), new RegExp(` 0100007F:${hex} 00000000:0000 0A`));
  child.kill('SIGTERM');
  await once(child, 'exit');
});
