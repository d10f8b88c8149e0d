// Makes the other geometries of a level's units: a store for each, with the text of every feature, from which the tasks that
// write feature files copy. Runs in a child process: simplification holds all borders of the level in memory.
import { elementAt } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import { geometryIn, NO_GEOMETRY, withGeometry } from '../geojson/feature.ts';
import { type LabelPoint, newLabelPoints } from '../geometries/label-point.ts';
import { readLevelRings } from '../geometries/level-rings.ts';
import { newPolygonWriter, simplifyUnits } from '../geometries/simplified-geometry.ts';
import {
  createStore,
  geometryStorePath,
  openStore,
  type StoredFeature,
  type StoreReader,
  storedText,
} from '../store/feature-store.ts';
import { writeSidecar } from '../store/sidecar.ts';

/** Which geometries to make. Plain data: it is sent to a child process. */
export interface GeometriesTask {
  /** Path of the level's store. */
  store: string;
  geometries: readonly Geometry[];
  /** Decimals of the full geometry. */
  precision: number;
}

/** A unit as it was read: its text without a geometry, and its full geometry as GeoJSON. */
interface ReadUnit {
  withoutGeometry: Buffer;
  full: Buffer;
}

/** Stores beside that of the full geometry need no boxes. */
const NO_BOX = [0, 0, 0, 0] as const;
const MULTI = Buffer.from('{"type":"Multi');

/** Makes the stores of some geometries of a level. */
export function storeGeometries({ store, geometries, precision }: GeometriesTask): void {
  const texts = openStore(store);
  const others = openStore(geometryStorePath(store, 'none'));
  const unitAt = (position: number): ReadUnit => {
    const withoutGeometry = storedText(featureAt(others, position));
    return { withoutGeometry, full: geometryIn(storedText(featureAt(texts, position)), withoutGeometry) };
  };
  const rings = readLevelRings(store, precision);
  const simplified = simplifyUnits(rings, geometries.includes('low') ? 'low' : 'medium');
  const writePolygons = newPolygonWriter(simplified.decimals);
  const pointAt = newLabelPoints(rings, simplified);
  for (const geometry of geometries) {
    const writer = createStore(geometryStorePath(store, geometry), []);
    const madeAt = (position: number, full: Buffer): Buffer => {
      if (geometry === 'point') return pointToJson(pointAt(position), rings.scale) ?? firstPoint(full);
      const polygons = simplified.polygons(position);
      // Points and lines have nothing to simplify.
      return polygons.length === 0 ? full : writePolygons(polygons, full.subarray(0, MULTI.length).equals(MULTI));
    };
    for (let position = 0; position < texts.index.features; position++) {
      const { withoutGeometry, full } = unitAt(position);
      const made = full.equals(NO_GEOMETRY) ? full : madeAt(position, full);
      const fid = elementAt(texts.index.fids, position);
      writer.append({ fid, gids: [], box: NO_BOX }, withGeometry(withoutGeometry, made));
    }
    writer.close();
    writeSidecar(geometryStorePath(store, geometry), 'invalid', geometry === 'point' ? 0 : simplified.invalid);
  }
  texts.close();
  others.close();
}

function pointToJson(point: LabelPoint | undefined, scale: number): Buffer | undefined {
  const [x, y] = point ?? [];
  if (x === undefined || y === undefined) return undefined;
  return Buffer.from(JSON.stringify({ type: 'Point', coordinates: [x / scale, y / scale] }));
}

/** The first position of a geometry: for points, lines and polygons without area. */
function firstPoint(full: Buffer): Buffer {
  const [position] = /\[-?[\d.]+,-?[\d.]+\]/.exec(full.toString('latin1')) ?? [];
  return position === undefined ? full : Buffer.from(`{"type":"Point","coordinates":${position}}`);
}

function featureAt(store: StoreReader, position: number): StoredFeature {
  const [feature] = store.read([position, position + 1]);
  if (feature === undefined) throw new RangeError(`position ${position}`);
  return feature;
}
