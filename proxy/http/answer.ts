// Answers: responses as values, with status, headers, and content of known length. send-answer.ts sends them.
import { STATUS_CODES } from 'node:http';
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

/** An answer with its content in memory as an HTTP/1.1 response that closes the connection. */
export function answerToBytes({ status, headers, content }: Answer): Buffer {
  const body = Buffer.isBuffer(content?.body) ? content.body : Buffer.alloc(0);
  const all = [...headers, ...(content?.headers ?? []), 'Content-Length', String(body.length), 'Connection', 'close'];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let i = 0; i < all.length; i += 2) lines.push(`${all[i]}: ${all[i + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
