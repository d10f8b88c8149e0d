// What the clients of a soak ask, each with a check of the whole answer: pages and how they lead on, whole files, 304,
// HEAD, and what must be refused.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import type { Answer } from '../support/http/http-client.ts';
import { fidsOf, nextOf, refusal, sendRaw, textOf } from '../support/http/http-client.ts';
import { anyListing, expectedPage, type Listing, pathOf } from '../support/listings.ts';
import type { Asker } from './asker.ts';
import { Late } from './asker.ts';
import type { Published } from './published.ts';

/** Pages that a client follows. */
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

/** A page that a cursor leads to. */
interface Cursor {
  path: string;
  listing: Listing;
  after: number;
  release: string;
}

const cursors: Cursor[] = [];

/** One of the pages that everyone asks for. */
async function hotPage(asker: Asker): Promise<void> {
  await walk(asker, elementAt(HOT, asker.random(HOT.length)), 1);
}

/**
 * Draws the listings, which takes seconds: before anybody asks, as the issuer of tokens runs in this process. Without
 * places, for whose answers every vertex would be looked at here.
 */
export function drawListings(published: Published): void {
  const drawn = fc.sample(anyListing(published.known('r0').levels, DRAWN_LEVELS), { seed: 1, numRuns: LISTINGS });
  listings = drawn.map((listing) => ({ ...listing, bbox: undefined, contains: undefined }));
}

/** A listing and its next pages. */
async function listing(asker: Asker): Promise<void> {
  await walk(asker, elementAt(listings, asker.random(LISTINGS)), 1 + asker.random(PAGES_MAX));
}

/** A cursor from long ago. */
async function oldCursor(asker: Asker): Promise<void> {
  const cursor = cursors[asker.random(CURSORS_MAX)];
  if (cursor !== undefined) await follow(asker, cursor, 1);
}

async function walk(asker: Asker, listing: Listing, pages: number): Promise<void> {
  const path = pathOf(listing);
  const begun = performance.now();
  const answer = await asker.ask(path, codingOf(asker));
  const release = String(answer.headers['boundaries-release']);
  asker.assertCurrent(release, begun, path);
  const after = await assertPage(asker, answer, { path, listing, release, after: undefined });
  if (after !== undefined) await follow(asker, after, pages - 1);
}

/** Follows next for some pages. */
async function follow(asker: Asker, start: Cursor, pages: number): Promise<void> {
  let cursor: Cursor | undefined = start;
  for (let page = 0; page < pages && cursor !== undefined; page++) {
    const { path, release }: Cursor = cursor;
    const begun = performance.now();
    const answer: Answer = await asker.ask(path, codingOf(asker));
    if (asker.assertHosting(release, answer, begun, path)) return;
    cursor = await assertPage(asker, answer, cursor);
  }
  if (cursor !== undefined) cursors[asker.random(CURSORS_MAX)] = cursor;
}

/** Checks a page and sometimes asks for it again. @returns the next one */
async function assertPage(
  asker: Asker,
  answer: Answer,
  { path, listing, release, after }: Omit<Cursor, 'after'> & { after: number | undefined },
): Promise<Cursor | undefined> {
  const expected = expectedPage(listing, asker.published.known(release).levels, after);
  const what = `${path} of ${release}`;
  assert.equal(answer.status, 200, what);
  assert.equal(answer.headers['boundaries-release'], release, what);
  if (textOf(answer) !== expected.text)
    assert.fail(`${what}: the body is not that of its page: fids ${fidsOf(answer)}`);
  assert.equal(answer.headers['boundaries-matched'], String(expected.matched), what);
  const next = nextOf(answer);
  assert.equal(next === undefined, expected.isLast, `${what}: next is ${next}`);
  if (asker.random(8) === 0) await revalidate(asker, path, answer);
  if (asker.random(16) === 0) await askHead(asker, path, answer);
  return next === undefined ? undefined : { path: next, listing, release, after: expected.end };
}

/** Asks again for what the client has: 304, unless the release has changed. */
async function revalidate(asker: Asker, path: string, { headers }: Answer): Promise<void> {
  const again = await asker.ask(path, { ...sameCoding(headers), 'if-none-match': headers.etag });
  if (isOther(again, headers)) return;
  assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, headers.etag], path);
}

async function askHead(asker: Asker, path: string, { headers, body }: Answer): Promise<void> {
  const head = await asker.ask(path, sameCoding(headers), 'HEAD');
  if (isOther(head, headers)) return;
  assert.deepEqual([head.status, head.body.length], [200, 0], path);
  for (const name of ['etag', 'link', 'content-type']) assert.equal(head.headers[name], headers[name], path);
  assert.equal(head.headers['content-length'], String(body.length), path);
}

/** Is it of another release, or is that of the cursor gone? */
function isOther({ status, headers }: Answer, before: Answer['headers']): boolean {
  return status === 410 || headers['boundaries-release'] !== before['boundaries-release'];
}

