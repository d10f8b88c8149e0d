// The HTTP server around `handle`: limits, requests that cannot be parsed, and what becomes of errors.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { FormatError } from '../format/parse.ts';
import type { Account, Service } from './handle.ts';
import { handle } from './handle.ts';
import { OriginError } from './origin.ts';
import { Problem, sendProblem } from './problem.ts';
import { extraOf, PARSER_MAX_BYTES } from './request.ts';
import type { ParserError } from './unparsed.ts';
import { refuseConnect, refuseUnparsed } from './unparsed.ts';

/** How long a client may take, in milliseconds. */
export interface ServerLimits {
  /** To send its headers, and its whole request. */
  headersMs: number;
  requestMs: number;
  /** How often those two are looked at. */
  lookMs: number;
  /** Between requests. */
  keepAliveMs: number;
  /** Without a byte moving in the middle of an answer: it has stopped reading. */
  idleMs: number;
}

const SERVER_LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  lookMs: 2_000,
  // Above the idle time of common load balancers (60 s), so that they, not we, close a connection between requests.
  keepAliveMs: 65_000,
  idleMs: 120_000,
};

/** When told to stop, answers under way have this long to end. */
export const STOP_MS = 30_000;
const STOP_LOOK_MS = 50;

/** Whoever hears of requests. */
export interface Observer {
  /** A fault of ours or of the origin; never a token. */
  log(line: string): void;
  /** A request has come in. The account is filled in until the answer has ended, which is when `res` closes. */
  observe?(req: IncomingMessage, res: ServerResponse, account: Account): void;
  /** A request that the parser gave up on. */
  unparsed?(): void;
}

/** Makes the server; it does not listen yet. */
export function createProxy(service: Service, observer: Observer, limits: ServerLimits = SERVER_LIMITS): Server {
  const answering = new WeakSet<Duplex>();
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    answering.add(req.socket);
    res.once('close', () => answering.delete(req.socket));
    const account: Account = { subject: undefined, route: undefined };
    observer.observe?.(req, res, account);
    if (extraOf(req) !== undefined) res.setHeader('Connection', 'close');
    handle(service, req, res, account).catch((error: unknown) => fail(error, req, res, observer));
  };
  const server = createServer(
    {
      maxHeaderSize: PARSER_MAX_BYTES,
      // Checked by `handle`, which answers better.
      requireHostHeader: false,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.lookMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    onRequest,
  );
  // Headers past such a number would be dropped without a word; their size is limited anyway.
  server.maxHeadersCount = 0;
  server.setTimeout(limits.idleMs);
  // Without these Node answers `Expect` and CONNECT by itself.
  server.on('checkContinue', onRequest).on('checkExpectation', onRequest);
  server.on('connect', (_req, socket) => {
    observer.unparsed?.();
    refuseConnect(socket);
  });
  server.on('clientError', (error: ParserError, socket) => {
    observer.unparsed?.();
    if (socket.writable && !answering.has(socket)) refuseUnparsed(error, socket);
    else socket.destroy();
  });
  return server;
}

/**
 * Stops accepting, lets answers under way end, then resolves. What is not done in time is cut.
 * @param stopMs how long that may take
 */
export async function stopServer(server: Server, stopMs: number = STOP_MS): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A kept-alive connection becomes idle when its answer has ended, and would hold the server open.
  const looks = setInterval(() => server.closeIdleConnections(), STOP_LOOK_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), stopMs);
  await closed;
  clearInterval(looks);
  clearTimeout(deadline);
}

/** Turns what `handle` threw into an answer, or cuts the connection when one has begun. */
function fail(error: unknown, req: IncomingMessage, res: ServerResponse, { log }: Observer): void {
  // A client that goes away ends its answer with an error too; nobody need hear of that.
  const isGone = res.destroyed && !isStorageFault(error);
  if (isStorageFault(error)) log(error.message);
  else if (!isGone && !(error instanceof Problem)) log(error instanceof Error ? `${error.stack}` : String(error));
  if (res.headersSent) res.destroy();
  else if (!res.destroyed) sendProblem(req, res, error instanceof Problem ? error : problemOf(error));
}

/** Is this about stored files? */
function isStorageFault(error: unknown): error is OriginError | FormatError {
  return error instanceof OriginError || error instanceof FormatError;
}

function problemOf(error: unknown): Problem {
  if (error instanceof OriginError && error.reason === 'slow')
    return new Problem('origin-slow', 'Stored data did not arrive in time. Try again.');
  if (isStorageFault(error))
    return new Problem('origin-damaged', 'Stored data is missing or damaged. It has been logged.');
  return new Problem('internal', 'Something failed that should not. It has been logged.');
}
