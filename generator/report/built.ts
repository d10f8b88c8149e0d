// The result of a successful build.
import type { Level } from '../../format/levels.ts';
import type { Release } from '../../format/release.ts';

/** The result of a build. */
export interface Built {
  /** The content of release.json. */
  release: Release;
  /** Accepted problems of the data, with counts. */
  remarks: readonly Remark[];
}

/** A problem in a level's units that was accepted: the units are published. */
export interface Remark {
  level: Level;
  count: number;
  what: string;
}
