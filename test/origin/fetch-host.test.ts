// A static host that is read with `fetch`, as Workers do: its faults have the same answers as those of any other,
// except that `fetch` undoes a Content-Encoding of the host.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fetchHostOrigin } from '../../proxy/origin/fetch-host.ts';
import { refusal, send } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { buildWorld, LIMITS, testFailingHost } from './failing-host.ts';

const folder = await buildWorld();
const host = await startStaticHost(folder);
testFailingHost(folder, host, async (limits) => fetchHostOrigin(host.url, {}, limits), 'sample', true);

test('a page that the host labels as gzip is a 502, unless it has compressed it itself', async () => {
  const proxy = await startService(folder, { origin: fetchHostOrigin(host.url, {}, LIMITS) });
  const labelled = (change: (bytes: Buffer) => Buffer): void => {
    host.fault = (_req, res, file) => {
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(change(readFileSync(file)));
      return true;
    };
  };
  labelled((bytes) => bytes);
  refusal(await send(proxy, '/api/v1/geojsonl/lv2'), 502, 'origin-damaged');
  labelled(gzipSync);
  assert.equal((await send(proxy, '/api/v1/geojsonl/lv2')).status, 200);
});
