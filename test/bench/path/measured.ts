// The process that bench:path measures: what `handle` and reading the body cost, the minimum of some short batches, so
// that a busy machine matters little. No answer is sent, so that none gets into the response cache by these requests.
// Compiled; its argument is a JSON file. It measures what it is asked for by messages, so that two versions can be
// measured in turn: their files and messages must fit each other.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { elementAt } from '../../../format/element-at.ts';
import { loadCurrent, releasesOf } from '../../../proxy/assemble-server.ts';
import { Authenticator } from '../../../proxy/auth/authenticate.ts';
import { ClientAddresses } from '../../../proxy/auth/client-addresses.ts';
import { metadataUrl } from '../../../proxy/auth/resource-metadata.ts';
import { afterConditions } from '../../../proxy/bodies/conditions.ts';
import { responseCaches } from '../../../proxy/cache/response-cache.ts';
import { optionsToSettings } from '../../../proxy/config/settings.ts';
import { apiRows } from '../../../proxy/features/all-paths.ts';
import { WorkQueue } from '../../../proxy/guards/work-queue.ts';
import { type HandlerContext, handle } from '../../../proxy/handler/handler.ts';
import { baseUrlBy } from '../../../proxy/http/base-url.ts';
import { type HttpRequest, newRequest } from '../../../proxy/http/request.ts';
import { QueuedReads, type Recipient } from '../../../proxy/origin/origin.ts';
import { BodyBuffers } from '../../../proxy/work/body-buffers.ts';

export interface PathPlan {
  /** The output folder, and how the proxy checks tokens. */
  proxy: { out: string; jwks: string; issuer: string; audience: string };
  /** Value of a valid Authorization header. */
  authorization: string;
  /** The page that is in the response cache. */
  hot: string;
  cases: readonly PathCase[];
}

export interface PathCase {
  what: string;
  range?: string | undefined;
  method: 'GET' | 'HEAD';
  /** Path and query of each request, in turn. */
  targets: readonly string[];
  authorization: string;
  /** The status that is expected; for 304 each request has the entity tag of its answer. */
  status: number;
}

/** What the process is asked for: `row` of the cases; without one a SHA-256 of 16 kB. */
export interface PathQuestion {
  row?: number;
  /** Of 200 requests. */
  batches: number;
  /** Shall the time be that of this process on a processor, which others that run do not change? */
  isCpu?: boolean;
}

/** Microseconds of a request or of the SHA-256. */
export interface PathFigures {
  us: number;
}

/** The Host of the requests: it decides what is in the response cache. */
const HOST = '127.0.0.1:8080';
const REQUESTS = 200;
/** Requests in one turn of the event loop: the server has about as many, and bounds what it reads in one. */
const TURN_REQUESTS = 25;
const HASHED_BYTES = 16 * 1024;
const US_PER_MS = 1000;
const CLIENT: Recipient = { principal: '', isClosed: false, exchange: undefined };

const plan: PathPlan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const context = await contextOf(plan.proxy);
await answer(received('GET', plan.hot, { host: HOST, authorization: plan.authorization, 'accept-encoding': 'gzip' }));
/** Batches that have been measured, by row: the next ones go on with the targets behind theirs. */
const measured: number[] = [];
let milliseconds = (): number => performance.now();
process.on('message', async ({ row, batches, isCpu = false }: PathQuestion) => {
  milliseconds = isCpu ? cpuMilliseconds : () => performance.now();
  const kind = row === undefined ? undefined : elementAt(plan.cases, row);
  const us = kind === undefined ? await microsecondsOfHash(batches) : await microsecondsOf(kind, batches);
  process.send?.({ us } satisfies PathFigures);
});
process.send?.('ready');

/** What `handle` needs, as assemble-server.ts makes it. @throws StartError if there is no release to serve */
async function contextOf({ out, jwks, issuer, audience }: PathPlan['proxy']): Promise<HandlerContext> {
  const log = (line: string): void => console.error(line);
  const settings = await optionsToSettings({ origin: out, jwks: [jwks], issuer: [issuer], audience }, log);
  const { origin, tokenRules, publicUrl, trustedProxies, resourceMetadata } = settings;
  const turns = new WorkQueue();
  const releases = releasesOf(settings, log);
  await loadCurrent(releases, settings, log);
  const addresses = new ClientAddresses(trustedProxies);
  return {
    principals: tokenRules === undefined ? addresses : new Authenticator(tokenRules),
    addressOf: (sender) => addresses.known(sender),
    audience: 'private',
    releases,
    responses: responseCaches(),
    turns,
    reads: new QueuedReads(origin, turns, new BodyBuffers()),
    admit: undefined,
    baseUrl: baseUrlBy(publicUrl, trustedProxies, log),
    metadataUrl: resourceMetadata && metadataUrl,
    rows: apiRows(),
    // Nothing public is asked for.
    publicRows: new Map(),
    log: (error: unknown) => console.error(error),
  };
}

