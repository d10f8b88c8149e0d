// A setup answers every exchange as the directory does: the same status and headers, equal bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCursor } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import type { StoredLevel } from '../support/datasets/large-dataset.ts';
import { sha256 } from '../support/files.ts';
import { type Answer, send, sendRaw, textOf } from '../support/http/http-client.ts';
import { AUTHORIZED, token } from '../support/http/in-process-proxy.ts';
import { damageFiles, type Exchange, RAW, type Stage, stagesOf } from './exchanges.ts';
import { DIRECTORY, type Setup } from './setups.ts';
import { CACHING, prepareWorld, type World } from './world.ts';

const HOST = 'boundaries.test';
/** Of the connection or of the moment, not of the answer. */
export const HOPS = ['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding'];

/** What a setup answers to the exchanges of a stage, and what it logged meanwhile. */
interface Recorded extends Stage {
  answers: readonly Answer[];
  log: readonly string[];
}

/** What the statuses of the exchanges are, at least: they ask for every kind of answer. */
const STATUSES = [200, 204, 206, 304, 400, 401, 403, 404, 405, 410, 412, 414, 416, 502];
const CODES_MIN = 15;

/** Compares these setups with the directory. */
export async function testAsDirectory(setups: readonly Setup[]): Promise<void> {
  const directory = await prepareWorld(DIRECTORY);
  const { stored } = directory;
  const expected = await record(directory, stored);
  const rawly = await recordRaw(directory);
  const all = expected.flatMap(({ answers }) => answers);

  test('the directory gives each kind of answer, and logs what is damaged', () => {
    assert.deepEqual([...new Set(all.map(({ status }) => status))].sort(), STATUSES);
    const problems = all.filter(
      ({ headers, body }) => /problem/.test(String(headers['content-type'])) && body.length > 0,
    );
    const codes = new Set(problems.map(({ body }) => JSON.parse(body.toString()).code));
    assert.ok(codes.size >= CODES_MIN, [...codes].join());
    assert.ok(expected.at(-1)?.log.length);
  });

  for (const setup of setups)
    test(`${setup.name}: ${all.length} requests are answered as from the directory`, async () => {
      const world = await prepareWorld(setup);
      for (const [i, got] of (await record(world, stored)).entries()) compare(setup, elementAt(expected, i), got);
      // A public service reads no tokens.
      if (!setup.isPublic && !setup.isParsedBefore) assert.deepEqual(await recordRaw(world), rawly);
    });
}

/** Sends every exchange to the service of a setup. @param stored the features of r1 */
export async function record(
  { proxy, configured, publish, folder }: World,
  stored: readonly StoredLevel[],
): Promise<Recorded[]> {
  damageFiles(folder);
  const recorded: Recorded[] = [];
  for (const stage of stagesOf({ folder, stored })) {
    await publish(stage.release, stage.hosted);
    const known = proxy.log.length;
    const answers: Answer[] = [];
    for (const exchange of stage.exchanges) {
      const to = exchange.isConfigured ? configured : proxy;
      answers.push(await send(to, exchange.path, await headersOf(exchange, answers.at(-1)), exchange.method));
    }
    recorded.push({ ...stage, answers, log: proxy.log.slice(known) });
  }
  return recorded;
}

/** Sends bytes that are hardly HTTP. @returns the answers without their times, ids and the port, by what the bytes are */
async function recordRaw({ proxy }: World): Promise<Record<string, string>> {
  const { port } = new URL(proxy.url);
  const answers: Record<string, string> = {};
  for (const [what, bytes] of Object.entries(RAW))
    answers[what] = (await sendRaw(proxy, bytes))
      .replaceAll(/\r\n(Date|X-Request-Id): [^\r]*/g, '')
      .replaceAll(port, 'PORT');
  return answers;
}

async function headersOf(
  { headers, isHeld, claims }: Exchange,
  before: Answer | undefined,
): Promise<Exchange['headers']> {
  const authorization = claims === undefined ? AUTHORIZED.authorization : `Bearer ${await token(claims)}`;
  return { host: HOST, authorization, ...headers, ...(isHeld && { 'if-none-match': before?.headers.etag }) };
}

