// Which task of a command begins next, and when: a limited number run at once, those that hold much only as far as the
// memory for them reaches, one that holds more than that alone.

/** What a task needs, by which it waits for its turn. */
export interface Demand {
  /** Those of lower rank begin first; of one rank those that hold most, then those that came first. */
  rank: number;
  /** Bytes of memory that it holds besides what every process does; 0 for a task that holds little. */
  bytes: number;
}

interface Waiting extends Demand {
  begin(): Promise<void>;
}

/** Tasks that wait, and the count of those that run. */
export class TaskQueue {
  readonly #places: number;
  readonly #memory: number;
  #waiting: Waiting[] = [];
  #running = 0;
  /** Bytes that running tasks hold. */
  #held = 0;

  /** @param places how many tasks run at once; @param memory bytes that they may hold together */
  constructor(places: number, memory = Number.POSITIVE_INFINITY) {
    this.#places = places;
    this.#memory = memory;
  }

  /** Does it hold more than there is? Then no other task runs meanwhile, also none that holds little. */
  isAlone({ bytes }: Demand): boolean {
    return bytes > this.#memory;
  }

  /** Does some work when it has its turn. */
  run<Result>({ rank, bytes }: Demand, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const begin = async (): Promise<void> => {
        await work().then(resolve, reject);
        this.#running--;
        this.#held -= bytes;
        this.#fill();
      };
      const after = this.#waiting.findIndex(
        (other) => rank < other.rank || (rank === other.rank && bytes > other.bytes),
      );
      this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, { rank, bytes, begin });
      // What is queued in one go is ordered before the first of it begins.
      queueMicrotask(() => this.#fill());
    });
  }

  /** Forgets the tasks that have not begun. */
  clear(): void {
    this.#waiting = [];
  }

  #fill(): void {
    while (this.#running < this.#places) {
      const at = this.#next();
      const [task] = at === -1 ? [] : this.#waiting.splice(at, 1);
      if (task === undefined) return;
      this.#running++;
      this.#held += task.bytes;
      void task.begin();
    }
  }

  /**
   * The first that holds little, or the first of all others if there is room for it: no smaller one overtakes it, and
   * none at all one that runs alone.
   */
  #next(): number {
    if (this.#held > this.#memory) return -1;
    const large = this.#waiting.findIndex(({ bytes }) => bytes > 0);
    const first = this.#waiting[large];
    if (first !== undefined && this.isAlone(first) && large === 0) return this.#running === 0 ? large : -1;
    const hasRoom = first !== undefined && this.#held + first.bytes <= this.#memory;
    return this.#waiting.findIndex(({ bytes }, at) => bytes === 0 || (at === large && hasRoom));
  }
}
