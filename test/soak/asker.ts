// A client of a soak: it sends requests to one proxy, counts them, and tells what may fail from what must not. How soon
// changes are noticed is not looked at here, on machines of any speed, but in simulations.
import assert from 'node:assert/strict';
import type { Dice } from '../support/dice.ts';
import { type Answer, type Sent, send } from '../support/http/http-client.ts';
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
const ALWAYS_EXCUSED = /^(408|503|504) /;

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
