// Verifies the files that a release has whole: the names of each level, and the overview.
import { LEVELS } from '../../format/levels.ts';
import { sumsByPosition, type UnitSums } from './content/unit-sums.ts';
import { expectedUnits } from './expected-units.ts';
import type { Metadata } from './metadata.ts';
import { verifyNames } from './names.ts';
import { verifyOverview } from './overview.ts';

/** Verifies them. @param sums of each level: what its intact features say of names and shapes */
export function verifyNamesAndOverview(metadata: Metadata, sums: readonly (readonly UnitSums[])[]): void {
  const { manifests } = metadata;
  const units = LEVELS.map((level) => {
    const count = manifests[level]?.features ?? 0;
    return expectedUnits(level, manifests, sumsByPosition(sums[level] ?? [], count));
  });
  for (const level of LEVELS) verifyNames(level, units[level], metadata);
  verifyOverview(units, metadata);
}
