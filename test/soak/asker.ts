// A client of a soak: it sends requests to one proxy, counts them, and tells what may fail from what must not. How soon
// changes are noticed is not looked at here, on machines of any speed, but in simulations. Some clients are slow, or go
// away: in the middle of a request, before an answer, or in the middle of one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Dice } from '../support/dice.ts';
import { type Answer, type Sent, send } from '../support/http/http-client.ts';
import { expectedPage, type Listing, pathOf } from '../support/listings.ts';
import type { Published } from './published.ts';
import type { RotatingTokens } from './rotating-tokens.ts';

export interface SoakedProxy {
  name: string;
  url: string;
  /** May a request that began at this time have failed because the origin did? */
  mayFail(begun: number): boolean;
}

/** What is counted, of all clients. */
export interface Tally {
  requests: number;
  /** Answers that a client must be ready for, by kind: cut connections, 5xx. */
  errors: Map<string, number>;
}

/** Two clients of so many. */
const BAD_CLIENTS_EVERY = 8;
/** What any client must be ready for: the proxy has much to do, or the machine is slow. */
const ALWAYS_EXCUSED = /^(408 |503 (?!origin-)|504 )/;

/** A request could not be answered, which may be. */
export class Excused extends Error {}

export interface Asker {
  proxy: SoakedProxy;
  published: Published;
  tokens: RotatingTokens;
  tally: Tally;
  random: Dice;
  /** Two that follow one another are of different proxies. */
  number: number;
}

/** Is it slow, or does it vanish? */
export function isBad({ number }: Asker): boolean {
  return number % BAD_CLIENTS_EVERY < 2;
}

export function authorizationOf({ tokens, number }: Asker): string {
  return tokens.valid(number);
}

/**
 * Sends a request with a valid token unless `headers` has another, and returns its answer of whatever status below 500.
 * @throws Excused if it may have failed; any other error is a fault of the proxy
 */
export function ask(asker: Asker, path: string, headers: Sent = {}, method = 'GET'): Promise<Answer> {
  const given = { authorization: authorizationOf(asker), ...headers };
  return attempt(asker, path, async () => {
    const answer = await send(asker.proxy, path, given, method);
    if (answer.status >= 500 || answer.status === 408) throw new Refused(answer);
    return answer;
  });
}

/** Runs what requests something, and counts it. @throws as `ask` does */
export async function attempt<T>({ proxy, tally }: Asker, what: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  tally.requests++;
  try {
    return await work();
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    const kind = error instanceof Refused ? error.message : 'cut';
    if (!ALWAYS_EXCUSED.test(kind) && !proxy.mayFail(begun))
      throw new Error(`${what}: ${kind}, and the origin did not fail: ${error}`);
    tally.errors.set(kind, (tally.errors.get(kind) ?? 0) + 1);
    throw new Excused(kind);
  }
}

/** An answer of 500 or above, or 408: `503 not-ready`. */
class Refused extends Error {
  constructor({ status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>) {
    assert.equal(headers['content-type'], 'application/problem+json');
    assert.notEqual(status, 500);
    super(`${status} ${JSON.parse(body.toString()).code}`);
  }
}

const LARGE: Listing = { format: 'geojsonl', level: 0 };
const SLOW_MS = 20;

function headOf(asker: Asker): string {
  return `GET ${pathOf(LARGE)} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nAuthorization: ${authorizationOf(asker)}\r\n\r\n`;
}

async function connected({ proxy }: Asker): Promise<Socket> {
  const { hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // What happens after a client has gone is of no interest to it.
  return socket.on('error', () => {});
}

/** Sends its request in small pieces and reads the answer in pauses; it must be whole. */
async function slow(asker: Asker): Promise<void> {
  await attempt(asker, 'slow client', async () => {
    const socket = await connected(asker);
    for (const piece of headOf(asker).match(/.{1,40}/gs) ?? []) {
      socket.write(piece);
      await setTimeout(SLOW_MS);
    }
    const pieces: Buffer[] = [];
    for await (const piece of socket) {
      pieces.push(piece);
      await setTimeout(SLOW_MS);
    }
    const [head = '', ...body] = Buffer.concat(pieces).toString('utf8').split('\r\n\r\n');
    const release = /^Boundaries-Release: (\S+)$/m.exec(head)?.[1];
    if (release === undefined) throw new Error(`no page: ${head.slice(0, 300)}`);
    const { text } = expectedPage(LARGE, asker.published.known(release).levels);
    const got = body.join('\r\n\r\n');
    // A connection that is cut ends early.
    if (got.length < text.length) throw new Error(`${got.length} of ${text.length} characters`);
    assert.ok(got === text, 'slow client: another body');
  });
}

/** Goes away with a part of its request, at once after it, or after the beginning of the answer and a while. */
async function vanish(asker: Asker): Promise<void> {
  const socket = await connected(asker);
  const head = headOf(asker);
  const isWhole = asker.random(4) > 0;
  await new Promise((resolve) => socket.write(isWhole ? head : head.slice(0, asker.random(head.length)), resolve));
  if (isWhole && asker.random(3) > 0) {
    // A cut connection has nothing to read.
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    socket.pause();
    await setTimeout(asker.random(10) * SLOW_MS);
  }
  socket.destroy();
}

/** Behaves as one of these clients. @throws as `ask` does */
export async function behaveBadly(asker: Asker): Promise<void> {
  await (asker.random(5) === 0 ? slow : vanish)(asker);
}
