// What a build reports when it has succeeded.
import type { Level } from '../../format/levels.ts';
import type { Release } from '../../format/release.ts';

/** What came of a build. */
export interface Built {
  /** What release.json says. */
  release: Release;
  /** What is odd about the data, and how often. */
  remarks: readonly Remark[];
}

/** Something odd about a level's units that was published all the same. */
export interface Remark {
  level: Level;
  count: number;
  what: string;
}
