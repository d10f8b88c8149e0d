// Watches requests until their responses have ended: what the access log and the metrics say of them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { claimedNames } from '../auth/claimed-names.ts';
import type { HttpRequest, Sender } from '../http/request.ts';

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
  /** Its name, which the answer has as X-Request-Id. */
  id: string | undefined;
  /** The `kid` and `jti` of the token; of one that was refused what it says itself. */
  kid: string | undefined;
  tokenId: string | undefined;
  /** Where a request came from whose token was refused. */
  address: string | undefined;
}

/**
 * Watches the requests of a server.
 * @param addressOf tells where a request came from
 * @param report is called when the response of a request has ended
 */
export function watchRequests(addressOf: (sender: Sender) => string, report: (request: EndedRequest) => void) {
  let running = 0;
  let onIdle = (): void => {};
  return {
    observe(req: IncomingMessage, res: ServerResponse, request: HttpRequest) {
      running++;
      const startedAt = performance.now();
      const { method, url: target, socket } = req;
      const bytesBefore = socket.bytesWritten;
      res.once('close', () => {
        const { id, principal, tokenFault: code } = request;
        const { kid, tokenId } = principal ?? (code === undefined ? {} : claimedNames(req.headers.authorization));
        report({
          method,
          target,
          route: request.route,
          status: res.headersSent ? res.statusCode : 0,
          bytes: Math.max(0, socket.bytesWritten - bytesBefore),
          ms: performance.now() - startedAt,
          isCut: !res.writableFinished,
          subject: principal?.subject,
          code,
          id,
          kid,
          tokenId,
          address: code === undefined ? undefined : addressOf(request),
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
