// What each phase of a build takes: seconds, CPU, and the largest memory of a process. The pool counts its tasks, and
// the build prints them at the end; while it runs, its progress names the phases.
import { writeFileSync } from 'node:fs';

/** What a phase took. Phases run beside each other: their seconds overlap. */
export interface Phase {
  phase: string;
  tasks: number;
  /** From the beginning of its first task to the end of its last one. */
  seconds: number;
  /** Of all its tasks. */
  cpuSeconds: number;
  /** The largest resident memory that a process had during one of its tasks. */
  largestBytes: number;
}

/** A phase that runs now: how many of its tasks are done, of those that are known until now. */
export interface RunningPhase {
  phase: string;
  done: number;
  expected: number;
}

/** What a task took. Plain data: a child process sends it. */
export interface Cost {
  cpuSeconds: number;
  largestBytes: number;
  /** What the process still has in memory at its end. */
  heldBytes: number;
}

/** Does some work in this process, and says what it took. */
export async function measured<Result>(work: () => Promise<Result>): Promise<{ result: Result; cost: Cost }> {
  resetLargest();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const [largestBytes, heldBytes] = [process.resourceUsage().maxRSS * 1024, process.memoryUsage.rss()];
  return { result, cost: { cpuSeconds: (user + system) / 1e6, largestBytes, heldBytes } };
}

/** Forgets the largest memory until now; elsewhere than on Linux it is that of the process since its start. */
function resetLargest(): void {
  try {
    // man 5 proc_pid_clear_refs: 5 resets the peak resident set size.
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // No /proc, or it is read-only.
  }
}

/** The phases of a command, in the order in which they began. */
export class Phases {
  readonly #phases = new Map<string, Phase & { began: number; running: number }>();
  readonly #waiting = new Map<string, number>();
  readonly #onChange: (running: readonly RunningPhase[]) => void;

  /** @param onChange gets the phases that run now */
  constructor(onChange: (running: readonly RunningPhase[]) => void = () => {}) {
    this.#onChange = onChange;
  }

  /** Announces tasks that will begin later; -1 takes back one that will not. */
  expect(phase: string, tasks = 1): void {
    this.#waiting.set(phase, Math.max(0, (this.#waiting.get(phase) ?? 0) + tasks));
  }

  /** Counts a task from its beginning to its end. @returns its result */
  async during<Result>(phase: string, task: () => Promise<{ result: Result; cost: Cost }>): Promise<Result> {
    const began = performance.now();
    const none = { phase, tasks: 0, seconds: 0, cpuSeconds: 0, largestBytes: 0, began, running: 0 };
    const counted = this.#phases.get(phase) ?? none;
    this.#phases.set(phase, counted);
    this.expect(phase, -1);
    counted.running++;
    this.#changed();
    try {
      const { result, cost } = await task();
      counted.tasks++;
      counted.cpuSeconds += cost.cpuSeconds;
      counted.largestBytes = Math.max(counted.largestBytes, cost.largestBytes);
      return result;
    } finally {
      counted.running--;
      counted.seconds = (performance.now() - counted.began) / 1000;
      this.#changed();
    }
  }

  list(): Phase[] {
    return [...this.#phases.values()].map(({ began: _, running: __, ...phase }) => phase);
  }

  #changed(): void {
    const running = [...this.#phases.values()].filter((phase) => phase.running > 0);
    this.#onChange(
      running.map(({ phase, tasks, running: begun }) => ({
        phase,
        done: tasks,
        expected: tasks + begun + (this.#waiting.get(phase) ?? 0),
      })),
    );
  }
}
