// Requests for stored pages to a static host, through http-proxy; the only file that imports it. In: GET, a computed
// path, configured headers, no body. Out: the unread response of the host, of which only verified bytes reach the
// client.
import type { Agent } from 'node:http';
import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createProxyServer } from 'http-proxy';
import type { ByteRange, Client } from './origin.ts';
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
export type Forward = (request: HostRequest, client: Client) => Promise<IncomingMessage>;

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
    // From here on withTimeouts limits the wait for the host; a slow client must not count.
    response.socket.setTimeout(0);
    const waiting = pending.get(request);
    if (waiting) waiting.resolve(response);
    else response.destroy();
  });
  // The client has disconnected: http-proxy emits this event instead of calling the error callback.
  proxy.on('econnreset', (error, request) => pending.get(request)?.reject(error));
  const send = ({ target, headers }: HostRequest, client: Client, agent: Agent | false): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = freshRequest(target, headers, client);
      pending.set(request, { resolve, reject });
      proxy.web(request, client.res, { agent, buffer: Readable.from([]) }, reject);
    });
  return async (hostRequest, client) => {
    const startedAt = performance.now();
    const isLate = (): boolean => performance.now() - startedAt >= idleMs;
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

/** Why a request got no response. */
export function requestErrorToOriginError(path: string, error: unknown, isLate: boolean): OriginError {
  if (error instanceof OriginError) return error;
  return isLate ? new OriginError('slow', path) : new OriginError('unreadable', path, errorCode(error));
}

/** A file, or a range of one, that the host was requested for. */
export interface FileRequest {
  /** Name of the file, for messages. */
  path: string;
  /** The expected bytes; undefined for a whole file of any length. */
  range: ByteRange | undefined;
  /** Is `range` a whole file? Then the request had no Range header. */
  isWholeFile: boolean;
}

/**
 * Checks status and headers of a response: 200 with the file, or 206 with exactly the range. Redirects are not
 * followed.
 * @throws OriginError
 */
export function checkResponse(
  { statusCode, headers }: IncomingMessage,
  { path, range, isWholeFile }: FileRequest,
): void {
  if (statusCode === 404 || statusCode === 410) throw new OriginError('missing', path);
  if (statusCode === 416) throw new OriginError('damaged', path, 'shorter than expected');
  if (statusCode !== 200 && (statusCode !== 206 || range === undefined || isWholeFile))
    throw new OriginError('unreadable', path, `the host responded with status ${statusCode}`);
  if (range === undefined) return;
  const { offset, length } = range;
  const contentRange = statusCode === 206 ? headers['content-range'] : undefined;
  if (statusCode === 206 && !contentRange?.startsWith(`bytes ${offset}-${offset + length - 1}/`))
    throw new OriginError('damaged', path, 'not the requested range');
  const bytes = headers['content-length'];
  if (bytes === undefined) return;
  const isExact = statusCode === 206 || isWholeFile;
  if (isExact ? bytes !== String(length) : Number(bytes) < offset + length)
    throw new OriginError(
      'damaged',
      path,
      `${bytes} bytes, expected ${isExact ? length : `at least ${offset + length}`}`,
    );
}

/**
 * A request with nothing of the client's except its connection, by which http-proxy notices that the client is gone.
 */
function freshRequest(target: string, headers: Readonly<Record<string, string>>, { req }: Client): IncomingMessage {
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
  return error instanceof Error && 'code' in error ? String(error.code) : 'no response';
}
