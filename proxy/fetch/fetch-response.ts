// Answers as responses of the Fetch standard. Used by create-fetch-handler.ts.
import { errorToAnswer, errorToLogLine } from '../error-answer.ts';
import type { Answer, Message } from '../http/answer.ts';
import { answerToMessage } from '../http/answer.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Client } from '../origin/origin.ts';

/** The platform ends the streams of a client that disconnects; nothing else is known of it. */
const CLIENT: Client = { isClosed: false, onClose() {}, exchange: undefined };

/**
 * The response with an answer. An error becomes another answer while no byte has been read, and cuts the body later.
 * @param log receives a line for each error that the client did not cause
 */
export async function answerToResponse(
  answer: Answer,
  request: HttpRequest,
  log: (line: string) => void,
): Promise<Response> {
  try {
    return await messageToResponse(answerToMessage(answer, request), log);
  } catch (error) {
    // The other answer may be a page of a newer release, whose content can fail, too.
    return answerToResponse(errorToAnswer(error, log), request, log);
  }
}

async function messageToResponse(
  { status, headers, body: source }: Message,
  log: (line: string) => void,
): Promise<Response> {
  const all = new Headers();
  for (let i = 0; i + 1 < headers.length; i += 2) all.append(String(headers[i]), String(headers[i + 1]));
  // The body is encoded already: without `encodeBody` Workers would encode it again.
  const init = { status, headers: all, encodeBody: 'manual' };
  if (source === undefined) return new Response(null, init);
  const body = typeof source === 'function' ? await source(CLIENT) : source;
  if (Buffer.isBuffer(body)) return new Response(new Uint8Array(body.buffer, body.byteOffset, body.length), init);
  const chunks = body[Symbol.asyncIterator]();
  // An error up to here can become a problem response.
  const stream = chunksToStream(await chunks.next(), chunks, log);
  return new Response(withLength(stream, Number(all.get('content-length'))), init);
}

/** The chunks, each read when the client can take it. */
function chunksToStream(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
  log: (line: string) => void,
): ReadableStream<Uint8Array> {
  let next: IteratorResult<Buffer> | undefined = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const chunk = next ?? (await rest.next());
        next = undefined;
        if (chunk.done) controller.close();
        else controller.enqueue(chunk.value);
      } catch (error) {
        log(errorToLogLine(error));
        controller.error(error);
      }
    },
    async cancel() {
      // Closes files and connections of the origin when the client disconnects.
      await rest.return?.();
    },
  });
}

/** The stream with a length that Workers send as Content-Length: they ignore the header. Elsewhere the stream itself. */
function withLength(stream: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  const FixedLengthStream: unknown = Reflect.get(globalThis, 'FixedLengthStream');
  if (typeof FixedLengthStream !== 'function') return stream;
  const { readable, writable }: TransformStream<Uint8Array, Uint8Array> = Reflect.construct(FixedLengthStream, [bytes]);
  // An error of either side ends the other.
  stream.pipeTo(writable).catch(() => {});
  return readable;
}
