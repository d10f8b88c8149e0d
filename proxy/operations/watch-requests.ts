// Watches requests until their responses have ended: what the access log and the metrics say of them. Used by serve.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '../http/request.ts';

/** A request whose response has ended. */
export interface EndedRequest {
  method: string | undefined;
  /** The request target as it was received. */
  target: string | undefined;
  /** One of a fixed set; undefined for an unknown path. */
  route: string | undefined;
  /** 0: the client disconnected before the response began. */
  status: number;
  /** Sent to the client, headers included. */
  bytes: number;
  /** Time from the headers of the request to the end of the response. */
  ms: number;
  /** Did the connection close before the end of the response? */
  isCut: boolean;
  /** The `sub` of the token. */
  subject: string | undefined;
  /** Why the token was refused: one of a fixed set; undefined if it was not. */
  code: string | undefined;
}

/**
 * Watches the requests of a server.
 * @param report is called when the response of a request has ended
 */
export function watchRequests(report: (request: EndedRequest) => void) {
  let running = 0;
  let onIdle = (): void => {};
  return {
    observe(req: IncomingMessage, res: ServerResponse, request: HttpRequest) {
      running++;
      const startedAt = performance.now();
      const { method, url: target, socket } = req;
      const bytesBefore = socket.bytesWritten;
      res.once('close', () => {
        report({
          method,
          target,
          route: request.route,
          status: res.headersSent ? res.statusCode : 0,
          bytes: Math.max(0, socket.bytesWritten - bytesBefore),
          ms: performance.now() - startedAt,
          isCut: !res.writableFinished,
          subject: request.principal?.subject,
          code: request.tokenFault,
        });
        if (--running === 0) onIdle();
      });
    },
    /** The number of requests in progress. */
    running: () => running,
    /** Resolves when none is in progress. No request may be observed afterwards. */
    ended: () =>
      new Promise<void>((resolve) => {
        onIdle = resolve;
        if (running === 0) resolve();
      }),
  };
}
