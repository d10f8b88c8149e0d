// The HTTP server around `handle`: limits, requests that cannot be parsed, errors while a response is sent, and
// stopping.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { errorToAnswer, errorToLogLine, isStorageError } from './error-answer.ts';
import type { HandlerContext } from './handler.ts';
import { handle } from './handler.ts';
import { redirectToFile } from './http/accel-redirect.ts';
import type { Answer } from './http/answer.ts';
import { Connection } from './http/connection.ts';
import type { ParserError } from './http/parser-errors.ts';
import { connectResponse, parserErrorToResponse } from './http/parser-errors.ts';
import type { HttpRequest } from './http/request.ts';
import { sendAnswer } from './http/send-answer.ts';
import { PARSER_MAX_BYTES, unsupportedFeature } from './http/validate-request.ts';
import type { Exchange } from './origin/origin.ts';
import type { StopTimes } from './stop-server.ts';
import { stopServer } from './stop-server.ts';

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

/** A server that does not listen yet. */
export interface HttpServer {
  server: Server;
  /**
   * Stops: from now on every response closes its connection. Waits, stops accepting connections, lets responses in
   * progress end, and resolves when all connections are closed.
   */
  stop(times: StopTimes): Promise<void>;
}

/**
 * Creates the server.
 * @param accelRedirect the path under which nginx has the files of the origin, if nginx sends large pages
 */
export function createHttpServer(
  context: HandlerContext,
  observer: Observer,
  limits: ServerLimits = SERVER_LIMITS,
  accelRedirect?: string,
): HttpServer {
  const connections = new Map<Socket, Connection>();
  const sockets = { [Symbol.iterator]: () => connections.keys() };
  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket);
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    return connection;
  };
  const respond = (req: IncomingMessage, res: ServerResponse, connection: Connection): void => {
    const request = toRequest(req);
    const unsupported = unsupportedFeature(request);
    let answer: Answer | undefined;
    observer.observe?.(req, res, () => answer);
    void handle(context, request, unsupported).then((result) => {
      answer = result;
      if (result.onClose !== undefined) whenClosed(res, result.onClose);
      // A body is never read: the connection is closed, so that the body cannot be taken for another request.
      const isLast = connection.hasDropped || (context.lifecycle.isStopping && !connection.hasWaiting);
      if (unsupported !== undefined || isLast) res.setHeader('Connection', 'close');
      const sent = accelRedirect === undefined ? result : redirectToFile(result, request, accelRedirect);
      return sendOrCut(sent, request, { req, res }, context.log);
    });
  };
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    const connection = connectionOf(req.socket);
    connection.add((end) => {
      whenClosed(res, end);
      respond(req, res, connection);
    });
  };
  const server = createServer(
    {
      maxHeaderSize: PARSER_MAX_BYTES,
      // `validateRequest` checks it, with a problem response.
      requireHostHeader: false,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    onRequest,
  );
  // node:http would drop further headers silently; `validateRequest` limits their number and size.
  server.maxHeadersCount = 0;
  server.setTimeout(limits.idleMs);
  server.on('connection', connectionOf);
  // Without these listeners node:http itself responds to `Expect` and CONNECT.
  server.on('checkContinue', onRequest).on('checkExpectation', onRequest);
  server.on('connect', (req) => {
    observer.unparsed?.();
    connectionOf(req.socket).refuseDetached(connectResponse());
  });
  server.on('clientError', (error: ParserError, socket) => {
    observer.unparsed?.();
    if (socket.writable && socket instanceof Socket) connectionOf(socket).refuse(parserErrorToResponse(error));
    else socket.destroy();
  });
  return { server, stop: (times) => stopServer(server, sockets, context.lifecycle, times) };
}

function toRequest({ method, url, headers, rawHeaders, socket }: IncomingMessage): HttpRequest {
  if (method === undefined || url === undefined) throw new TypeError('not a request to a server');
  return { method, target: url, headers, rawHeaders, scheme: 'http', remoteAddress: socket.remoteAddress };
}

function whenClosed(res: ServerResponse, listener: () => void): void {
  if (res.closed) listener();
  else res.once('close', listener);
}

/** Sends an answer. An error becomes another answer while nothing has been sent, and cuts the connection later. */
async function sendOrCut(
  answer: Answer,
  request: HttpRequest,
  exchange: Exchange,
  log: (line: string) => void,
): Promise<void> {
  const { res } = exchange;
  try {
    await sendAnswer(answer, request, exchange);
  } catch (error) {
    // The other answer may be a page of a newer release, whose content can fail, too.
    if (!res.headersSent && !res.destroyed) return sendOrCut(errorToAnswer(error, log), request, exchange, log);
    // A disconnect of the client is an error here too; it is not logged.
    if (isStorageError(error) || !res.destroyed) log(errorToLogLine(error));
    res.destroy();
  }
}
