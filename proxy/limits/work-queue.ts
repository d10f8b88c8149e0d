// Limits for the work that responses cause: how much runs at a time, how much waits, and how many bytes are held for slow
// clients. Responses from the response cache need none of it.
import type { Answer, Body } from '../http/answer.ts';
import { Problem } from '../http/problem.ts';
import type { Client } from '../origin/origin.ts';

/** Tasks that run at a time: most wait for reads. */
const RUNNING_MAX = 64;
/** Tasks that wait; further ones are refused. */
const WAITING_MAX = 1024;
/** Time for starting tasks in one turn of the event loop, in milliseconds. */
const TURN_MS = 5;
/** Size of all bodies that are being read or sent, together. */
const HELD_MAX_BYTES = 128 * 1024 * 1024;
/** Of a stream, at most about this is in memory at a time. */
const STREAM_BYTES = 1024 * 1024;
const RETRY_SECONDS = 1;

/** How much a queue does at a time. */
export interface WorkLimits {
  running: number;
  waiting: number;
  heldBytes: number;
}

/** A queue of tasks; between them, the event loop handles other events, health checks among them. */
export class WorkQueue {
  readonly #limits: WorkLimits;
  readonly #waiting: (() => void)[] = [];
  /** Answers that wait for their turn. */
  readonly #answering = new Map<string, Promise<Answer>>();
  /** Bodies that are being read. */
  readonly #reading = new Map<string, Promise<Body>>();
  #running = 0;
  #heldBytes = 0;
  #isScheduled = false;

  constructor(limits: WorkLimits = { running: RUNNING_MAX, waiting: WAITING_MAX, heldBytes: HELD_MAX_BYTES }) {
    this.#limits = limits;
  }

  /**
   * Runs a task when it is its turn.
   * @throws Problem overloaded if too many tasks wait
   */
  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    if (this.#waiting.length >= this.#limits.waiting) throw overloaded();
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        this.#running++;
        // A task that throws at once rejects, too.
        new Promise<Result>((settle) => settle(task())).then(resolve, reject).finally(() => {
          this.#running--;
          this.#schedule();
        });
      });
      this.#schedule();
    });
  }

  /**
   * The answer of `respond`, which runs as a task; so does the read of its body, which counts until the response has
   * ended. Requests with the same key share a task in progress.
   * @throws Problem overloaded if too many tasks wait
   */
  answer(key: string, respond: () => Answer): Promise<Answer> {
    const shared = this.#answering.get(key);
    if (shared !== undefined) return shared;
    const answer = this.run(() => this.#queueBody(key, respond())).finally(() => this.#answering.delete(key));
    this.#answering.set(key, answer);
    return answer;
  }

  #queueBody(key: string, answer: Answer): Answer {
    const { content } = answer;
    if (content === undefined || Buffer.isBuffer(content.body)) return answer;
    const { body: read, bytes } = content;
    const body = async (client: Client): Promise<Body> => {
      this.#hold(Math.min(bytes, STREAM_BYTES), client);
      // A stream, or an error that the other client may have caused, is not shared.
      const reading = this.#reading.get(key);
      const shared = reading && (await reading.catch(() => undefined));
      if (Buffer.isBuffer(shared)) return shared;
      const own = this.run(() => read(client));
      this.#reading.set(key, own);
      return own.finally(() => {
        if (this.#reading.get(key) === own) this.#reading.delete(key);
      });
    };
    return { ...answer, content: { ...content, body } };
  }

  /** @throws Problem overloaded if too many bytes are held */
  #hold(bytes: number, client: Client): void {
    if (client.isClosed) return;
    if (this.#heldBytes + bytes > this.#limits.heldBytes) throw overloaded();
    this.#heldBytes += bytes;
    client.onClose(() => {
      this.#heldBytes -= bytes;
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#running >= this.#limits.running) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const end = performance.now() + TURN_MS;
      while (this.#running < this.#limits.running && performance.now() < end) {
        const start = this.#waiting.shift();
        if (start === undefined) break;
        start();
      }
      this.#schedule();
    });
  }
}

/** 503 with Retry-After: more work than the service can do at a time. */
export function overloaded(): Problem {
  return new Problem('overloaded', 'The service has too much to do at the moment. Try again.', {
    'Retry-After': String(RETRY_SECONDS),
  });
}
