// A static host that is read with `fetch`, as Workers do: its faults have the same answers as those of any other,
// except that `fetch` undoes a Content-Encoding of the host.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CURRENT_PATH } from '../../format/layout.ts';
import { fetchHostOrigin } from '../../proxy/origin/fetch-host.ts';
import { refusal, send } from '../support/http/http-client.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { sliceOf } from '../support/slice.ts';
import { buildWorld, onPages, startProxy, testConversation, testFaults } from './failing-host.ts';
import { HOST_FAULTS } from './host-faults.ts';

const folder = await buildWorld();
const host = await startStaticHost(folder);
const tested = { folder, host, open: fetchHostOrigin.bind(undefined, host.url, {}) };
// What does not depend on how a response is got is tried in each run in static-host.test.ts.
const OWN: ReadonlySet<string> = new Set(['302', 'a closed connection', 'no answer', 'silent half-way']);
testFaults(
  tested,
  sliceOf(HOST_FAULTS, ({ what }) => OWN.has(what)),
);
testConversation(tested, true);

test('a page that the host labels as gzip is a 502, unless it has compressed it itself', async () => {
  const labelled = (change: (bytes: Buffer) => Buffer) =>
    onPages((res, file) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(change(readFileSync(file))));
  const proxy = await startProxy(tested);
  host.fault = labelled((bytes) => bytes);
  refusal(await send(proxy, '/api/v1/geojsonl/lv2'), 502, 'origin-damaged');
  host.fault = labelled(gzipSync);
  assert.equal((await send(proxy, '/api/v1/geojsonl/lv2')).status, 200);
});

test('the headers for a static host go to no other host, whatever slashes its URL has', async () => {
  host.fault = undefined;
  for (const path of ['', '/', '//', '//elsewhere.invalid//']) {
    host.asked = [];
    const origin = fetchHostOrigin(new URL(`${host.url.origin}${path}`), { 'x-secret': 'one' });
    await origin.read(CURRENT_PATH, 65_536).catch(() => {});
    assert.equal(host.asked.at(-1)?.headers['x-secret'], 'one', path);
  }
});
