// The origin that is a static host: nginx, a CDN, or with signed requests a bucket (s3.ts). Metadata and feature ranges
// are read with node:http over kept-alive connections; whole pages for a client go through http-proxy (http-proxy.ts).
import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { ClientGone } from '../http/guards.ts';
import {
  type Chunks,
  checkedBody,
  concatChunks,
  HAS_OUTAGE,
  HOST_LIMITS,
  type HostLimits,
  type HostResponse,
  noResponse,
  rangeHeader,
  requestFor,
  responseInTime,
} from './host-response.ts';
import { createForward } from './http-proxy.ts';
import { type ByteRange, type Exchange, type Origin, OriginError } from './origin.ts';

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

/** Idle connections to the host that are kept open. */
const IDLE_CONNECTIONS = 64;
/**
 * Connections to the host. More than the reads for clients that origin.ts allows at a time, so that none of them, and
 * no read of metadata, waits for another.
 */
const CONNECTIONS_MAX = 256;

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
  const forward = createForward(url, agent, limits);

  /** Requests a file or range; resolves to the response, whose body is unread. */
  const send = async (path: string, range: ByteRange | undefined, gone?: AbortSignal): Promise<IncomingMessage> => {
    const target = targetOf(path);
    const allHeaders = await headersFor(target);
    if (gone?.aborted) throw new ClientGone();
    const headers = range ? { ...allHeaders, range: rangeHeader(range) } : allHeaders;
    const { hostname: name, port } = url;
    const hostname = name.replace(/^\[|\]$/g, '');
    const open = ({ signal }: AbortController): Promise<IncomingMessage> => {
      const attempt = (isRetry: boolean): Promise<IncomingMessage> =>
        new Promise((resolve, reject) => {
          const options = { hostname, port, path: target, headers, agent: isRetry ? false : agent, signal };
          const request = (isSecure ? requestHttps : requestHttp)(options);
          let hasResponse = false;
          request.once('response', (response) => {
            hasResponse = true;
            resolve(response);
          });
          request.on('error', (error) => {
            if (hasResponse) return;
            // The host may have closed a kept-alive connection just as it was used: retry once on a new connection.
            if (request.reusedSocket && !isRetry && !signal.aborted) resolve(attempt(true));
            else reject(noResponse(path, error));
          });
          request.end();
        });
      return attempt(false);
    };
    return responseInTime(path, limits, open, gone);
  };

  /** A file, or a range of one. */
  async function* readChunks(
    path: string,
    extent: ByteRange | number,
    gone: AbortSignal | undefined,
    deadline: number,
  ): Chunks {
    const request = requestFor(path, extent);
    const response = await withRetries(() => send(path, request.range, gone), retries);
    const end = (): void => void response.destroy();
    if (gone?.aborted) end();
    gone?.addEventListener('abort', end);
    try {
      yield* checkedBody(toHostResponse(response), request, limits, deadline);
    } catch (error) {
      throw gone?.aborted ? new ClientGone() : error;
    } finally {
      gone?.removeEventListener('abort', end);
    }
  }

  /** A stored page for a client, through http-proxy. */
  async function* forwardChunks(path: string, range: ByteRange, exchange: Exchange, deadline: number): Chunks {
    const target = targetOf(path);
    const open = async (): Promise<IncomingMessage> => {
      const headers = await headersFor(target);
      // http-proxy notices only a client that disconnects from now on.
      if (exchange.res.destroyed) throw new Error('the client disconnected');
      return forward({ path, target, headers }, exchange);
    };
    const response = await withRetries(open, retries, () => exchange.res.destroyed);
    try {
      yield* checkedBody(toHostResponse(response), { path, range, isWholeFile: true }, limits, deadline);
    } catch (error) {
      // When the client disconnects, http-proxy cuts the response: not an error of the host.
      throw exchange.res.destroyed ? new Error('the client disconnected', { cause: error }) : error;
    }
  }

  return {
    async read(path, extent, { page, gone } = {}) {
      const deadline = limits.now() + limits.readMs;
      return concatChunks(
        page?.exchange && typeof extent !== 'number'
          ? forwardChunks(path, extent, page.exchange, deadline)
          : readChunks(path, extent, gone, deadline),
        extent,
      );
    },
    close(path) {
      if (path === '') agent.destroy();
    },
  };
}

function toHostResponse(response: IncomingMessage): HostResponse {
  const { statusCode: status, headers } = response;
  return {
    status,
    contentRange: headers['content-range'],
    contentLength: headers['content-length'],
    body: response,
    cancel: () => response.destroy(),
  };
}

/** How often requests are repeated. */
export interface Retries {
  /** Attempts after the first one. */
  count: number;
  /** Maximum pause before the second attempt; it doubles with each further one, and is chosen at random below that. */
  pauseMs: number;
}

const NO_RETRIES: Retries = { count: 0, pauseMs: 0 };

/**
 * Opens a response. A response with a status of HAS_OUTAGE, and a connection that fails, are tried again; one that takes
 * too long is not: the client has waited long enough.
 * @param open resolves to a response whose body is unread
 * @param isGone has the client disconnected?
 * @throws OriginError of the last attempt
 */
async function withRetries(
  open: () => Promise<IncomingMessage>,
  { count, pauseMs }: Retries = NO_RETRIES,
  isGone: () => boolean = () => false,
): Promise<IncomingMessage> {
  for (let attempt = 0; attempt < count; attempt++) {
    try {
      const response = await open();
      if (!HAS_OUTAGE.has(response.statusCode)) return response;
      response.destroy();
    } catch (error) {
      if (isGone() || !(error instanceof OriginError) || error.reason !== 'unreachable') throw error;
    }
    await setTimeout(Math.random() * pauseMs * 2 ** attempt);
  }
  return open();
}
