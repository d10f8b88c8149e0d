// What an answer is made of: a release, its levels, parts of a level such as the table of a geometry or the words of
// its names, and checked pieces of its files. An answer is made at once from what is in memory, or again after what it
// missed has been brought there, which is held until the answer is made: where memory is little, one level may leave it
// while another one comes.
import type { Geometry, Level } from '../../format/levels.ts';
import { notReady } from '../http/problem.ts';
import { type HttpRequest, principalOf } from '../http/request.ts';
import type { Origin, QueuedReads } from '../origin/origin.ts';
import type { Pieces } from './pieces.ts';
import type { LoadedLevel, LoadedRelease, LoadedTable, Part, Sized } from './release.ts';
import { TABLES } from './release.ts';
import type { NamedRelease, Releases } from './releases.ts';

/** The release of an answer. */
export interface ChosenRelease {
  release: LoadedRelease;
  /** Does the request name the release? The answer to a cursor never changes. */
  isPinned: boolean;
}

/** What a request needs could not be brought into memory: its release may be gone. */
export class LoadError extends Error {
  readonly representation: ChosenRelease;

  constructor(representation: ChosenRelease, cause: unknown) {
    super('not loaded', { cause });
    this.representation = representation;
  }
}

/**
 * More rounds of bringing in are not made: what a request needs is known after a few, each of which loads what the one
 * before leads to.
 */
const ROUNDS_MAX = 16;

/** Brings something into memory, for a principal, and holds it. */
type BringIn = (principal: string) => Promise<unknown>;

/** What is found by reading or in steps, and remembered for a while: positions of a level, or what is made of them. */
export interface Search<Value extends object> {
  /** Of the level and of what is searched. */
  readonly key: string;
  readonly type: abstract new (...parameters: never[]) => Value;
  /** What is remembered, or found at once. */
  known(reads: QueuedReads): Value | undefined;
  /** @param principal whose turn it is */
  find(reads: QueuedReads, principal: string): Promise<Value>;
}

/** What one request needs of a release: each is undefined where it is not in memory, and is then noted as missing. */
export class Needs implements ChosenRelease {
  readonly release: LoadedRelease;
  readonly isPinned: boolean;
  readonly #reads: QueuedReads;
  /** Nothing is held or missing while all is in memory; once something was missing, all that is looked at is held. */
  #levels: Map<Level, LoadedLevel> | undefined;
  #parts: Map<LoadedLevel, Map<Part<Sized>, Sized>> | undefined;
  #pieces: Map<Pieces, Map<number, Buffer>> | undefined;
  #found: Map<string, object> | undefined;
  #missing: BringIn[] = NOTHING;

  constructor(release: LoadedRelease, reads: QueuedReads, isPinned = false) {
    this.release = release;
    this.#reads = reads;
    this.isPinned = isPinned;
  }

  /** A level. */
  level(number: Level): LoadedLevel | undefined {
    const { release } = this;
    const level = this.#levels?.get(number) ?? release.get(number);
    if (level === undefined) return this.#miss(async () => void this.#levels?.set(number, await release.load(number)));
    this.#levels?.set(number, level);
    return level;
  }

  /** A part of a level. */
  part<Value extends Sized>(level: LoadedLevel, part: Part<Value>): Value | undefined {
    const value = this.#parts?.get(level)?.get(part) ?? level.get(part);
    if (value instanceof part.type) return value;
    return this.#miss(async () => {
      this.#parts ??= new Map();
      const held = this.#parts.get(level) ?? new Map<Part<Sized>, Sized>();
      this.#parts.set(level, held.set(part, await level.load(part)));
    });
  }

  /** The feature files of a geometry. */
  table(level: LoadedLevel, geometry: Geometry): LoadedTable | undefined {
    return geometry === 'full' ? level.full : this.part(level, TABLES[geometry]);
  }

  /** The bytes of a piece of a file, until the next call. */
  piece(pieces: Pieces, piece: number): Buffer | undefined {
    const bytes = this.#pieces?.get(pieces)?.get(piece) ?? pieces.now(piece, this.#reads);
    if (bytes !== undefined) return bytes;
    return this.#miss(async (principal) => {
      this.#pieces ??= new Map();
      const held = this.#pieces.get(pieces) ?? new Map<number, Buffer>();
      this.#pieces.set(pieces, held.set(piece, await pieces.load(piece, this.#reads, principal)));
    });
  }

  /** What a search finds. */
  found<Value extends object>(search: Search<Value>): Value | undefined {
    const found = this.#found?.get(search.key) ?? search.known(this.#reads);
    if (found instanceof search.type) return found;
    return this.#miss(async (principal) => {
      this.#found ??= new Map();
      this.#found.set(search.key, await search.find(this.#reads, principal));
    });
  }

  /** Notes that something is missing which all clients share. @param load brings it into memory */
  miss(load: (origin: Origin) => Promise<unknown>): undefined {
    return this.#miss(() => load(this.#reads.origin));
  }

  /** Brings what is missing into memory, side by side. */
  async bringIn(principal: string): Promise<void> {
    const missing = this.#missing;
    this.#missing = NOTHING;
    this.#levels ??= new Map();
    const ended = await Promise.allSettled(missing.map((bringIn) => bringIn(principal)));
    // The first in the order in which they were missed, whichever failed first.
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }

  #miss(bringIn: BringIn): undefined {
    if (this.#missing === NOTHING) this.#missing = [];
    this.#missing.push(bringIn);
  }
}

/** Shared by all that miss nothing. */
const NOTHING: BringIn[] = [];

/**
 * An answer from what is in memory, or after what it misses has been brought there.
 * @param named the release that the request names; undefined for the current one
 * @param make makes it, or begins to; returns undefined if it misses something
 * @throws LoadError, Problem
 */
export function gather<Result>(
  sources: { releases: Releases; reads: QueuedReads },
  request: HttpRequest,
  named: NamedRelease | undefined,
  make: (needs: Needs) => Result | undefined,
): Result | Promise<Awaited<Result>> {
  const { releases, reads } = sources;
  const { id } = principalOf(request);
  if (named === undefined) return gatherMore(sources, request, new Needs(releases.requireCurrent(), reads), make);
  const release = releases.get(named, id);
  if (release !== undefined) return gatherMore(sources, request, new Needs(release, reads, true), make);
  const loading = releases.load(named, id);
  return loading.then((loaded) => gatherLater(sources, request, new Needs(loaded, reads, true), make));
}

/** The same with what has been gathered, for what is known to be needed only then. */
export function gatherMore<Result>(
  sources: { reads: QueuedReads },
  request: HttpRequest,
  needs: Needs,
  make: (needs: Needs) => Result | undefined,
): Result | Promise<Awaited<Result>> {
  return make(needs) ?? gatherLater(sources, request, needs, make);
}

async function gatherLater<Result>(
  { reads }: { reads: QueuedReads },
  request: HttpRequest,
  needs: Needs,
  make: (needs: Needs) => Result | undefined,
): Promise<Awaited<Result>> {
  const principal = principalOf(request);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await needs.bringIn(principal.id).catch((error: unknown) => {
      throw new LoadError(needs, error);
    });
    // What many have waited for is not answered to all of them at once.
    await reads.turn(principal, request.peer);
    const result = make(needs);
    if (result !== undefined) return await result;
  }
  throw notReady('Too much is being loaded at the moment. Try again.');
}
