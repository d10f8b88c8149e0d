// A request that a client has sent, without a connection.
import { type HttpRequest, newRequest } from '../../../proxy/http/request.ts';

/** A request for a target, of a client that is known. */
export function receivedRequest(target: string, principal = 'a'): HttpRequest {
  const received = {
    method: 'GET',
    target,
    headers: {},
    rawHeaders: [],
    isHttp10: false,
    scheme: 'http',
    peer: {},
  } as const;
  const [path = '', query = ''] = target.split('?');
  return Object.assign(newRequest(received), { path, query, principal: { subject: principal, id: principal } });
}
