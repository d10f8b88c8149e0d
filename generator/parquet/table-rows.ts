// The units of a level as rows of a table, in the order of a curve: some that follow one another are read together.
import { elementAt, f64At, u32At } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import { positionsOfEach, type Ranges } from '../../format/positions.ts';
import { geometryIn, NO_GEOMETRY } from '../geojson/feature.ts';
import { PolygonsWkb, type WkbGeometry } from '../geojson/polygons-wkb.ts';
import { featureFrom } from '../release-reader/parse-feature.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { curveOrder } from '../rings/curve-order.ts';
import { nextOf } from '../simplify/feature-texts.ts';
import { decimalsOf } from '../simplify/simplified-geometry.ts';
import { storedText } from '../store/feature-store.ts';
import type { LevelStore } from '../store/level-store.ts';
import { isOfKind, type StoreIndex } from '../store/store-index.ts';
import { geometryFromText } from './geometry-from-text.ts';

/** A unit. */
export interface TableRow {
  properties: Readonly<Record<string, unknown>>;
  /** In the order of the geometries of the table; null where the unit has none. */
  geometries: (WkbGeometry | null)[];
}

/** Units that are read at once, and bytes of their lines in the store, deflated or not. */
const TOGETHER = { units: 1024, bytes: 2 << 20 } as const;

/** Reads units in the order of the curve. @param precision decimals of the full geometry */
export function* tableRows(store: LevelStore, geometries: readonly Geometry[], precision: number): Generator<TableRow> {
  const index = readOrder(store);
  const { order } = index;
  const reader = openRows(store, index, geometries, precision);
  for (let from = 0, to = 0; from < order.length; from = to) {
    let together = 0;
    do together += f64At(index.bytes, u32At(order, to++));
    while (to < order.length && to - from < TOGETHER.units && together < TOGETHER.bytes);
    const own = order.subarray(from, to);
    const ascending = own.toSorted();
    const rows = new Map<number, TableRow>();
    let next = 0;
    for (const row of reader.read(ascending)) rows.set(u32At(ascending, next++), row);
    for (const position of own) {
      const row = rows.get(position);
      if (row !== undefined) yield row;
    }
  }
  reader.close();
}

/** What of the index of a level is needed for each unit, and their order: the rest is not held while rows are read. */
interface OrderedUnits extends Pick<StoreIndex, 'fids' | 'kinds' | 'bytes'> {
  /** The positions of the units. */
  order: Uint32Array;
}

function readOrder(store: LevelStore): OrderedUnits {
  const { fids, kinds, bytes, boxes } = store.readIndex();
  return { fids, kinds, bytes, order: curveOrder(boxes) };
}

/** The next geometry of a unit. @param full that with all its detail */
type NextGeometry = (position: number, full: WkbGeometry | null) => WkbGeometry | null;

/** Opens the stores of a level. */
function openRows(
  store: LevelStore,
  { fids, kinds }: OrderedUnits,
  geometries: readonly Geometry[],
  precision: number,
) {
  const [heads, rings, kept] = [store.openFeatures('none'), store.openRings(), store.openFeatures('full')];
  const numbers = store.readKept();
  const others = geometries.map((name) => openGeometry(store, name, precision, kinds));
  const nextFull = nextPolygons(new PolygonsWkb(precision), kinds);

  /** The geometry of a unit that is no polygon, though parts of it may be. */
  function keptAt(position: number, head: Buffer): WkbGeometry | null {
    const number = numbers.get(elementAt(fids, position));
    if (number === undefined || !isOfKind(kinds, position, 'other')) return null;
    const text = storedText(nextOf(kept.read([number, number + 1]), position));
    return geometryFromText(geometryIn(text, head).toString());
  }

  return {
    /** @param positions ascending */
    *read(positions: Uint32Array): Generator<TableRow> {
      const ranges = positionsOfEach(positions).slice(0, positions.length);
      const [ownHeads, polygonsOf] = [heads.read(ranges), nextFull(rings.unitsAt(ranges))];
      const nexts = others.map((other) => other.at(ranges));
      for (const position of positions) {
        const head = storedText(nextOf(ownHeads, position));
        const polygons = polygonsOf(position, null);
        const full = keptAt(position, head) ?? polygons;
        yield { properties: featureFrom(head).properties, geometries: nexts.map((next) => next(position, full)) };
      }
    },
    close() {
      for (const opened of [heads, rings, kept, ...others]) opened.close();
    },
  };
}

/** Opens what has a geometry of the units. */
function openGeometry(
  store: LevelStore,
  name: Geometry,
  precision: number,
  kinds: Uint8Array,
): { at(ranges: Ranges): NextGeometry; close(): void } {
  if (name === 'medium' || name === 'low') {
    const opened = store.openShapes(name);
    const next = nextPolygons(new PolygonsWkb(decimalsOf(name, precision)), kinds);
    return { at: (ranges) => next(opened.unitsAt(ranges)), close: opened.close };
  }
  if (name !== 'point') return { at: () => (_, full) => full, close() {} };
  const opened = store.openFeatures(name);
  return {
    at(ranges) {
      const points = opened.read(ranges);
      return (position) => {
        const text = storedText(nextOf(points, position));
        return text.equals(NO_GEOMETRY) ? null : geometryFromText(text.toString());
      };
    },
    close: opened.close,
  };
}

/** The polygons of units one after the other; what has none with an area stays as it is. */
function nextPolygons(polygons: PolygonsWkb, kinds: Uint8Array) {
  return (units: Iterator<(sink: RingSink) => void>): NextGeometry =>
    (position, full) => {
      polygons.begin();
      nextOf(units, position)(polygons);
      return polygons.end(isOfKind(kinds, position, 'multiPolygon')) ?? full;
    };
}
