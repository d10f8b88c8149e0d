// Makes the other geometries of a level's units: a store for each, with the text of every feature, from which the tasks
// that write feature files copy. Runs in child processes: levels that nest are simplified in one, which holds all their
// borders in memory; the texts are made level by level.
import { elementAt } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import { geometryIn, NO_GEOMETRY, withGeometry } from '../geojson/feature.ts';
import { storedText } from '../store/feature-store.ts';
import { LevelStore } from '../store/level-store.ts';
import { kindOfShape, SHAPES } from '../store/store-index.ts';
import { newLabels } from './label-places.ts';
import { type LabelPoint, labelPoint } from './label-point.ts';
import { openUnits } from './level-rings.ts';
import { decimalsOf, polygonsToJson, type SimplifiedName, simplifierOf } from './simplified-geometry.ts';

/** Which levels to simplify together. Plain data: it is sent to a child process. */
export interface SimplifyTask {
  /** Paths of the levels' stores. */
  stores: readonly string[];
  names: readonly SimplifiedName[];
  /** Decimals of the full geometry. */
  precision: number;
}

/** Simplifies levels: writes the polygons of their units, and how many of these are invalid. */
export function simplifyLevels({ stores, names, precision }: SimplifyTask): void {
  const levels = stores.map((path) => new LevelStore(path));
  const units = levels.map((store) => openUnits(store, precision));
  const simplify = simplifierOf(units);
  for (const name of names) {
    const { polygons, invalid } = simplify(name);
    let position = 0;
    for (const [i, store] of levels.entries()) {
      const first = position;
      const shapes = store.createShapes(name);
      for (const end = first + elementAt(units, i).count; position < end; position++) shapes.append(polygons(position));
      shapes.close();
      store.writeInvalid(name, invalid.filter((unit) => unit >= first && unit < position).length);
    }
  }
  for (const level of units) level.close();
}

/** Which geometries to make. Plain data: it is sent to a child process. */
export interface GeometriesTask {
  /** Path of the level's store, with the polygons of its units. */
  store: string;
  /** The simplified geometry that they are made of. */
  name: SimplifiedName;
  geometries: readonly Geometry[];
  /** Decimals of the full geometry. */
  precision: number;
  /** Whether to leave the places of labels for tiles. */
  labels: boolean;
}

/** Makes the stores of some geometries of a level. Removes the polygons. */
export function storeGeometries({ name, geometries, precision, labels, ...task }: GeometriesTask): void {
  const store = new LevelStore(task.store);
  const decimals = decimalsOf(name, precision);
  const texts = store.openFeatures();
  const others = store.openFeatures('none');
  const units = openUnits(store, precision);
  const writers = geometries.map((geometry) => ({
    geometry,
    writer: store.createGeometry(geometry),
  }));
  const shapes = store.readShapes(name);
  const rings = units.all()[Symbol.iterator]();
  let invalid = store.readInvalid(name);
  const places = labels ? newLabels(units.count, units.scale) : undefined;
  let position = 0;
  for (const other of others.read([0, texts.index.features])) {
    const withoutGeometry = storedText(other);
    const at = position;
    const kind = kindOfShape(elementAt(texts.index.shapes, at));
    const polygons = nextOf(shapes, at);
    const simplified = kind === SHAPES.none ? [] : polygons;
    // Polygons without area stay as they are.
    if (simplified.length === 0 && (kind === SHAPES.polygon || kind === SHAPES.multiPolygon)) invalid++;
    // Only of what has nothing to simplify, as points and lines.
    const full = (): Buffer => {
      const [text] = texts.read([at, at + 1]);
      if (text === undefined) throw new RangeError(`position ${at}`);
      return geometryIn(storedText(text), withoutGeometry);
    };
    const unit = places !== undefined || geometries.includes('point') ? nextOf(rings, at) : undefined;
    const point = unit && labelPoint(unit, 0, simplified, decimals);
    if (unit !== undefined) places?.add(at, unit, point);
    const made = (geometry: Geometry): Buffer => {
      if (kind === SHAPES.none) return NO_GEOMETRY;
      if (geometry === 'point') return pointToJson(point, units.scale) ?? firstPoint(full());
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
  for (const reader of [texts, others, units]) reader.close();
  store.removeShapes(name);
}

function nextOf<Item>(items: Iterator<Item>, position: number): Item {
  const next = items.next();
  if (next.done === true) throw new RangeError(`position ${position}`);
  return next.value;
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
