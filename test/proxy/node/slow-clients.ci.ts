// Unlucky clients: slow readers of a page, a unit, a download and a file of names of 8 MiB, and downloads that are
// given up. What scattered downloads from a static host, which are many reads each, take of the memory of a proxy that
// is a process of its own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { MEMBER_END_BYTES, MEMBER_HEADER } from '../../../format/gzip.ts';
import { staticHostOrigin } from '../../../proxy/origin/static-host.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { cachedOutput } from '../../support/cached-folder.ts';
import { writeInvented } from '../../support/datasets/large-dataset.ts';
import { openTargets } from '../../support/files.ts';
import { openConnection, rawGet, send } from '../../support/http/http-client.ts';
import { AUTHORIZED, type RunningService, startService, token } from '../../support/http/in-process-proxy.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { collectGarbage } from '../../support/processes/collect-garbage.ts';
import { issuedOptions, serve } from '../../support/processes/proxy-process.ts';
import { buildCountries, buildRelease } from '../../support/releases/build-release.ts';
import { enlargeFeature, enlargePage, replaceNames } from '../../support/releases/large-page.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
const BODY_BYTES = 8 * MIB;
const READERS = 10;
/**
 * What may be held for a client that reads nothing: half of a body. Four pieces of 512 KiB are (one that is sent, one
 * that waits in the response, one on its way there, one that was read), and what this process has received and its host
 * sends.
 */
const READER_BYTES = BODY_BYTES / 2;

const folder = await buildCountries({ storedPages: 'all' });
const { page, file: pageFile } = enlargePage(folder, BODY_BYTES);
const { data, file: featureFile } = enlargeFeature(folder, BODY_BYTES);
const names = Buffer.alloc(BODY_BYTES, Buffer.from('names that are not inflated '));
const namesFile = replaceNames(folder, names, 4 * BODY_BYTES);

const isPage = (body: Buffer): boolean => body.equals(page);
const isUnit = (body: Buffer): boolean => body.subarray(MEMBER_HEADER.length, -MEMBER_END_BYTES).equals(data);
const isNames = (body: Buffer): boolean => body.equals(names);
/** What is downloaded: a stored page, a slice with one feature, the same as a file, and a file of names. */
const SUBJECTS = [
  ['a page', '/api/v1/fc/lv0', pageFile, isPage],
  ['a unit', '/api/v1/geojsonl/lv0?gid-0=AAA', featureFile, isUnit],
  ['a download', '/api/v1/download/lv0.geojsonl.gz?gid-0=AAA', featureFile, isUnit],
  ['a file of names', '/api/v1/names/lv0', namesFile, isNames],
] as const;

const { url } = await startStaticHost(folder);
/** No time passes for readers, however long a machine takes for what the test does meanwhile: nobody is late or slow. */
const HOUR_MS = 3_600_000;
const limits = { headersMs: HOUR_MS, requestMs: HOUR_MS, checkMs: HOUR_MS, keepAliveMs: HOUR_MS, idleMs: HOUR_MS };
const timeless = { limits, time: new VirtualTime() };
const SERVICES = [
  ['a folder', await startService(folder, timeless)],
  ['a static host', await startService(folder, { ...timeless, origin: staticHostOrigin({ url, headers: {} }) })],
] as const;

/** A client that has asked for it, read the beginning of it, and now reads nothing. */
async function slowReader(service: RunningService, path: string): Promise<{ socket: Socket; beginning: Buffer }> {
  const socket = await openConnection(service);
  socket.write(rawGet(path, AUTHORIZED.authorization, 'Connection: close\r\n'));
  const [beginning] = await once(socket, 'data');
  socket.pause();
  assert.match(beginning.toString('latin1', 0, 20), /^HTTP\/1\.1 200 /);
  return { socket, beginning };
}

