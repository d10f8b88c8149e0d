// The units of a level as manifests and features have them: what names and overview must say.
import type { Level } from '../../format/levels.ts';
import type { Manifest } from '../../format/manifest.ts';
import type { NamedUnit } from '../../format/names.ts';
import { FileError } from '../reader/inflate.ts';
import { parsedToJson } from '../reader/parse-feature.ts';
import { positionsOf } from './content/feature.ts';
import { namesSum, type UnitSum } from './content/unit-sums.ts';

/** The units of a level, by position. */
export interface ExpectedUnits {
  level: Level;
  count: number;
  /** Compares what a file says of a unit. @returns it, checked @throws FileError if it is not so */
  check(position: number, found: Readonly<Record<keyof NamedUnit, unknown>>): NamedUnit;
  /** The sum of an intact feature. */
  sumAt(position: number): UnitSum | undefined;
}

/**
 * The units of a level.
 * @param manifests of all levels; undefined for a damaged one
 * @param sumAt undefined for features that are damaged, or if the columns of the names are not known
 * @returns undefined if manifests that are needed are damaged
 */
export function expectedUnits(
  level: Level,
  manifests: readonly (Manifest | undefined)[],
  sumAt: ExpectedUnits['sumAt'],
): ExpectedUnits | undefined {
  const manifest = manifests[level];
  // Which level is next above or below depends on the levels between.
  if (manifest === undefined || manifests.includes(undefined)) return undefined;
  const filled = manifests.filter((other) => other !== undefined && other.features > 0);
  const parent = filled.findLast((other) => other !== undefined && other.level < level)?.level;
  const below = filled.find((other) => other !== undefined && other.level > level)?.columns[level];
  const { fidAt, gidAt } = positionsOf(manifest);

  function childrenOf(gid: string | null): number {
    const at = gid === null ? undefined : below?.find(gid);
    return at === undefined ? 0 : (below?.covers.sizeOf(at) ?? 0);
  }

  return {
    level,
    count: manifest.features,
    sumAt,
    check(position, found) {
      const fid = fidAt(position);
      const gid = gidAt(level, position);
      const expected = {
        fid,
        gid,
        parent: parent === undefined ? null : gidAt(parent, position),
        children: childrenOf(gid),
      };
      for (const key of ['fid', 'gid', 'parent', 'children'] as const) {
        const value = expected[key];
        if (found[key] !== value)
          throw new FileError(`fid ${fid}: ${key} is ${parsedToJson(found[key])}, expected ${JSON.stringify(value)}`);
      }
      const { name, type } = found;
      if (!isTextOrNull(name) || !isTextOrNull(type))
        throw new FileError(`fid ${fid}: name is ${parsedToJson(name)}, type ${parsedToJson(type)}, expected texts`);
      const sum = sumAt(position);
      if (sum !== undefined && sum.names !== namesSum(name, type))
        throw new FileError(
          `fid ${fid}: name ${JSON.stringify(name)} and type ${JSON.stringify(type)} are not its feature's`,
        );
      return { ...expected, name, type };
    },
  };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
