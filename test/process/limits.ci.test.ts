// The proxy as a process at its limits: an access log that cannot be written, limits of clients across workers, and the
// metrics port.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { jsonLines } from '../support/files.ts';
import { send } from '../support/http/http-client.ts';
import { token } from '../support/http/in-process-proxy.ts';
import { without } from '../support/processes/programs.ts';
import { issuedOptions, type Running, serve } from '../support/processes/proxy-process.ts';
import { buildCountries } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = await buildCountries();
const OPTIONS = issuedOptions(folder);
const PATH = '/api/v1/fc/lv1';

/** A proxy whose access log goes to `stdout`. */
function serveWithLog(stdout: 'unread' | number, ...options: string[]): Promise<Running> {
  return serve([...OPTIONS, '--metrics-port', '0', ...options], {}, { stdout });
}

/** The lines of its access log that were dropped so far. */
async function droppedLines({ says }: Running): Promise<number> {
  const url = await says(/metrics at (http:\S+)\/metrics/);
  const text = (await send({ url }, '/metrics')).body.toString();
  return Number(/^boundaries_access_log_dropped_lines_total (\d+)$/m.exec(text)?.[1]);
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
