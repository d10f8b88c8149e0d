// Plans how the features of a layer become the units of levels: which features each unit is made from, and which part
// file holds it. Runs in a child process. The plan depends on the data alone, not on the workers.
import { crc32 } from 'node:zlib';
import type * as gdalTypes from 'gdal-async';
import { elementAt, numberAt } from '../../format/element-at.ts';
import type { Finding } from '../../format/findings.ts';
import { grouped } from '../../format/grouped.ts';
import type { Level } from '../../format/levels.ts';
import { gidFrom, InexactInteger, valueToJson } from '../geojson/property-values.ts';
import { Findings } from '../quality/findings.ts';
import { BuildError } from '../report/errors.ts';
import { type DissolvedLayer, foundIn } from '../source/level-source.ts';
import { openSelection, withTextIntegers } from '../source/open-layer.ts';
import { differentUnits, textsIn } from '../source/same-unit.ts';
import { atLayer, atUnit, featurePolygons, unitsIn } from './source-units.ts';

/** The plan. Plain data: its parts are sent to child processes. */
export interface DissolvePlan {
  /** Number of features in the source. */
  sourceUnits: number;
  /** The levels that are made, ascending. */
  levels: readonly LevelPlan[];
  /** The part with most work first. */
  parts: readonly PartPlan[];
  /** Units whose features are no pieces of one unit, by what these are called. */
  findings: readonly Finding[];
  /** The columns in which no value repeats. */
  keys: readonly string[];
}

/** One level of the result. */
export interface LevelPlan {
  level: Level;
  /** Number of units. Their fids are 1 .. units, in the order of the first source fid of each. */
  units: number;
  /** Indexes of its fields in the source layer. */
  fields: readonly number[];
}

/** The source units of one part file: all of those that any unit of it is made from. */
export interface PartPlan {
  /** Source fids, ascending. */
  fids: Float64Array;
  /** For each level of the plan and each source unit, the fid of the unit which it belongs to; 0 for none. */
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
  /** Sums of its values, by which they are compared; none for a single layer. */
  sums: Uint32Array;
  /** By level of the plan the texts by which units are told apart. */
  texts: readonly (readonly (string | null)[])[];
}

/** A source unit and, by level of the plan, the fid of the unit that it belongs to; 0 for none. */
interface OwnedUnit extends SourceUnit {
  owners: readonly number[];
}

/** A unit that is made, the first feature of it, and whether another one is no piece of the same. */
interface Member {
  owner: number;
  first: SourceUnit;
  isDifferent: boolean;
}

/** Parts have at least this share of all work, so that small countries share a file. */
const PARTS_MAX = 64;

/**
 * Reads all features once and plans the union.
 * @throws BuildError if a unit has no GID at all or is not polygonal, the features of a unit have different parents, or
 *   GDAL reports an error
 */
export function planDissolve(source: DissolvedLayer): DissolvePlan {
  try {
    return planOf(source);
  } catch (error) {
    if (!(error instanceof InexactInteger)) throw error;
    return planOf(withTextIntegers(source));
  }
}

/** @throws InexactInteger for a GID that has to be read as text */
function planOf(source: DissolvedLayer): DissolvePlan {
  const { dataset, layer } = openSelection(source);
  try {
    const names = layer.fields.getNames();
    const gids = new Set(source.gids.flat());
    const others = names.flatMap((name, at) => (gids.has(at) || LEVEL_SUFFIX.test(name) ? [] : [at]));
    const { units, keys } = scanUnits(layer, names.length, others, source);
    const different = source.levels.map((level) => new Findings(level));
    const { owned, counts } = source.isSingle ? assignOwners(units, source) : assignByGid(units, source, different);
    const levels = source.levels.map((level, at): LevelPlan => {
      const isKept = source.isSingle
        ? (field: number, name: string) => levelOfField(field, name, source, keys) <= level
        : newIsKept(level, owned, at, source);
      return {
        level,
        units: elementAt(counts, at),
        fields: names.flatMap((name, field) => (isKept(field, name) ? [field] : [])),
      };
    });
    const members = owned.filter(({ owners }) => owners.some((owner) => owner !== 0));
    return {
      sourceUnits: members.length,
      levels,
      parts: planParts(members, levels.length),
      findings: different.flatMap((own) => own.list()),
      keys: [...keys].map((field) => elementAt(names, field)),
    };
  } finally {
    dataset.close();
  }
}

/** The level in the name of a column, as in NAME_1. */
const LEVEL_SUFFIX = /_([0-5])$/;

/** The first level of a single layer that has a field; keys of its features, e.g. UID, are in none. */
function levelOfField(field: number, name: string, { gids }: DissolvedLayer, keys: ReadonlySet<number>): number {
  const own = gids.findIndex((fields) => fields.includes(field));
  if (own !== -1) return own;
  return Number(LEVEL_SUFFIX.exec(name)?.[1] ?? (keys.has(field) ? Infinity : 0));
}

/**
 * Returns a function that says whether a level has a field: that of a GID, one that an option names, and one on which
 * the features of most units agree that are made from several.
 */
