// Responses of a host that has the files: what is checked of them is the same for node:http (static-host.ts,
// http-proxy.ts) and for `fetch` (fetch-host.ts).
import { codeOf } from '../../format/error-code.ts';
import { ClientGone } from '../http/guards.ts';
import type { Time } from '../http/time.ts';
import type { ByteRange } from './origin.ts';
import { OriginError } from './origin.ts';

/** Timeouts of requests to the host, in milliseconds, and by what they are measured. */
export interface HostLimits extends Time {
  /** From the start of a request to the headers of its response, connecting included, and for each further chunk. */
  idleMs: number;
  /** For a whole read in memory, such as a manifest. */
  readMs: number;
}

/** The usual timeouts. */
export const HOST_LIMITS: HostLimits = {
  idleMs: 10_000,
  readMs: 60_000,
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A response whose body is unread. */
export interface HostResponse {
  status: number | undefined;
  /** Content-Range; undefined if absent. */
  contentRange: string | undefined;
  /** Content-Length; undefined if absent. */
  contentLength: string | undefined;
  body: AsyncIterable<Buffer>;
  /** Ends reading the body. */
  cancel(): void;
}

/** Statuses of a host that is overloaded, or partly down. */
export const HAS_OUTAGE: ReadonlySet<number | undefined> = new Set([429, 500, 502, 503, 504]);
/** Codes of a network or a host that is down, or none; others say that what answered is wrong: no HTTP, no certificate. */
const NO_HOST = /^(E(?!PROTO$)[A-Z]+|EAI_AGAIN|UND_ERR_(SOCKET|CONNECT_TIMEOUT)|)$/;

/** The error of a request that got no response. */
export function noResponse(path: string, error: unknown): OriginError {
  const code = codeOf(error);
  return new OriginError(NO_HOST.test(code) ? 'unreachable' : 'unreadable', path, code || 'no response');
}

/** A file, or a range of one, that the host was requested for. */
export interface FileRequest {
  /** Name of the file, for messages. */
  path: string;
  /** The expected bytes; undefined for a whole file. */
  range: ByteRange | undefined;
  /** The length that a whole file may have at most. */
  maxBytes?: number | undefined;
  /** Is `range` a whole file? Then the request had no Range header. */
  isWholeFile: boolean;
}

/** The bytes of a file in chunks. */
export type Chunks = AsyncGenerator<Buffer, void, undefined>;

/** The value of the Range header for a range. @throws RangeError if it has no bytes: hosts refuse or ignore that */
export function rangeHeader({ offset, length }: ByteRange): string {
  if (length < 1) throw new RangeError(`${length} bytes at ${offset}`);
  return `bytes=${offset}-${offset + length - 1}`;
}

/**
 * The response of a host, whose body is unread. The timers of sockets would not do: they begin when a connection is
 * made.
 * @param open sends the request; it ends with the controller
 * @param gone ends it, too
 * @throws OriginError slow after `idleMs` without a response, even if the request does not end
 * @throws ClientGone
 */
export function responseInTime<Response>(
  path: string,
  { idleMs, after }: HostLimits,
  open: (abort: AbortController) => Promise<Response>,
  gone?: AbortSignal,
): Promise<Response> {
  const abort = new AbortController();
  return new Promise((resolve, reject) => {
    const end = (error: Error): void => {
      reject(error);
      abort.abort();
    };
    const leave = (): void => end(new ClientGone());
    const cancelTimeout = after(idleMs, () => end(new OriginError('slow', path)));
    gone?.addEventListener('abort', leave);
    open(abort)
      .then(resolve, reject)
      .finally(() => {
        cancelTimeout();
        gone?.removeEventListener('abort', leave);
      });
  });
}

/** All chunks as one buffer. Those of a range are put in their place as they come: they are in memory once. */
export async function concatChunks(chunks: Chunks, extent: ByteRange | number): Promise<Buffer> {
  const all: Buffer[] = [];
  if (typeof extent === 'number') {
    for await (const chunk of chunks) all.push(chunk);
    return Buffer.concat(all);
  }
  let [memory, at] = [Buffer.alloc(0), 0];
  for await (const chunk of chunks) {
    if (at === 0) memory = Buffer.allocUnsafe(extent.length);
    at += chunk.copy(memory, at);
  }
  return memory;
}

/**
 * Exactly the bytes of the range, or the whole file. A host that ignores Range (status 200) is tolerated: the bytes of
 * the range are cut from the full body.
 * @param deadline for the last chunk, in milliseconds of the clock of `limits`
 * @throws OriginError
 */
export async function* checkedBody(
  response: HostResponse,
  request: FileRequest,
  limits: HostLimits,
  deadline: number,
): Chunks {
  const { path, range, isWholeFile } = request;
  const { status } = response;
  try {
    checkResponse(response, request);
    const start = status === 206 ? 0 : (range?.offset ?? 0);
    const end = start + (range?.length ?? request.maxBytes ?? 0);
    // The host ignored Range: the rest of the file is not read. Any other body must end at `end`.
    const isCut = status === 200 && range !== undefined && !isWholeFile;
    let done = 0;
    for await (const chunk of withTimeouts(response, path, limits, deadline)) {
      const bytes = chunk.subarray(Math.max(0, start - done), Math.max(0, end - done));
      done += chunk.length;
      if (done > end && !isCut) throw new OriginError('damaged', path, `more than ${end} bytes`);
      if (bytes.length > 0) yield bytes;
      if (done >= end && isCut) return;
    }
    if (range !== undefined && done < end) throw new OriginError('damaged', path, `${done} bytes, expected ${end}`);
  } finally {
    response.cancel();
  }
}

/**
 * Checks status and headers of a response: 200 with the file, or 206 with exactly the range. Redirects are not
 * followed.
 * @throws OriginError
 */
function checkResponse(
  { status, contentRange, contentLength: bytes }: HostResponse,
  { path, range, isWholeFile }: FileRequest,
): void {
  if (status === 404 || status === 410) throw new OriginError('missing', path);
  if (status === 416) throw new OriginError('damaged', path, 'shorter than expected');
  if (status !== 200 && (status !== 206 || range === undefined || isWholeFile))
    throw new OriginError(
      HAS_OUTAGE.has(status) ? 'unreachable' : 'unreadable',
      path,
      `the host responded with status ${status}`,
    );
  if (range === undefined) return;
  const { offset, length } = range;
  if (status === 206 && !contentRange?.startsWith(`bytes ${offset}-${offset + length - 1}/`))
    throw new OriginError('damaged', path, 'not the requested range');
  if (bytes === undefined) return;
  const isExact = status === 206 || isWholeFile;
  if (isExact ? bytes !== String(length) : Number(bytes) < offset + length)
    throw new OriginError(
      'damaged',
      path,
      `${bytes} bytes, expected ${isExact ? length : `at least ${offset + length}`}`,
    );
}

/**
 * The chunks of a response body.
 * @throws OriginError slow if a chunk takes longer than `idleMs` or arrives after the deadline
 */
async function* withTimeouts(
  response: HostResponse,
  path: string,
  { idleMs, now, after }: HostLimits,
  deadline: number,
): Chunks {
  const chunks = response.body[Symbol.asyncIterator]();
  for (;;) {
    let isLate = false;
    const waitMs = Math.max(0, Math.min(idleMs, deadline - now()));
    const cancelTimeout = after(waitMs, () => {
      isLate = true;
      response.cancel();
    });
    const chunk = await chunks.next().catch((error: unknown) => {
      cancelTimeout();
      throw isLate ? new OriginError('slow', path) : new OriginError('damaged', path, error);
    });
    cancelTimeout();
    if (chunk.done) return;
    yield chunk.value;
  }
}

/** A request for an extent: a range, or a whole file of at most so many bytes. */
export function requestFor(path: string, extent: ByteRange | number, isWholeFile = false): FileRequest {
  return typeof extent === 'number'
    ? { path, range: undefined, maxBytes: extent, isWholeFile: false }
    : { path, range: extent, isWholeFile };
}
