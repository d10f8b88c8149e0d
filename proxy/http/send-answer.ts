// Sends answers with node:http. Used by server.ts.
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Client, Exchange } from '../origin/origin.ts';
import type { Answer } from './answer.ts';
import { answerToMessage } from './answer.ts';
import type { HttpRequest } from './request.ts';

/** A client that is connected by node:http. */
class NodeClient implements Client {
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  get isClosed(): boolean {
    return this.exchange.res.closed;
  }

  onClose(listener: () => void): void {
    this.exchange.res.once('close', listener);
  }
}

/**
 * Sends an answer.
 * @throws the error of reading the body; if `res.headersSent` is false, another answer can still be sent
 */
export async function sendAnswer(answer: Answer, request: HttpRequest, exchange: Exchange): Promise<void> {
  const { res } = exchange;
  const { status, headers, body: source } = answerToMessage(answer, request);
  if (source === undefined) {
    res.writeHead(status, headers).end();
    return;
  }
  const body = typeof source === 'function' ? await source(new NodeClient(exchange)) : source;
  if (Buffer.isBuffer(body)) res.writeHead(status, headers).end(body);
  else await sendStream(body, status, headers, res);
}

/** Sends a body chunk by chunk, at the pace of the client. */
async function sendStream(
  body: AsyncIterable<Buffer>,
  status: number,
  headers: string[],
  res: ServerResponse,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    // An error up to here can become a problem response; a later one cuts the connection.
    const first = await chunks.next();
    res.writeHead(status, headers);
    await pipeline(startingWith(first, chunks), res);
  } finally {
    // Closes files and connections of the origin when the client disconnects.
    await chunks.return?.();
  }
}

async function* startingWith(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let chunk = first; !chunk.done; chunk = await rest.next()) yield chunk.value;
}
