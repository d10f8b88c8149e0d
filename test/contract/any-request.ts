// What a request asks for, by its level, size, start, filters and place. Any page, any download and
// what is at any point are compared with a model of a few lines over the stored text of the levels.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { FORMATS, GEOMETRIES, type Geometry, LEVELS } from '../../format/levels.ts';
import { PAGE_CAPS, pageCap } from '../../format/page-caps.ts';
import { bodyOf, ODD_GIDS, type StoredLevel } from '../support/datasets/large-dataset.ts';
import { type Answer, HELD_HEADERS, lastingHeaders, nextOf, send, type Target } from '../support/http/http-client.ts';
import {
  anyListing,
  anyPlaceOf,
  downloadOf,
  expectedPage,
  type Listing,
  linesOf,
  pathOf,
} from '../support/listings.ts';
import { seedsOf } from '../support/slice.ts';
import type { World } from './world.ts';

/** Requests that are compared besides the caps and the odd GIDs. */
const RUNS = 100;
const DOWNLOADS = 30;
const POINTS = 30;

const CODINGS = ['gzip', 'identity'] as const;
type Coding = (typeof CODINGS)[number];
const anyCoding = fc.constantFrom(...CODINGS);

interface Expected {
  text: string;
  matched: number;
}

export function testRequests({ proxy, stored }: World): void {
  testAnyPage(proxy, stored, RUNS);
  testAnyDownload(proxy, stored, DOWNLOADS);
  testAnyPoint(proxy, stored, POINTS);
}

/** Compares so many pages, and those after them. @param known are compared in each run */
export function testAnyPage(
  proxy: Target,
  stored: readonly StoredLevel[],
  runs: number,
  known: readonly Listing[] = knownListings(),
): void {
  test('answers any request with exactly the features it asks for, in order, and next when there are more', async () => {
    type Run = [Listing, Coding, 'start-at' | 'start-after'];
    const examples = known.map((listing): Run => [listing, 'gzip', 'start-at']);
    const property = fc.asyncProperty(
      anyListing(stored),
      anyCoding,
      fc.constantFrom('start-at' as const, 'start-after' as const),
      async (listing, coding, cursor) => {
        const first = expectedPage(listing, stored);
        const next = nextOf(await compare(proxy, pathOf(listing), coding, first));
        assert.equal(next === undefined, first.isLast, pathOf(listing));
        if (next === undefined) return;
        const second = expectedPage(listing, stored, first.end);
        const answer = await compare(proxy, next.replace('start-at', cursor), coding, second);
        assert.equal(nextOf(answer) === undefined, second.isLast, next);
      },
    );
    for (const seed of seedsOf(1)) await fc.assert(property, { seed, examples, numRuns: examples.length + runs });
  });
}

/** Listings with the largest pages of every kind, those of GIDs that would break a path or a query, and empty ones. */
function knownListings(): Listing[] {
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
      ([0, 3] as const).map((level) => {
        return { format, level, geometry, pageSize: String(pageCap(format, level, geometry) + 1) };
      }),
    ),
  );
  const odd = [...ODD_GIDS, 'Same', 'U0.1_1 ', 'u0.1_1', '%2e%2e%2f', 'U0.1_1\0'].flatMap((gid) =>
    ([1, 2] as const).map((level) => ({ format: 'fc' as const, level, filters: { 'gid-1': gid } })),
  );
  const empty = FORMATS.map((format) => ({ format, level: 2 as const, filters: { 'gid-0': 'none' } }));
  return [...caps, ...capsByGeometry, ...odd, ...empty];
}

