// What the clients of a soak ask, each with a check of the whole answer: pages and how they lead on, whole files, 304,
// HEAD, and what must be refused.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { type Answer, nextOf, refusal, sendRaw, textOf } from '../support/http/http-client.ts';
import { anyListing, expectedPage, type Listing, pathOf } from '../support/listings.ts';
import { type Asker, ask, attempt } from './asker.ts';
import type { Published } from './published.ts';

const PAGES_MAX = 6;
/** Cursors that wait for their release to be removed. */
const CURSORS_MAX = 50;
/** Listings that everyone asks for: the first pages of whole levels. */
const HOT: readonly Listing[] = ([2, 3] as const).map((level) => ({ format: 'fc', level }));
/** Level 0 has a unit of several MB: asked for less often. */
const DRAWN_LEVELS = [0, ...LEVELS.slice(1), ...LEVELS.slice(1)] as const;
/** Different listings that are asked for. */
const LISTINGS = 5_000;

let listings: readonly Listing[] = [];

/**
 * Draws the listings, which takes seconds: before anybody asks, as the issuer of tokens runs in this process. Without
 * places, for whose answers every vertex would be looked at here.
 */
export function drawListings(published: Published): void {
  const drawn = fc.sample(anyListing(published.known('r0').levels, DRAWN_LEVELS), { seed: 1, numRuns: LISTINGS });
  listings = drawn.map((listing) => ({ ...listing, bbox: undefined, contains: undefined }));
}

/** A page: the first one of a listing, or one that a cursor leads to. */
interface Page {
  path: string;
  listing: Listing;
  cursor?: { release: string; after: number };
}

const cursors: Page[] = [];

async function oldCursor(asker: Asker): Promise<void> {
  const page = cursors[asker.random(CURSORS_MAX)];
  if (page !== undefined) await askPage(asker, page);
}

async function walk(asker: Asker, listing: Listing, pages: number): Promise<void> {
  let page: Page | undefined = { path: pathOf(listing), listing };
  for (let asked = 0; asked < pages && page !== undefined; asked++) page = await askPage(asker, page);
  if (page !== undefined) cursors[asker.random(CURSORS_MAX)] = page;
}

/** Asks for a page, checks all of it, and sometimes asks again. @returns the next one, unless the release is gone */
async function askPage(asker: Asker, { path, listing, cursor }: Page): Promise<Page | undefined> {
  const answer = await ask(asker, path, codingOf(asker));
  if (cursor !== undefined && answer.status === 410) {
    refusal(answer, 410, 'release-gone');
    return undefined;
  }
  const release = cursor?.release ?? String(answer.headers['boundaries-release']);
  const expected = expectedPage(listing, asker.published.known(release).levels, cursor?.after);
  const what = `${path} of ${release}`;
  const { status, headers } = answer;
  assert.deepEqual([status, headers['boundaries-release']], [200, release], what);
  assert.ok(textOf(answer) === expected.text, `${what}: another body`);
  assert.equal(headers['boundaries-matched'], String(expected.matched), what);
  const next = nextOf(answer);
  assert.equal(next === undefined, expected.isLast, `${what}: next is ${next}`);
  if (asker.random(8) === 0) await askAgain(asker, path, answer);
  return next === undefined ? undefined : { path: next, listing, cursor: { release, after: expected.end } };
}

/** Asks again for what the client has: 304, or with HEAD its headers, unless the release has changed. */
async function askAgain(asker: Asker, path: string, { headers, body }: Answer): Promise<void> {
  const method = asker.random(3) === 0 ? 'HEAD' : 'GET';
  const same = { 'accept-encoding': headers['content-encoding'] ?? 'identity' };
  const again = await ask(asker, path, method === 'GET' ? { ...same, 'if-none-match': headers.etag } : same, method);
  if (again.status === 410 || again.headers['boundaries-release'] !== headers['boundaries-release']) return;
  const expected = method === 'GET' ? [304, 0, headers.etag] : [200, 0, headers.etag];
  assert.deepEqual([again.status, again.body.length, again.headers.etag], expected, path);
  if (method === 'HEAD') assert.equal(again.headers['content-length'], String(body.length), path);
}

function anyOf<T>({ random }: Asker, values: readonly T[]): T {
  return elementAt(values, random(values.length));
}

function codingOf({ random }: Asker): Record<string, string> {
  return { 'accept-encoding': random(3) === 0 ? 'identity' : 'gzip' };
}

async function wholeFile(asker: Asker): Promise<void> {
  const file = `names/${levelName(anyOf(asker, LEVELS))}`;
  const answer = await ask(asker, `/api/v1/${file}`, codingOf(asker));
  const release = String(answer.headers['boundaries-release']);
  assert.equal(answer.status, 200, file);
  assert.ok(textOf(answer) === asker.published.known(release).files.get(file), `${file} of ${release}: another body`);
}

const PATH = '/api/v1/geojsonl/lv2';
/** Requests that are refused: path, status, code, and the method if it is not GET. */
const BAD: readonly (readonly [string, number, string, string?])[] = [
  [`${PATH}?page-size=0`, 400, 'bad-parameter'],
  [`${PATH}?start-at=cAAAA`, 400, 'bad-cursor'],
  [`${PATH}?access_token=a`, 400, 'token-in-query'],
  ['/api/v1/geojsonl/lv6', 404, 'not-found'],
  [PATH, 405, 'method-not-allowed', 'DELETE'],
  [`${PATH}?gid-0=${'a'.repeat(10_000)}`, 414, 'uri-too-long'],
];

async function badRequest(asker: Asker): Promise<void> {
  const [path, status, code, method] = anyOf(asker, BAD);
  refusal(await ask(asker, path, {}, method), status, code);
}

/** What is not HTTP, or not only a request. */
const RAW = [
  ['GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd', 400],
  [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(99_999)}\r\n\r\n`, 431],
  ['hello\r\n\r\n', 400],
] as const;

async function notHttp(asker: Asker): Promise<void> {
  const [bytes, status] = anyOf(asker, RAW);
  const text = await attempt(asker, 'raw', () => sendRaw(asker.proxy, bytes));
  // 408 on a slow machine.
  assert.match(text, new RegExp(`^HTTP/1\\.1 (${status}|408) `), `${bytes.slice(0, 60)}: ${text.slice(0, 200)}`);
}

/** Tokens that are missing, too old or forged; what needs none. */
async function otherToken(asker: Asker): Promise<void> {
  const { tokens } = asker;
  assert.equal((await ask(asker, '/readyz', { authorization: undefined })).status, 200);
  refusal(await ask(asker, PATH, { authorization: undefined }), 401, 'token-missing');
  for (const bad of [await tokens.expired(), await tokens.forged()])
    refusal(await ask(asker, PATH, { authorization: bad }), 401, 'token-invalid');
}

const SHARES: readonly [(asker: Asker) => Promise<void>, number][] = [
  [(asker) => walk(asker, anyOf(asker, HOT), 1), 8],
  [(asker) => walk(asker, anyOf(asker, listings), 1 + asker.random(PAGES_MAX)), 10],
  [oldCursor, 3],
  [wholeFile, 2],
  [badRequest, 2],
  [notHttp, 1],
  [otherToken, 1],
];
const DRAWN = SHARES.flatMap(([request, share]) => Array.from({ length: share }, () => request));

/** Sends one request of any kind, or a few that belong together. @throws Excused, or what is wrong with an answer */
export async function askAnything(asker: Asker): Promise<void> {
  await anyOf(asker, DRAWN)(asker);
}
