// Requests of the Fetch standard as `handle` reads them, and answers as responses of that standard.

import type { Answer } from '../bodies/answer.ts';
import { afterConditions } from '../bodies/conditions.ts';
import { answerAgain, type HandlerContext } from '../handler/handler.ts';
import { type HttpRequest, newRequest } from '../http/request.ts';
import type { Recipient } from '../origin/origin.ts';

/** The platform ends the streams of a client that disconnects; nothing else is known of it. */
const CLIENT: Recipient = { principal: '', isClosed: false, exchange: undefined };

/**
 * The response with an answer. An error becomes another answer while no byte has been read, and cuts the body later.
 */
export async function answerToResponse(
  context: HandlerContext,
  answer: Answer,
  request: HttpRequest,
): Promise<Response> {
  try {
    return await toResponse(context, answer, request);
  } catch (error) {
    // The other answer may be a page of a newer release, whose body can fail, too.
    return answerToResponse(context, await answerAgain(context, request, error, answer.representation), request);
  }
}

async function toResponse(
  { reads, responses, log }: HandlerContext,
  made: Answer,
  request: HttpRequest,
): Promise<Response> {
  const answer = afterConditions(request, made);
  const { status, headers, body: source, representation } = answer;
  const all = new Headers();
  for (let i = 0; i + 1 < headers.length; i += 2) all.append(String(headers[i]), String(headers[i + 1]));
  // The body is encoded already: without `encodeBody` Workers would encode it again.
  const init = { status, headers: all, encodeBody: 'manual' };
  if (source === undefined || request.method === 'HEAD') return new Response(null, init);
  const body = Buffer.isBuffer(source) ? source : await source.read(reads, CLIENT);
  if (Buffer.isBuffer(body)) {
    if (representation !== undefined) responses[representation.coding].offer(request.target, answer, body);
    return new Response(new Uint8Array(body.buffer, body.byteOffset, body.length), init);
  }
  const chunks = body[Symbol.asyncIterator]();
  // An error up to here can become a problem response.
  const stream = chunksToStream(await chunks.next(), chunks, log);
  return new Response(withLength(stream, Number(all.get('content-length'))), init);
}

/** The chunks, each read when the client can take it. */
function chunksToStream(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
  log: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  let next: IteratorResult<Buffer> | undefined = first;
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const chunk = next ?? (await rest.next());
        next = undefined;
        // What was being read when the client disconnected.
        if (isCancelled) return;
        if (chunk.done) controller.close();
        else controller.enqueue(chunk.value);
      } catch (error) {
        if (isCancelled) return;
        log(error);
        controller.error(error);
      }
    },
    async cancel() {
      isCancelled = true;
      // Closes files and connections of the origin when the client disconnects.
      await rest.return?.();
    },
  });
}

/**
 * The stream with a length that Workers send as Content-Length: they ignore the header. Elsewhere the stream itself.
 */
function withLength(stream: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  const FixedLengthStream: unknown = Reflect.get(globalThis, 'FixedLengthStream');
  if (typeof FixedLengthStream !== 'function') return stream;
  const { readable, writable }: TransformStream<Uint8Array, Uint8Array> = Reflect.construct(FixedLengthStream, [bytes]);
  // An error of either side ends the other.
  stream.pipeTo(writable).catch(() => {});
  return readable;
}

/**
 * The request. Its platform has parsed it: a header that occurred several times is one value, joined with commas, and
 * the target may be normalised.
 */
export function toHttpRequest({ method, url, headers }: Request): HttpRequest {
  const authority = url.indexOf('//') + 2;
  const target = url.slice(url.indexOf('/', authority));
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  return newRequest({
    method,
    target,
    headers: {
      'accept-encoding': header('accept-encoding'),
      'access-control-request-method': header('access-control-request-method'),
      authorization: header('authorization'),
      'content-length': header('content-length'),
      expect: header('expect'),
      // A request that a program makes has no Host, but an absolute URL.
      host: header('host') ?? url.slice(authority, url.indexOf('/', authority)),
      'if-match': header('if-match'),
      'if-none-match': header('if-none-match'),
      'if-range': header('if-range'),
      origin: header('origin'),
      range: header('range'),
      'transfer-encoding': header('transfer-encoding'),
    },
    rawHeaders: [...headers].flat(),
    isHttp10: false,
    scheme: url.startsWith('https:') ? 'https' : 'http',
    peer: {},
  });
}
