// What the text of one published feature says: the fid and the GIDs that the index has for its position, its name, and
// whether the overview must have its shape.
import type { LevelIndex } from '../../format/level-index.ts';
import type { NamedUnit } from '../../format/names.ts';
import type { LevelSummary } from '../../format/release.ts';
import { gidFrom, isNoName } from '../geojson/property-values.ts';
import { gidsOf } from '../names/named-units.ts';
import { FileError } from '../reader/file-error.ts';
import { featureFrom, isObject, type JsonFeature, listOf, parsedToJson } from '../reader/parse-feature.ts';

/** Name and type of a unit. */
export type Label = Pick<NamedUnit, 'name' | 'type'>;

/** What a feature says for names and overview. Plain data. */
export interface Unit extends Label {
  /** Whether the overview must, may or must not have its shape; `may` for units of little area. */
  shape: 'must' | 'may' | 'no';
}

/**
 * Makes a check of the features of a level. It takes a text, JSON and line feed, and its position, and returns the feature;
 * it throws FileError if the text is not the feature that the index describes.
 */
export function newFeatureCheck(index: LevelIndex): (text: Buffer, position: number) => JsonFeature {
  const columns = index.columns.map(({ name }, column) => ({ name, gidAt: gidsOf(index, column) }));
  return (text, position) => {
    const fid = index.fidAt(position);
    const feature = featureFrom(text);
    const { id, properties } = feature;
    if (id !== fid) throw new FileError(`its id is ${parsedToJson(id)}, expected ${fid}`);
    if (properties['fid'] !== fid) throw new FileError(`properties.fid is ${parsedToJson(properties['fid'])}`);
    for (const { name, gidAt } of columns) {
      const [gid, expected] = [gidFrom([properties[name]], [0]), gidAt(position)];
      if (gid !== expected)
        throw new FileError(`${name} is ${JSON.stringify(gid)}, the index has ${JSON.stringify(expected)}`);
    }
    return feature;
  };
}

/** The columns of names and types. */
export type LabelColumns = Pick<LevelSummary, 'nameColumn' | 'typeColumn'>;

/** What a feature says. @param isInOverview is its level in the overview? */
export function unitOf({ properties, geometry }: JsonFeature, columns: LabelColumns, isInOverview: boolean): Unit {
  return {
    name: nameIn(properties, columns.nameColumn),
    type: nameIn(properties, columns.typeColumn),
    shape: isInOverview ? shapeOf(geometry) : 'may',
  };
}

/** The name or type in a column; null if there is none. */
function nameIn(properties: JsonFeature['properties'], column: string): string | null {
  const text = textOf(properties[column]);
  return text !== null && isNoName(text, column) ? null : text;
}

/** A property as text; null if it is empty. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' ? value : (parsedToJson(value) ?? null);
}

/** Area in square degrees from which a unit must have a shape: a build rounds coordinates before it computes areas. */
const AREA_MIN = 1e-9;

function shapeOf(geometry: JsonFeature['geometry']): Unit['shape'] {
  const rings = exteriorRings(geometry);
  if (rings.length === 0) return 'no';
  return rings.some((ring) => areaOf(ring) > AREA_MIN) ? 'must' : 'may';
}

function exteriorRings(geometry: unknown): (readonly unknown[])[] {
  if (!isObject(geometry)) return [];
  const { type, coordinates, geometries } = geometry;
  if (type === 'GeometryCollection') return listOf(geometries).flatMap(exteriorRings);
  const polygons = type === 'Polygon' ? [coordinates] : listOf(type === 'MultiPolygon' && coordinates);
  return polygons.map((polygon) => listOf(listOf(polygon)[0])).filter((ring) => ring.length > 0);
}

/** The area of a closed ring in square degrees. */
function areaOf(ring: readonly unknown[]): number {
  const [x0 = NaN, y0 = NaN] = listOf(ring[0]).map(Number);
  let [area, x1, y1] = [0, x0, y0];
  for (const position of ring) {
    const [x2 = NaN, y2 = NaN] = listOf(position).map(Number);
    area += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    [x1, y1] = [x2, y2];
  }
  return Math.abs(area) / 2;
}
