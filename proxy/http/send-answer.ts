// The one place that sends answers. What depends on the request alone (HEAD, If-None-Match, a connection that must be
// closed) and what every answer needs (Content-Length) is done here, once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './answer.ts';
import { extraOf } from './validate-request.ts';

/**
 * Sends an answer.
 * @throws what reading the body throws. Where nothing was sent yet (`res.headersSent`), another answer still can be.
 */
export async function sendAnswer(answer: Answer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { status, headers, etag, content } = answer;
  const tagged = etag === undefined ? [...headers] : [...headers, 'ETag', etag];
  if (extraOf(req) !== undefined) tagged.push('Connection', 'close');
  if (etag !== undefined && isHeld(req.headers['if-none-match'], etag)) {
    res.writeHead(304, tagged).end();
    return;
  }
  if (content === undefined) {
    res.writeHead(status, tagged).end();
    return;
  }
  tagged.push(...content.headers, 'Content-Length', String(content.bytes));
  if (req.method === 'HEAD') {
    res.writeHead(status, tagged).end();
    return;
  }
  const body = typeof content.body === 'function' ? await content.body({ req, res }) : content.body;
  if (Buffer.isBuffer(body)) res.writeHead(status, tagged).end(body);
  else await sendStream(body, status, tagged, res);
}

/** Does If-None-Match name this tag? Compared weakly (RFC 9110 section 13.1.2); our tags hold no comma. */
function isHeld(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((item) => {
    const held = item.trim();
    return held === '*' || held === tag || held === `W/${tag}`;
  });
}

/** Sends a body piece by piece, as fast as the client takes it. */
async function sendStream(
  body: AsyncIterable<Buffer>,
  status: number,
  headers: string[],
  res: ServerResponse,
): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    // A fault up to here can still be answered with a problem; a later one cuts the connection.
    const first = await pieces.next();
    res.writeHead(status, headers);
    await pipeline(continued(first, pieces), res);
  } finally {
    // A client that has gone away leaves files open otherwise.
    await pieces.return?.();
  }
}

async function* continued(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
}
