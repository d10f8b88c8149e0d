// How levels nest: the share of the edges of a level that the next one has, too. Decides which levels are simplified
// together.
import { ownersOf } from '../../format/gid-column.ts';
import type { Coordinates } from '../geojson/coordinates.ts';
import { LevelStore } from '../store/level-store.ts';

/** Levels nest if the next level has this share of the edges. */
export const NESTING_MIN = 0.98;

/** Two neighbouring levels. Plain data: it is sent to a child process. */
export interface NestingTask {
  /** Paths of their stores. */
  upper: string;
  lower: string;
}

/**
 * The share of the edges of a level, at the published precision, that the next one has, too. Each edge counts once, in
 * either direction; units that have no units below them do not count: many levels are not of all countries.
 * @returns from 0 to 1; undefined if nothing counts
 */
export function nestingShare(task: NestingTask): number | undefined {
  const [upper, lower] = [new LevelStore(task.upper), new LevelStore(task.lower)];
  const counts = unitsWithChildren(upper, lower);
  const edges = new EdgeSet();
  let position = 0;
  upper.readRings({ ring: (ring) => counts[position] === 1 && eachEdge(ring, edges.add) }, () => position++);
  lower.readRings({ ring: (ring) => eachEdge(ring, edges.find) }, () => {});
  return edges.size === 0 ? undefined : edges.found / edges.size;
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

/** Edges by hashes of 53 bits, some 20 bytes for each. Two of the same hash would change a share by one edge. */
class EdgeSet {
  size = 0;
  found = 0;
  #hashes = new Float64Array(SLOTS_MIN).fill(FREE);
  #isFound = new Uint8Array(SLOTS_MIN);

  readonly add: TakeEdge = (...edge) => {
    const hash = hashOf(...edge);
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] === hash) return;
    this.#hashes[slot] = hash;
    if (2 * ++this.size > this.#hashes.length) this.#grow();
  };

  readonly find: TakeEdge = (...edge) => {
    const hash = hashOf(...edge);
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] !== hash || this.#isFound[slot] === 1) return;
    this.#isFound[slot] = 1;
    this.found++;
  };

  /** The slot of a hash, or the free one where it would be. */
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let slot = hash & mask;
    while (this.#hashes[slot] !== hash && this.#hashes[slot] !== FREE) slot = (slot + 1) & mask;
    return slot;
  }

  /** Takes twice as many slots; nothing has been found yet. */
  #grow(): void {
    const old = this.#hashes;
    this.#hashes = new Float64Array(2 * old.length).fill(FREE);
    this.#isFound = new Uint8Array(2 * old.length);
    for (const hash of old) if (hash !== FREE) this.#hashes[this.#slotOf(hash)] = hash;
  }
}

/** The same for both directions of an edge. */
function hashOf(x1: number, y1: number, x2: number, y2: number): number {
  const low = (mixed(x1, y1, 0x9e3779b1) + mixed(x2, y2, 0x9e3779b1)) >>> 0;
  const high = (mixed(x1, y1, 0xc2b2ae35) + mixed(x2, y2, 0xc2b2ae35)) >>> 0;
  return (high & 0x1fffff) * 2 ** 32 + low;
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
