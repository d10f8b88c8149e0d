// Answers: responses as values, with status, headers, and content of known length, and the only function that sends
// them: HEAD, If-None-Match and Content-Length are handled here, once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Client } from '../origin/origin.ts';

/** A body in memory, or a stream. */
export type Body = Buffer | AsyncIterable<Buffer>;

/** Alternating header names and values. */
export type HeaderList = readonly string[];

/** A response that has not been sent yet. */
export interface Answer {
  status: number;
  /** All headers except those of the content; a 304 has these too. */
  headers: HeaderList;
  /** A strong entity tag including its quotes; a request whose If-None-Match has it is answered with 304. */
  etag?: string;
  /** Undefined if there is no content. */
  content?: Content;
  /** The path, or a label for a kind of path, for logs and metrics; undefined for an unknown path. */
  route?: string | undefined;
  /** The `sub` of the token, for the access log. */
  subject?: string | undefined;
  /** To be called when the response has ended, completely or not. */
  onClose?: () => void;
}

/** The content of an answer. */
export interface Content {
  /** Content-Type and, if any, Content-Encoding. */
  headers: HeaderList;
  /** Length of the body. */
  bytes: number;
  /** The body, or a function that reads it; the function is not called for HEAD and 304. */
  body: Buffer | ((client: Client) => Body | Promise<Body>);
}

/**
 * Sends an answer.
 * @throws the error of reading the body; if `res.headersSent` is false, another answer can still be sent
 */
export async function sendAnswer(answer: Answer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { etag, content } = answer;
  const headers = etag === undefined ? [...answer.headers] : [...answer.headers, 'ETag', etag];
  const isUnchanged = etag !== undefined && isMatch(req.headers['if-none-match'], etag);
  const status = isUnchanged ? 304 : answer.status;
  if (content !== undefined && !isUnchanged) headers.push(...content.headers, 'Content-Length', String(content.bytes));
  if (content === undefined || isUnchanged || req.method === 'HEAD') {
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
    await pipeline(startingWith(first, chunks), res);
  } finally {
    // Closes files and connections of the origin when the client disconnects.
    await chunks.return?.();
  }
}

async function* startingWith(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let chunk = first; !chunk.done; chunk = await rest.next()) yield chunk.value;
}
