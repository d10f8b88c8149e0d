// Sets of positions of a level that take long to find, by what was asked for: each is found once for all requests of a
// client that wait for it, and remembered for a while, as clients that follow `next` ask for the same again.
import { LRUCache } from 'lru-cache';
import type { Positions } from '../../format/positions.ts';
import { lastingClient, type QueuedReads, type Recipient } from '../origin/origin.ts';
import { Loaded } from './loaded.ts';

/** Size of the sets that are remembered. */
const KEPT_MAX_BYTES = 2 * 1024 * 1024;
/** Upper estimate of the size of an entry besides. */
const ENTRY_BYTES = 256;
/** First position and rank of a run of positions. */
const RUN_BYTES = 8;

/** The sets of one kind. */
export class KnownPositions {
  readonly #kept = new LRUCache<string, Positions>({ maxSize: KEPT_MAX_BYTES });
  /** Those that are being found or wait for it, by principal and key: each waits for a turn of its own. */
  readonly #coming = new Loaded<string, Positions>(() => performance.now());

  /** Bytes in memory. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** A set that is remembered. */
  get(key: string): Positions | undefined {
    return this.#kept.get(key);
  }

  /** Remembers a set, unless it is larger than all that may be remembered. */
  remember(key: string, found: Positions): Positions {
    this.#kept.set(key, found, { size: RUN_BYTES * found.runs + 2 * key.length + ENTRY_BYTES });
    return found;
  }

  /**
   * A set, by a task of a principal.
   * @param find is called when it is its turn; what it reads waits for no other
   * @throws what `find` throws, and Problem overloaded if too much of the principal waits
   */
  find(
    key: string,
    reads: QueuedReads,
    principal: string,
    find: (client: Recipient) => Promise<Positions>,
  ): Promise<Positions> {
    const client = lastingClient(principal);
    // Another principal may have waited for the same.
    const task = async () => this.#kept.get(key) ?? this.remember(key, await find(client));
    const own = `${principal} ${key}`;
    return this.#coming.load(own, () => reads.later(client, task).finally(() => this.#coming.free(own)));
  }
}
