// The only file that knows http-proxy. What goes in: GET, a path of our own making, headers of our own making, no body.
// What comes out: the host's answer, unread; nothing of it reaches the client but bytes that the manifest vouches for.
import type { Agent } from 'node:http';
import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createProxyServer } from 'http-proxy';
import type { ByteRange, Client } from './origin.ts';
import { OriginError } from './origin.ts';

/**
 * Asks the host for a file on behalf of a client; the host's answer, its body still to come.
 * @param path its name, for the log
 * @param target path and query to ask for
 * @throws OriginError when the host does not answer
 */
export type PassThrough = (path: string, target: string, client: Client) => Promise<IncomingMessage>;

/**
 * Makes the way through http-proxy. When the client goes away, the request to the host ends.
 * @param headers all that the host is told
 */
export function passThrough(
  host: URL,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
  idleMs: number,
): PassThrough {
  const proxy = createProxyServer({
    target: host,
    prependPath: false,
    // Answering is left to us: http-proxy would copy every header, and leave a cut body open.
    selfHandleResponse: true,
    proxyTimeout: idleMs,
  });
  const waiting = new WeakMap<
    IncomingMessage,
    { resolve(answer: IncomingMessage): void; reject(error: Error): void }
  >();
  proxy.on('proxyRes', (answer, asked) => {
    // From here on only waiting for the host counts, not the host waiting for us.
    answer.socket.setTimeout(0);
    const waiter = waiting.get(asked);
    if (waiter) waiter.resolve(answer);
    else answer.destroy();
  });
  // A client that has gone away: told here and not to the callback.
  proxy.on('econnreset', (error, asked) => waiting.get(asked)?.reject(error));
  const ask = (target: string, client: Client, agent: Agent | false): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const asked = freshRequest(target, headers, client);
      waiting.set(asked, { resolve, reject });
      proxy.web(asked, client.res, { agent, buffer: Readable.from([]) }, reject);
    });
  return async (path, target, client) => {
    const begun = performance.now();
    const isLate = (): boolean => performance.now() - begun >= idleMs;
    try {
      return await ask(target, client, agent).catch((error: unknown) => {
        // A kept connection may have been closed by the host just as it was used again: once more, on a new one.
        if (client.res.destroyed || isLate() || !isReset(error)) throw error;
        return ask(target, client, false);
      });
    } catch (error) {
      throw client.res.destroyed ? error : failureOf(path, error, isLate());
    }
  };
}

/**
 * Why there is no answer.
 * @param isLate was it waited for as long as it may take?
 */
export function failureOf(path: string, error: unknown, isLate: boolean): OriginError {
  if (error instanceof OriginError) return error;
  return isLate ? new OriginError('slow', path) : new OriginError('unreadable', path, codeOf(error));
}

/** What the host was asked for. */
export interface Wanted {
  /** Its name, for the log. */
  path: string;
  /** Undefined for a file of any length. */
  range: ByteRange | undefined;
  /** Is the range a whole page, of which no range was asked for? */
  isPage: boolean;
}

/**
 * Lets an answer pass that has the file, or exactly this range of it. Redirects are not followed.
 * @throws OriginError
 */
export function refuseStatus({ statusCode, headers }: IncomingMessage, { path, range, isPage }: Wanted): void {
  if (statusCode === 404 || statusCode === 410) throw new OriginError('missing', path);
  if (statusCode === 416) throw new OriginError('damaged', path, 'shorter than expected');
  if (statusCode !== 200 && (statusCode !== 206 || range === undefined || isPage))
    throw new OriginError('unreadable', path, `the host answered ${statusCode}`);
  if (range === undefined) return;
  const { offset, length } = range;
  const given = statusCode === 206 ? headers['content-range'] : undefined;
  if (statusCode === 206 && !given?.startsWith(`bytes ${offset}-${offset + length - 1}/`))
    throw new OriginError('damaged', path, 'another range than asked for');
  const bytes = headers['content-length'];
  if (bytes === undefined) return;
  const isExact = statusCode === 206 || isPage;
  if (isExact ? bytes !== String(length) : Number(bytes) < offset + length)
    throw new OriginError(
      'damaged',
      path,
      `${bytes} bytes, expected ${isExact ? length : `at least ${offset + length}`}`,
    );
}

/** A request that has nothing of the client's but its connection, which http-proxy looks at to see whether it lives. */
function freshRequest(target: string, headers: Readonly<Record<string, string>>, { req }: Client): IncomingMessage {
  const asked = new IncomingMessage(req.socket);
  asked.method = 'GET';
  asked.url = target;
  asked.headers = { ...headers };
  return asked;
}

function isReset(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
}
