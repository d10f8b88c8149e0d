// The units of the sample before their geometries are made, and their GIDs.
import { elementAt } from '../../format/element-at.ts';
import type { Area, Atlas } from './atlas.ts';
import type { Lineage } from './gadm-columns.ts';

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
