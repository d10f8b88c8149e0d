// Plans how the units of a single layer become the levels of a dataset: which source units each unit of a level is made
// from, and which part file holds it. Runs in a child process. The plan depends on the data alone, not on the workers.
import type * as gdalTypes from 'gdal-async';
import { elementAt } from '../../format/element-at.ts';
import { gidFrom } from '../geojson/property-values.ts';
import { BuildError } from '../report/errors.ts';
import type { SingleLayer } from '../source/level-source.ts';
import { openDataset } from '../source/open-dataset.ts';
import { atLayer, atUnit, polygonsOf, unitsIn } from './source-units.ts';

/** The plan. Plain data: its parts are sent to child processes. */
export interface SplitPlan {
  /** Number of features in the source. */
  sourceUnits: number;
  /** For each level 0 .. n. */
  levels: readonly LevelPlan[];
  /** The part with most work first. */
  parts: readonly PartPlan[];
}

/** One level of the result. */
export interface LevelPlan {
  /** Number of units. Their fids are 1 .. units, in the order of the first source fid of each. */
  units: number;
  /** Indexes of its fields in the source layer. */
  fields: readonly number[];
}

/** The source units of one part file: all units of one or more countries. */
export interface PartPlan {
  /** Source fids, ascending. */
  fids: Float64Array;
  /** For each level and each source unit, the fid of the unit of that level which it belongs to; 0 for none. */
  owners: readonly Uint32Array[];
  /** Bytes of the geometries as WKB. */
  bytes: number;
}

/** A feature of the source, without its geometry. */
interface SourceUnit {
  fid: number;
  /** Its GIDs, by level; null for none. */
  gids: readonly (string | null)[];
  /** Bytes of its geometry as WKB. */
  bytes: number;
}

/** A source unit and, by level, the fid of the unit that it belongs to; 0 for none. */
interface OwnedUnit extends SourceUnit {
  owners: readonly number[];
}

/** Parts have at least this share of all work, so that small countries share a file. */
const PARTS_MAX = 64;

/**
 * Reads all units once and plans the split.
 * @throws BuildError if a column is missing, a unit has no GID at all or is not polygonal, or GDAL reports an error
 */
export function planSplit(source: SingleLayer): SplitPlan {
  const dataset = openDataset(source.path, source.driver);
  try {
    const layer = dataset.layers.get(source.layer);
    const names = layer.fields.getNames();
    const columns = source.gidColumns.map((column) => indexOf(column, names, source));
    const others = names.flatMap((name, at) => (columns.includes(at) || LEVEL_SUFFIX.test(name) ? [] : [at]));
    const { units, keys } = scanUnits(layer, columns, others, source);
    const { owned, counts } = assignOwners(units, source);
    /** The first level that has a field; keys of the source's units, e.g. UID, are in none. */
    const levelOf = (name: string, at: number): number => {
      const own = columns.indexOf(at);
      if (own !== -1) return own;
      return Number(LEVEL_SUFFIX.exec(name)?.[1] ?? (keys.has(at) ? Infinity : 0));
    };
    const levels = counts.map((count, n) => ({
      units: count,
      fields: names.flatMap((name, at) => (levelOf(name, at) <= n ? [at] : [])),
    }));
    return { sourceUnits: units.length, levels, parts: planParts(owned, counts.length) };
  } finally {
    dataset.close();
  }
}

function indexOf(column: string, names: readonly string[], source: SingleLayer): number {
  const at = names.indexOf(column);
  if (at !== -1) return at;
  throw new BuildError(`${atLayer(source)} has no column ${column}`, `use one of: ${names.join(', ')}`);
}

/** The level in the name of a column, as in NAME_1. */
const LEVEL_SUFFIX = /_([0-5])$/;

/** All units, by fid, and which of the other fields are keys: no two units have the same value. */
function scanUnits(
  layer: gdalTypes.Layer,
  columns: readonly number[],
  others: readonly number[],
  source: SingleLayer,
): { units: SourceUnit[]; keys: ReadonlyMap<number, unknown> } {
  const units: SourceUnit[] = [];
  const keys = new Map(others.map((at) => [at, new Set<unknown>()]));
  for (const feature of unitsIn(layer, source)) {
    const gids = columns.map((at) => gidFrom([feature.fields.get(at)], [0]));
    for (const [at, seen] of keys) {
      const value: unknown = feature.fields.get(at);
      seen.add(typeof value === 'object' ? JSON.stringify(value) : value);
      if (seen.size <= units.length) keys.delete(at);
    }
    units.push({ fid: feature.fid, gids, bytes: polygonsOf(feature, source)?.wkbSize ?? 0 });
  }
  return { units: units.sort((a, b) => a.fid - b.fid), keys };
}

/** Groups the units by their GIDs. Equal GIDs with different parents are different units. */
function assignOwners(units: readonly SourceUnit[], source: SingleLayer): { owned: OwnedUnit[]; counts: number[] } {
  const known = source.gidColumns.map(() => new Map<string, number>());
  const owned = units.map((unit) => {
    let parent = '';
    const owners = unit.gids.map((gid, n) => {
      if (gid === null) return 0;
      const ofLevel = elementAt(known, n);
      const key = `${parent} ${gid}`;
      const owner = ofLevel.get(key) ?? ofLevel.size + 1;
      ofLevel.set(key, owner);
      parent = `${n}:${owner}`;
      return owner;
    });
    if (parent !== '') return { ...unit, owners };
    throw new BuildError(
      `${atUnit(source, unit.fid)}: it has no GID in any of ${source.gidColumns.join(', ')}`,
      'set its GIDs in the source, or remove the feature',
    );
  });
  return { owned, counts: known.map(({ size }) => size) };
}

/** Puts the units of each country into one part, those of small countries together. */
function planParts(units: readonly OwnedUnit[], levels: number): PartPlan[] {
  const countries = new Map<string, OwnedUnit[]>();
  for (const unit of units) {
    const n = unit.owners.findIndex((owner) => owner !== 0);
    const key = `${n}:${unit.owners[n]}`;
    const country = countries.get(key);
    if (country === undefined) countries.set(key, [unit]);
    else country.push(unit);
  }
  const sized = [...countries.values()].map((country) => ({ country, bytes: bytesOf(country) }));
  sized.sort((a, b) => b.bytes - a.bytes);
  const least = bytesOf(units) / PARTS_MAX;
  const parts: PartPlan[] = [];
  let open: OwnedUnit[][] = [];
  let openBytes = 0;
  for (const [i, { country, bytes }] of sized.entries()) {
    open.push(country);
    openBytes += bytes;
    if (openBytes < least && i < sized.length - 1) continue;
    parts.push(partOf(open.flat(), openBytes, levels));
    open = [];
    openBytes = 0;
  }
  return parts;
}

function bytesOf(units: readonly SourceUnit[]): number {
  return units.reduce((sum, { bytes }) => sum + bytes, 0);
}

function partOf(units: readonly OwnedUnit[], bytes: number, levels: number): PartPlan {
  const sorted = [...units].sort((a, b) => a.fid - b.fid);
  return {
    fids: Float64Array.from(sorted, ({ fid }) => fid),
    owners: Array.from({ length: levels }, (_, n) => Uint32Array.from(sorted, ({ owners }) => elementAt(owners, n))),
    bytes,
  };
}
