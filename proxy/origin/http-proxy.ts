// Requests for stored pages to a static host, through http-proxy; the only file that imports it. In: GET, a computed
// path, configured headers, no body. Out: the unread response of the host, of which only verified bytes reach the
// client.
import type { Agent } from 'node:http';
import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createProxyServer } from 'http-proxy';
import { codeOf } from '../../format/error-code.ts';
import { type HostLimits, noResponse, responseInTime } from './host-response.ts';
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
export type Forward = (request: HostRequest, exchange: Exchange) => Promise<IncomingMessage>;

/**
 * Creates the function that sends requests through http-proxy. A request to the host ends when its client disconnects.
 * @param limits with the time for the headers of the response, connecting included
 */
export function createForward(host: URL, agent: Agent, limits: HostLimits): Forward {
  const proxy = createProxyServer({
    target: host,
    prependPath: false,
    // http-proxy would copy every response header, and not end a response whose body is cut.
    selfHandleResponse: true,
  });
  const pending = new WeakMap<
    IncomingMessage,
    { resolve(response: IncomingMessage): void; reject(error: Error): void; signal: AbortSignal }
  >();
  // When the request has a connection, or one is being made.
  proxy.on('proxyReq', (sent, request) => {
    const signal = pending.get(request)?.signal;
    const end = (): void => void sent.destroy();
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
  proxy.on('proxyRes', (response, request) => {
    const waiting = pending.get(request);
    if (waiting) waiting.resolve(response);
    else response.destroy();
  });
  // The client has disconnected: http-proxy emits this event instead of calling the error callback.
  proxy.on('econnreset', (error, request) => pending.get(request)?.reject(error));
  const send = (
    { target, headers }: HostRequest,
    exchange: Exchange,
    agent: Agent | false,
    signal: AbortSignal,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = freshRequest(target, headers, exchange);
      pending.set(request, { resolve, reject, signal });
      proxy.web(request, exchange.res, { agent, buffer: Readable.from([]) }, reject);
    });
  return async (hostRequest, exchange) => {
    const { path } = hostRequest;
    try {
      return await responseInTime(path, limits, ({ signal }) =>
        send(hostRequest, exchange, agent, signal).catch((error: unknown) => {
          // The host may have closed a kept-alive connection just as it was used: retry once on a new connection.
          if (exchange.res.destroyed || signal.aborted || !isReset(error)) throw error;
          return send(hostRequest, exchange, false, signal);
        }),
      );
    } catch (error) {
      throw exchange.res.destroyed || error instanceof OriginError ? error : noResponse(path, error);
    }
  };
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
  const code = codeOf(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}
