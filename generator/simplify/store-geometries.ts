// Makes what the other geometries of a level's units are written of: simplified polygons and points. Runs in child
// processes: levels that nest are simplified in one, which holds all their borders in memory; points are found level by
// level.
import { elementAt } from '../../format/element-at.ts';
import { geometryIn, NO_GEOMETRY } from '../geojson/feature.ts';
import { UnitClock, type UnitSeconds } from '../report/unit-clock.ts';
import { OpenPolygons } from '../rings/open-rings.ts';
import { storedText } from '../store/feature-store.ts';
import { LevelStore } from '../store/level-store.ts';
import { isOfKind } from '../store/store-index.ts';
import { openUnitRings } from '../topology/level-rings.ts';
import { nextOf, openTexts } from './feature-texts.ts';
import { newLabels } from './label-places.ts';
import { type LabelPoint, labelPoint } from './label-point.ts';
import { decimalsOf, givePolygons, type SimplifiedName, simplifierOf } from './simplified-geometry.ts';

/** Which levels to simplify together. Plain data: it is sent to a child process. */
export interface SimplifyTask {
  /** Paths of the levels' stores. */
  stores: readonly string[];
  names: readonly SimplifiedName[];
  /** Decimals of the full geometry. */
  precision: number;
}

/**
 * Simplifies levels: writes the polygons of their units, how many positions these have, which are a mere cell of the
 * grid, and how many are invalid, or have no area and stay as they are.
 */
export function simplifyLevels({ stores, names, precision }: SimplifyTask): void {
  const levels = stores.map((path) => new LevelStore(path));
  const units = levels.map((store) => openUnitRings(store, precision));
  const simplify = simplifierOf(units);
  for (const name of names) {
    const { shape, invalid } = simplify(name);
    let position = 0;
    for (const [i, store] of levels.entries()) {
      const first = position;
      const shapes = store.createShapes(name);
      const kinds = store.readIndex().kinds;
      const cells: number[] = [];
      let [collapsed, positions] = [0, 0];
      for (const end = first + elementAt(units, i).count; position < end; position++) {
        const { polygons, isCell } = shape(position);
        const own = position - first;
        givePolygons(polygons, shapes);
        shapes.unit(own);
        if (isCell) cells.push(own);
        if (polygons.length === 0 && (isOfKind(kinds, own, 'polygon') || isOfKind(kinds, own, 'multiPolygon')))
          collapsed++;
        positions += polygons.flat().reduce((sum, ring) => sum + ring.length / 2 + 1, 0);
      }
      shapes.close();
      const ofLevel = invalid.filter((unit) => unit >= first && unit < position);
      store.writeCounts(name, { invalid: collapsed + ofLevel.length, positions, cells });
    }
  }
  for (const level of units) level.close();
}

/** What to make. Plain data: it is sent to a child process. */
export interface PointsTask {
  /** Path of the level's store, with the polygons of its units. */
  store: string;
  /** Decimals of the full geometry. */
  precision: number;
  /** Whether to leave the points, or the places of labels for tiles. */
  points: boolean;
  labels: boolean;
}

/**
 * Makes the points of a level's units, which are those of their labels, too.
 * @returns what units take that take long
 */
export function storePoints({ precision, points, labels, ...task }: PointsTask): UnitSeconds {
  const clock = new UnitClock();
  const store = new LevelStore(task.store);
  const name = 'medium';
  const { features, fids, kinds } = store.readIndex();
  const [full, others] = [openTexts(store, 'full', precision), store.openFeatures('none')];
  const [polygons, units] = [store.openShapes(name), openUnitRings(store, precision)];
  const [simplified, rings] = [polygons.unitsAt([0, features]), units.all()[Symbol.iterator]()];
  const writer = points ? store.createGeometry('point') : undefined;
  const places = labels ? newLabels(features, units.scale) : undefined;
  const medium = new OpenPolygons();
  for (let position = 0; position < features; position++) {
    const [unit, giveRings] = [nextOf(rings, position), nextOf(simplified, position)];
    const point = clock.during(position, () => {
      giveRings(medium);
      return labelPoint(unit, medium.take(), decimalsOf(name, precision));
    });
    places?.add(position, unit, point);
    // Only of what has nothing to simplify, as points and lines.
    const geometryAt = (): Buffer => {
      const at = [position, position + 1];
      return geometryIn(storedText(nextOf(full.read(at), position)), storedText(nextOf(others.read(at), position)));
    };
    const isNone = isOfKind(kinds, position, 'none');
    const geometry = isNone ? NO_GEOMETRY : (pointToJson(point, units.scale) ?? firstPoint(geometryAt()));
    writer?.append(elementAt(fids, position), [geometry]);
  }
  writer?.close();
  if (places !== undefined) store.writeLabels(places.end());
  for (const reader of [full, others, polygons, units]) reader.close();
  return clock.seconds();
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
