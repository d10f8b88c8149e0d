// How levels nest: the share of the edges of a level that the next one has, too. It is recorded in the release, and
// decides which levels are simplified together.
import { ownersOf } from '../../format/gid-column.ts';
import type { Coordinates } from '../rings/coordinates.ts';
import { LevelStore } from '../store/level-store.ts';

/** Levels nest if the next level has this share of the edges. */
export const NESTING_MIN = 0.98;

/** Decimals of the share. */
const SHARE_SCALE = 1e6;

/** Two neighbouring levels. Plain data: it is sent to a child process. */
export interface NestingTask {
  /** Paths of their stores. */
  upper: string;
  lower: string;
}

/** How a level nests in the next one. */
export interface Nesting {
  /**
   * The share of its edges, at the published precision, that the next level has, too, from 0 to 1, rounded down to six
   * decimals; null if nothing counts. Each edge counts once, in either direction; units that have no units below them
   * do not count: many levels are not of all countries. Of more than a million edges a sample counts: near 0.98 it is
   * within 0.001.
   */
  share: number | null;
  /** About how many positions it has that the next level has not. */
  own: number;
}

/** Measures how a level nests in the next one. @param edgesMax the most edges of a sample */
export function nestingOf(task: NestingTask, edgesMax = EDGES_MAX): Nesting {
  const [upper, lower] = [new LevelStore(task.upper), new LevelStore(task.lower)];
  const counts = unitsWithChildren(upper, lower);
  const edges = new EdgeSample(edgesMax);
  let position = 0;
  let childless = 0;
  const ring = (own: Coordinates): void => {
    if (counts[position] === 1) eachEdge(own, edges.add);
    else childless += own.count;
  };
  upper.readRings({ ring }, () => position++);
  lower.readRings({ ring: (own) => eachEdge(own, edges.find) }, () => {});
  return {
    share: edges.size === 0 ? null : Math.floor((SHARE_SCALE * edges.found) / edges.size) / SHARE_SCALE,
    own: childless + (edges.size - edges.found) * edges.every,
  };
}

/** 1 for each unit that is the parent of one of the level below. */
function unitsWithChildren(upper: LevelStore, lower: LevelStore): Uint8Array {
  const { columns, features } = upper.readIndex();
  const counts = new Uint8Array(features);
  const [own, below] = [columns.at(-1), lower.readIndex().columns[columns.length - 1]];
  if (own === undefined || below === undefined) return counts;
  for (const [position, number] of ownersOf(own, features).entries())
    if (number !== -1 && below.find(own.gidAt(number)) !== -1) counts[position] = 1;
  return counts;
}

type TakeEdge = (x1: number, y1: number, x2: number, y2: number) => void;

function eachEdge(ring: Coordinates, take: TakeEdge): void {
  for (let i = 1; i < ring.count; i++) {
    const [x1, y1, x2, y2] = [ring.x(i - 1), ring.y(i - 1), ring.x(i), ring.y(i)];
    if (x1 !== x2 || y1 !== y2) take(x1, y1, x2, y2);
  }
}

const SLOTS_MIN = 1 << 13;
const FREE = -1;
/** A hash is a multiple of this, plus 32 bits. */
const HIGH = 2 ** 32;

/** The most edges of a sample, some 20 bytes each. */
const EDGES_MAX = 1 << 20;

/**
 * Edges by hashes of 53 bits, of which two of the same one change a share by one edge: all of them, or those whose hash
 * is a multiple of a power of two.
 */
class EdgeSample {
  size = 0;
  found = 0;
  /** Of so many edges one is in the sample. */
  every = 1;
  readonly #sizeMax: number;
  #hashes = new Float64Array(SLOTS_MIN).fill(FREE);
  #isFound = new Uint8Array(SLOTS_MIN);

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  readonly add: TakeEdge = (...edge) => {
    const hash = hashOf(...edge);
    if (hash % this.every !== 0) return;
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] === hash) return;
    this.#hashes[slot] = hash;
    if (++this.size > this.#sizeMax) this.#rehash(this.#hashes.length, 2);
    else if (2 * this.size > this.#hashes.length) this.#rehash(2 * this.#hashes.length, 1);
  };

  readonly find: TakeEdge = (...edge) => {
    const hash = hashOf(...edge);
    if (hash % this.every !== 0) return;
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] !== hash || this.#isFound[slot] === 1) return;
    this.#isFound[slot] = 1;
    this.found++;
  };

  /** The slot of a hash, or the free one where it would be. */
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let slot = Math.floor(hash / HIGH) & mask;
    while (this.#hashes[slot] !== hash && this.#hashes[slot] !== FREE) slot = (slot + 1) & mask;
    return slot;
  }

  /** Takes other slots, and perhaps fewer of the edges; nothing has been found yet. */
  #rehash(slots: number, fewer: number): void {
    const old = this.#hashes;
    this.every *= fewer;
    this.size = 0;
    this.#hashes = new Float64Array(slots).fill(FREE);
    this.#isFound = new Uint8Array(slots);
    for (const hash of old) {
      if (hash === FREE || hash % this.every !== 0) continue;
      this.#hashes[this.#slotOf(hash)] = hash;
      this.size++;
    }
  }
}

/** The same for both directions of an edge. */
function hashOf(x1: number, y1: number, x2: number, y2: number): number {
  const low = (mixed(x1, y1, 0x9e3779b1) + mixed(x2, y2, 0x9e3779b1)) >>> 0;
  const high = (mixed(x1, y1, 0xc2b2ae35) + mixed(x2, y2, 0xc2b2ae35)) >>> 0;
  return (high & 0x1fffff) * HIGH + low;
}

/** Mixes all bits of a position, which may be beyond 32, with an odd factor. */
function mixed(x: number, y: number, factor: number): number {
  let bits = 0;
  for (const part of [x, x / 2 ** 32, y, y / 2 ** 32]) {
    bits = Math.imul(bits ^ part, factor);
    bits ^= bits >>> 15;
  }
  return Math.imul(bits ^ (bits >>> 13), 0x85ebca6b);
}
