// How levels nest: the share of the edges of a level that the next one has, too. It is recorded in the release, and
// decides which levels are simplified together.
import { ownersOf } from '../../format/gid-column.ts';
import type { Coordinates } from '../rings/coordinates.ts';
import { EdgeTable, hashOfEdge } from '../rings/edge-table.ts';
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
  let edges = new EdgeTable();
  let every = 1;
  let [position, childless] = [0, 0];
  const add: TakeEdge = (x1, y1, x2, y2) => {
    if (!isEvery(every, x1, y1, x2, y2)) return;
    edges.add(x1, y1, x2, y2);
    if (edges.size > edgesMax) {
      every *= 2;
      edges = sampleOf(edges, every);
    }
  };
  const ring = (own: Coordinates): void => {
    if (counts[position] === 1) eachEdge(own, add);
    else childless += own.count;
  };
  upper.readRings({ ring }, () => position++);
  const isFound = new Uint8Array(edges.points);
  const find: TakeEdge = (x1, y1, x2, y2) => {
    if (!isEvery(every, x1, y1, x2, y2)) return;
    const edge = edges.find(x1, y1, x2, y2);
    if (edge !== -1) isFound[edge] = 1;
  };
  lower.readRings({ ring: (own) => eachEdge(own, find) }, () => {});
  const found = isFound.reduce((sum, own) => sum + own, 0);
  return {
    share: edges.size === 0 ? null : Math.floor((SHARE_SCALE * found) / edges.size) / SHARE_SCALE,
    own: childless + (edges.size - found) * every,
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

/** The most edges of a sample, some 50 bytes each. */
const EDGES_MAX = 1 << 20;

/** Is an edge in a sample of one of so many, a power of two? By the bits of its hash that tables do not look at. */
function isEvery(every: number, x1: number, y1: number, x2: number, y2: number): boolean {
  return every === 1 || hashOfEdge(x1, y1, x2, y2) >>> 0 < 2 ** 32 / every;
}

/** The edges of a table that are in a sample, of which most follow no other one. */
function sampleOf(edges: EdgeTable, every: number): EdgeTable {
  const sample = new EdgeTable();
  for (const edge of edges.all()) {
    const ends = [edges.x(edge), edges.y(edge), edges.x(edge + 1), edges.y(edge + 1)] as const;
    if (isEvery(every, ...ends)) sample.add(...ends);
  }
  return sample;
}
