// The sizes of names and overview: the estimate writes them as a build does, in its scratch folder.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesPath } from '../../format/layout.ts';
import { type LevelUnits, namedUnits, relativesOf } from '../names/named-units.ts';
import { writeNames } from '../names/write-names.ts';
import { writeOverview } from '../overview/write-overview.ts';

/** Bytes of the files that a release has whole. */
export interface WholeFileSizes {
  /** For each level. */
  names: readonly number[];
  overview: number;
}

/** Writes the files. @param units of all levels, with their stores @param precision decimals of the coordinates */
export function wholeFileSizes(scratch: string, units: readonly LevelUnits[], precision: number): WholeFileSizes {
  const names = units.map(({ level, store }) => {
    mkdirSync(dirname(join(scratch, namesPath(level))), { recursive: true });
    return writeNames(scratch, level, namedUnits(level, store, relativesOf(level, units))).bytes;
  });
  return { names, overview: writeOverview({ units, precision, out: scratch }).bytes };
}
