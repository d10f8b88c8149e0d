// The HTTP server of node:http around what answers requests: limits, requests that cannot be parsed, and stopping.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import type { Answer } from '../bodies/answer.ts';
import { type HandlerContext, handle } from '../handler/handler.ts';
import type { TrustedProxies } from '../http/base-url.ts';
import type { Held } from '../http/guards.ts';
import { type HttpRequest, hasContent, newRequest } from '../http/request.ts';
import { MACHINE_TIME, type Time } from '../http/time.ts';
import type { Lifecycle } from '../operations/health.ts';
import { Connection } from './connection.ts';
import type { ParserError } from './parser-errors.ts';
import { connectResponse, isTimeout, PARSER_MAX_BYTES, parserErrorToResponse } from './parser-errors.ts';
import { requestId } from './request-id.ts';
import { SentResponse } from './send.ts';
import { type StopTimes, stopServer } from './stop-server.ts';

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
   * @param request what is known of it by then
   */
  observe?(req: IncomingMessage, res: ServerResponse, request: HttpRequest): void;
  /** A request could not be parsed. */
  unparsed?(): void;
  /** An error that no client caused. */
  failed?(error: unknown): void;
}

/** A server that does not listen yet. */
export interface HttpServer {
  server: Server;
  /**
   * Stops: from now on every response closes its connection. Waits, stops accepting connections, lets responses in
   * progress end, and resolves when all connections are closed.
   */
  stop(times: StopTimes): Promise<void>;
  /** Bytes of bodies that clients have not taken. */
  heldBytes(): number;
}

/** What all requests share, and what the server needs besides. */
export interface ServerContext extends HandlerContext {
  held: Held;
  lifecycle: Lifecycle;
  /** Reverse proxies whose names of requests are used. */
  trustedProxies?: TrustedProxies | undefined;
}

/** Creates the server. */
export function createHttpServer(
  context: ServerContext,
  observer: Observer,
  limits: ServerLimits = SERVER_LIMITS,
  time: Time = MACHINE_TIME,
): HttpServer {
  const { held, lifecycle, log, reads, trustedProxies } = context;
  const connections = new Map<Socket, Connection>();
  const sockets = { [Symbol.iterator]: () => connections.keys() };
  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, respond, time);
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    return connection;
  };
  const respond = (req: IncomingMessage, res: ServerResponse, connection: Connection): void => {
    const request = requestOf(req, requestId(req, trustedProxies));
    observer.observe?.(req, res, request);
    const response = new SentResponse(context, request, req, res);
    const answer = handle(context, request);
    if (answer instanceof Promise) answer.then((late) => send(late, request, response, connection));
    else send(answer, request, response, connection);
  };
  const send = (answer: Answer, request: HttpRequest, response: SentResponse, connection: Connection): void => {
    const { res } = response;
    try {
      if (request.onClose !== undefined) whenClosed(res, request.onClose);
      // A body is never read: the connection is closed, so that the body cannot be taken for another request.
      const isLast = connection.hasDropped || (lifecycle.isStopping && !connection.hasWaiting);
      if (isLast || hasContent(request)) res.setHeader('Connection', 'close');
      response.begin(answer);
    } catch (error) {
      log(error);
      res.destroy();
    }
  };
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => connectionOf(req.socket).add(req, res);
  const server = createServer(
    {
      maxHeaderSize: PARSER_MAX_BYTES,
      // `validate` checks it, with a problem response.
      requireHostHeader: false,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    onRequest,
  );
  // node:http would drop further headers silently; `validate` limits their number and size.
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
    // A connection that is reset, as load balancers do after a check, carried nothing to parse.
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') observer.unparsed?.();
    if (!socket.writable || !(socket instanceof Socket)) socket.destroy();
    else if (isTimeout(error)) connectionOf(socket).refuseLate(parserErrorToResponse(error), limits.headersMs);
    else connectionOf(socket).refuse(parserErrorToResponse(error));
  });
  return {
    server,
    async stop(times) {
      await stopServer(server, sockets, lifecycle, times, time);
      reads.origin.close?.('');
    },
    heldBytes: () => held.total,
  };
}

function requestOf(
  { method, url, headers, rawHeaders, socket, httpVersionMinor }: IncomingMessage,
  id: string,
): HttpRequest {
  if (method === undefined || url === undefined) throw new TypeError('not a request to a server');
  const isHttp10 = httpVersionMinor === 0;
  return newRequest({ id, method, target: url, headers, rawHeaders, isHttp10, scheme: 'http', peer: socket });
}

function whenClosed(res: ServerResponse, listener: () => void): void {
  if (res.closed) listener();
  // Before the listener by which the next request of the connection begins.
  else res.prependOnceListener('close', listener);
}
