// Answers are values; this is the one place that sends them. What depends on the request alone (HEAD, If-None-Match) and
// what every answer needs (Content-Length) is done here, once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Client } from '../origin/origin.ts';
import type { Body } from '../pages/text-body.ts';
import { extraOf } from './validate-request.ts';

/** Header names and values in turn. */
export type HeaderList = readonly string[];

/** What a request is answered with. */
export interface Answer {
  status: number;
  /** All but those of the content; a 304 has these too. */
  headers: HeaderList;
  /** A strong entity tag, quotes included: a request that holds it is answered 304. */
  etag?: string;
  /** Undefined where there is none. */
  content?: Content;
  /** The path or kind of path that was answered, for logs and metrics; undefined when it was none of ours. */
  route?: string | undefined;
  /** The `sub` of the token, for logs. */
  subject?: string | undefined;
}

/** The content of an answer. Its length is known before it is read. */
export interface Content {
  /** Content-Type and, where there is one, Content-Encoding. */
  headers: HeaderList;
  bytes: number;
  /** The bytes, or a function that reads them: it is not called for HEAD and 304. */
  body: Buffer | ((client: Client) => Body | Promise<Body>);
}

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

/** An answer with its content in memory as the bytes of an HTTP/1.1 response that closes the connection. */
export function answerToBytes({ status, headers, content }: Answer): Buffer {
  const body = Buffer.isBuffer(content?.body) ? content.body : Buffer.alloc(0);
  const all = [...headers, ...(content?.headers ?? []), 'Content-Length', String(body.length), 'Connection', 'close'];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let i = 0; i < all.length; i += 2) lines.push(`${all[i]}: ${all[i + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
