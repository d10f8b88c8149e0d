// Conditions of requests on entity tags: If-Match, which pins what is read in ranges, beside If-None-Match and Range
// (RFC 9110 section 13.2.2), from an adapter of each kind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOrigin } from '../../proxy/create-server.ts';
import { createFetchHandler } from '../../proxy/fetch/create-fetch-handler.ts';
import { writeRenamedCountries } from '../support/datasets/small-datasets.ts';
import { refusal, send } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildCountries, buildRelease } from '../support/releases/build-release.ts';

const folder = await buildCountries();
const service = await startService(folder);
const DOWNLOAD = '/api/v1/download/lv2.geojsonl.gz';
const PAGE = '/api/v1/fc/lv1';

async function tagOf(path: string): Promise<string> {
  const { etag } = (await send(service, path, {}, 'HEAD')).headers;
  return etag ?? assert.fail(`${path} has no ETag`);
}

test('If-Match that names another entity tag is 412, by strong comparison, whatever else the request says', async () => {
  for (const path of [DOWNLOAD, PAGE]) {
    const etag = await tagOf(path);
    for (const wanted of ['"another"', `W/${etag}`, `"a", W/${etag}`, ''])
      for (const more of [{}, { range: 'bytes=0-1' }, { range: 'bytes=999999999-' }, { 'if-none-match': etag }]) {
        const answer = await send(service, path, { 'if-match': wanted, ...more });
        refusal(answer, 412, 'precondition-failed');
      }
    assert.equal((await send(service, path, { 'if-match': '"another"' }, 'HEAD')).status, 412);
  }
});

test('If-Match that names it changes nothing: whole, range, 304 and 416 are as without', async () => {
  const etag = await tagOf(DOWNLOAD);
  for (const wanted of [etag, '*', `"a" , ${etag}`])
    for (const more of [{}, { range: 'bytes=2-5' }, { range: 'bytes=999999999-' }, { 'if-none-match': etag }]) {
      const [plain, pinned] = [
        await send(service, DOWNLOAD, more),
        await send(service, DOWNLOAD, { ...more, 'if-match': wanted }),
      ];
      assert.deepEqual([pinned.status, pinned.body], [plain.status, plain.body], JSON.stringify(more));
    }
  // What has no entity tag has no condition.
  assert.equal((await send(service, '/healthz', { 'if-match': '"a"' })).status, 200);
  assert.equal((await send(service, '/api/v1/fc/lv9', { 'if-match': '"a"' })).status, 404);
});

test('a client that reads a file in ranges never joins two releases: with If-Match the second one is 412', async () => {
  const out = await buildCountries();
  const own = await startService(out);
  const first = await send(own, DOWNLOAD, { range: 'bytes=0-99' });
  assert.equal(first.status, 206);
  await buildRelease(writeRenamedCountries(), out, { release: 'r2' });
  await own.releases.refresh();
  const pinned = { range: 'bytes=100-', 'if-match': first.headers.etag };
  refusal(await send(own, DOWNLOAD, pinned), 412, 'precondition-failed');
  assert.equal((await send(own, DOWNLOAD, { range: 'bytes=100-' })).status, 206);
});

test('a handler of the Fetch standard has the same conditions', async () => {
  const handler = await createFetchHandler({ origin: await openOrigin(folder), public: true });
  const etag = await tagOf(DOWNLOAD);
  const ask = (headers: Record<string, string>): Promise<Response> =>
    handler.fetch(new Request(`https://a.test${DOWNLOAD}`, { headers }));
  assert.equal((await ask({ 'if-match': '"another"', range: 'bytes=0-1' })).status, 412);
  assert.equal((await ask({ 'if-match': etag, range: 'bytes=0-1' })).status, 206);
  assert.equal((await ask({ 'if-match': etag, 'if-none-match': etag })).status, 304);
});
