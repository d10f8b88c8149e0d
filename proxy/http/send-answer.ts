// Sends answers; no other file does. HEAD, If-None-Match, Content-Length and Connection are handled here, once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './answer.ts';
import { unsupportedFeature } from './validate-request.ts';

/**
 * Sends an answer.
 * @throws the error of reading the body; if `res.headersSent` is false, another answer can still be sent
 */
export async function sendAnswer(answer: Answer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { status, headers: common, etag, content } = answer;
  const headers = etag === undefined ? [...common] : [...common, 'ETag', etag];
  if (unsupportedFeature(req) !== undefined) headers.push('Connection', 'close');
  if (etag !== undefined && isMatch(req.headers['if-none-match'], etag)) {
    res.writeHead(304, headers).end();
    return;
  }
  if (content === undefined) {
    res.writeHead(status, headers).end();
    return;
  }
  headers.push(...content.headers, 'Content-Length', String(content.bytes));
  if (req.method === 'HEAD') {
    res.writeHead(status, headers).end();
    return;
  }
  const body = typeof content.body === 'function' ? await content.body({ req, res }) : content.body;
  if (Buffer.isBuffer(body)) res.writeHead(status, headers).end(body);
  else await sendStream(body, status, headers, res);
}

/** The 304 rule: does If-None-Match list this entity tag? Weak comparison (RFC 9110 section 13.1.2). */
function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // Entity tags of this service contain no comma.
  return ifNoneMatch.split(',').some((item) => {
    const tag = item.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

/** Sends a body chunk by chunk, at the pace of the client. */
async function sendStream(
  body: AsyncIterable<Buffer>,
  status: number,
  headers: string[],
  res: ServerResponse,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    // An error up to here can become a problem response; a later one cuts the connection.
    const first = await chunks.next();
    res.writeHead(status, headers);
    await pipeline(prepend(first, chunks), res);
  } finally {
    // Closes files and connections of the origin when the client disconnects.
    await chunks.return?.();
  }
}

async function* prepend(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let chunk = first; !chunk.done; chunk = await rest.next()) yield chunk.value;
}
