// The origin that is a static host: nginx, a CDN, or with signed requests a bucket (s3.ts). Metadata and feature ranges
// are read with node:http over kept-alive connections; whole pages for a client go through http-proxy (http-proxy.ts).
import type { IncomingMessage } from 'node:http';
import { Agent, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { FileRequest } from './http-proxy.ts';
import { checkResponse, createForward, requestErrorToOriginError } from './http-proxy.ts';
import type { ByteRange, Client, Origin } from './origin.ts';
import { OriginError } from './origin.ts';
import { type Retries, withRetries } from './retry.ts';

/** A configured static host. */
export interface StaticHost {
  /** The URL of the output folder, possibly with a path, and with a query that every request needs. */
  url: URL;
  /** Request headers that the host needs. */
  headers: Readonly<Record<string, string>>;
  /**
   * Further request headers for one encoded path: its signature.
   * @throws OriginError
   */
  sign?: (path: string) => Promise<Readonly<Record<string, string>>>;
  /** When requests are repeated; without it only after a kept-alive connection was closed. */
  retries?: Retries;
}

/** Timeouts of requests to the host, in milliseconds. */
export interface HostLimits {
  /** For the headers of a response, and for each further chunk. */
  idleMs: number;
  /** For a whole read in memory, such as a manifest. */
  readMs: number;
}

const HOST_LIMITS: HostLimits = { idleMs: 10_000, readMs: 60_000 };
/** Maximum size of a file that is read into memory; the largest manifest of GADM has 20 MB. */
const READ_MAX_BYTES = 256 * 1024 * 1024;
/** Idle connections to the host that are kept open. */
const IDLE_CONNECTIONS = 64;
/** Connections to the host. More than the reads that work-queue.ts allows at a time, so that none of them waits for another. */
const CONNECTIONS_MAX = 256;

type Chunks = AsyncGenerator<Buffer, void, undefined>;

/** Creates the origin of a static host. */
export function staticHostOrigin(
  { url, headers, sign, retries }: StaticHost,
  limits: HostLimits = HOST_LIMITS,
): Origin {
  const isSecure = url.protocol === 'https:';
  const options = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, maxSockets: CONNECTIONS_MAX };
  const agent = isSecure ? new SecureAgent(options) : new Agent(options);
  const fixedHeaders = { ...headers, host: url.host, 'accept-encoding': 'identity', 'user-agent': 'boundaries-proxy' };
  const folder = url.pathname.replace(/\/+$/, '');
  const targetOf = (path: string): string => `${folder}/${path}${url.search}`;
  const headersFor = async (target: string): Promise<Readonly<Record<string, string>>> =>
    sign === undefined ? fixedHeaders : { ...fixedHeaders, ...(await sign(target)) };
  const forward = createForward(url, agent, limits.idleMs);

  /** Requests a file or range; resolves to the response, whose body is unread. */
  const send = async (path: string, range: ByteRange | undefined, isRetry = false): Promise<IncomingMessage> => {
    const lastByte = range && range.offset + range.length - 1;
    const allHeaders = await headersFor(targetOf(path));
    const headers = range ? { ...allHeaders, range: `bytes=${range.offset}-${lastByte}` } : allHeaders;
    return new Promise((resolve, reject) => {
      const { hostname, port } = url;
      const startedAt = performance.now();
      let hasResponse = false;
      const request = (isSecure ? requestHttps : requestHttp)({
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path: targetOf(path),
        headers,
        agent: isRetry ? false : agent,
      });
      request.setTimeout(limits.idleMs, () => request.destroy());
      request.once('response', (response) => {
        // From here on withTimeouts limits the wait for the host; a slow client must not count.
        hasResponse = true;
        response.socket.setTimeout(0);
        resolve(response);
      });
      request.once('error', (error) => {
        if (hasResponse) return;
        const isLate = performance.now() - startedAt >= limits.idleMs;
        // The host may have closed a kept-alive connection just as it was used: retry once on a new connection.
        if (request.reusedSocket && !isRetry && !isLate) resolve(send(path, range, true));
        else reject(requestErrorToOriginError(path, error, isLate));
      });
      request.end();
    });
  };

  /** A file, or a range of one. */
  async function* readChunks(path: string, range: ByteRange | undefined, deadline?: number): Chunks {
    const response = await withRetries(() => send(path, range), retries);
    yield* checkedBody(response, { path, range, isWholeFile: false }, limits.idleMs, deadline);
  }

  /** A stored page for a client, through http-proxy. */
  async function* forwardChunks(path: string, range: ByteRange, client: Client, deadline?: number): Chunks {
    const target = targetOf(path);
    const open = async (): Promise<IncomingMessage> => {
      const headers = await headersFor(target);
      // http-proxy notices only a client that disconnects from now on.
      if (client.res.destroyed) throw new Error('the client disconnected');
      return forward({ path, target, headers }, client);
    };
    const response = await withRetries(open, retries, () => client.res.destroyed);
    try {
      yield* checkedBody(response, { path, range, isWholeFile: true }, limits.idleMs, deadline);
    } catch (error) {
      // When the client disconnects, http-proxy cuts the response: not an error of the host.
      throw client.res.destroyed ? new Error('the client disconnected', { cause: error }) : error;
    }
  }

  return {
    async read(path, range, client) {
      const deadline = performance.now() + limits.readMs;
      return concatChunks(
        client && range ? forwardChunks(path, range, client, deadline) : readChunks(path, range, deadline),
      );
    },
    stream: (path, range, client) => (client ? forwardChunks(path, range, client) : readChunks(path, range)),
  };
}

async function concatChunks(chunks: Chunks): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/**
 * Exactly the bytes of the range, or the whole file. A host that ignores Range (status 200) is tolerated: the bytes of
 * the range are cut from the full body.
 */
async function* checkedBody(
  response: IncomingMessage,
  request: FileRequest,
  idleMs: number,
  deadline = Number.POSITIVE_INFINITY,
): Chunks {
  const { path, range, isWholeFile } = request;
  try {
    checkResponse(response, request);
    const start = response.statusCode === 206 ? 0 : (range?.offset ?? 0);
    const end = start + (range?.length ?? READ_MAX_BYTES);
    // The host ignored Range: the rest of the file is not read. Any other body must end at `end`.
    const isCut = response.statusCode === 200 && range !== undefined && !isWholeFile;
    let done = 0;
    for await (const chunk of withTimeouts(response, path, idleMs, deadline)) {
      const bytes = chunk.subarray(Math.max(0, start - done), Math.max(0, end - done));
      done += chunk.length;
      if (done > end && !isCut) throw new OriginError('damaged', path, `more than ${end} bytes`);
      if (bytes.length > 0) yield bytes;
      if (done >= end && isCut) return;
    }
    if (range !== undefined && done < end) throw new OriginError('damaged', path, `${done} bytes, expected ${end}`);
  } finally {
    response.destroy();
  }
}

/**
 * The chunks of a response body.
 * @throws OriginError slow if a chunk takes longer than `idleMs` or arrives after the deadline
 */
async function* withTimeouts(response: IncomingMessage, path: string, idleMs: number, deadline: number): Chunks {
  const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  for (;;) {
    let isLate = false;
    const waitMs = Math.max(0, Math.min(idleMs, deadline - performance.now()));
    const timer = setTimeout(() => {
      isLate = true;
      response.destroy();
    }, waitMs);
    const chunk = await chunks.next().catch((error: unknown) => {
      clearTimeout(timer);
      throw isLate ? new OriginError('slow', path) : new OriginError('damaged', path, error);
    });
    clearTimeout(timer);
    if (chunk.done) return;
    yield chunk.value;
  }
}
