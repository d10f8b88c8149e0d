// X-Accel-Redirect: nginx in front of the proxy sends the file of a stored page. Used by server.ts.
import type { Answer } from './answer.ts';
import type { HttpRequest } from './request.ts';

/** Smaller bodies cost nginx and proxy as much by a redirect, and are verified when the proxy sends them. */
const MIN_BYTES = 256 * 1024;

const EMPTY = Buffer.alloc(0);

/**
 * The answer without a body and with the path of its file, for nginx to send; unchanged if there is no such file, or if
 * the request does not have `X-Sendfile-Type: X-Accel-Redirect`, with which nginx says that it can.
 * @param prefix the path under which nginx has the files of the origin; ends in a slash
 */
export function redirectToFile(answer: Answer, { method, headers }: HttpRequest, prefix: string): Answer {
  const { content } = answer;
  if (content?.file === undefined || content.bytes < MIN_BYTES) return answer;
  if (method !== 'GET' || headers['x-sendfile-type'] !== 'X-Accel-Redirect') return answer;
  const redirect = ['X-Accel-Redirect', `${prefix}${content.file}`];
  return { ...answer, content: { headers: [...content.headers, ...redirect], bytes: 0, body: EMPTY } };
}
