// The name of a request in logs, so that its line here is found by what a reverse proxy or a client knows of it.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TrustedProxies } from '../http/base-url.ts';

/** The header that names a request: what reverse proxies send, and every answer for one client alone has. */
export const REQUEST_ID = 'X-Request-Id';
/** Forms of it that reverse proxies have. It stands in the log and in an answer. */
const FORM = /^[\w.:+/=@-]{1,128}$/;

/**
 * The name that a trusted reverse proxy has given the request, otherwise a new one: what a client writes could be the
 * name of another request.
 */
export function requestId({ headers, socket }: IncomingMessage, trusted: TrustedProxies | undefined): string {
  const given = headers['x-request-id'];
  if (typeof given !== 'string' || !FORM.test(given)) return randomUUID();
  return trusted?.has(socket.remoteAddress ?? '') === true ? given : randomUUID();
}
