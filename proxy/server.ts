// The HTTP server around `handle`: limits, requests that cannot be parsed, and what becomes of errors.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorToAnswer, faultToLine, isStorageFault } from './error-answer.ts';
import type { Service } from './handler.ts';
import { handle } from './handler.ts';
import type { Answer } from './http/answer.ts';
import type { ParserError } from './http/parser-errors.ts';
import { refuseConnect, refuseUnparsed } from './http/parser-errors.ts';
import { sendAnswer } from './http/send-answer.ts';
import { PARSER_MAX_BYTES } from './http/validate-request.ts';

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

/** Access log and metrics. */
export interface Observer {
  /**
   * A request has come in. When its answer has ended, `res` closes.
   * @param answer gives the answer, undefined until it is known
   */
  observe?(req: IncomingMessage, res: ServerResponse, answer: () => Answer | undefined): void;
  /** A request that the parser gave up on. */
  unparsed?(): void;
}

/** Makes the server; it does not listen yet. */
export function createProxy(service: Service, observer: Observer, limits: ServerLimits = SERVER_LIMITS): Server {
  const answering = new WeakSet<Duplex>();
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    answering.add(req.socket);
    res.once('close', () => answering.delete(req.socket));
    let answer: Answer | undefined;
    observer.observe?.(req, res, () => answer);
    void handle(service, req).then((made) => {
      answer = made;
      return answerRequest(made, req, res, service.log);
    });
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

/** Sends the answer, or what an error on the way makes of it; where a body has begun the connection is cut. */
async function answerRequest(
  answer: Answer,
  req: IncomingMessage,
  res: ServerResponse,
  log: (line: string) => void,
): Promise<void> {
  try {
    await sendAnswer(answer, req, res);
  } catch (error) {
    if (!res.headersSent && !res.destroyed) {
      await sendAnswer(errorToAnswer(error, log), req, res);
      return;
    }
    // A client that goes away ends its answer with an error too, which nobody needs to read.
    if (isStorageFault(error) || !res.destroyed) log(faultToLine(error));
    res.destroy();
  }
}
