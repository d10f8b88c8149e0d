// Which task of a command begins next, and when: a limited number run at once, those that hold much only as far as the
// memory for them reaches, one that holds more than that alone. While a task waits for memory others that fit begin
// before it, but not for ever.

/** What a task needs, by which it waits for its turn. */
export interface Demand {
  /** Those of lower rank begin first; of one rank those that hold most, then those that came first. */
  rank: number;
  /** Bytes of memory that it holds besides what every process does; 0 for a task that holds little. */
  bytes: number;
}

interface Waiting extends Demand {
  begin(): Promise<void>;
  /** How many that hold much have begun before it, though it came earlier. */
  overtaken: number;
}

/** A task that so many have overtaken is the next of those that hold much: what memory becomes free is kept for it. */
const OVERTAKEN_MAX = 8;

/** Tasks that wait, and the count of those that run. */
export class TaskQueue {
  readonly #atOnce: number;
  readonly #memory: number;
  #waiting: Waiting[] = [];
  #running = 0;
  /** Bytes that running tasks hold. */
  #held = 0;

  /** @param atOnce how many tasks run at once; @param memory bytes that they may hold together */
  constructor(atOnce: number, memory = Number.POSITIVE_INFINITY) {
    this.#atOnce = atOnce;
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
      this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, { rank, bytes, begin, overtaken: 0 });
      // What is queued in one go is ordered before the first of it begins.
      queueMicrotask(() => this.#fill());
    });
  }

  /** Forgets the tasks that have not begun. */
  clear(): void {
    this.#waiting = [];
  }

  #fill(): void {
    while (this.#running < this.#atOnce) {
      const at = this.#next();
      const [task] = at === -1 ? [] : this.#waiting.splice(at, 1);
      if (task === undefined) return;
      this.#running++;
      this.#held += task.bytes;
      void task.begin();
    }
  }

  /** The first for which there is room; that which holds little needs none. */
  #next(): number {
    if (this.#held > this.#memory) return -1;
    let isKept = false;
    for (const [at, task] of this.#waiting.entries()) {
      const hasRoom = this.isAlone(task) ? this.#running === 0 : this.#held + task.bytes <= this.#memory;
      if (task.bytes === 0 || (hasRoom && !isKept)) {
        if (task.bytes > 0) for (const other of this.#waiting.slice(0, at)) other.overtaken++;
        return at;
      }
      // Whatever runs delays a task that runs alone: nothing overtakes it.
      if (at === 0 && this.isAlone(task)) return -1;
      isKept ||= this.isAlone(task) || task.overtaken >= OVERTAKEN_MAX;
    }
    return -1;
  }
}
