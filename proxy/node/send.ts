// Sends one answer with node:http.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Answer, type Body, isStorageError } from '../bodies/answer.ts';
import { afterConditions } from '../bodies/conditions.ts';
import { answerAgain, type HandlerContext } from '../handler/handler.ts';
import { CHUNK_BYTES, ClientGone, type Held } from '../http/guards.ts';
import { type HttpRequest, principalOf } from '../http/request.ts';
import type { Exchange, Recipient } from '../origin/origin.ts';
import { AT_ONCE_MAX_BYTES } from '../work/body-buffers.ts';
import { REQUEST_ID } from './request-id.ts';

/** What sending needs. */
type SendingContext = HandlerContext & { held: Held };

/** The response to one request: `begin` sends an answer, as a whole or in chunks; `#failed` sends another one. */
export class SentResponse implements Recipient {
  readonly #context: SendingContext;
  readonly #request: HttpRequest;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  #gone: AbortSignal | undefined;

  constructor(context: SendingContext, request: HttpRequest, req: IncomingMessage, res: ServerResponse) {
    this.#context = context;
    this.#request = request;
    this.req = req;
    this.res = res;
  }

  get exchange(): Exchange {
    return this;
  }

  get principal(): string {
    return principalOf(this.#request).id;
  }

  get isClosed(): boolean {
    return this.res.closed || this.res.destroyed;
  }

  /** Made for a body that cannot be read at once. */
  get gone(): AbortSignal {
    if (this.#gone !== undefined) return this.#gone;
    const gone = new AbortController();
    if (this.isClosed) gone.abort();
    else this.res.once('close', () => this.res.writableFinished || gone.abort());
    this.#gone = gone.signal;
    return gone.signal;
  }

  /** Sends an answer. An error becomes another answer while nothing has been sent, and cuts the connection later. */
  begin(made: Answer): void {
    const answer = afterConditions(this.#request, made);
    const { status, headers, body } = answer;
    if (body === undefined || this.#request.method === 'HEAD') this.#head(status, headers).end();
    else if (Buffer.isBuffer(body)) this.#whole(answer, body);
    else this.#read(answer, body);
  }

  #head(status: number, headers: readonly string[]): ServerResponse {
    const { id, limitFields = [] } = this.#request;
    // What shared caches keep is for everybody; the limits are those of one client, and the name that of one request.
    const isShared = headers[headers.indexOf('Cache-Control') + 1]?.startsWith('public') === true;
    const isOne = !isShared && id !== undefined;
    return this.res.writeHead(status, isOne ? [...headers, ...limitFields, REQUEST_ID, id] : (headers as string[]));
  }

  #read(answer: Answer, source: Exclude<Answer['body'], Buffer | undefined>): void {
    const { held, reads, releases } = this.#context;
    const release = answer.representation?.release;
    try {
      held.admit(this.principal, source.bytes, source.ownBytes);
      const body = source.read(reads, this);
      if (Buffer.isBuffer(body)) {
        this.#whole(answer, body);
        return;
      }
      held.hold(this.principal, source, source.bytes, this.res, source.ownBytes);
      this.#later(answer, body)
        .catch((error: unknown) => this.#failed(answer, error))
        .finally(() => release && releases.ended(release));
    } catch (error) {
      void this.#failed(answer, error);
    }
  }

  #whole(answer: Answer, body: Buffer): void {
    const { held, reads, responses } = this.#context;
    const { res } = this;
    if (answer.representation !== undefined)
      responses[answer.representation.coding].offer(this.#request.target, answer, body);
    this.#head(answer.status, answer.headers);
    const principal = this.#request.principal?.id;
    if (principal === undefined) {
      // Public files and problems: in memory anyway.
      res.end(body);
    } else if (body.length > AT_ONCE_MAX_BYTES) {
      held.hold(principal, body, 0, res, body.length);
      pipeline(piecesOf(body), res).catch(() => res.destroy());
    } else {
      res.end(body);
      // The operating system did not take all of it: the client is slow.
      if (res.writableLength > 0) held.hold(principal, body, reads.keep(body), res);
    }
  }

  async #later(answer: Answer, reading: AsyncIterable<Buffer> | Promise<Body>): Promise<void> {
    const body = await reading;
    if (Buffer.isBuffer(body)) return this.#whole(answer, body);
    const chunks = body[Symbol.asyncIterator]();
    try {
      // An error up to here can become a problem response; a later one cuts the connection.
      const taken = [await chunks.next()];
      if (this.isClosed) return;
      this.#head(answer.status, answer.headers);
      await pipeline(piecesFrom(taken, chunks), this.res);
    } finally {
      // Closes files and connections of the origin when the client disconnects.
      await chunks.return?.();
    }
  }

  /** After an error of reading: another answer, or the end of the connection. */
  async #failed(answer: Answer, error: unknown): Promise<void> {
    const { res } = this;
    // The other answer may be a page of a newer release, whose body can fail, too.
    if (!res.headersSent && !this.isClosed)
      return this.begin(await answerAgain(this.#context, this.#request, error, answer.representation));
    // A disconnect of the client is an error here too; it is not logged.
    if (!(error instanceof ClientGone) && (isStorageError(error) || !res.destroyed)) this.#context.log(error);
    res.destroy();
  }
}

/** In pieces, so that the pace of the client is seen. */
function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
}

/** @param taken the first of the chunks; it is removed, so that a slow client does not hold it to the end */
async function* piecesFrom(taken: IteratorResult<Buffer>[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  for (let chunk = taken.pop(); chunk !== undefined && !chunk.done; chunk = await rest.next())
    yield* piecesOf(chunk.value);
}
