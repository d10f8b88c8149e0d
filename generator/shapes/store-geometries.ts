// Makes the other geometries of a level's units: a store for each, with the text of every feature, from which the tasks
// that write feature files copy. Runs in a child process: simplification holds all borders of the level in memory.
import { elementAt } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import { geometryIn, NO_GEOMETRY, withGeometry } from '../geojson/feature.ts';
import { storedText } from '../store/feature-store.ts';
import { LevelStore } from '../store/level-store.ts';
import { newLabels } from './label-places.ts';
import { type LabelPoint, labelPoint } from './label-point.ts';
import { readLevelRings } from './level-rings.ts';
import { polygonsToJson, simplifyUnits } from './simplified-geometry.ts';

/** Which geometries to make. Plain data: it is sent to a child process. */
export interface GeometriesTask {
  /** Path of the level's store. */
  store: string;
  geometries: readonly Geometry[];
  /** Decimals of the full geometry. */
  precision: number;
  /** Whether to leave the places of labels for tiles. */
  labels: boolean;
}

const MULTI = Buffer.from('{"type":"Multi');
const POLYGONS = /^\{"type":"(?:Multi)?Polygon"/;
const HEAD_BYTES = 24;

/** Makes the stores of some geometries of a level. */
export function storeGeometries({ geometries, precision, labels, ...task }: GeometriesTask): void {
  const store = new LevelStore(task.store);
  const texts = store.openFeatures();
  const others = store.openFeatures('none');
  const rings = readLevelRings(store, precision);
  const {
    polygons,
    decimals,
    invalid: simplifiedInvalid,
  } = simplifyUnits(rings, geometries.includes('low') ? 'low' : 'medium');
  const writers = geometries.map((geometry) => ({
    geometry,
    writer: store.createGeometry(geometry),
  }));
  const all = [0, texts.index.features];
  const withoutGeometries = others.read(all);
  let invalid = simplifiedInvalid;
  const places = labels ? newLabels(rings) : undefined;
  let position = 0;
  for (const text of texts.read(all)) {
    const other = withoutGeometries.next();
    if (other.done === true) throw new RangeError(`position ${position}`);
    const withoutGeometry = storedText(other.value);
    const full = geometryIn(storedText(text), withoutGeometry);
    const simplified = full.equals(NO_GEOMETRY) ? [] : polygons(position);
    // Polygons without area stay as they are.
    if (simplified.length === 0 && POLYGONS.test(full.toString('latin1', 0, HEAD_BYTES))) invalid++;
    const isPlaced = places !== undefined || geometries.includes('point');
    const point = isPlaced ? labelPoint(rings, position, simplified, decimals) : undefined;
    places?.add(position, point);
    const made = (geometry: Geometry): Buffer => {
      if (full.equals(NO_GEOMETRY)) return full;
      if (geometry === 'point') return pointToJson(point, rings.scale) ?? firstPoint(full);
      // Points and lines have nothing to simplify.
      if (simplified.length === 0) return full;
      return polygonsToJson(simplified, full.subarray(0, MULTI.length).equals(MULTI), decimals);
    };
    const fid = elementAt(texts.index.fids, position);
    for (const { geometry, writer } of writers) writer.append(fid, withGeometry(withoutGeometry, made(geometry)));
    position++;
  }
  for (const { geometry, writer } of writers) {
    writer.close();
    store.writeInvalid(geometry, geometry === 'point' ? 0 : invalid);
  }
  if (places !== undefined) store.writeLabels(places.end());
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
