// The origin that is a static host: nginx, a bucket, a CDN. Manifests and blocks come with (ranged) reads over kept
// connections; whole pages on their way to a client go through http-proxy (http-proxy.ts).
import type { IncomingMessage } from 'node:http';
import { Agent, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { Wanted } from './http-proxy.ts';
import { failureOf, passThrough, refuseStatus } from './http-proxy.ts';
import type { ByteRange, Client, Origin } from './origin.ts';
import { OriginError } from './origin.ts';

/** A static host, as configured. */
export interface StaticHost {
  /** What stands before every path; perhaps with a path of its own and a query that the host demands. */
  url: URL;
  /** Headers that the host demands. */
  headers: Readonly<Record<string, string>>;
}

/** How long is waited for a host, in milliseconds. */
export interface HostLimits {
  /** For the headers of an answer, and for each further piece of it. */
  idleMs: number;
  /** For the whole of a manifest or block. */
  readMs: number;
}

const HOST_LIMITS: HostLimits = { idleMs: 10_000, readMs: 60_000 };
/** A file that is read at once; manifests of all of GADM have 20 MB. */
const READ_MAX_BYTES = 256 * 1024 * 1024;
/** Connections that are kept open while there is nothing to ask. */
const IDLE_CONNECTIONS = 64;

/** Makes an origin of a static host. */
export function hostOrigin({ url, headers }: StaticHost, limits: HostLimits = HOST_LIMITS): Origin {
  const isSecure = url.protocol === 'https:';
  const options = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS };
  const agent = isSecure ? new SecureAgent(options) : new Agent(options);
  const asked = { ...headers, host: url.host, 'accept-encoding': 'identity', 'user-agent': 'boundaries-proxy' };
  const folder = url.pathname.replace(/\/+$/, '');
  const targetOf = (path: string): string => `${folder}/${path}${url.search}`;
  const throughProxy = passThrough(url, asked, agent, limits.idleMs);

  /** The headers of the host's answer; its body is still to come. */
  const ask = (path: string, range: ByteRange | undefined, isRetry = false): Promise<IncomingMessage> => {
    const { promise, resolve, reject } = deferred<IncomingMessage>();
    const headers = range ? { ...asked, range: `bytes=${range.offset}-${range.offset + range.length - 1}` } : asked;
    const { hostname, port } = url;
    const begun = performance.now();
    let isAnswered = false;
    const request = (isSecure ? requestHttps : requestHttp)({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: targetOf(path),
      headers,
      agent: isRetry ? false : agent,
    });
    request.setTimeout(limits.idleMs, () => request.destroy());
    request.once('response', (answer) => {
      // From here on only waiting for the host counts, not the host waiting for us.
      isAnswered = true;
      answer.socket.setTimeout(0);
      resolve(answer);
    });
    request.once('error', (error) => {
      if (isAnswered) return;
      const isLate = performance.now() - begun >= limits.idleMs;
      // A kept connection may have been closed by the host just as it was used again.
      if (request.reusedSocket && !isRetry && !isLate) resolve(ask(path, range, true));
      else reject(failureOf(path, error, isLate));
    });
    request.end();
    return promise;
  };

  /** A file, or a range of one, on a kept connection. */
  async function* get(path: string, range: ByteRange | undefined, until?: number): Pieces {
    yield* bodyOf(await ask(path, range), { path, range, isPage: false }, limits.idleMs, until);
  }

  /** A page on its way to a client, through http-proxy. */
  async function* pass(path: string, range: ByteRange, client: Client, until?: number): Pieces {
    const answer = await throughProxy(path, targetOf(path), client);
    try {
      yield* bodyOf(answer, { path, range, isPage: true }, limits.idleMs, until);
    } catch (error) {
      // When the client goes away its answer is cut, which is no fault of the host.
      throw client.res.destroyed ? new Error('the client has gone away', { cause: error }) : error;
    }
  }

  return {
    async read(path, range, client) {
      const until = performance.now() + limits.readMs;
      return joined(client && range ? pass(path, range, client, until) : get(path, range, until));
    },
    stream: (path, range, client) => (client ? pass(path, range, client) : get(path, range)),
  };
}

type Pieces = AsyncGenerator<Buffer, void, undefined>;

/** All pieces as one. */
async function joined(pieces: Pieces): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** Exactly the bytes of the range, or the whole file. A host that ignores Range (answers 200) is tolerated. */
async function* bodyOf(
  answer: IncomingMessage,
  wanted: Wanted,
  idleMs: number,
  until = Number.POSITIVE_INFINITY,
): Pieces {
  const { path, range, isPage } = wanted;
  try {
    refuseStatus(answer, wanted);
    const skipped = answer.statusCode === 206 ? 0 : (range?.offset ?? 0);
    const end = skipped + (range?.length ?? READ_MAX_BYTES);
    // Of a whole file that was asked for a range of, nothing more is wanted; any other must end here.
    const isCut = answer.statusCode === 200 && range !== undefined && !isPage;
    let done = 0;
    for await (const piece of timed(answer, path, idleMs, until)) {
      const bytes = piece.subarray(Math.max(0, skipped - done), Math.max(0, end - done));
      done += piece.length;
      if (done > end && !isCut) throw new OriginError('damaged', path, `more than ${end} bytes`);
      if (bytes.length > 0) yield bytes;
      if (done >= end && isCut) return;
    }
    if (range !== undefined && done < end) throw new OriginError('damaged', path, `${done} bytes, expected ${end}`);
  } finally {
    answer.destroy();
  }
}

/** The pieces of an answer; waiting for one too long ends it. */
async function* timed(
  answer: IncomingMessage,
  path: string,
  idleMs: number,
  until: number,
): AsyncGenerator<Buffer, void, undefined> {
  const pieces: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]();
  for (;;) {
    let isLate = false;
    const waitMs = Math.max(0, Math.min(idleMs, until - performance.now()));
    const timer = setTimeout(() => {
      isLate = true;
      answer.destroy();
    }, waitMs);
    const piece = await pieces.next().catch((error: unknown) => {
      clearTimeout(timer);
      throw isLate ? new OriginError('slow', path) : new OriginError('damaged', path, error);
    });
    clearTimeout(timer);
    if (piece.done) return;
    yield piece.value;
  }
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T | Promise<T>): void; reject(error: Error): void } {
  let resolve: (value: T | Promise<T>) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