/** Bytes of buffers in use. Those that are garbage are as many as the collector has left: they say nothing. */
function heldNow(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Readers that have gone hold nothing any more: otherwise the next ones may be refused. */
async function allHaveLeft(service: RunningService): Promise<void> {
  await until(() => service.heldBytes() === 0, 'something is held');
  assert.deepEqual(service.log, []);
}

function openOf(isMeant: (target: string) => boolean): number {
  return openTargets().filter(isMeant).length;
}

for (const [name, service] of SERVICES)
  for (const [what, path, file, isWhole] of SUBJECTS) {
    test(`10 slow readers of ${what} of 8 MiB from ${name} hold a bounded memory, and get it whole later`, async () => {
      const before = heldNow();
      const readers = await Promise.all(Array.from({ length: READERS }, () => slowReader(service, path)));
      // By the time a quick reader has all of it, the others have been given as much as they get.
      const whole = await send(service, path, { 'accept-encoding': 'gzip' });
      assert.ok(isWhole(whole.body));
      // Not at once: a stack that has not been unwound may keep the chunks of the whole body.
      await until(() => heldNow() - before - whole.body.length < READERS * READER_BYTES, 'more is held');
      const [patient, ...others] = readers;
      assert.ok(patient);
      for (const { socket } of others) socket.destroy();
      const pieces = [patient.beginning];
      for await (const piece of patient.socket) pieces.push(piece);
      const received = Buffer.concat(pieces);
      assert.ok(isWhole(received.subarray(received.indexOf('\r\n\r\n') + 4)));
      await allHaveLeft(service);
    });

    test(`downloads of ${what} from ${name} that are given up leave no file and no socket open`, {
      skip: !existsSync('/proc/self/fd'),
    }, async () => {
      const isSocket = (target: string): boolean => target.startsWith('socket:');
      await send(service, path, { 'accept-encoding': 'gzip' }, 'HEAD');
      const sockets = openOf(isSocket);
      const readers = await Promise.all(Array.from({ length: 15 }, () => slowReader(service, path)));
      for (const { socket } of readers) socket.destroy();
      await until(() => openOf((target) => target === file) === 0, 'files stay open');
      // One connection to the host may be kept.
      await until(() => openOf(isSocket) <= sockets + 1, 'sockets stay open');
      await allHaveLeft(service);
    });
  }

const UNITS = 8000;
/** A quarter of the units, none beside another. */
const PATH = '/api/v1/download/lv1.geojsonl.gz?bbox=-160,-65,0,0';
const DOWNLOADS = 34;
/** Reads of the host until memory is looked at: by then it does not grow any more. */
const READS = 6000;
const POLL_MS = 100;
const MB = 1e6;

const scattered = await cachedOutput(import.meta.url, 'scattered', async (out) => {
  const large = new Map(Array.from({ length: UNITS }, (_, i) => [`1.${i}`, 9_000 + ((i * 977) % 8_000)] as const));
  const source = join(out, 'scattered.gpkg');
  writeInvented(source, { counts: [4, UNITS], verticesOf: () => 8, strayEvery: 2 * UNITS, large });
  await buildRelease(source, out);
});
const host = await startStaticHost(scattered);

/** The most memory that a proxy has had, in MB, while so many clients downloaded all that they may. */
async function memoryWith(clients: number): Promise<number> {
  const options = issuedOptions(scattered).map((option) => (option === scattered ? host.url.href : option));
  const { child, url, stop } = await serve([...options, '--no-access-log']);
  let reads = 0;
  host.fault = () => ++reads < 0;
  const answers: IncomingMessage[] = [];
  for (let i = 0; i < clients; i++) {
    const headers = { authorization: `Bearer ${await token({ sub: `client ${i}` })}` };
    const ask = (): void => {
      const asked = request(url + PATH, { agent: false, headers }, (answer) => {
        answers.push(answer.resume().on('error', () => {}));
        // Not those who have more than they may; a request that was late, on a slow machine, is sent again.
        if (answer.statusCode !== 503) answer.once('end', ask);
      });
      asked.on('error', () => {}).end();
    };
    for (let n = 0; n < DOWNLOADS; n++) ask();
  }
  // On a busy machine the proxy, another process, may need a minute for its first read.
  await until(
    () => reads > READS,
    () => `${reads} reads`,
    POLL_MS,
  );
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  for (const answer of answers) answer.destroy();
  await stop('SIGKILL');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024) / MB;
}

test('scattered downloads from a host, all that one client may have, take at most 300 MB, with four clients 400', {
  skip: !existsSync('/proc/self/status'),
}, async () => {
  const [one, four] = [await memoryWith(1), await memoryWith(4)];
  assert.ok(one < 300 && four < 400, `${one} and ${four} MB`);
});
