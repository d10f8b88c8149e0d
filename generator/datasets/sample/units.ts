// A unit of the sample before its geometry is made, and how units under a parent get their GIDs.
import type { Lineage } from '../gadm-columns.ts';
import type { Area, Atlas } from './atlas.ts';

/** One unit: where its boundary comes from and where it stands in the hierarchy. */
export interface SampleUnit {
  atlas: Atlas;
  area: Area;
  /** Country first, itself last. */
  lineage: Lineage;
  /** What kind of unit it is, in the language of the country and in English. */
  type: string;
  engtype: string;
}

/** The kind of a unit. */
export interface Kind {
  type: string;
  engtype: string;
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
  const stem = parent.at(-1)?.gid.replace(/_1$/, '') ?? '';
  return areas.map((area, i) => ({
    atlas,
    area,
    lineage: [...parent, { gid: `${stem}.${i + 1}_1`, name: area.name }],
    ...kindOf(area),
  }));
}
