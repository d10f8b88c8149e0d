// Writes a part: unites the features of some units, level by level from the deepest, into a GeoPackage with a layer for
// each level. Runs in a child process.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import { elementAt } from '../../format/element-at.ts';
import { grouped } from '../../format/grouped.ts';
import { crsFrom, statedCrs, WGS84 } from '../gdal/crs.ts';
import { execute, gdal } from '../gdal/gdal.ts';
import { gdalResult } from '../gdal/open-dataset.ts';
import { eachMadeValid, multiPolygonOf, polygonParts } from '../gdal/valid-polygons.ts';
import { gidFrom, InexactInteger, jsonOf, type PropertyValue, valueToJson } from '../geojson/property-values.ts';
import { BuildError } from '../report/errors.ts';
import { type ColumnType, type DissolvedLayer, partLayer } from '../source/level-source.ts';
import { openSelection, withTextIntegers } from '../source/open-layer.ts';
import type { LevelPlan, PartPlan } from './dissolve-plan.ts';
import { atUnit, featurePolygons, unitAt, unitsIn } from './source-units.ts';

/** What to write. */
export interface PartTask {
  source: DissolvedLayer;
  levels: readonly LevelPlan[];
  part: PartPlan;
  /** Path of the GeoPackage. */
  file: string;
}

/** The result of writing a part. */
export interface PartResult {
  /** Fids of the source units whose polygons had to be made valid before they could be united. */
  repaired: readonly number[];
}

/** A source unit, or the union of several. */
interface Piece {
  /** Index of its first source unit in the part. */
  first: number;
  /** By field of the source, as they are published; null also where its source units differ. */
  values: readonly PropertyValue[];
  geometry: gdalTypes.MultiPolygon | null;
  /** Are its polygons known to be valid? */
  isValid: boolean;
}

/**
 * Writes a part with a layer for each level; one without units in this part has none.
 * @throws BuildError with file, layer and fid if GDAL or GEOS fails
 */
export function writePart(task: PartTask): PartResult {
  try {
    return partOf(task);
  } catch (error) {
    if (!(error instanceof InexactInteger)) throw error;
    return partOf({ ...task, source: withTextIntegers(task.source) });
  }
}

/** @throws InexactInteger for a value that has to be read as text */
function partOf(task: PartTask): PartResult {
  const { dataset, layer } = openSelection(task.source);
  try {
    return new PartWriter(task, layer).write();
  } finally {
    dataset.close();
  }
}

class PartWriter {
  readonly #task: PartTask;
  readonly #layer: gdalTypes.Layer;
  readonly #repaired: number[] = [];
  /** The features by fid, of a format that finds none without reading all before it. */
  readonly #features = new Map<number, gdalTypes.Feature>();

  constructor(task: PartTask, layer: gdalTypes.Layer) {
    this.#task = task;
    this.#layer = layer;
    if (!layer.testCapability(gdal.OLCRandomRead)) {
      const own = new Set(task.part.fids);
      for (const feature of unitsIn(layer, task.source))
        if (own.has(feature.fid)) this.#features.set(feature.fid, feature);
    }
  }

  write(): PartResult {
    const { part, levels, file } = this.#task;
    let pieces = Array.from(part.fids, (_, i) => this.#readPiece(i));
    rmSync(file, { force: true });
    const output = this.#writing(() => gdal.open(file, 'w', 'GPKG'));
    for (const [at, level] of [...levels.entries()].reverse()) {
      const owners = elementAt(part.owners, at);
      pieces = this.#mergeByOwner(pieces, owners, level);
      const units = pieces.filter(({ first }) => elementAt(owners, first) !== 0);
      if (units.length > 0) this.#writing(() => this.#writeLevel(output, level, owners, units));
    }
    this.#writing(() => output.close());
    return { repaired: this.#repaired };
  }

  #readPiece(first: number): Piece {
    const feature = this.#readFeature(first);
    const { source } = this.#task;
    const own = feature.fields.toArray();
    const values = source.fields.map(({ type }, at) => valueToJson(own[at], type));
    const polygons = featurePolygons(feature, source);
    polygons?.flattenTo2D();
    const geometry = polygons && multiPolygonOf(polygonParts(polygons));
    return { first, values, geometry, isValid: false };
  }

  #readFeature(i: number): gdalTypes.Feature {
    const { source, part } = this.#task;
    const fid = elementAt(part.fids, i);
    return this.#features.get(fid) ?? unitAt(this.#layer, fid, source);
  }

  /** Unites the pieces of each unit of a level; the others are kept. */
  #mergeByOwner(pieces: readonly Piece[], owners: Uint32Array, level: LevelPlan): Piece[] {
    const members = grouped(pieces, ({ first }) => elementAt(owners, first));
    const kept = members.get(0) ?? [];
    members.delete(0);
    return [...kept, ...[...members.values()].map((group) => this.#merge(group, level))].sort(
      (a, b) => a.first - b.first,
    );
  }

