// The HTTP server around `handle`: limits, requests that cannot be parsed, errors while a response is sent, and
// stopping.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorToAnswer, errorToLogLine, isStorageError } from './error-answer.ts';
import type { HandlerContext } from './handler.ts';
import { handle } from './handler.ts';
import type { Answer } from './http/answer.ts';
import type { ParserError } from './http/parser-errors.ts';
import { refuseConnect, sendParserError } from './http/parser-errors.ts';
import { sendAnswer } from './http/send-answer.ts';
import { PARSER_MAX_BYTES } from './http/validate-request.ts';

/** Timeouts for clients, in milliseconds. */
export interface ServerLimits {
  /** For the headers of a request, and for the whole request. */
  headersMs: number;
  requestMs: number;
  /** How often these two are checked. */
  checkMs: number;
  /** Between two requests on a connection. */
  keepAliveMs: number;
  /** Without any byte sent or received during a response: the client has stopped reading. */
  idleMs: number;
}

const SERVER_LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 2_000,
  // Above the idle timeout of common load balancers (60 s): they, not this server, must close an idle connection.
  keepAliveMs: 65_000,
  idleMs: 120_000,
};

/** Default time for responses in progress when the server stops. */
const STOP_TIMEOUT_MS = 30_000;
const IDLE_CHECK_MS = 50;

/** The access log and metrics, as the server sees them. */
export interface Observer {
  /**
   * A request has arrived. When its response has ended, `res` closes.
   * @param answer the answer, undefined until it is known
   */
  observe?(req: IncomingMessage, res: ServerResponse, answer: () => Answer | undefined): void;
  /** A request could not be parsed. */
  unparsed?(): void;
}

/** Creates the server; it does not listen yet. */
export function createHttpServer(
  context: HandlerContext,
  observer: Observer,
  limits: ServerLimits = SERVER_LIMITS,
): Server {
  const responding = new WeakSet<Duplex>();
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    responding.add(req.socket);
    res.once('close', () => responding.delete(req.socket));
    let answer: Answer | undefined;
    observer.observe?.(req, res, () => answer);
    void handle(context, req).then((result) => {
      answer = result;
      return sendOrCut(result, req, res, context.log);
    });
  };
  const server = createServer(
    {
      maxHeaderSize: PARSER_MAX_BYTES,
      // `refuseMalformed` checks it, with a problem response.
      requireHostHeader: false,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    onRequest,
  );
  // node:http would drop further headers silently; `refuseMalformed` limits their number and size.
  server.maxHeadersCount = 0;
  server.setTimeout(limits.idleMs);
  // Without these listeners node:http itself responds to `Expect` and CONNECT.
  server.on('checkContinue', onRequest).on('checkExpectation', onRequest);
  server.on('connect', (_req, socket) => {
    observer.unparsed?.();
    refuseConnect(socket);
  });
  server.on('clientError', (error: ParserError, socket) => {
    observer.unparsed?.();
    if (socket.writable && !responding.has(socket)) sendParserError(error, socket);
    else socket.destroy();
  });
  return server;
}

/**
 * Stops accepting connections, lets responses in progress end, then resolves.
 * @param timeoutMs responses that take longer are cut
 */
export async function stopServer(server: Server, timeoutMs: number = STOP_TIMEOUT_MS): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A kept-alive connection becomes idle when its response has ended, and would keep the server open.
  const idleChecks = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(idleChecks);
  clearTimeout(deadline);
}

/** Sends an answer. An error becomes another answer while nothing has been sent, and cuts the connection later. */
async function sendOrCut(
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
    // A disconnect of the client is an error here too; it is not logged.
    if (isStorageError(error) || !res.destroyed) log(errorToLogLine(error));
    res.destroy();
  }
}
