// What single units take of a task: one of a million vertices can take longer than all others together, and is named
// then.

/** Seconds by position. Plain data: a child process sends it. */
export type UnitSeconds = ReadonlyMap<number, number>;

/** Units that took less are nowhere named. */
const LEAST_SECONDS = 1;

/** Adds up what units take. */
export class UnitClock {
  readonly #seconds = new Map<number, number>();

  /** Does some work of the unit at a position. */
  during<Result>(position: number, work: () => Result): Result {
    const began = performance.now();
    const result = work();
    const seconds = (performance.now() - began) / 1000;
    this.#seconds.set(position, (this.#seconds.get(position) ?? 0) + seconds);
    return result;
  }

  /** The units that took long. */
  seconds(): UnitSeconds {
    return new Map([...this.#seconds].filter(([, seconds]) => seconds >= LEAST_SECONDS));
  }
}
