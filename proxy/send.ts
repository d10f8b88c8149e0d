// Sends answers with node:http. Used by server.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Answer, type Body, isMatch, withoutContent } from './answers/answer.ts';
import { errorToLogLine, isStorageError } from './answers/error-answer.ts';
import type { HttpRequest } from './http/request.ts';
import { type Client, ClientGone, type Exchange, type Reads } from './origin/origin.ts';
import type { ResponseCaches } from './pages/response-cache.ts';
import { AT_ONCE_MAX_BYTES } from './work/body-buffers.ts';
import { CHUNK_BYTES, type HeldBytes } from './work/held-bytes.ts';

/** Smaller bodies cost nginx and proxy as much by a redirect, and are verified when the proxy sends them. */
const REDIRECT_MIN_BYTES = 256 * 1024;

/** A client that is connected by node:http. */
export class NodeClient implements Client {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.req = req;
    this.res = res;
  }

  get exchange(): Exchange {
    return this;
  }

  get isClosed(): boolean {
    return this.res.closed || this.res.destroyed;
  }
}

/** What sending needs. */
export interface Sending {
  reads: Reads;
  held: HeldBytes;
  responses: ResponseCaches;
  /** The path under which nginx has the files of the origin, if nginx sends large pages. */
  accelRedirect: string | undefined;
  /** The answer to a request whose body could not be read. Never rejects. */
  answerAgain(request: HttpRequest, answer: Answer, error: unknown): Promise<Answer>;
  log: (line: string) => void;
}

/** Sends an answer. An error becomes another answer while nothing has been sent, and cuts the connection later. */
export function sendAnswer(sending: Sending, answer: Answer, request: HttpRequest, client: NodeClient): void {
  const { res } = client;
  const { status, etag, body } = answer;
  const asked = request.headers['if-none-match'];
  if (etag !== undefined && asked !== undefined && isMatch(asked, etag)) {
    res.writeHead(304, headersOf(withoutContent(answer.headers), request)).end();
  } else if (body === undefined || request.method === 'HEAD') {
    res.writeHead(status, headersOf(answer.headers, request)).end();
  } else if (Buffer.isBuffer(body)) {
    sendBody(sending, answer, body, request, client);
  } else if (!redirect(sending, answer, request, client)) {
    readAndSend(sending, answer, request, client);
  }
}

function readAndSend(sending: Sending, answer: Answer, request: HttpRequest, client: NodeClient): void {
  const { body: source } = answer;
  if (source === undefined || Buffer.isBuffer(source)) throw new TypeError('the body has been read');
  try {
    const principal = request.client?.client;
    if (principal === undefined) throw new TypeError('a body to be read without a token');
    sending.held.admit(principal);
    const body = source.read(sending.reads, client);
    if (Buffer.isBuffer(body)) {
      sendBody(sending, answer, body, request, client);
      return;
    }
    sending.held.hold(principal, source, source.bytes, client.res);
    sendLater(sending, answer, body, request, client).catch((error: unknown) =>
      sendInstead(sending, answer, request, client, error),
    );
  } catch (error) {
    void sendInstead(sending, answer, request, client, error);
  }
}

function sendBody(sending: Sending, answer: Answer, body: Buffer, request: HttpRequest, { res }: NodeClient): void {
  const { held, reads, responses } = sending;
  if (answer.basis !== undefined) responses[answer.basis.coding].offer(request.target, answer, body);
  res.writeHead(answer.status, headersOf(answer.headers, request));
  const principal = request.client?.client;
  if (principal === undefined) {
    // Public files and problems: in memory anyway.
    res.end(body);
  } else if (body.length > AT_ONCE_MAX_BYTES) {
    held.hold(principal, body, body.length, res);
    pipeline(chunksOf(body), res).catch(() => res.destroy());
  } else {
    res.end(body);
    // The operating system did not take all of it: the client is slow.
    if (res.writableLength > 0) held.hold(principal, body, reads.keep(body), res);
  }
}

async function sendLater(
  sending: Sending,
  answer: Answer,
  reading: AsyncIterable<Buffer> | Promise<Body>,
  request: HttpRequest,
  client: NodeClient,
): Promise<void> {
  const { res } = client;
  const body = await reading;
  if (Buffer.isBuffer(body)) {
    sendBody(sending, answer, body, request, client);
    return;
  }
  const chunks = body[Symbol.asyncIterator]();
  try {
    // An error up to here can become a problem response; a later one cuts the connection.
    const first = await chunks.next();
    if (client.isClosed) return;
    res.writeHead(answer.status, headersOf(answer.headers, request));
    await pipeline(startingWith(first, chunks), res);
  } finally {
    // Closes files and connections of the origin when the client disconnects.
    await chunks.return?.();
  }
}

/** What is sent after an error of reading. */
async function sendInstead(
  sending: Sending,
  answer: Answer,
  request: HttpRequest,
  client: NodeClient,
  error: unknown,
): Promise<void> {
  const { res } = client;
  if (!res.headersSent && !client.isClosed) {
    // The other answer may be a page of a newer release, whose body can fail, too.
    sendAnswer(sending, await sending.answerAgain(request, answer, error), request, client);
    return;
  }
  // A disconnect of the client is an error here too; it is not logged.
  if (!(error instanceof ClientGone) && (isStorageError(error) || !res.destroyed)) sending.log(errorToLogLine(error));
  res.destroy();
}

/**
 * X-Accel-Redirect: nginx in front of the proxy sends the file of a large stored page, if the request has
 * `X-Sendfile-Type: X-Accel-Redirect`, with which nginx says that it can.
 * @returns false if the proxy must send the body
 */
function redirect({ accelRedirect }: Sending, answer: Answer, request: HttpRequest, { res }: NodeClient): boolean {
  const { body } = answer;
  if (accelRedirect === undefined || request.headers['x-sendfile-type'] !== 'X-Accel-Redirect') return false;
  if (body === undefined || Buffer.isBuffer(body) || body.path === undefined || body.bytes < REDIRECT_MIN_BYTES)
    return false;
  const headers = answer.headers.map((text, i) => (answer.headers[i - 1] === 'Content-Length' ? '0' : text));
  const all = [...headers, 'X-Accel-Redirect', `${accelRedirect}${body.path}`];
  res.writeHead(answer.status, headersOf(all, request)).end();
  return true;
}

function headersOf(headers: readonly string[], { limitFields }: HttpRequest): string[] {
  return limitFields === undefined ? (headers as string[]) : [...headers, ...limitFields];
}

function* chunksOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
}

async function* startingWith(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let chunk = first; !chunk.done; chunk = await rest.next()) yield* chunksOf(chunk.value);
}