function codingOf({ random }: Asker): Record<string, string> {
  return { 'accept-encoding': random(3) === 0 ? 'identity' : 'gzip' };
}

function sameCoding(headers: Answer['headers']): Record<string, string> {
  return { 'accept-encoding': headers['content-encoding'] ?? 'identity' };
}

/** The overview, or the names of a level. */
async function wholeFile(asker: Asker): Promise<void> {
  const [file = ''] = [`names/${levelName(elementAt(LEVELS, asker.random(LEVELS.length)))}`, 'overview'].slice(
    asker.random(2),
  );
  const path = `/api/v1/${file}`;
  const begun = performance.now();
  const answer = await asker.ask(path, codingOf(asker));
  const release = String(answer.headers['boundaries-release']);
  asker.assertCurrent(release, begun, path);
  assert.equal(answer.status, 200, path);
  assert.ok(textOf(answer) === asker.published.known(release).files.get(file), `${path} of ${release}: another body`);
}

const PUBLIC_PATHS = ['/', '/docs', '/openapi.json', '/healthz', '/readyz', '/.well-known/oauth-protected-resource'];

/** What needs no token. */
async function publicPage(asker: Asker): Promise<void> {
  const path = elementAt(PUBLIC_PATHS, asker.random(PUBLIC_PATHS.length));
  const { status, body } = await asker.ask(path, { authorization: undefined });
  assert.ok(status === 200 && body.length > 0, `${path}: ${status}`);
}

const PATH = '/api/v1/geojsonl/lv2';
/** Requests that are refused: path, status, code, and the method if it is not GET. */
const BAD: readonly (readonly [string, number, string, string?])[] = [
  [`${PATH}?page-size=0`, 400, 'bad-parameter'],
  [`${PATH}?limit=3`, 400, 'unknown-parameter'],
  [`${PATH}?gid-0=a&gid-0=b`, 400, 'duplicate-parameter'],
  [`${PATH}?start-at=cAAAA`, 400, 'bad-cursor'],
  [`${PATH}?gid-0=%ff`, 400, 'bad-encoding'],
  [`${PATH}?access_token=a`, 400, 'token-in-query'],
  ['/api/v1/geojsonl/lv6', 404, 'not-found'],
  [PATH, 405, 'method-not-allowed', 'DELETE'],
  [`${PATH}?gid-0=${'a'.repeat(10_000)}`, 414, 'uri-too-long'],
];

async function badRequest(asker: Asker): Promise<void> {
  const [path, status, code, method] = elementAt(BAD, asker.random(BAD.length));
  refusal(await asker.ask(path, {}, method), status, code);
}

/** What is not HTTP, or not only a request. */
const RAW = [
  ['GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n', 400],
  ['GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd', 400],
  ['GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
  [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(99_999)}\r\n\r\n`, 431],
  ['hello\r\n\r\n', 400],
] as const;

async function notHttp(asker: Asker): Promise<void> {
  const [bytes, status] = elementAt(RAW, asker.random(RAW.length));
  const text = await asker.attempt('raw', () => sendRaw(asker.proxy, bytes));
  if (text.startsWith('HTTP/1.1 408 ')) throw new Late('raw: 408');
  assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), `${bytes.slice(0, 60)}: ${text.slice(0, 200)}`);
}

/** Tokens that are missing, damaged, too old, forged or signed with a key that was withdrawn. */
async function badToken(asker: Asker): Promise<void> {
  const { tokens, authorization } = asker;
  refusal(await asker.ask(PATH, { authorization: undefined }), 401, 'token-missing');
  for (const bad of [await tokens.expired(), await tokens.forged(), damaged(authorization)])
    refusal(await asker.ask(PATH, { authorization: bad }), 401, 'token-invalid');
  const withdrawn = tokens.withdrawn();
  if (withdrawn === undefined) return;
  const answer = await asker.ask(PATH, { authorization: withdrawn });
  if (answer.status === 200) throw new Late('a token is accepted whose key was withdrawn');
  refusal(answer, 401, 'token-invalid');
}

/** With another character in its signature: a fixed text in its place could be the one that is there. */
function damaged(token: string): string {
  const at = token.length - 40;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}

/** Each with its share of the requests. */
const SHARES = [
  [hotPage, 8],
  [listing, 10],
  [oldCursor, 3],
  [wholeFile, 2],
  [publicPage, 2],
  [badRequest, 2],
  [notHttp, 1],
  [badToken, 1],
] as const;
const DRAWN = SHARES.flatMap(([request, share]) => Array.from({ length: share }, () => request));

/** Sends one request of any kind, or a few that belong together. @throws Excused, or what is wrong with an answer */
export async function askAnything(asker: Asker): Promise<void> {
  await elementAt(DRAWN, asker.random(DRAWN.length))(asker);
}
