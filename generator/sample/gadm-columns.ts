// GADM's schema: the names of layers and columns. The sample and the synthetic dataset use it, so that a build reads them
// like GADM's own files.
import type { Level } from '../../format/levels.ts';

/** GADM's value for unknown. */
export const UNKNOWN = 'NA';

/** The layer of a level in GADM's file of all levels. */
export function layerNameOf(level: Level): string {
  return `ADM_${level}`;
}

/**
 * The columns of a level in GADM's order: the unit's own GID, the country's, the units between, the unit itself.
 * Columns that only some levels have are left out.
 */
export function columnsOf(level: Level): string[] {
  if (level === 0) return ['GID_0', 'COUNTRY'];
  const columns = [`GID_${level}`, 'GID_0', 'COUNTRY'];
  for (let above = 1; above < level; above++) columns.push(`GID_${above}`, `NAME_${above}`);
  return [...columns, `NAME_${level}`, `TYPE_${level}`, `ENGTYPE_${level}`, `CC_${level}`];
}

/** A unit's place in the hierarchy, country first and itself last: as many entries as its level plus one. */
export type Lineage = readonly { gid: string; name: string | null }[];

/** The unit's values in the order of `columnsOf`. Level 0 has no type and no code. */
export function valuesOf(lineage: Lineage, type: string, engtype: string, code: string): (string | null)[] {
  const own = lineage.at(-1);
  const country = lineage[0];
  if (own === undefined || country === undefined) throw new Error('A unit needs at least its country');
  if (lineage.length === 1) return [own.gid, own.name];
  const values = [own.gid, country.gid, country.name];
  for (const above of lineage.slice(1, -1)) values.push(above.gid, above.name);
  return [...values, own.name, type, engtype, code];
}
