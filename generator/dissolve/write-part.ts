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
import { gidFrom } from '../geojson/property-values.ts';
import { BuildError } from '../report/errors.ts';
import { type DissolvedLayer, partLayer } from '../source/level-source.ts';
import { openSelection } from '../source/open-layer.ts';
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
  /** By field of the source; null also where its source units differ. */
  values: readonly unknown[];
  geometry: gdalTypes.MultiPolygon | null;
  /** Are its polygons known to be valid? */
  isValid: boolean;
}

/**
 * Writes a part with a layer for each level; one without units in this part has none.
 * @throws BuildError with file, layer and fid if GDAL or GEOS fails
 */
export function writePart(task: PartTask): PartResult {
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
  readonly #output: gdalTypes.Dataset;
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
    rmSync(task.file, { force: true });
    this.#output = this.#writing(() => gdal.open(task.file, 'w', 'GPKG'));
  }

  write(): PartResult {
    const { part, levels } = this.#task;
    let pieces = Array.from(part.fids, (_, i) => this.#readPiece(i));
    for (const [at, level] of [...levels.entries()].reverse()) {
      const owners = elementAt(part.owners, at);
      pieces = this.#mergeByOwner(pieces, owners, level);
      const units = pieces.filter(({ first }) => elementAt(owners, first) !== 0);
      if (units.length > 0) this.#writing(() => this.#writeLevel(level, owners, units));
    }
    this.#writing(() => this.#output.close());
    return { repaired: this.#repaired };
  }

  #readPiece(first: number): Piece {
    const feature = this.#readFeature(first);
    const polygons = featurePolygons(feature, this.#task.source);
    polygons?.flattenTo2D();
    const geometry = polygons && multiPolygonOf(polygonParts(polygons));
    return { first, values: feature.fields.toArray(), geometry, isValid: false };
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
    const values = first.values.map((value, at) =>
      others.every((other) => isSameValue(value, other.values[at])) ? value : null,
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

  #writeLevel({ level, fields }: LevelPlan, owners: Uint32Array, units: readonly Piece[]): void {
    // The features of a unit have the same GIDs, also where integers beyond 2^53 cannot be compared.
    const gids = new Set(this.#task.source.gids.slice(0, level + 1).flat());
    const { crs } = this.#task.source;
    // A layer without a CRS is in WGS 84, as the build reads it; GDAL would declare an unknown CRS.
    const srs = (crs === undefined ? statedCrs(this.#layer) : undefined) ?? crsFrom(crs ?? WGS84);
    const layer = this.#output.layers.create(partLayer(level), srs, gdal.wkbMultiPolygon, [
      // Names that no column of the source has.
      'FID=unit_fid',
      'GEOMETRY_NAME=unit_geometry',
      'SPATIAL_INDEX=NO',
    ]);
    for (const at of fields) layer.fields.add(this.#layer.fields.get(at));
    const fieldMap = this.#layer.fields.map((_, at) => fields.indexOf(at));
    execute(this.#output, 'BEGIN');
    for (const { first, values, geometry } of units) {
      const feature = new gdal.Feature(layer);
      // GDAL copies the values itself: in JavaScript, 64-bit integers would lose digits.
      feature.setFrom(this.#readFeature(first), fieldMap);
      for (const [i, at] of fields.entries()) if (values[at] === null && !gids.has(at)) feature.fields.set(i, null);
      feature.fid = elementAt(owners, first);
      feature.setGeometry(geometry);
      layer.features.add(feature);
    }
    execute(this.#output, 'COMMIT');
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

/** Are two values of gdal-async equal? Integers beyond 2^53 never are: they may have lost digits. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a === 'object' && a !== null) return JSON.stringify(a) === JSON.stringify(b);
  return a === b && !(Number.isInteger(a) && !Number.isSafeInteger(a));
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
