// How fast a client must take what it asked for, in a time of its own: one that takes a piece often enough gets all of
// it, however long that takes, and one that does not is cut off.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assembleServer } from '../../proxy/assemble-server.ts';
import { Releases } from '../../proxy/data/releases.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { dice } from '../support/dice.ts';
import { filesUnder } from '../support/files.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { enlargePage } from '../support/releases/large-page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Connection, type Response } from './connection.ts';
import { CALM, MemoryOrigin } from './memory-origin.ts';
import { VirtualTime } from './virtual-time.ts';
import { publicSettings, requestText } from './world.ts';

const KIB = 1024;
/** A client must take 64 KiB in this time, where it holds more than half of what it may. */
const PACE_MS = 500;

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder, { storedPages: 'all' });
const { page } = enlargePage(folder, 900 * KIB);

/** What a client gets that takes 64 KiB each time so many milliseconds have passed. */
async function taken(paceMs: number): Promise<Response | undefined> {
  const time = new VirtualTime();
  const origin = new MemoryOrigin(time, dice(1));
  origin.weather = { ...CALM, delay: [0, 0] };
  for (const path of filesUnder(folder)) origin.files.set(path, readFileSync(join(folder, path)));
  const uninstall = time.install();
  try {
    const releases = new Releases(origin.asFolder);
    const refreshed = releases.refresh();
    await time.pass(1);
    await refreshed;
    const held = { totalBytes: KIB * KIB, clientBytes: KIB * KIB, paceMs: PACE_MS, checkMs: 50 };
    const { server, heldBytes } = assembleServer(publicSettings(origin.asFolder), releases, () => {}, { held });
    const manners = { paceMs, leavesMs: undefined };
    const connection = new Connection(time, requestText('GET', '/api/v1/fc/lv0', 'gzip'), manners);
    connection.on('error', () => {});
    server.emit('connection', connection);
    await time.pass(2 * (page.length / (64 * KIB)) * paceMs);
    assert.ok(connection.closed, 'it waits without end');
    assert.equal(heldBytes(), 0, 'bytes stay counted');
    return connection.response;
  } finally {
    uninstall();
  }
}

test('a client that keeps the pace gets all of a body, one that does not is cut off', async () => {
  // The head is a piece, too.
  for (const paceMs of [100, 200]) {
    const response = await taken(paceMs);
    assert.equal(response?.status, 200);
    assert.ok(response.body.equals(page), `a piece in ${paceMs} ms: ${response.body.length} bytes`);
  }
  assert.equal((await taken(4 * PACE_MS))?.isWhole, false);
});