/** Compares so many downloads of any listing, and any range of each. */
export function testAnyDownload(proxy: Target, stored: readonly StoredLevel[], runs: number): void {
  test('a download is every feature of its listing, and each range of it those bytes', async () => {
    const empty = FORMATS.map((format): [AnyDownload] => {
      const listing: Listing = { format, level: 2, filters: { 'gid-0': 'none' } };
      return [{ listing, parts: [0.9, 1], form: 'suffix' }];
    });
    const any: fc.Arbitrary<AnyDownload> = fc.record({
      listing: anyListing(stored),
      parts: fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      form: fc.constantFrom<AnyDownload['form'][]>('closed', 'open', 'suffix', 'too far'),
    });
    const property = fc.asyncProperty(any, async ({ listing, parts: [begin, part], form }) => {
      const path = downloadOf(listing);
      const lines = linesOf(listing, stored);
      const whole = await assertAsked(proxy, path, 'gzip', lines.length);
      assert.ok(gunzipSync(whole.body).toString() === bodyOf(listing.format, lines), path);
      const { length } = whole.body;
      const first = Math.floor(begin * length);
      const last = form === 'closed' ? first + Math.floor(part * (length - 1 - first)) : length - 1;
      const range = {
        closed: `${first}-${last}`,
        open: `${first}-`,
        suffix: `-${length - first}`,
        'too far': `${first}-${length + 1000}`,
      }[form];
      const answer = await send(proxy, path, { range: `bytes=${range}` });
      assert.equal(answer.status, 206, path);
      assert.equal(answer.headers['content-range'], `bytes ${first}-${last}/${length}`);
      assert.equal(answer.headers['content-length'], String(last - first + 1));
      assert.equal(answer.headers.etag, whole.headers.etag);
      assert.ok(answer.body.equals(whole.body.subarray(first, last + 1)), `${path} ${range}`);
    });
    for (const seed of seedsOf(1)) await fc.assert(property, { seed, examples: empty, numRuns: empty.length + runs });
  });
}

interface AnyDownload {
  listing: Listing;
  /** Where the range begins and ends, as parts of the whole. */
  parts: [begin: number, end: number];
  form: 'closed' | 'open' | 'suffix' | 'too far';
}

function testAnyPoint(proxy: Target, stored: readonly StoredLevel[], runs: number): void {
  test('what is at any point are the units of all levels that contain it, from the first level down', async () => {
    const anyPoint = fc.constantFrom(...LEVELS).chain((level) => anyPlaceOf(stored, level).contains);
    const property = fc.asyncProperty(
      anyPoint,
      fc.constantFrom<(Geometry | undefined)[]>(undefined, ...GEOMETRIES),
      anyCoding,
      async (contains, geometry, coding) => {
        const found = LEVELS.map((level) => linesOf({ level, contains, geometry: geometry ?? 'none' }, stored));
        const levels = found.flatMap((lines, level) => lines.map(() => `lv${level}`));
        const collection = bodyOf('fc', found.flat());
        const columnOf = (column: string): string =>
          JSON.stringify(
            found.flatMap((lines, level) =>
              lines.map((line) => JSON.parse(line).properties[`${column}_${level}`] || null),
            ),
          );
        const members = `"levels":${JSON.stringify(levels)},"gids":${columnOf('GID')},"names":${columnOf('NAME')}`;
        const text = collection.replace(/\]\}\n$/, `],${members}}\n`);
        const path = `/api/v1/at?point=${contains}${geometry === undefined ? '' : `&geometry=${geometry}`}`;
        await compare(proxy, path, coding, { text, matched: levels.length });
      },
    );
    for (const seed of seedsOf(1)) await fc.assert(property, { seed, numRuns: runs });
  });
}

async function compare(proxy: Target, path: string, coding: Coding, { text, matched }: Expected): Promise<Answer> {
  const answer = await assertAsked(proxy, path, coding, matched);
  const { body } = answer;
  const type = path.startsWith('/api/v1/geojsonl/') ? 'application/x-ndjson' : 'application/geo+json';
  assert.equal(answer.headers['content-type'], type, path);
  const isOneMember = body.subarray(0, MEMBER_HEADER.length).equals(MEMBER_HEADER);
  assert.equal(isOneMember, coding === 'gzip', path);
  assert.ok((isOneMember ? gunzipSync(body) : body).toString('utf8') === text, `${path}: other text`);
  return answer;
}

/** Asks for an answer, for its headers alone, and whether it is still so. */
async function assertAsked(proxy: Target, path: string, coding: Coding, matched: number): Promise<Answer> {
  const asked = { 'accept-encoding': coding };
  const answer = await send(proxy, path, asked);
  const { status, headers, body } = answer;
  assert.equal(status, 200, path);
  assert.equal(headers['content-length'], String(body.length), path);
  assert.equal(headers['boundaries-matched'], String(matched), path);
  assert.match(String(headers.etag), /^"[A-Za-z0-9_-]+"$/);
  const head = await send(proxy, path, asked, 'HEAD');
  assert.deepEqual([head.status, head.body.length, lastingHeaders(head)], [200, 0, lastingHeaders(answer)], path);
  const held = await send(proxy, path, { ...asked, 'if-none-match': headers.etag });
  assert.deepEqual([held.status, held.body.length], [304, 0], path);
  for (const name of HELD_HEADERS) assert.equal(held.headers[name], headers[name], `${path} ${name}`);
  return answer;
}