function compare(setup: Setup, expected: Recorded, got: Recorded): void {
  for (const [i, exchange] of expected.exchanges.entries()) {
    const what = `${exchange.method ?? 'GET'} ${exchange.path} ${JSON.stringify(exchange.headers ?? {})}`;
    const wanted = setup.isPublic ? inPublic(expected, i) : elementAt(expected.answers, i);
    if (wanted === undefined) continue;
    const [one, other] = [wanted, withLengthAs(wanted, elementAt(got.answers, i))].map((answer) =>
      setup.pages === DIRECTORY.pages ? comparable(answer) : withoutPages(answer),
    );
    assert.deepEqual(other, one, what);
  }
  // Which files: how many lines name one depends on how many fall into a second, and on the number of processes.
  const [files, wanted] = [got, expected].map(({ log }) => [...new Set(log.map(fileIn))].sort());
  assert.deepEqual(files, wanted);
}

/** An answer without its length, if the directory's has none: a platform that has a body whole says its length itself. */
function withLengthAs({ headers: wanted }: Answer, answer: Answer): Answer {
  if (wanted['content-length'] !== undefined) return answer;
  const { 'content-length': _, ...headers } = answer.headers;
  return { ...answer, headers };
}

/** Status, headers in any order, and bytes; of a short answer its text, which a failure shows. */
function comparable({ status, headers, body }: Answer): object {
  const own = Object.entries(headers).filter(([name]) => !HOPS.includes(name));
  const isShort = body.length < 2_000;
  return { status, headers: Object.fromEntries(own), body: isShort ? body.toString('latin1') : sha256(body) };
}

/**
 * The same for another choice of stored pages: what is stored as a page may be compressed otherwise than what is put
 * together, and has another tag; release.json is another one, and so are its digest and the content in cursors.
 * Downloads are equal.
 */
function withoutPages(answer: Answer): object {
  if (answer.headers.vary === undefined) return comparable(answer);
  // Of HEAD and 304 there is nothing to inflate.
  const text = answer.body.length === 0 ? '' : textOf(answer);
  const pinned = (text: string): string =>
    text
      .replaceAll(/c_[\w-]+/g, (cursor) => JSON.stringify({ ...decodeCursor(cursor), content: undefined }))
      .replaceAll(/\b[0-9a-f]{64}\b/g, 'that of release.json');
  const { etag, link, 'content-length': _, ...headers } = answer.headers;
  const changed = { ...headers, ...(link && { link: pinned(String(link)) }), ...(etag && { etag: 'one' }) };
  return comparable({ ...answer, headers: changed, body: Buffer.from(pinned(text)) });
}

/** What differs in public, besides: what says how to sign in. proxy/config/public.test.ts has what they are there. */
const OF_TOKENS = /^\/(api\/v1\/ogc\/api|openapi\.json|readyz|\.well-known\/(api-catalog|oauth-protected-resource))$/;

/** What `Cache-Control` says in public. The id of a release may be used again; a cursor names its content. */
const PUBLIC_CACHING: Readonly<Record<string, string>> = {
  [CACHING.current]: 'public, max-age=60, stale-while-revalidate=600',
  [CACHING.cursor]: 'public, max-age=31536000, immutable',
};

/** What a public service answers in place of the directory; undefined where that is not known here. */
function inPublic({ exchanges, answers }: Recorded, i: number): Answer | undefined {
  const { isConfigured, path } = elementAt(exchanges, i);
  if (isConfigured || OF_TOKENS.test(path)) return undefined;
  const isPlain = ({ method, headers, isHeld, claims }: Exchange): boolean =>
    [method, headers, isHeld, claims].every((value) => value === undefined);
  // Nobody is turned away.
  const isRefused = elementAt(answers, i).status === 401;
  const answer = elementAt(answers, isRefused ? exchanges.findIndex((one) => one.path === path && isPlain(one)) : i);
  const caching = PUBLIC_CACHING[answer.headers['cache-control'] ?? ''];
  return caching === undefined ? answer : { ...answer, headers: { ...answer.headers, 'cache-control': caching } };
}

function fileIn(line: string): string {
  return /[\w/]+\.(?:json|bin|gz|jsonl)\b[\w.]*/.exec(line)?.[0] ?? line;
}
