// What takes long to find, by what was asked for: each is found once for all who wait for it, and remembered for a while,
// as clients that follow `next`, or read a file in ranges, ask for the same again.
import { LRUCache } from 'lru-cache';
import type { Positions } from '../../format/positions.ts';
import type { Steps } from '../../format/steps.ts';
import { lastingClient, type QueuedReads, type Recipient, TaskReads } from '../origin/origin.ts';
import { inTurns, type WaitingSteps } from '../work/in-turns.ts';
import { Loaded } from './loaded.ts';
import type { Loads } from './loads.ts';

/** Size of the sets of positions that are remembered. */
const POSITIONS_MAX_BYTES = 2 * 1024 * 1024;
/** First position and rank of a run of positions. */
const RUN_BYTES = 8;
/** Upper estimate of the size of an entry besides. */
const ENTRY_BYTES = 256;

/** The steps in which a value is found, with what they read. */
type Finding<Value> = (reads: QueuedReads, client: Recipient) => WaitingSteps<Value>;

/**
 * What is on its way to all who ask for it: each takes a turn of his own, and what he finds begun then is shared. That
 * is of no client: no refusal and no disconnect of one reaches another. What is stuck is begun again (`Loaded`).
 */
export class Coming<Value> {
  /** What waits for its turn, or comes, by principal and key. */
  readonly #asked = new Loaded<string, Value>(() => performance.now());
  readonly #begun = new Loaded<string, Value>(() => performance.now());

  /**
   * @param begin begins it, unless it is there by then
   * @throws Problem overloaded if too much of the principal waits
   */
  load(key: string, reads: QueuedReads, principal: string, begin: () => Promise<Value>): Promise<Value> {
    const begun = (): Promise<Value> => sharing(this.#begun, key, begin);
    if (reads instanceof TaskReads) return begun();
    return sharing(this.#asked, `${principal} ${key}`, () => reads.later(lastingClient(principal), begun));
  }
}

/** What several ask for is begun once, and forgotten when it has ended. */
function sharing<Value>(begun: Loaded<string, Value>, key: string, begin: () => Promise<Value>): Promise<Value> {
  return begun.load(key, () => begin().finally(() => begun.free(key)));
}

/** What is found of one kind. */
export class Known<Value extends object> {
  readonly #kept: LRUCache<string, Value>;
  readonly #bytesOf: (value: Value) => number;
  readonly #coming = new Coming<Value>();

  /** @param bytesOf a value */
  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    this.#kept = new LRUCache({ maxSize: maxBytes });
    this.#bytesOf = bytesOf;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /**
   * What is remembered, or found in steps: at once if there is one, otherwise by a task that gives way between them,
   * once for all who look for the same.
   * @param finding in its first step it waits for nothing: what it reads at once it reads in the turn of the request
   */
  find(key: string, loads: Loads, finding: Finding<Value>): Value | Promise<Value> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const { principal, reads } = loads;
    const steps = finding(reads, lastingClient(principal.id));
    const first = steps.next();
    if (first.done) return this.#remember(key, first.value);
    const begin = async () => this.#kept.get(key) ?? this.#remember(key, await inTurns(steps));
    return loads.after(this.#coming.load(key, reads, principal.id, begin));
  }

  /** Remembers what was found, unless it is larger than all that may be remembered. */
  #remember(key: string, value: Value): Value {
    this.#kept.set(key, value, { size: this.#bytesOf(value) + 2 * key.length + ENTRY_BYTES });
    return value;
  }
}

/** The result of steps: at once if there is one, otherwise by a task of the request that gives way between them. */
export function resultInTurns<Result>(steps: Steps<Result>, loads: Loads): Result | Promise<Result> {
  const first = steps.next();
  return first.done ? first.value : loads.task(() => inTurns(steps));
}

/** Sets of positions of a level. */
export function knownPositions(): Known<Positions> {
  return new Known(POSITIONS_MAX_BYTES, ({ runs }) => RUN_BYTES * runs);
}