function newIsKept(
  level: Level,
  owned: readonly OwnedUnit[],
  at: number,
  { gids, kept }: DissolvedLayer,
): (field: number, name: string) => boolean {
  const firsts = new Map<number, SourceUnit>();
  const several = new Set<number>();
  const differing = new Map<number, Set<number>>();
  for (const unit of owned) {
    const owner = elementAt(unit.owners, at);
    const first = firsts.get(owner);
    if (owner === 0 || first === undefined) {
      firsts.set(owner, unit);
      continue;
    }
    several.add(owner);
    for (const [field, sum] of unit.sums.entries()) {
      if (sum === first.sums[field]) continue;
      const units = differing.get(field);
      if (units === undefined) differing.set(field, new Set([owner]));
      else units.add(owner);
    }
  }
  const own = new Set(gids.slice(0, level + 1).flat());
  return (field, name) =>
    own.has(field) || elementAt(kept, at).includes(name) || 2 * (differing.get(field)?.size ?? 0) <= several.size;
}

/** All units, by fid, and which of the other fields are keys: no two units have the same value. */
function scanUnits(
  layer: gdalTypes.Layer,
  fields: number,
  others: readonly number[],
  source: DissolvedLayer,
): { units: SourceUnit[]; keys: ReadonlySet<number> } {
  const units: SourceUnit[] = [];
  const wide = source.gids.flat().filter((at) => layer.fields.get(at).type === 'integer64');
  const keys = new Map(others.map((at) => [at, new Set<unknown>()]));
  for (const feature of unitsIn(layer, source)) {
    const values = feature.fields.toArray();
    for (const at of wide) valueToJson(values[at], 'integer64');
    const gids = source.gids.map((own) => (isNone(values, own, source) ? null : gidFrom(values, own, source)));
    for (const [at, seen] of keys) {
      seen.add(textOf(values[at]));
      if (seen.size <= units.length) keys.delete(at);
    }
    const sums = new Uint32Array(source.isSingle ? 0 : fields);
    for (const at of sums.keys()) sums[at] = crc32(textOf(values[at]));
    const texts = source.telling.map((own) => textsIn(values, own));
    units.push({ fid: feature.fid, gids, sums, texts, bytes: featurePolygons(feature, source)?.wkbSize ?? 0 });
  }
  return { units: units.sort((a, b) => a.fid - b.fid), keys: new Set(keys.keys()) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** GADM 2 writes 0 in the last column of a GID where a unit has none. */
function isNone(values: readonly unknown[], fields: readonly number[], { isZeroNone }: DissolvedLayer): boolean {
  return isZeroNone && fields.length > 1 && values[elementAt(fields, fields.length - 1)] === 0;
}

/** Groups the units of a single layer by their GIDs. Equal GIDs with different parents are different units. */
function assignOwners(units: readonly SourceUnit[], source: DissolvedLayer): { owned: OwnedUnit[]; counts: number[] } {
  const known = source.levels.map(() => new Map<string, number>());
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
      `${atUnit(source, unit.fid)}: it has no GID in any of ${source.columns.join(', ')}`,
      'set its GIDs in the source, or remove the feature',
    );
  });
  return { owned, counts: known.map(({ size }) => size) };
}

/**
 * Groups the units by the GIDs of each level that is made. A feature without one is a unit by itself at its own level.
 * @throws BuildError if the features of a unit have different parents
 */
function assignByGid(
  units: readonly SourceUnit[],
  source: DissolvedLayer,
  different: readonly Findings[],
): { owned: OwnedUnit[]; counts: number[] } {
  const known = source.levels.map(() => ({ count: 0, byGid: new Map<string, Member>() }));
  const owned = units.map((unit) => {
    const owners = source.levels.map((level, at) => {
      const ofLevel = elementAt(known, at);
      const gid = unit.gids[level] ?? null;
      if (gid === null) return level === source.level ? ++ofLevel.count : 0;
      const one = ofLevel.byGid.get(gid);
      if (one === undefined) {
        ofLevel.byGid.set(gid, { owner: ++ofLevel.count, first: unit, isDifferent: false });
        return ofLevel.count;
      }
      refuseOtherParents(one.first, unit, level, source);
      if (one.isDifferent) return one.owner;
      const called = differentUnits(elementAt(one.first.texts, at), elementAt(unit.texts, at));
      if (called === undefined) return one.owner;
      one.isDifferent = true;
      elementAt(different, at).add(
        'disagreeing-pieces',
        `${foundIn(source)}, fids ${one.first.fid} and ${unit.fid}: ${gid} is ${called.join(' and ')}`,
      );
      return one.owner;
    });
    return { ...unit, owners };
  });
  return { owned, counts: known.map(({ count }) => count) };
}

function refuseOtherParents(one: SourceUnit, other: SourceUnit, level: Level, source: DissolvedLayer): void {
  const n = one.gids.slice(0, level).findIndex((gid, at) => gid !== other.gids[at]);
  if (n === -1) return;
  const [own, parent] = [level, n].map((at) => elementAt(source.columns, at));
  throw new BuildError(
    `${atLayer(source)}: fids ${one.fid} and ${other.fid} both have ${own} ${one.gids[level]}, but different parents: ` +
      `${parent} ${one.gids[n] ?? 'none'} and ${other.gids[n] ?? 'none'}`,
    `correct the parents in the source; or, if they are different units, compose their GID: --gid-column lv${level}=${parent}+${own}`,
  );
}

/**
 * Puts what is united into one part: the units of each country, or of the highest level that is made; small ones
 * together.
 */
function planParts(units: readonly OwnedUnit[], levels: number): PartPlan[] {
  const countries = grouped(units, ({ owners }) => {
    const n = owners.findIndex((owner) => owner !== 0);
    return `${n}:${owners[n]}`;
  });
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
    owners: Array.from({ length: levels }, (_, at) => Uint32Array.from(sorted, ({ owners }) => numberAt(owners, at))),
    bytes,
  };
}
