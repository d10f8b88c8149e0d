// Answers: responses as values, with status, headers, and content of known length. HEAD, If-None-Match and Content-Length
// are handled here, once, for send-answer.ts and for fetch/.
import type { Client } from '../origin/origin.ts';
import type { HttpRequest } from './request.ts';

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
  /** The file of the origin that has exactly the bytes of the body, if there is one. */
  file?: string | undefined;
  /** The body, or a function that reads it; the function is not called for HEAD and 304. */
  body: Buffer | ((client: Client) => Body | Promise<Body>);
}

/** What is sent of an answer. */
export interface Message {
  status: number;
  /** Alternating names and values. */
  headers: string[];
  /** Undefined if no content is sent. */
  body: Content['body'] | undefined;
}

/** What is sent of an answer to a request: no content for HEAD, 304 if the client has it. */
export function answerToMessage(answer: Answer, { method, headers: asked }: HttpRequest): Message {
  const { etag, content } = answer;
  const headers = etag === undefined ? [...answer.headers] : [...answer.headers, 'ETag', etag];
  const isUnchanged = etag !== undefined && isMatch(asked['if-none-match'], etag);
  const status = isUnchanged ? 304 : answer.status;
  if (content === undefined || isUnchanged) return { status, headers, body: undefined };
  headers.push(...content.headers, 'Content-Length', String(content.bytes));
  return { status, headers, body: method === 'HEAD' ? undefined : content.body };
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