  #merge(group: readonly Piece[], level: LevelPlan): Piece {
    const [first, ...others] = group;
    if (first === undefined) throw new RangeError('a unit without members');
    if (others.length === 0) return first;
    // GIDs are the same, but where different parts are joined to one text.
    const gids = new Set(this.#task.source.gids.slice(0, level.level + 1).flat());
    const values = first.values.map((value, at) =>
      gids.has(at) || others.every((other) => isSameValue(value, elementAt(other.values, at))) ? value : null,
    );
    return { first: first.first, values, geometry: this.#unite(group, level), isValid: true };
  }

  #unite(group: readonly Piece[], { level }: LevelPlan): gdalTypes.MultiPolygon | null {
    let at = elementAt(group, 0).first;
    try {
      const geometries = group.flatMap((piece) => {
        at = piece.first;
        return this.#validGeometry(piece);
      });
      at = elementAt(group, 0).first;
      return geometries.length === 0 ? null : union(geometries);
    } catch (error) {
      if (!(error instanceof UnionError)) throw error;
      const { source, part } = this.#task;
      const gid = gidFrom(this.#readFeature(at).fields.toArray(), elementAt(source.gids, level), source);
      throw new BuildError(
        `${atUnit(source, elementAt(part.fids, at))}: it cannot be united with the other units of ${gid}: ${error.message}`,
        'repair the geometry in the source, e.g. ogr2ogr -makevalid OUTPUT.gpkg SOURCE',
      );
    }
  }

  #validGeometry({ first, geometry, isValid }: Piece): gdalTypes.MultiPolygon[] {
    if (geometry === null) return [];
    if (isValid) return [geometry];
    // GEOS needs valid ones: its union of others may be wrong without an error.
    const { polygons, wereInvalid } = geosResult(() => eachMadeValid(geometry));
    if (!wereInvalid) return [geometry];
    this.#repaired.push(elementAt(this.#task.part.fids, first));
    return [multiPolygonOf(polygons)];
  }

  #writeLevel(
    output: gdalTypes.Dataset,
    { level, fields }: LevelPlan,
    owners: Uint32Array,
    units: readonly Piece[],
  ): void {
    const { crs, fields: all } = this.#task.source;
    // A layer without a CRS is in WGS 84, as the build reads it; GDAL would declare an unknown CRS.
    const srs = (crs === undefined ? statedCrs(this.#layer) : undefined) ?? crsFrom(crs ?? WGS84);
    const layer = output.layers.create(partLayer(level), srs, gdal.wkbMultiPolygon, ['SPATIAL_INDEX=NO']);
    const types = fields.map((at) => storedType(elementAt(all, at).type));
    // Names of the source may differ in case alone, which those of a table may not.
    for (const [i, type] of types.entries()) layer.fields.add(new gdal.FieldDefn(`c${i}`, type));
    execute(output, 'BEGIN');
    for (const { first, values, geometry } of units) {
      const feature = new gdal.Feature(layer);
      feature.fields.set(fields.map((at, i) => storedValue(elementAt(values, at), elementAt(types, i))));
      feature.fid = elementAt(owners, first);
      feature.setGeometry(geometry);
      layer.features.add(feature);
    }
    execute(output, 'COMMIT');
  }

  /** Runs a step of writing. */
  #writing<Result>(step: () => Result): Result {
    return gdalResult(
      step,
      (reason) =>
        new BuildError(
          `${dirname(this.#task.file)}: GDAL cannot write a working file: ${reason.replaceAll(this.#task.file, 'it')}`,
          'check the space on that disk',
        ),
    );
  }
}

function isSameValue(a: PropertyValue, b: PropertyValue): boolean {
  return a === b || (typeof a === 'object' && jsonOf(a) === jsonOf(b));
}

/** The type of a column in the working file, which has values as they are published. */
function storedType(type: ColumnType): string {
  if (type === 'real') return gdal.OFTReal;
  return type === 'integer' || type === 'boolean' ? gdal.OFTInteger : gdal.OFTString;
}

/** A value in the working file: in text, lists are JSON, and integers have all of their digits. */
function storedValue(value: PropertyValue, type: string): string | number | null {
  if (value === null || typeof value === 'string') return value;
  return type === gdal.OFTString ? jsonOf(value) : Number(value);
}

/** GEOS, through GDAL, cannot unite members. The message is that of GEOS; the caller adds the place. */
class UnionError extends Error {}

/**
 * The union.
 * @param members valid polygons; they may overlap
 * @throws UnionError if GEOS fails
 */
function union(members: readonly gdalTypes.MultiPolygon[]): gdalTypes.MultiPolygon {
  const all = multiPolygonOf(members.flatMap(polygonParts));
  return multiPolygonOf(polygonParts(geosResult(() => all.unionCascaded())));
}

function geosResult<Result>(operation: () => Result): Result {
  return gdalResult(operation, (reason) => new UnionError(reason));
}
