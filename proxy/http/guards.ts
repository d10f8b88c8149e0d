// What guards the service, as the core knows it: guards/ has that of a server. A platform that limits work and memory
// itself is given what does nothing.
import type { ServerResponse } from 'node:http';
import { overloaded } from './problem.ts';
import type { HttpRequest, Principal } from './request.ts';

/** Whose turn is next, by the ids of principals. */
export interface Turns {
  /** Takes a turn for a read of so many bytes; false once much has been done in this turn of the event loop. */
  charge(bytes: number): boolean;
  /** Is it the turn of a request that has just come? Otherwise it must `wait`. */
  next(principal: string): boolean;
  /** Resolves when it is the turn of a request, or its client has gone. */
  wait(principal: string, gone?: AbortSignal): Promise<void>;
  /** Resolves when it is time for what is done with so many bytes that have been read. */
  pace(principal: string, bytes: number): Promise<void>;
  /**
   * Runs a task when it is its turn.
   * @throws Problem overloaded if too many tasks of the principal wait; ClientGone if its client has gone before
   */
  run<Result>(principal: string, task: () => Result | Promise<Result>, gone?: AbortSignal): Promise<Result>;
}

/** Length of the chunks in which larger bodies are sent, so that the pace of a client is seen. */
export const CHUNK_BYTES: number = 64 * 1024;

/** The bodies that clients have not taken yet. */
export interface Held {
  /** Of all, in bytes. */
  readonly total: number;
  /** Admits a body before it is read. @param own bytes of it that are in memory until it is sent @throws Problem */
  admit(principal: string, bytes: number, own?: number): void;
  /** Counts a body until its response has ended. @param body what is in memory once for all who are sent the same */
  hold(principal: string, body: object, bytes: number, res: ServerResponse, own?: number): void;
}

/** What admits a request of a principal. @throws Problem too-many-requests */
export type Admit = (principal: Principal, request: HttpRequest) => void;

/** The client has disconnected: nothing was read for it, and nothing can be sent to it. */
export class ClientGone extends Error {
  constructor() {
    super('the client has disconnected');
    this.name = 'ClientGone';
  }
}

/** Everything begins at once. */
export const NO_TURNS: Turns = {
  charge: () => true,
  next: () => true,
  wait: async () => {},
  pace: async () => {},
  run: (_, task) => Promise.resolve().then(task),
};

/** Waits for the turn of a request. @throws Problem if its client has disconnected meanwhile: nobody receives that */
export async function turnOf(turns: Turns, { id }: Principal, { peer }: Pick<HttpRequest, 'peer'>): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  peer.once?.('close', leave);
  await turns.wait(id, gone.signal);
  peer.off?.('close', leave);
  if (peer.destroyed === true) throw overloaded();
}
