// Requests for stored pages to a static host, through http-proxy; the only file that imports it. In: GET, a computed
// path, configured headers, no body. Out: the unread response of the host, of which only verified bytes reach the
// client.
import type { Agent } from 'node:http';
import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createProxyServer } from 'http-proxy';
import { codeOf } from '../../format/error-code.ts';
import type { Exchange } from './origin.ts';
import { OriginError } from './origin.ts';

/** A request to the host. */
export interface HostRequest {
  /** Name of the file, for messages. */
  path: string;
  /** Path and query. */
  target: string;
  /** All headers. */
  headers: Readonly<Record<string, string>>;
}

/**
 * Requests a file from the host on behalf of a client; resolves to the response, whose body is unread.
 * @throws OriginError if the host does not respond
 */
export type Forward = (request: HostRequest, client: Exchange) => Promise<IncomingMessage>;

/**
 * Creates the function that sends requests through http-proxy. A request to the host ends when its client disconnects.
 * @param idleMs time for the headers of the response
 */
export function createForward(host: URL, agent: Agent, idleMs: number): Forward {
  const proxy = createProxyServer({
    target: host,
    prependPath: false,
    // http-proxy would copy every response header, and not end a response whose body is cut.
    selfHandleResponse: true,
    proxyTimeout: idleMs,
  });
  const pending = new WeakMap<
    IncomingMessage,
    { resolve(response: IncomingMessage): void; reject(error: Error): void }
  >();
  proxy.on('proxyRes', (response, request) => {
    // From here on checkedBody limits the wait for the host; a slow client must not count.
    response.socket.setTimeout(0);
    const waiting = pending.get(request);
    if (waiting) waiting.resolve(response);
    else response.destroy();
  });
  // The client has disconnected: http-proxy emits this event instead of calling the error callback.
  proxy.on('econnreset', (error, request) => pending.get(request)?.reject(error));
  const send = ({ target, headers }: HostRequest, client: Exchange, agent: Agent | false): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = freshRequest(target, headers, client);
      pending.set(request, { resolve, reject });
      proxy.web(request, client.res, { agent, buffer: Readable.from([]) }, reject);
    });
  return async (hostRequest, client) => {
    const startedAt = performance.now();
    const isLate = (): boolean => hasTimedOut(startedAt, idleMs);
    try {
      return await send(hostRequest, client, agent).catch((error: unknown) => {
        // The host may have closed a kept-alive connection just as it was used: retry once on a new connection.
        if (client.res.destroyed || isLate() || !isReset(error)) throw error;
        return send(hostRequest, client, false);
      });
    } catch (error) {
      throw client.res.destroyed ? error : requestErrorToOriginError(hostRequest.path, error, isLate());
    }
  };
}

/** Timers count whole milliseconds, so one may end this long before its time. */
const TIMER_MS = 2;

/** Has a request that began at `startedAt` ended by its timeout? */
export function hasTimedOut(startedAt: number, idleMs: number): boolean {
  return performance.now() - startedAt > idleMs - TIMER_MS;
}

/** Why a request got no response. */
export function requestErrorToOriginError(path: string, error: unknown, isLate: boolean): OriginError {
  if (error instanceof OriginError) return error;
  return isLate ? new OriginError('slow', path) : new OriginError('unreadable', path, errorCode(error));
}

/**
 * A request with nothing of the client's except its connection, by which http-proxy notices that the client is gone.
 */
function freshRequest(target: string, headers: Readonly<Record<string, string>>, { req }: Exchange): IncomingMessage {
  const request = new IncomingMessage(req.socket);
  request.method = 'GET';
  request.url = target;
  request.headers = { ...headers };
  return request;
}

function isReset(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function errorCode(error: unknown): string {
  return codeOf(error) || 'no response';
}
