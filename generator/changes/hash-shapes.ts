// Hashes the full geometries of units, for `changes`: most of what has another text has the same shape. Runs in child
// processes, without GDAL.
import { hash } from 'node:crypto';
import type { Level } from '../../format/levels.ts';
import { openFeatures, readLevel } from '../release-reader/read-level.ts';
import { unitText } from './compared-release.ts';

/** Units of a release, by position. Plain data. */
export interface HashTask {
  root: string;
  release: string;
  level: Level;
  positions: readonly number[];
}

// Within a string of a feature's text, it would have a backslash before its quotation marks.
const GEOMETRY_MARK = '},"geometry":';
const NO_GEOMETRY = Buffer.from('null}\n');

/** The hash of each geometry as it is written; empty for none. @throws BuildError if a unit is damaged */
export function hashShapes({ root, release, level, positions }: HashTask): string[] {
  const index = readLevel(root, release, level);
  const features = openFeatures(root, index);
  try {
    return positions.map((position) => {
      const text = unitText({ root, release }, { features, index }, position);
      const geometry = text.subarray(text.indexOf(GEOMETRY_MARK) + GEOMETRY_MARK.length);
      return geometry.equals(NO_GEOMETRY) ? '' : hash('sha256', geometry, 'base64url');
    });
  } finally {
    features.close();
  }
}
