// The units of the sample before their geometries are made, and GADM's schema: GIDs, names of layers and columns, so
// that a build reads it like GADM's own files.
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import type { Area, Atlas } from './atlas.ts';

/** A unit: the area of its boundary, and its place in the hierarchy. */
export interface SampleUnit {
  atlas: Atlas;
  area: Area;
  /** Country first, itself last. */
  lineage: Lineage;
  /** The kind of unit, in the language of the country and in English. */
  type: string;
  engtype: string;
}

/** The kind of a unit. */
export interface Kind {
  type: string;
  engtype: string;
}

/** The GID of a unit's country. */
export function countryGid({ lineage }: SampleUnit): string {
  return elementAt(lineage, 0).gid;
}

/**
 * Units for `areas` under one parent, numbered in the order given: `ESP`, `ESP.1_1`, `ESP.1.2_1`. The `_1` is the
 * version that GADM appends.
 */
export function unitsUnder(
  parent: Lineage,
  atlas: Atlas,
  areas: readonly Area[],
  kindOf: (area: Area) => Kind,
): SampleUnit[] {
  const stem = elementAt(parent, parent.length - 1).gid.replace(/_1$/, '');
  return areas.map((area, i) => ({
    atlas,
    area,
    lineage: [...parent, { gid: `${stem}.${i + 1}_1`, name: area.name }],
    ...kindOf(area),
  }));
}

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
