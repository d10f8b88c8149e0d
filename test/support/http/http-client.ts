// Requests to a running proxy over real sockets, as they are written; answers as they come, and what is in them.
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import LinkHeader from 'http-link-header';
import { AUTHORIZED } from './in-process-proxy.ts';

/** An answer, its body as it came: nothing is inflated. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Names and values by turns, as they came. */
  rawHeaders: readonly string[];
  body: Buffer;
}

/** The headers without those that each answer has of its own: when it was sent, and the name of its request. */
export function lastingHeaders({ headers }: Pick<Answer, 'headers'>): IncomingHttpHeaders {
  const { date: _, 'x-request-id': __, ...lasting } = headers;
  return lasting;
}

/** Headers that an answer to GET, to HEAD and to who holds it have alike. */
export const HELD_HEADERS = [
  'etag',
  'link',
  'vary',
  'cache-control',
  'boundaries-release',
  'boundaries-matched',
] as const;

export interface Target {
  /** `http://127.0.0.1:port` */
  url: string;
  /** Does each request need a connection of its own? Processes that share a port take turns at connections. */
  takesTurns?: boolean;
}

/** Headers of a request; undefined leaves one out. */
export type Sent = Readonly<Record<string, string | undefined>>;

/** Sends a request with a valid token, unless `headers` has another; undefined leaves a header out. */
export function send({ url, takesTurns }: Target, path: string, headers: Sent = {}, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const given = Object.entries({ ...AUTHORIZED, ...headers }).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const agent = takesTurns ? false : undefined;
    const sent = request({ hostname, port, path, method, agent, headers: Object.fromEntries(given) }, (res) => {
      const pieces: Buffer[] = [];
      const { statusCode: status = 0, headers, rawHeaders } = res;
      res.on('data', (piece: Buffer) => pieces.push(piece));
      res.on('end', () => resolve({ status, headers, rawHeaders, body: Buffer.concat(pieces) }));
      res.on('error', reject);
    });
    sent.on('error', reject).end();
  });
}

/** A connection that has been opened. Errors of it are left to whoever reads from it. */
export function openConnection({ url }: { url: string }): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Sends bytes as they are and reads until the proxy closes the connection. */
export function sendRaw({ url }: { url: string }, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('end', () => resolve(text));
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
  });
}

/** A request for a page as gzip, as bytes on a connection. @param more header lines, each with its end */
export function rawGet(path: string, authorization: string, more = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a.test\r\nAuthorization: ${authorization}\r\nAccept-Encoding: gzip\r\n${more}\r\n`;
}

/** The body as text, inflated where it says that it is compressed. */
export function textOf({ headers, body }: Answer): string {
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8');
}

const QUERYABLES = 'http://www.opengis.net/def/rel/ogc/1.0/queryables';

/** Path and query of the next page, read by a parser that is not ours; undefined on the last page. */
export function nextOf({ headers: { link, 'boundaries-matched': matched } }: Answer): string | undefined {
  if (link === undefined) return undefined;
  const { refs } = LinkHeader.parse([link].flat().join(', '));
  // What was meant, perhaps.
  if (matched === '0' && refs.every(({ rel }) => rel === 'alternate')) return undefined;
  const isQueryables = ({ uri, rel }: { uri: string; rel: string }): boolean =>
    rel === QUERYABLES && /\/ogc\/collections\/lv[0-5]\/queryables$/.test(uri);
  const others = refs.filter((ref) => !isQueryables(ref));
  const [next] = others;
  // Items say what they may be filtered by, too; other pages lead to the next one and to nothing else.
  if (next === undefined && refs.length === 1) return undefined;
  const isOfItems = next?.uri.includes('/ogc/');
  if (others.length !== 1 || next?.rel !== 'next' || refs.length !== (isOfItems ? 2 : 1))
    throw new Error(`Link is ${link}`);
  const url = new URL(next.uri);
  return url.pathname + url.search;
}

/** The fids of a page of either format; fails unless the status is 200. */
export function fidsOf(answer: Answer): number[] {
  const text = textOf(answer);
  assert.equal(answer.status, 200, text);
  const features = text.startsWith('{"type":"FeatureCollection"')
    ? JSON.parse(text).features
    : text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return features.map((feature: { id: number }) => feature.id);
}

/** More than any listing of the tests has. */
const PAGES_MAX = 10_000;

/** The answers from `path` on, following next to the last page. */
export async function* pagesFrom(
  at: Target,
  path: string,
  headers: Sent = {},
): AsyncGenerator<Answer, void, undefined> {
  let next: string | undefined = path;
  for (let pages = 0; next !== undefined; pages++) {
    assert.ok(pages < PAGES_MAX, `next leads on after ${PAGES_MAX} pages: ${next}`);
    const answer: Answer = await send(at, next, headers);
    if (answer.status !== 200) assert.fail(`${next}: ${answer.status}, ${textOf(answer)}`);
    yield answer;
    next = nextOf(answer);
  }
}

/** The fids of every page from `path` on. */
export async function walk(at: Target, path: string, headers: Sent = {}): Promise<number[]> {
  const fids: number[] = [];
  for await (const answer of pagesFrom(at, path, headers)) fids.push(...fidsOf(answer));
  return fids;
}

/** Every text that differs from `cursor` in one character. */
export function tamperedCursors(cursor: string): string[] {
  return Array.from(cursor, (char, i) => cursor.slice(0, i) + (char === 'A' ? 'B' : 'A') + cursor.slice(i + 1));
}

/** Asserts a problem as RFC 9457 has it and returns its detail. */
export function refusal(answer: Answer, status: number, code: string): string {
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  const problem = JSON.parse(answer.body.toString());
  assert.deepEqual([answer.status, problem.status, problem.code], [status, status, code], problem.detail);
  return problem.detail;
}
