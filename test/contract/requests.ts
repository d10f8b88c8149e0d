// The HTTP contract: what a request asks for, by its level, size, start and filters. Any request is compared with a
// model of a few lines over the stored text of the level.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { FORMATS, GEOMETRIES, LEVELS, PAGE_CAPS, pageCap } from '../../format/levels.ts';
import { ODD_GIDS, type StoredLevel } from '../support/datasets/large-dataset.ts';
import { nextOf, send, type Target } from '../support/http/http-client.ts';
import { anyListing, type ExpectedPage, expectedPage, type Listing, pathOf } from '../support/listings.ts';
import type { World } from './world.ts';

/** Requests that are compared in each setup, besides the caps and the odd GIDs. */
const RUNS = 30;
const SEED = 20261121;

/** Tests which features are selected. */
export function testRequests({ proxy, stored }: World): void {
  testAnyRequest(proxy, stored, RUNS);

  test('answers HEAD with the headers of GET and no body', async () => {
    for (const coding of ['gzip', 'identity'])
      for (const path of [
        'geojsonl/lv2',
        'fc/lv3?page-size=7',
        'fc/lv3?geometry=low&page-size=7',
        'fc/lv0?gid-0=none',
        'geojsonl/lv9',
      ]) {
        const get = await send(proxy, `/api/v1/${path}`, { 'accept-encoding': coding });
        const head = await send(proxy, `/api/v1/${path}`, { 'accept-encoding': coding }, 'HEAD');
        assert.deepEqual([head.status, head.body.length], [get.status, 0]);
        const { date: _, 'transfer-encoding': __, ...expected } = get.headers;
        const { date: ___, ...headers } = head.headers;
        assert.deepEqual(headers, expected);
      }
  });
}

/** Compares the answers to so many requests, and those to the requests for the pages after them. */
export function testAnyRequest(proxy: Target, stored: readonly StoredLevel[], runs: number): void {
  test('answers any request with exactly the features it asks for, in order, and next when there are more', async () => {
    const caps = FORMATS.flatMap((format) =>
      LEVELS.flatMap((level) =>
        [undefined, String(PAGE_CAPS[format][level] + 1), '9'.repeat(23)].map((pageSize) => ({
          format,
          level,
          pageSize,
        })),
      ),
    );
    const capsByGeometry = FORMATS.flatMap((format) =>
      GEOMETRIES.flatMap((geometry) =>
        ([0, 3] as const).map((level) => ({
          format,
          level,
          geometry,
          pageSize: String(pageCap(format, level, geometry) + 1),
        })),
      ),
    );
    const odd = [...ODD_GIDS, 'Same', 'U0.1_1 ', 'u0.1_1', '%2e%2e%2f', 'U0.1_1\0'].flatMap((gid) =>
      ([1, 2] as const).map((level) => ({ format: 'fc' as const, level, filters: { 'gid-1': gid } })),
    );
    type Run = [Listing, 'gzip' | 'identity', 'start-at' | 'start-after'];
    const examples = [...caps, ...capsByGeometry, ...odd].map((listing): Run => [listing, 'gzip', 'start-at']);
    const property = fc.asyncProperty(
      anyListing(stored),
      fc.constantFrom('gzip' as const, 'identity' as const),
      fc.constantFrom('start-at' as const, 'start-after' as const),
      async (listing, coding, cursor) => {
        const first = expectedPage(listing, stored);
        const next = await comparePage(proxy, pathOf(listing), coding, first);
        if (next !== undefined)
          await comparePage(proxy, next.replace('start-at', cursor), coding, expectedPage(listing, stored, first.end));
      },
    );
    await fc.assert(property, { seed: SEED, examples, numRuns: examples.length + runs });
  });
}

/** Compares one page. @returns the path of the next one, if there must be one */
async function comparePage(
  proxy: Target,
  path: string,
  coding: 'gzip' | 'identity',
  expected: ExpectedPage,
): Promise<string | undefined> {
  const answer = await send(proxy, path, { 'accept-encoding': coding });
  assert.equal(answer.status, 200, path);
  const isOneMember = answer.body.subarray(0, MEMBER_HEADER.length).equals(MEMBER_HEADER);
  assert.equal(isOneMember, coding === 'gzip', path);
  const text = (coding === 'gzip' ? gunzipSync(answer.body) : answer.body).toString('utf8');
  assert.ok(text === expected.text, `${path}: other text`);
  assert.equal(answer.headers['content-length'], String(answer.body.length), path);
  assert.equal(answer.headers['boundaries-matched'], String(expected.matched), path);
  const next = nextOf(answer);
  assert.equal(next === undefined, expected.isLast, path);
  return next;
}
