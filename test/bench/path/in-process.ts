// What `handle` and reading the body cost in one process: the minimum of many short batches, so that a busy machine
// matters little. Nothing is sent, so that no answer gets into the response cache by these requests.
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Answer, isMatch } from '../../../proxy/bodies/answer.ts';
import { handle } from '../../../proxy/handler.ts';
import type { HttpRequest } from '../../../proxy/http/request.ts';
import { newRequest } from '../../../proxy/http/request.ts';
import type { Client } from '../../../proxy/origin/origin.ts';
import type { ProxyParts } from './proxy-parts.ts';

/** One kind of request. */
export interface PathCase {
  /** Path and query of each request, in turn. */
  targets: readonly string[];
  /** The values of Authorization, in turn. */
  authorizations: readonly string[];
  /** The status that is expected; for 304 each request has the entity tag of its answer. */
  status: number;
}

/** The Host of the requests: it decides what is in the response cache. */
export const HOST = '127.0.0.1:8080';
const BATCHES = 200;
const REQUESTS = 200;
/** Requests in one turn of the event loop: the server has about as many, and bounds what it reads in one. */
const TURN_REQUESTS = 25;
const HASHED_BYTES = 16 * 1024;
const US_PER_MS = 1000;
const PEER = { remoteAddress: '127.0.0.1' };
const CLIENT: Client = { principal: '', isClosed: false, exchange: undefined };

/** Microseconds a request. @throws Error if an answer has another status */
export async function microsecondsOf({ context, reads }: ProxyParts, kind: PathCase): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  let asked = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    let ms = 0;
    for (let done = 0; done < REQUESTS; done += TURN_REQUESTS) {
      const requests: HttpRequest[] = [];
      for (let i = 0; i < TURN_REQUESTS; i++) requests.push(await requestOf(context, kind, asked++));
      await setImmediate();
      const begun = performance.now();
      for (const request of requests) {
        const made = handle(context, request);
        const answer = made instanceof Promise ? await made : made;
        if (statusFor(request, answer) !== kind.status) throw new Error(`${request.target}: ${answer.status}`);
        const { body } = answer;
        if (kind.status === 304 || body === undefined || Buffer.isBuffer(body)) continue;
        const reading = body.read(reads, CLIENT);
        if (reading instanceof Promise) await reading;
      }
      ms += performance.now() - begun;
    }
    least = Math.min(least, (ms * US_PER_MS) / REQUESTS);
  }
  return least;
}

/** Microseconds of one SHA-256 of 16 kB, by which machines compare. */
export function microsecondsOfHash(): number {
  const bytes = Buffer.alloc(HASHED_BYTES, 'x');
  let least = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < BATCHES; batch++) {
    const begun = performance.now();
    for (let i = 0; i < REQUESTS; i++) hash('sha256', bytes, 'hex');
    least = Math.min(least, ((performance.now() - begun) * US_PER_MS) / REQUESTS);
  }
  return least;
}

function statusFor({ headers }: HttpRequest, { status, etag }: Answer): number {
  const asked = headers['if-none-match'];
  return etag !== undefined && asked !== undefined && isMatch(asked, etag) ? 304 : status;
}

async function requestOf(context: ProxyParts['context'], kind: PathCase, number: number): Promise<HttpRequest> {
  const { targets, authorizations, status } = kind;
  const fields = {
    host: HOST,
    authorization: authorizations[number % authorizations.length] ?? '',
    'accept-encoding': 'gzip',
  };
  const request = received(targets[number % targets.length] ?? '', fields);
  if (status !== 304) return request;
  const { etag = '' } = await handle(context, request);
  return received(request.target, { ...fields, 'if-none-match': etag });
}

/** A request as the server makes it: with texts of its own, whose hashes the engine does not know yet. */
function received(target: string, fields: Readonly<Record<string, string>>): HttpRequest {
  const own = Object.entries(fields).map(([name, value]): [string, string] => [name, copied(value)]);
  return newRequest({
    method: 'GET',
    target: copied(target),
    headers: Object.fromEntries(own),
    rawHeaders: own.flat(),
    isHttp10: false,
    scheme: 'http',
    peer: PEER,
  });
}

function copied(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
