// Unlucky clients: slow readers of a page, a unit, a download and a file of names of 32 MiB, and downloads that are
// given up; some of these in slow-clients.test.ts, the others in slow-clients.long.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { MEMBER_END_BYTES, MEMBER_HEADER } from '../../format/gzip.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { rawGet, send } from '../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { collectGarbage } from '../support/processes/collect-garbage.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { enlargeFeature, enlargePage, replaceNames } from '../support/releases/large-page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const PAGE_BYTES = 32 * MIB;
/** What may be held for a client that reads nothing. */
const READER_BYTES = 2 * MIB;

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder);
const { page, file: pageFile } = enlargePage(folder, PAGE_BYTES);
const { data, file: featureFile } = enlargeFeature(folder, PAGE_BYTES);
const names = Buffer.alloc(PAGE_BYTES, Buffer.from('names that are not inflated '));
const namesFile = replaceNames(folder, names, 4 * PAGE_BYTES);
const isUnit = (body: Buffer): boolean => body.subarray(MEMBER_HEADER.length, -MEMBER_END_BYTES).equals(data);
/** What is downloaded: a stored page, a slice with one feature, the same as a file, and a file of names. */
const SUBJECTS = [
  { what: 'a page', path: '/api/v1/fc/lv0', file: pageFile, isWhole: (body: Buffer) => body.equals(page) },
  {
    what: 'a unit',
    path: '/api/v1/geojsonl/lv0?gid-0=AAA',
    file: featureFile,
    isWhole: isUnit,
  },
  { what: 'a download', path: '/api/v1/download/lv0.geojsonl.gz?gid-0=AAA', file: featureFile, isWhole: isUnit },
  {
    what: 'a file of names',
    path: '/api/v1/names/lv0',
    file: namesFile,
    isWhole: (body: Buffer) => body.equals(names),
  },
] as const;

const proxy = await startService(folder);
const { url } = await startStaticHost(folder);
const remote = await startService(folder, { origin: staticHostOrigin({ url, headers: {} }) });

/** A client that has asked for it, read the beginning of it, and now reads nothing. */
async function slowReader({ url }: { url: string }, path: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () =>
    socket.write(rawGet(path, AUTHORIZED.authorization, 'Connection: close\r\n')),
  );
  const [piece] = await once(socket, 'data');
  socket.pause();
  assert.match(piece.toString('latin1', 0, 20), /^HTTP\/1\.1 200 /);
  return socket;
}

/** Bytes of buffers in use. Those that are garbage are as many as the collector has left: they say nothing. */
function heldNow(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** What the process has open of a kind, as /proc shows it. */
function openFiles(isMeant: (target: string) => boolean): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    const link = `/proc/self/fd/${fd}`;
    return existsSync(link) && isMeant(readlinkSync(link));
  }).length;
}

const SERVICES = { 'a folder': proxy, 'a static host': remote };

/** Declares the tests of one subject and one origin each. */
export function testSlowClients(chosen: readonly [what: string, name: keyof typeof SERVICES][]): void {
  for (const [what, name] of chosen) {
    const subject = SUBJECTS.find((other) => other.what === what);
    assert.ok(subject);
    const { path, file, isWhole } = subject;
    const service = SERVICES[name];
    test(`20 slow readers of ${what} of 32 MiB from ${name} hold a bounded memory, and get it whole later`, async () => {
      const before = heldNow();
      const readers = await Promise.all(Array.from({ length: 20 }, () => slowReader(service, path)));
      // By the time a quick reader has all of it, the others have been given as much as they get.
      const whole = await send(service, path, { 'accept-encoding': 'gzip' });
      assert.ok(isWhole(whole.body));
      // Not at once: a stack that has not been unwound may keep the chunks of the whole body.
      await until(() => heldNow() - before - whole.body.length < readers.length * READER_BYTES, 'more is held');
      const [patient, ...others] = readers;
      assert.ok(patient);
      for (const reader of others) reader.destroy();
      let bytes = 0;
      for await (const piece of patient) {
        bytes += piece.length;
      }
      assert.ok(bytes > PAGE_BYTES - 512 * 1024 && bytes <= PAGE_BYTES);
      assert.deepEqual(service.log, []);
    });

    const isLinux = existsSync('/proc/self/fd');
    test(`downloads of ${what} from ${name} that are given up leave no file and no socket open`, {
      skip: !isLinux,
    }, async () => {
      const isSocket = (target: string): boolean => target.startsWith('socket:');
      await send(service, path, { 'accept-encoding': 'gzip' }, 'HEAD');
      const sockets = openFiles(isSocket);
      for (let round = 0; round < 3; round++) {
        const readers = await Promise.all(Array.from({ length: 15 }, () => slowReader(service, path)));
        for (const reader of readers) reader.destroy();
      }
      await until(() => openFiles((target) => target === file) === 0, 'files stay open');
      // One connection to the host may be kept.
      await until(() => openFiles(isSocket) <= sockets + 1, 'sockets stay open');
      assert.deepEqual(service.log, []);
    });
  }
}
