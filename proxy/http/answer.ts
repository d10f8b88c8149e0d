// Answers are values: status, headers, and content whose length is known before it is read. send-answer.ts sends them.
import { STATUS_CODES } from 'node:http';
import type { Client } from '../origin/origin.ts';

/** A body: all of it, or a stream. */
export type Body = Buffer | AsyncIterable<Buffer>;

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

/** An answer with its content in memory as the bytes of an HTTP/1.1 response that closes the connection. */
export function answerToBytes({ status, headers, content }: Answer): Buffer {
  const body = Buffer.isBuffer(content?.body) ? content.body : Buffer.alloc(0);
  const all = [...headers, ...(content?.headers ?? []), 'Content-Length', String(body.length), 'Connection', 'close'];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let i = 0; i < all.length; i += 2) lines.push(`${all[i]}: ${all[i + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
