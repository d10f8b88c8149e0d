// Makes the other geometries of a level's units: a store for each, with the text of every feature, from which the tasks that
// write feature files copy. Runs in a child process: simplification holds all borders of the level in memory.
import { elementAt } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import { geometryIn, withGeometry } from '../geojson/feature.ts';
import { newRingCollector } from '../geometries/level-rings.ts';
import { newPolygonWriter, simplifyUnits } from '../geometries/simplified-geometry.ts';
import {
  createStore,
  geometryStorePath,
  openStore,
  type StoredFeature,
  type StoreReader,
  storedText,
} from '../store/feature-store.ts';
import { readRings } from '../store/ring-store.ts';
import { readSidecar, writeSidecar } from '../store/sidecar.ts';

/** Which geometries to make. Plain data: it is sent to a child process. */
export interface GeometriesTask {
  /** Path of the level's store. */
  store: string;
  geometries: readonly Geometry[];
  /** Decimals of the full geometry. */
  precision: number;
}

/** The geometries that are made together: a point is found in the medium geometry. `none` is made when a level is read. */
const GROUPS: readonly (readonly Geometry[])[] = [['medium', 'point'], ['low']];

/** The geometries to make for a release with these, for each task. */
export function geometryGroups(geometries: readonly Geometry[]): Geometry[][] {
  return GROUPS.map((group) => group.filter((geometry) => geometries.includes(geometry))).filter(
    ({ length }) => length > 0,
  );
}

/** A unit as it was read: its text without a geometry, and its full geometry as GeoJSON. */
interface ReadUnit {
  withoutGeometry: Buffer;
  full: Buffer;
}

const MULTI = Buffer.from('{"type":"Multi');
const NULL = Buffer.from('null');

/** Makes the stores of some geometries of a level. */
export function storeGeometries({ store, geometries, precision }: GeometriesTask): void {
  const texts = openStore(store);
  const others = openStore(geometryStorePath(store, 'none'));
  const unitAt = (position: number): ReadUnit => {
    const withoutGeometry = storedText(featureAt(others, position));
    return { withoutGeometry, full: geometryIn(storedText(featureAt(texts, position)), withoutGeometry) };
  };
  const rings = newRingCollector(precision);
  readRings(store, rings, rings.unit);
  const simplified = simplifyUnits(rings.rings(), geometries.includes('low') ? 'low' : 'medium');
  const write = newPolygonWriter(simplified.decimals);
  for (const geometry of geometries) {
    const writer = createStore(geometryStorePath(store, geometry), []);
    for (let position = 0; position < texts.index.features; position++) {
      const { withoutGeometry, full } = unitAt(position);
      const polygons = simplified.polygons(position);
      // Points and lines have nothing to simplify.
      let made = polygons.length === 0 ? full : write(polygons, full.subarray(0, MULTI.length).equals(MULTI));
      if (geometry === 'point' && !full.equals(NULL)) made = pointIn(polygons, full);
      const fid = elementAt(texts.index.fids, position);
      writer.append({ fid, gids: [], box: [0, 0, 0, 0] }, withGeometry(withoutGeometry, made));
    }
    writer.close();
    writeSidecar(geometryStorePath(store, geometry), 'invalid', geometry === 'point' ? 0 : simplified.invalid);
  }
  texts.close();
  others.close();
}

function pointIn(polygons: readonly (readonly (readonly number[])[])[], full: Buffer): Buffer {
  const [[ring = []] = []] = polygons;
  const [x, y] = ring;
  if (x === undefined || y === undefined) return full;
  return Buffer.from(`{"type":"Point","coordinates":[${x / 1e4},${y / 1e4}]}`);
}

function featureAt(store: StoreReader, position: number): StoredFeature {
  const [feature] = store.read([position, position + 1]);
  if (feature === undefined) throw new RangeError(`position ${position}`);
  return feature;
}

/** Number of simplified units that are not valid although their full geometry is. */
export function readInvalid(store: string, geometry: Geometry): number {
  return geometry === 'none' ? 0 : readSidecar(geometryStorePath(store, geometry), 'invalid');
}
