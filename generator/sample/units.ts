// The units of the sample before their geometries are made, and GADM's schema: GIDs, names of layers and columns, so
// that a build reads it like GADM's own files.
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import type { TaggedOption } from '../source/source-options.ts';
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
  /** Other names, at the level that has a column of them; undefined for none. */
  variants?: string | undefined;
  /** The values of the columns that GADM does not have; null for none. */
  further: readonly (string | null)[];
}

/** The kind of a unit. */
export interface Kind {
  type: string;
  engtype: string;
  /** Other names; undefined for none. */
  variants?: string | undefined;
  /** The values of the columns that GADM does not have; none where the level has no such columns. */
  further?: SampleUnit['further'];
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
    further: [],
    ...kindOf(area),
  }));
}

/** GADM's value for unknown. */
const UNKNOWN = 'NA';

/** The layer of a level in GADM's file of all levels. */
export function layerNameOf(level: Level): string {
  return `ADM_${level}`;
}

/** The languages of the sample's countries besides English, which `COUNTRY` has. */
export const LANGUAGES = ['ar', 'es', 'fr'] as const;

/** The level of the provinces of Spain, some of which are better known by another name. */
const LEVEL_WITH_VARIANTS: Level = 2;

/** The levels at which units of Spain and of the United States are beside each other, each with codes of their own. */
const LEVELS_OF_BOTH: readonly Level[] = [1, 2];

/**
 * The columns of a level in GADM's order: the unit's own GID, the country's, the units between, the unit itself.
 * Columns that only some levels have are left out. Then those that GADM does not have.
 */
export function columnsOf(level: Level): string[] {
  if (level === 0) return ['GID_0', 'COUNTRY', 'ISO_A2', ...LANGUAGES.map(languageColumn)];
  const columns = [`GID_${level}`, 'GID_0', 'COUNTRY'];
  for (let above = 1; above < level; above++) columns.push(`GID_${above}`, `NAME_${above}`);
  const further = LEVELS_OF_BOTH.includes(level) ? [`FIPS_${level}`, `INE_${level}`] : [];
  const variants = level === LEVEL_WITH_VARIANTS ? [`VARNAME_${level}`] : [];
  return [...columns, `NAME_${level}`, ...variants, `TYPE_${level}`, `ENGTYPE_${level}`, `CC_${level}`, ...further];
}

function languageColumn(tag: string): string {
  return `NAME_${tag.toUpperCase()}`;
}

/** The options by which a build knows the columns that GADM does not have. */
export const COLUMN_OPTIONS: Record<'languageColumns' | 'codeColumns', readonly TaggedOption[]> = {
  languageColumns: [
    { level: 0, tag: 'en', value: 'COUNTRY' },
    ...LANGUAGES.map((tag) => ({ level: 0, tag, value: languageColumn(tag) }) as const),
  ],
  codeColumns: [
    { level: 0, tag: 'iso2', value: 'ISO_A2' },
    ...LEVELS_OF_BOTH.flatMap((level) => [
      { level, tag: 'fips', value: `FIPS_${level}` },
      { level, tag: 'ine', value: `INE_${level}` },
    ]),
    { level: 3, tag: 'ine', value: 'CC_3' },
  ],
};

/** A unit's place in the hierarchy, country first and itself last: as many entries as its level plus one. */
export type Lineage = readonly { gid: string; name: string | null }[];

/** The unit's values in the order of `columnsOf`. Level 0 has no type and no code. */
export function valuesOf({ lineage, type, engtype, variants = UNKNOWN, further, area }: SampleUnit): (string | null)[] {
  const own = lineage.at(-1);
  const country = lineage[0];
  if (own === undefined || country === undefined) throw new Error('A unit needs at least its country');
  if (lineage.length === 1) return [own.gid, own.name, ...further];
  const values = [own.gid, country.gid, country.name];
  for (const above of lineage.slice(1, -1)) values.push(above.gid, above.name);
  const ownNames = lineage.length - 1 === LEVEL_WITH_VARIANTS ? [own.name, variants] : [own.name];
  return [...values, ...ownNames, type, engtype, area.code || UNKNOWN, ...further];
}
