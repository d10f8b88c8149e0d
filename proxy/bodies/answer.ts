// Answers: responses as values, with finished headers and a body in memory or a way to read it. send.ts and fetch/ send
// them. Errors become answers: a Problem as it is; every other error is logged, and its answer has no details.
import { hash } from 'node:crypto';
import { FormatError } from '../../format/parse.ts';
import type { Releases } from '../data/hosted-releases.ts';
import type { LoadedRelease } from '../data/loaded-release.ts';
import { originUnreachable, overloaded, PROBLEMS, Problem, problemToJson } from '../http/problem.ts';
import type { Coding } from '../http/request.ts';
import { ALLOWED_METHODS } from '../http/request.ts';
import { OriginError, type QueuedReads, type Recipient } from '../origin/origin.ts';

/** A body in memory, or a stream. */
export type Body = Buffer | AsyncIterable<Buffer>;

/** A body that is not read yet. */
export interface BodySource {
  /** Length of the body. */
  readonly bytes: number;
  /** Bytes that it has in memory itself, as long as it is sent, besides pieces that are read. */
  readonly ownBytes?: number | undefined;
  /**
   * Reads it: a buffer at once if that takes microseconds. Not called for HEAD and 304.
   * @throws OriginError if stored bytes are missing or damaged; from a stream, before its last chunk
   */
  read(reads: QueuedReads, client: Recipient): Body | Promise<Body>;
}

/** Alternating header names and values. */
export type HeaderList = readonly string[];

/** A response that has not been sent yet. */
export interface Answer {
  status: number;
  /** All headers, with Content-Length. */
  headers: HeaderList;
  /** A strong entity tag including its quotes, which conditions of requests are compared with. */
  etag: string | undefined;
  /** Undefined if there is no content. */
  body: Buffer | BodySource | undefined;
  /** What the answer depends on besides the request; undefined if on nothing. */
  representation: Representation | undefined;
}

/** What an answer from a release depends on. */
export interface Representation {
  release: LoadedRelease;
  /** Base URL in the Link header: scheme, host and optional path. */
  base: string;
  coding: Coding;
  /** Does the request name the release? The answer to a cursor never changes. */
  isPinned: boolean;
}

/** Answers of one content coding that are kept, by target: path and query, not decoded. */
export interface ResponseCache {
  /** The answer that is kept, if it is valid. */
  find(target: string, base: string, releases: Releases): Answer | undefined;
  /** Keeps an answer whose body has been read, if it is worth it. */
  offer(target: string, answer: Answer, body: Buffer): void;
}

/** The caches by content coding. */
export type ResponseCaches = Readonly<Record<Coding, ResponseCache>>;

/** Headers of every response, errors included: a client in a browser must be able to read a 401. */
export const COMMON_HEADERS: HeaderList = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Link, ETag, Boundaries-Release, Boundaries-Matched, Accept-Ranges, Content-Disposition, Content-Range, WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id',
  'X-Content-Type-Options',
  'nosniff',
];

/**
 * An answer with a body in memory.
 * @param headers in addition to those of every response
 * @param contentHeaders Content-Type and, if any, Content-Encoding
 */
export function answerWith(
  status: number,
  headers: HeaderList,
  contentHeaders: HeaderList,
  body: Buffer,
  tag?: string,
): Answer {
  const etag = tag === undefined ? undefined : `"${tag}"`;
  const all = [...COMMON_HEADERS, ...headers, ...(etag === undefined ? [] : ['ETag', etag])];
  return {
    status,
    headers: [...all, ...contentHeaders, 'Content-Length', String(body.length)],
    etag,
    body,
    representation: undefined,
  };
}

/** The answer with a problem. */
export function problemToAnswer({ code, message, headers }: Problem): Answer {
  const body = Buffer.from(`${JSON.stringify(problemToJson(code, message))}\n`);
  const fields = ['Cache-Control', 'no-store', ...Object.entries(headers).flat()];
  return answerWith(PROBLEMS[code].status, fields, PROBLEM_TYPE, body);
}

const PROBLEM_TYPE: HeaderList = ['Content-Type', 'application/problem+json'];
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/**
 * The answer to a CORS preflight: the same for every path, so it does not reveal which paths exist. Any origin is
 * allowed: tokens are not ambient credentials, a page can only send a token that it was given.
 */
export const PREFLIGHT_ANSWER: Answer = noContent([
  'Access-Control-Allow-Methods',
  ALLOWED_METHODS,
  'Access-Control-Allow-Headers',
  'Authorization, If-Match, If-None-Match, If-Range, Range',
  'Access-Control-Max-Age',
  String(PREFLIGHT_MAX_AGE_SECONDS),
]);

/** The answer to OPTIONS that is not a preflight. */
export const OPTIONS_ANSWER: Answer = noContent(['Allow', ALLOWED_METHODS]);

function noContent(headers: HeaderList): Answer {
  const all = [...COMMON_HEADERS, ...headers];
  return { status: 204, headers: all, etag: undefined, body: undefined, representation: undefined };
}

/** 96 bits of SHA-256 in base64url: what entity tags of made bodies consist of. */
export function tagOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, TAG_CHARS);
}

/** Their length. */
export const TAG_CHARS = 16;

/**
 * The answer for an error.
 * @param log receives each error that the client did not cause
 */
export function errorToAnswer(error: unknown, log: (error: unknown) => void): Answer {
  if (error instanceof Problem) return problemToAnswer(error);
  log(error);
  return problemToAnswer(unexpectedErrorToProblem(error));
}

/** Is a stored file the cause of this error? */
export function isStorageError(error: unknown): error is OriginError | FormatError {
  return error instanceof OriginError || error instanceof FormatError;
}

function unexpectedErrorToProblem(error: unknown): Problem {
  if (error instanceof OriginError && error.reason === 'slow')
    return new Problem('origin-slow', 'Stored data did not arrive in time. Try again.');
  if (error instanceof OriginError && error.reason === 'busy') return overloaded();
  if (error instanceof OriginError && error.reason === 'unreachable') return originUnreachable();
  if (isStorageError(error))
    return new Problem('origin-damaged', 'Stored data is missing or damaged. The error has been logged.');
  return new Problem('internal', 'An unexpected error occurred. It has been logged.');
}
