// Repeats requests that a busy host refuses, as clients of S3 are expected to. Used by static-host.ts.
import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { OriginError } from './origin.ts';

/** How often requests are repeated. */
export interface Retries {
  /** Attempts after the first one. */
  count: number;
  /** Maximum pause before the second attempt; it doubles with each further one, and is chosen at random below that. */
  pauseMs: number;
}

const NO_RETRIES: Retries = { count: 0, pauseMs: 0 };
/** Statuses of a host that is overloaded or partly down. */
const RETRIED: ReadonlySet<number | undefined> = new Set([429, 500, 502, 503, 504]);

/**
 * Opens a response. A response with a status of RETRIED, and a connection that fails, are tried again; one that takes
 * too long is not: the client has waited long enough.
 * @param open resolves to a response whose body is unread
 * @param isGone has the client disconnected?
 * @throws OriginError of the last attempt
 */
export async function withRetries(
  open: () => Promise<IncomingMessage>,
  { count, pauseMs }: Retries = NO_RETRIES,
  isGone: () => boolean = () => false,
): Promise<IncomingMessage> {
  for (let attempt = 0; attempt < count; attempt++) {
    try {
      const response = await open();
      if (!RETRIED.has(response.statusCode)) return response;
      response.destroy();
    } catch (error) {
      if (isGone() || !(error instanceof OriginError) || error.reason !== 'unreadable') throw error;
    }
    await setTimeout(Math.random() * pauseMs * 2 ** attempt);
  }
  return open();
}
