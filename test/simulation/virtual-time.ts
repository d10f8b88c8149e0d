// Time that passes only when the simulation says so: takes the place of the timers and clocks of this process. What is
// done in other threads, signatures of tokens, is waited for, so that the order of events follows from the seed alone.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

interface Timer {
  at: number;
  /** The order among those of the same time. */
  order: number;
  run: () => void;
  /** Of an interval, in milliseconds. */
  every: number | undefined;
}

/** Node.js gives objects, whose `unref` is called. */
interface Handle {
  timer: Timer;
  ref(): Handle;
  unref(): Handle;
  hasRef(): boolean;
}

type Callback = (...args: unknown[]) => void;

/** The methods of Web Crypto that tokens need. */
const CRYPTO = ['verify', 'importKey', 'digest'] as const;

/** Turns of the event loop in which nothing is done elsewhere: what ends there may begin other work. */
const QUIET_TURNS = 2;

const realTurn = timersPromises.setImmediate;

export class VirtualTime {
  now = 0;
  readonly #timers = new Set<Timer>();
  #order = 0;
  /** Work in other threads that has not ended. */
  #elsewhere = 0;
  /** Ends after all of it that has begun. */
  #last: Promise<unknown> = Promise.resolve();

  /** Calls a function after some milliseconds. @returns prevents that */
  after(ms: number, run: () => void): () => void {
    const timer = this.#add(ms, run);
    return () => this.#timers.delete(timer);
  }

  passed(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets time pass, timer by timer. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    await this.settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.now = Math.max(this.now, next.at);
      this.#timers.delete(next);
      if (next.every !== undefined)
        this.#timers.add(Object.assign(next, { at: this.now + next.every, order: this.#order++ }));
      next.run();
      await this.settle();
    }
    this.now = end;
  }

  /** Waits until nothing more happens without time. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await realTurn();
      quiet = this.#elsewhere > 0 ? 0 : quiet + 1;
    }
  }

  /** Puts itself in the place of this process's time. @returns puts that back */
  install(): () => void {
    const restore: (() => void)[] = [];
    const put = (target: object, name: string, value: unknown): void => {
      const known = Object.getOwnPropertyDescriptor(target, name);
      Object.defineProperty(target, name, { value, configurable: true, writable: true });
      restore.push(() => {
        if (known === undefined) Reflect.deleteProperty(target, name);
        else Object.defineProperty(target, name, known);
      });
    };
    const set = (run: Callback, ms = 0, ...args: unknown[]): Handle => this.#handle(this.#add(ms, () => run(...args)));
    const every = (run: Callback, ms = 1): Handle => this.#handle(this.#add(ms, () => run(), ms));
    const soon = (run: Callback, ...args: unknown[]): Handle => set(run, 0, ...args);
    const clear = (handle: Handle | undefined): void => {
      if (handle !== undefined && handle !== null) this.#timers.delete(handle.timer);
    };
    for (const target of [globalThis, timers]) {
      put(target, 'setTimeout', set);
      put(target, 'setInterval', every);
      put(target, 'setImmediate', soon);
      for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) put(target, name, clear);
    }
    put(
      timersPromises,
      'setTimeout',
      (ms: number, value: unknown) => new Promise((done) => set(() => done(value), ms)),
    );
    put(timersPromises, 'setImmediate', (value: unknown) => new Promise((done) => set(() => done(value))));
    put(performance, 'now', () => this.now);
    for (const name of CRYPTO) put(crypto.subtle, name, this.#counted(name));
    syncBuiltinESMExports();
    return () => {
      for (const undo of restore.reverse()) undo();
      syncBuiltinESMExports();
    };
  }

  #counted(name: (typeof CRYPTO)[number]) {
    const original: unknown = Reflect.get(crypto.subtle, name);
    if (typeof original !== 'function') throw new TypeError(name);
    return async (...args: unknown[]): Promise<unknown> => {
      this.#elsewhere++;
      const before = this.#last;
      const own: Promise<unknown> = Reflect.apply(original, crypto.subtle, args);
      // In the order in which it was begun, whatever ends first.
      this.#last = Promise.allSettled([own, before]);
      await this.#last;
      this.#elsewhere--;
      return own;
    };
  }

  #add(ms: number, run: () => void, every?: number): Timer {
    const timer = { at: this.now + Math.max(0, ms), order: this.#order++, run, every };
    this.#timers.add(timer);
    return timer;
  }

  #handle(timer: Timer): Handle {
    const handle: Handle = { timer, ref: () => handle, unref: () => handle, hasRef: () => true };
    return handle;
  }

  /** The timer that is due first, if that is not after `end`. */
  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (
        timer.at <= end &&
        (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order))
      )
        next = timer;
    return next;
  }
}
