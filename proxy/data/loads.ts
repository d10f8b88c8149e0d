// What one request loads: a release, its levels, and parts of a level such as the table of a geometry or the words of its
// names. What is in memory is a value, not a promise: the paths that are asked for most go on with it at once. A request
// that had to wait goes on in a turn of its own: many may have waited for the same.
import type { Geometry, Level } from '../../format/levels.ts';
import { type Turns, turnOf } from '../http/guards.ts';
import { overloaded } from '../http/problem.ts';
import { type HttpRequest, type Principal, principalOf } from '../http/request.ts';
import { lastingClient, type QueuedReads, type Recipient, type TaskReads } from '../origin/origin.ts';
import type { NamedRelease, Releases } from './hosted-releases.ts';
import type { LoadedLevel, LoadedRelease, LoadedTable, Part, Sized } from './loaded-release.ts';
import { TABLES } from './loaded-release.ts';

/** The loads of one request. What it has loaded stays in memory as long as the request uses it. */
export class Loads {
  readonly #turns: Turns;
  readonly reads: QueuedReads;
  readonly principal: Principal;
  readonly #request: HttpRequest;
  /** That it waits for: loads that end at the same time wait for one. */
  #turn: Promise<void> | undefined;

  constructor({ turns, reads }: { turns: Turns; reads: QueuedReads }, request: HttpRequest) {
    this.#turns = turns;
    this.reads = reads;
    this.#request = request;
    this.principal = principalOf(request);
  }

  /**
   * The release that the request names; undefined for the current one. What it is answered from is noted: that may be
   * removed meanwhile.
   * @throws Problem, OriginError, FormatError
   */
  release(releases: Releases, named: NamedRelease | undefined): LoadedRelease | Promise<LoadedRelease> {
    if (named === undefined) return this.#from(releases.requireCurrent(), false);
    const { id } = this.principal;
    const known = releases.get(named, id);
    if (known !== undefined) return this.#from(known, true);
    return this.after(releases.load(named, id)).then((release) => this.#from(release, true));
  }

  #from(release: LoadedRelease, isPinned: boolean): LoadedRelease {
    const { id, digest } = release;
    this.#request.source = { release: { id, digest }, isPinned };
    return release;
  }

  level(release: LoadedRelease, level: Level): LoadedLevel | Promise<LoadedLevel> {
    return release.get(level) ?? this.after(release.load(level));
  }

  part<Value extends Sized>(level: LoadedLevel, part: Part<Value>): Value | Promise<Value> {
    return level.get(part) ?? this.after(level.load(part));
  }

  /** The feature files of a geometry. */
  table(level: LoadedLevel, geometry: Geometry): LoadedTable | Promise<LoadedTable> {
    return geometry === 'full' ? level.full : this.part(level, TABLES[geometry]);
  }

  /** What is loaded, once it is the turn of the request again. */
  async after<Value>(loading: Promise<Value>): Promise<Value> {
    try {
      return await loading;
    } finally {
      this.#turn ??= turnOf(this.#turns, this.principal, this.#request).finally(() => (this.#turn = undefined));
      await this.#turn;
    }
  }

  /** What a task of the request finds. What the task reads waits for nobody else. */
  task<Value>(task: (reads: TaskReads, client: Recipient) => Promise<Value>): Promise<Value> {
    const client = lastingClient(this.principal.id);
    return this.reads.later(client, (reads) => {
      // Nobody receives the answer.
      if (this.#request.peer.destroyed === true) throw overloaded();
      return task(reads, client);
    });
  }
}

/** What is made of what is loaded: at once if that is in memory. */
export function withLoaded<Value, Result>(
  loading: Value | Promise<Value>,
  make: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return loading instanceof Promise ? loading.then(make) : make(loading);
}

/** What is loaded for each of some items, side by side. What throws at once leaves no other load without a receiver. */
export function loadEach<Item, Loading>(items: readonly Item[], load: (item: Item) => Loading) {
  const loading = items.map((item) => {
    try {
      return load(item);
    } catch (error) {
      return Promise.reject<never>(error);
    }
  });
  return areInMemory(loading) ? loading : allOf(loading);
}

/** What several loads bring. */
type Brought<Loading extends readonly unknown[]> = { -readonly [Key in keyof Loading]: Awaited<Loading[Key]> };

/**
 * What several loads bring, side by side. Of several errors the first one is thrown in the order in which they are
 * written, whichever failed first.
 */
export function together<const Loading extends readonly unknown[]>(
  ...loading: Loading
): Brought<Loading> | Promise<Brought<Loading>> {
  return areInMemory(loading) ? loading : allOf(loading);
}

function areInMemory<Loading extends readonly unknown[]>(
  loading: Loading | Brought<Loading>,
): loading is Brought<Loading> {
  for (const one of loading) if (one instanceof Promise) return false;
  return true;
}

async function allOf<Loading extends readonly unknown[]>(loading: Loading): Promise<Brought<Loading>> {
  try {
    return await Promise.all(loading);
  } catch (error) {
    for (const one of loading) await one;
    throw error;
  }
}
