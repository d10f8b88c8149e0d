// The HTTP server around `handle`: limits, requests that cannot be parsed, and what becomes of errors.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { FormatError } from '../format/parse.ts';
import type { Service } from './handle.ts';
import { handle } from './handle.ts';
import { OriginError } from './origin.ts';
import { Problem, sendProblem } from './problem.ts';
import { PARSER_MAX_BYTES } from './request.ts';
import type { ParserError } from './unparsed.ts';
import { refuseUnparsed } from './unparsed.ts';

/** A client has this long to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Above the idle time of common load balancers (60 s), so that they, not we, close a connection between requests. */
const KEEP_ALIVE_MS = 65_000;
/** A connection over which nothing moves for this long is closed: a client that stopped reading. */
const IDLE_TIMEOUT_MS = 120_000;
/** When told to stop, answers under way have this long to end. */
const STOP_MS = 30_000;
const STOP_LOOK_MS = 50;

/**
 * Makes the server; it does not listen yet.
 * @param log gets a line for each fault of ours or of the origin; never a token
 */
export function createProxy(service: Service, log: (line: string) => void): Server {
  const answering = new WeakSet<Duplex>();
  const server = createServer(
    {
      maxHeaderSize: PARSER_MAX_BYTES,
      // Checked by `handle`, which answers better.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (req, res) => {
      answering.add(req.socket);
      res.once('close', () => answering.delete(req.socket));
      handle(service, req, res).catch((error: unknown) => fail(error, req, res, log));
    },
  );
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.on('clientError', (error: ParserError, socket) => {
    if (socket.writable && !answering.has(socket)) refuseUnparsed(error, socket);
    else socket.destroy();
  });
  return server;
}

/** Stops accepting, lets answers under way end, then resolves. What is not done in time is cut. */
export async function stopServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A kept-alive connection becomes idle when its answer has ended, and would hold the server open.
  const looks = setInterval(() => server.closeIdleConnections(), STOP_LOOK_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), STOP_MS);
  await closed;
  clearInterval(looks);
  clearTimeout(deadline);
}

/** Turns what `handle` threw into an answer, or cuts the connection when one has begun. */
function fail(error: unknown, req: IncomingMessage, res: ServerResponse, log: (line: string) => void): void {
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
  if (isStorageFault(error))
    return new Problem('origin-damaged', 'Stored data is missing or damaged. It has been logged.');
  return new Problem('internal', 'Something failed that should not. It has been logged.');
}
