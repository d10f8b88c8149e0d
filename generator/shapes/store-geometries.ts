// Makes the other geometries of a level's units: a store for each, with the text of every feature, from which the tasks
// that write feature files copy. Runs in a child process: simplification holds all borders of the level in memory.
import { elementAt } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import { geometryIn, NO_GEOMETRY, withGeometry } from '../geojson/feature.ts';
import { storedText } from '../store/feature-store.ts';
import { LevelStore } from '../store/level-store.ts';
import { kindOfShape, SHAPES } from '../store/store-index.ts';
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
  let invalid = simplifiedInvalid;
  const places = labels ? newLabels(rings) : undefined;
  let position = 0;
  for (const other of others.read([0, texts.index.features])) {
    const withoutGeometry = storedText(other);
    const at = position;
    const kind = kindOfShape(elementAt(texts.index.shapes, at));
    const simplified = kind === SHAPES.none ? [] : polygons(at);
    // Polygons without area stay as they are.
    if (simplified.length === 0 && (kind === SHAPES.polygon || kind === SHAPES.multiPolygon)) invalid++;
    // Only of what has nothing to simplify, as points and lines.
    const full = (): Buffer => {
      const [text] = texts.read([at, at + 1]);
      if (text === undefined) throw new RangeError(`position ${at}`);
      return geometryIn(storedText(text), withoutGeometry);
    };
    const isPlaced = places !== undefined || geometries.includes('point');
    const point = isPlaced ? labelPoint(rings, at, simplified, decimals) : undefined;
    places?.add(at, point);
    const made = (geometry: Geometry): Buffer => {
      if (kind === SHAPES.none) return NO_GEOMETRY;
      if (geometry === 'point') return pointToJson(point, rings.scale) ?? firstPoint(full());
      if (simplified.length === 0) return full();
      return polygonsToJson(simplified, kind === SHAPES.multiPolygon, decimals);
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
