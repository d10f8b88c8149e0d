// A client that takes a body of less than a megabyte slowly but steadily. On loopback the operating system takes all of it
// at once; this file runs its test in a network of its own, where it takes 16 kB.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { rawGet } from '../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { without } from '../support/processes/programs.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { enlargePage } from '../support/releases/large-page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const NETWORK = 'ip link set lo up';
const SMALL_BUFFERS = ['tcp_wmem', 'tcp_rmem'].map((name) => `echo 4096 16384 16384 > /proc/sys/net/ipv4/${name}`);
const KIB = 1024;
const STEP_BYTES = 64 * KIB;
const STEP_MS = 100;

if (process.env['OWN_NETWORK'] === undefined)
  test('a client that takes a body slowly but steadily is not cut while others are refused', {
    skip: without(`unshare --map-root-user --net ${NETWORK}`),
  }, async () => {
    const script = [NETWORK, ...SMALL_BUFFERS, 'exec "$@"'].join(' && ');
    const node = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)];
    const child = spawn('unshare', ['--map-root-user', '--net', 'sh', '-c', script, 'sh', ...node], {
      env: { ...process.env, OWN_NETWORK: 'yes', NODE_TEST_CONTEXT: '' },
      stdio: 'inherit',
    });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
else
  test('in a network of its own', async () => {
    const folder = temporaryFolder();
    await buildRelease(writeCountries(), folder);
    const { page } = enlargePage(folder, 900 * KIB);
    // Its bytes are more than half of what may be held: the slowest clients are cut.
    const held = {
      totalBytes: 1024 * KIB,
      clientBytes: 1024 * KIB,
      stalledMs: 5 * STEP_MS,
      paceMs: 60_000,
      checkMs: 50,
    };
    const service = await startService(folder, { held });
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname).pause();
    const { authorization } = AUTHORIZED;
    socket.write(rawGet('/api/v1/fc/lv0', authorization));
    await until(() => service.heldBytes() > 0, 'nothing is held');
    const received: Buffer[] = [];
    let [bytes, due] = [0, 0];
    socket.on('data', (chunk) => {
      received.push(chunk);
      bytes += chunk.length;
      if (bytes >= due) socket.pause();
    });
    // The pace of the client, not a wait for something.
    for (; service.heldBytes() > 0; await pause(STEP_MS)) {
      due += STEP_BYTES;
      socket.resume();
    }
    socket.resume();
    await until(() => bytes > page.length, 'the connection is cut');
    socket.destroy();
    assert.ok(Buffer.concat(received).includes(page));
  });
