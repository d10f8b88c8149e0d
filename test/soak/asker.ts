// A client of a soak: it sends requests to one proxy, counts them, and tells what may fail from what must not.
import assert from 'node:assert/strict';
import type { Dice } from '../support/dice.ts';
import type { Answer } from '../support/http/http-client.ts';
import { refusal, send } from '../support/http/http-client.ts';
import type { Published } from './published.ts';
import type { RotatingTokens } from './rotating-tokens.ts';

/** A proxy under test. */
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

/** Counts an error. */
export function count({ errors }: Tally, kind: string): void {
  errors.set(kind, (errors.get(kind) ?? 0) + 1);
}

/** A proxy notices a change within this time, in milliseconds: it looks every second. */
const NOTICE_MS = 10_000;

/** Two clients of so many. */
const BAD_CLIENTS_EVERY = 8;

/** A request could not be answered, and the origin explains it. */
export class Excused extends Error {}

/** Wrong, unless a process did not run for so long that it could not know better: a busy machine, a suspended one. */
export class Late extends Error {}

/** A client. */
export class Asker {
  readonly proxy: SoakedProxy;
  readonly published: Published;
  readonly random: Dice;
  readonly tokens: RotatingTokens;
  /** Is it slow, or does it vanish? */
  readonly isBad: boolean;
  readonly #number: number;
  readonly #tally: Tally;

  constructor(
    number: number,
    random: Dice,
    proxy: SoakedProxy,
    { published, tokens, tally }: { published: Published; tokens: RotatingTokens; tally: Tally },
  ) {
    this.#number = number;
    // Two in a row, one for each proxy.
    this.isBad = number % BAD_CLIENTS_EVERY < 2;
    this.random = random;
    this.proxy = proxy;
    this.published = published;
    this.tokens = tokens;
    this.#tally = tally;
  }

  get authorization(): string {
    return this.tokens.valid(this.#number);
  }

  /**
   * Sends a request with a valid token unless `headers` has another, and returns its answer of whatever status below
   * 500.
   * @throws Excused if it failed as the origin does; any other error is a fault of the proxy
   */
  async ask(path: string, headers: Record<string, string | undefined> = {}, method = 'GET'): Promise<Answer> {
    const given = { authorization: this.authorization, ...headers };
    return this.attempt(path, async () => {
      const answer = await send(this.proxy, path, given, method);
      if (answer.status >= 500) throw new Refused(answer);
      if (answer.status === 408) throw new Late(`${path}: 408`);
      return answer;
    });
  }

  /** Runs what requests something, and counts it. @throws as `ask` does */
  async attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    this.#tally.requests++;
    try {
      return await work();
    } catch (error) {
      if (error instanceof assert.AssertionError || error instanceof Late) throw error;
      const kind = error instanceof Refused ? error.message : 'cut';
      if (!this.proxy.mayFail(begun)) {
        // Cursors name more releases than are loaded at a time only right after a switch.
        const isBusy = kind === '503 not-ready' && what.includes('start-at=c');
        if (!isBusy || performance.now() - this.published.switchedAt > NOTICE_MS)
          throw new Late(`${what}: ${kind}, and the origin did not fail: ${error}`);
      }
      count(this.#tally, kind);
      throw new Excused(kind);
    }
  }

  /** Checks the release of an answer without a cursor. @returns its id */
  assertCurrent({ headers }: Pick<Answer, 'headers'>, begun: number, path: string): string {
    const id = String(headers['boundaries-release']);
    if (!this.published.wasCurrentAt(id, begun - NOTICE_MS) && !this.proxy.mayFail(begun))
      throw new Late(`${path}: answered from ${id}, which is not current`);
    return id;
  }

  /**
   * Checks that a cursor is answered 410 only if its release is not hosted, and otherwise never. Shortly after a change
   * either is right.
   * @returns is the release gone?
   */
  assertHosting(id: string, answer: Answer, begun: number, path: string): boolean {
    const isGone = answer.status === 410;
    if (isGone) refusal(answer, 410, 'release-gone');
    const { isHosted, since } = this.published.hosting(id);
    const isSettled = since < begun - NOTICE_MS && !this.proxy.mayFail(begun);
    if (isSettled && isGone === isHosted)
      throw new Late(`${path}: ${answer.status}, and ${id} is ${isHosted ? '' : 'not '}hosted`);
    return isGone;
  }
}

/** An answer of 500 or above: `503 not-ready`. */
class Refused extends Error {
  constructor(answer: Answer) {
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    assert.notEqual(answer.status, 500);
    super(`${answer.status} ${JSON.parse(answer.body.toString()).code}`);
  }
}