/** Answers a request again and again, as the adapter of a server does, until the response cache has the answer. */
async function answer(request: HttpRequest): Promise<void> {
  for (let i = 0; i < 2; i++) {
    const made = await handle(context, request);
    const body = await (Buffer.isBuffer(made.body) ? made.body : made.body?.read(context.reads, CLIENT));
    if (!Buffer.isBuffer(body)) throw new Error(`${request.target}: ${made.status}`);
    context.responses.gzip.offer(request.target, made, body);
  }
}

function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

async function leastOf(times: number, measure: (i: number) => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) least = Math.min(least, await measure(i));
  return least;
}

/** Microseconds a request. @throws Error if an answer has another status */
async function microsecondsOf(kind: PathCase, batches: number): Promise<number> {
  const row = plan.cases.indexOf(kind);
  const before = measured[row] ?? 0;
  measured[row] = before + batches;
  return leastOf(batches, async (i) => {
    let ms = 0;
    const batch = before + i;
    for (let done = 0; done < REQUESTS; done += TURN_REQUESTS) {
      const requests = await requestsOf(kind, batch * REQUESTS + done, TURN_REQUESTS);
      await setImmediate();
      const begun = milliseconds();
      await answerAll(kind, requests);
      ms += milliseconds() - begun;
    }
    return (ms * US_PER_MS) / REQUESTS;
  });
}

async function answerAll(kind: PathCase, requests: HttpRequest[]): Promise<void> {
  for (const request of requests) {
    const made = handle(context, request);
    const answer = made instanceof Promise ? await made : made;
    const { status } = afterConditions(request, answer);
    // A tile may be empty: 204.
    if (status !== (answer.status === 204 ? 204 : kind.status)) throw new Error(`${request.target}: ${status}`);
    const { body } = answer;
    if (kind.status === 304 || kind.method === 'HEAD' || body === undefined || Buffer.isBuffer(body)) continue;
    const reading = body.read(context.reads, CLIENT);
    if (!(reading instanceof Promise)) continue;
    const later = await reading;
    if (!Buffer.isBuffer(later)) for await (const chunk of later) if (chunk.length === 0) throw new Error('no bytes');
  }
}

/** Microseconds of one SHA-256 of 16 kB, by which machines compare. */
function microsecondsOfHash(batches: number): Promise<number> {
  const bytes = Buffer.alloc(HASHED_BYTES, 'x');
  return leastOf(batches, async () => {
    const begun = milliseconds();
    for (let i = 0; i < REQUESTS; i++) hash('sha256', bytes, 'hex');
    return ((milliseconds() - begun) * US_PER_MS) / REQUESTS;
  });
}

async function requestsOf(
  { targets, authorization, status, range, method }: PathCase,
  first: number,
  count: number,
): Promise<HttpRequest[]> {
  const requests: HttpRequest[] = [];
  for (let i = first; i < first + count; i++) {
    const fields = { host: HOST, authorization, 'accept-encoding': 'gzip', ...(range && { range }) };
    const request = received(method, targets[i % targets.length] ?? '', fields);
    const { etag = '' } = status === 304 ? await handle(context, request) : {};
    requests.push(status === 304 ? received(method, request.target, { ...fields, 'if-none-match': etag }) : request);
  }
  return requests;
}

/** A request as the server makes it: with texts of its own, whose hashes the engine does not know yet. */
function received(method: string, target: string, fields: Readonly<Record<string, string>>): HttpRequest {
  const copied = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
  const own = Object.entries(fields).map(([name, value]): [string, string] => [name, copied(value)]);
  return newRequest({
    method,
    target: copied(target),
    headers: Object.fromEntries(own),
    rawHeaders: own.flat(),
    isHttp10: false,
    scheme: 'http',
    peer: { remoteAddress: '127.0.0.1' },
  });
}
