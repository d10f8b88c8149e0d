// The HTTP contract: what a request asks for, by its level, size, start and filters. Any request is compared with a model
// of a few lines over the stored text of the level.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { FORMATS, type Format, LEVELS, type Level, levelName, PAGE_CAPS } from '../../format/levels.ts';
import { bodyOf, ODD_GIDS, type StoredLevel } from '../support/datasets/large-dataset.ts';
import { nextOf, send, type Target } from '../support/http/http-client.ts';
import type { World } from './world.ts';

/** What a request asks for. */
interface Asked {
  format: Format;
  level: Level;
  coding: 'gzip' | 'identity';
  size: string | undefined;
  start: { parameter: 'start-at' | 'start-after'; fid: number } | undefined;
  /** By `gid-N`. */
  filters: Readonly<Record<string, string>>;
  /** How the cursor of the next page is given. */
  cursor: 'start-at' | 'start-after';
}

/** Requests that are compared in each setup, besides the caps and the odd GIDs. */
const RUNS = 60;
const SEED = 20261121;
const LAST_FID = 2 ** 53 - 1;
const HUGE_SIZE = '99999999999999999999999';
const PLAIN: Omit<Asked, 'format' | 'level'> = {
  coding: 'gzip',
  size: undefined,
  start: undefined,
  filters: {},
  cursor: 'start-at',
};

/** Tests which features are selected. */
export function testRequests({ proxy, stored }: World): void {
  testAnyRequest(proxy, stored, RUNS);

  test('answers HEAD with the headers of GET and no body', async () => {
    for (const coding of ['gzip', 'identity'])
      for (const path of ['geojsonl/lv2', 'fc/lv3?page-size=7', 'fc/lv0?gid-0=none', 'geojsonl/lv9']) {
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
        [undefined, String(PAGE_CAPS[format][level] + 1), HUGE_SIZE].map((size) => ({ ...PLAIN, format, level, size })),
      ),
    );
    const odd = [...ODD_GIDS, 'Same', 'U0.1_1 ', 'u0.1_1', '%2e%2e%2f', 'U0.1_1\0', 'nowhere'].flatMap((gid) =>
      ([1, 2] as const).map((level): Asked => ({ ...PLAIN, format: 'fc', level, filters: { 'gid-1': gid } })),
    );
    const examples = [...caps, ...odd].map((asked): [Asked] => [asked]);
    const parameters = { seed: SEED, examples, numRuns: examples.length + runs };
    await fc.assert(
      fc.asyncProperty(anyRequest(stored), (asked) => compare(proxy, stored, asked)),
      parameters,
    );
  });
}

/** Any request for a level: sizes around the cap, starts in gaps and past the end, GIDs of one unit or of several. */
function anyRequest(stored: readonly StoredLevel[]): fc.Arbitrary<Asked> {
  return fc
    .record({ format: fc.constantFrom(...FORMATS), level: fc.constantFrom(...LEVELS) })
    .chain(({ format, level }) => {
      const units = stored[level]?.units ?? [];
      const parameter = fc.constantFrom('start-at' as const, 'start-after' as const);
      const fid = fc.oneof(
        { weight: 9, arbitrary: fc.nat((units.at(-1)?.fid ?? 0) + 5) },
        { weight: 1, arbitrary: fc.constant(LAST_FID) },
      );
      const filter = fc
        .record({ unit: fc.constantFrom(...units), column: fc.nat(level) })
        .map(({ unit, column }): [string, string] => [`gid-${column}`, unit.gids[column] ?? '']);
      return fc.record({
        format: fc.constant(format),
        level: fc.constant(level),
        coding: fc.constantFrom('gzip' as const, 'identity' as const),
        size: fc.option(fc.integer({ min: 1, max: PAGE_CAPS[format][level] + 3 }).map(String), { nil: undefined }),
        start: fc.option(fc.record({ parameter, fid }), { nil: undefined }),
        filters: fc.array(filter, { maxLength: 3 }).map((filters) => Object.fromEntries(filters)),
        cursor: parameter,
      });
    });
}

async function compare(proxy: Target, stored: readonly StoredLevel[], asked: Asked): Promise<void> {
  const { format, level, size, start, filters, cursor } = asked;
  const units = (stored[level]?.units ?? []).map((unit, i) => ({ ...unit, line: stored[level]?.lines[i] ?? '' }));
  const matching = units.filter(({ gids }) =>
    Object.entries(filters).every(([name, gid]) => gids[Number(name.slice('gid-'.length))] === gid),
  );
  const first = start === undefined ? 0 : start.fid + (start.parameter === 'start-after' ? 1 : 0);
  const lines = matching.filter(({ fid }) => fid >= first).map(({ line }) => line);
  const query = new URLSearchParams(filters);
  if (size !== undefined) query.set('page-size', size);
  if (start !== undefined) query.set(start.parameter, String(start.fid));
  const count = Math.min(PAGE_CAPS[format][level], Number(size ?? HUGE_SIZE));
  const path = `/api/v1/${format}/${levelName(level)}?${query}`;
  const next = await comparePage(proxy, path, asked, lines, count, matching.length);
  if (next === undefined) return;
  await comparePage(proxy, next.replace('start-at', cursor), asked, lines.slice(count), count, matching.length);
}

/** Compares one page. @param lines the features that are left @returns the path of the next page, if there must be one */
async function comparePage(
  proxy: Target,
  path: string,
  { format, coding }: Asked,
  lines: readonly string[],
  count: number,
  matched: number,
): Promise<string | undefined> {
  const answer = await send(proxy, path, { 'accept-encoding': coding });
  assert.equal(answer.status, 200, path);
  const isOneMember = answer.body.subarray(0, MEMBER_HEADER.length).equals(MEMBER_HEADER);
  assert.equal(isOneMember, coding === 'gzip', path);
  const text = (coding === 'gzip' ? gunzipSync(answer.body) : answer.body).toString('utf8');
  assert.ok(text === bodyOf(format, lines.slice(0, count)), `${path}: other text`);
  assert.equal(answer.headers['content-length'], String(answer.body.length), path);
  assert.equal(answer.headers['boundaries-matched'], String(matched), path);
  const next = nextOf(answer);
  assert.equal(next !== undefined, lines.length > count, path);
  return next;
}
