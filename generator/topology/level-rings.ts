// The rings of a level in flat arrays of 8 bytes a position, collected from its ring store in order of position, of all
// units or of one after the other: what its simplified geometries and tiles are made of.
import { i32At } from '../../format/element-at.ts';
import { boxOf } from '../rings/bbox.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { type Coordinates, unrolled } from '../rings/coordinates.ts';
import { NumberList } from '../rings/number-list.ts';
import { type OpenPolygon, OpenPolygons } from '../rings/open-rings.ts';
import type { LevelStore } from '../store/level-store.ts';
import { newCutRings, partsOf } from './cut-rings.ts';

/** The rings of a level, all longitudes from -180 to 180 degrees. Plain data. */
export interface LevelRings {
  /** Scaled degrees of a degree, 10^7 at most. */
  scale: number;
  /** Positions of all rings in scaled degrees, without the closing ones. */
  x: Int32Array;
  y: Int32Array;
  /** For each ring the index of its end in `x`. Exterior rings run counter-clockwise, holes clockwise. */
  ringEnds: Int32Array;
  /** For each ring 1 if it is a hole in the exterior ring before it. */
  holes: Int32Array;
  /** For each unit, in order of position, the index of the end of its rings. */
  unitEnds: Int32Array;
}

/** Takes the rings of a level, unit by unit. */
export interface RingCollector extends RingSink {
  /** Ends the unit. */
  unit(): void;
  /** All units. Valid until the next ring or `clear`. */
  rings(): LevelRings;
  /** Begins anew. */
  clear(): void;
}

/** Maximum decimals: with more, 180 degrees exceed 32 bits. */
const DECIMALS_MAX = 7;

/** Begins a level. @param precision decimals of the positions that it is given */
export function newRingCollector(precision: number): RingCollector {
  const from = 10 ** precision;
  const scale = 10 ** Math.min(precision, DECIMALS_MAX);
  const turn = 360 * from;
  const x = new NumberList(Int32Array);
  const y = new NumberList(Int32Array);
  const ringEnds = new NumberList(Int32Array);
  const holes = new NumberList(Int32Array);
  const unitEnds = new NumberList(Int32Array);
  const cut = newCutRings(turn);
  let hasExterior = false;

  const push = (ring: Coordinates, isHole: boolean, area: number): void => {
    if (!isHole) hasExterior = area !== 0;
    if (!hasExterior || area === 0) return;
    const isBackwards = area > 0 === isHole;
    const last = ring.count - 1;
    for (let i = 0; i < last; i++) {
      const from0 = isBackwards ? last - i : i;
      x.push(Math.round((ring.x(from0) * scale) / from));
      y.push(Math.round((ring.y(from0) * scale) / from));
    }
    ringEnds.push(x.length);
    holes.push(isHole ? 1 : 0);
  };
  const pushCut = (): void => {
    for (const { ring, isHole } of cut.end()) push(ring, isHole, ring.signedArea());
  };
  /** Does a ring leave the map, or jump across its edge? */
  const isBeyond = (ring: Coordinates, jumps: boolean): boolean => {
    if (jumps) return true;
    const [west, , east] = boxOf(ring);
    return west < -turn / 2 || east > turn / 2;
  };
  return {
    ring(positions, isHole, area) {
      const jumps = positions.jumps(from);
      if (!isHole) pushCut();
      if (isHole && cut.isOpen()) cut.add(positions, isHole, jumps);
      else if (!isBeyond(positions, jumps)) push(positions, isHole, area);
      else if (!isHole) cut.add(positions, isHole, jumps);
      else
        for (const part of partsOf(jumps ? unrolled(positions, turn) : positions, turn))
          push(part, true, part.signedArea());
    },
    unit() {
      pushCut();
      unitEnds.push(ringEnds.length);
    },
    rings: () => ({
      scale,
      x: x.values(),
      y: y.values(),
      ringEnds: ringEnds.values(),
      holes: holes.values(),
      unitEnds: unitEnds.values(),
    }),
    clear() {
      for (const list of [x, y, ringEnds, holes, unitEnds]) list.length = 0;
    },
  };
}

/** The units of a level, each as a level of one unit. They can be read again and again without being held. */
export interface RingsByUnit {
  /** Scaled degrees of a degree, as in `LevelRings`. */
  scale: number;
  count: number;
  /** All units in order of position. Each is valid until the next one is asked for. */
  all(): Iterable<LevelRings>;
  /** The unit at a position; valid until the next one is asked for. */
  at(position: number): LevelRings;
}

/** The units of a level in its ring store. @param precision decimals of the positions */
export function openUnitRings(store: LevelStore, precision: number): RingsByUnit & { close(): void } {
  const reader = store.openRings();
  function* units(ranges?: [number, number]): Generator<LevelRings> {
    const collector = newRingCollector(precision);
    for (const _ of reader.read(collector, ranges)) {
      collector.unit();
      yield collector.rings();
      collector.clear();
    }
  }
  return {
    scale: newRingCollector(precision).rings().scale,
    count: reader.units,
    all: () => units(),
    at(position) {
      for (const unit of units([position, position + 1])) return unit;
      throw new RangeError(`no unit is at position ${position}`);
    },
    close: () => reader.close(),
  };
}

/** The rings of a level. @param precision decimals of the positions */
export function readLevelRings(store: LevelStore, precision: number): LevelRings {
  const collector = newRingCollector(precision);
  store.readRings(collector, collector.unit);
  return collector.rings();
}

/** The polygons of the unit at a position as they were collected. */
export function unitPolygons(level: LevelRings, unit: number): OpenPolygon[] {
  const polygons = new OpenPolygons();
  for (let ring = endBefore(level.unitEnds, unit); ring < i32At(level.unitEnds, unit); ring++) {
    const open: number[] = [];
    for (let i = endBefore(level.ringEnds, ring); i < i32At(level.ringEnds, ring); i++)
      open.push(i32At(level.x, i), i32At(level.y, i));
    polygons.add(open, level.holes[ring] === 1);
  }
  return polygons.take();
}

/** Where the items of a list begin, whose ends are given. */
export function endBefore(ends: Int32Array, index: number): number {
  return index === 0 ? 0 : i32At(ends, index - 1);
}
