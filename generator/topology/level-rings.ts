// The rings of a level's units in flat arrays of 8 bytes a position, one unit after the other, collected from its ring
// store: what its simplified geometries and tiles are made of.
import { i32At } from '../../format/element-at.ts';
import { boxOf } from '../rings/bbox.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { type Coordinates, unrolled } from '../rings/coordinates.ts';
import { NumberList } from '../rings/number-list.ts';
import { type OpenPolygon, OpenPolygons } from '../rings/open-rings.ts';
import type { LevelStore } from '../store/level-store.ts';
import { newCutRings, partsOf } from './cut-rings.ts';

/** The rings of a unit, all longitudes from -180 to 180 degrees. */
export interface FlatRings {
  /** Scaled degrees of a degree, 10^7 at most. */
  scale: number;
  /** Positions of all rings in scaled degrees, without the closing ones. */
  x: Int32Array;
  y: Int32Array;
  /** For each ring the index of its end in `x`. Exterior rings run counter-clockwise, holes clockwise. */
  ringEnds: Int32Array;
  /** For each ring 1 if it is a hole in the exterior ring before it. */
  holes: Int32Array;
}

/** Takes the rings of one unit after the other. */
export interface RingCollector extends RingSink {
  /** Ends the unit. @returns its rings, which are valid until the next one is given */
  unit(): FlatRings;
}

/** Maximum decimals: with more, 180 degrees exceed 32 bits. */
const DECIMALS_MAX = 7;

function scaleOf(precision: number): number {
  return 10 ** Math.min(precision, DECIMALS_MAX);
}

/** @param precision decimals of the positions that it is given */
export function newRingCollector(precision: number): RingCollector {
  const from = 10 ** precision;
  const scale = scaleOf(precision);
  const turn = 360 * from;
  const x = new NumberList(Int32Array);
  const y = new NumberList(Int32Array);
  const ringEnds = new NumberList(Int32Array);
  const holes = new NumberList(Int32Array);
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
      const [xs, ys, ends, isHole] = [x.values(), y.values(), ringEnds.values(), holes.values()];
      for (const list of [x, y, ringEnds, holes]) list.length = 0;
      return { scale, x: xs, y: ys, ringEnds: ends, holes: isHole };
    },
  };
}

/** The units of a level. They can be read again and again without being held. */
export interface RingsByUnit {
  /** Scaled degrees of a degree, as in `FlatRings`. */
  scale: number;
  count: number;
  /** All units in order of position. Each is valid until the next one is asked for. */
  all(): Iterable<FlatRings>;
  /** The unit at a position; valid until the next one is asked for. */
  at(position: number): FlatRings;
}

/** The units of a level in its ring store. @param precision decimals of the positions */
export function openUnitRings(store: LevelStore, precision: number): RingsByUnit & { close(): void } {
  const reader = store.openRings();
  function* units(ranges?: [number, number]): Generator<FlatRings> {
    const collector = newRingCollector(precision);
    for (const _ of reader.read(collector, ranges)) yield collector.unit();
  }
  return {
    scale: scaleOf(precision),
    count: reader.units,
    all: () => units(),
    at(position) {
      for (const unit of units([position, position + 1])) return unit;
      throw new RangeError(`no unit is at position ${position}`);
    },
    close: () => reader.close(),
  };
}

/** The polygons of a unit. */
export function unitPolygons({ x, y, ringEnds, holes }: FlatRings): OpenPolygon[] {
  const polygons = new OpenPolygons();
  for (let ring = 0; ring < ringEnds.length; ring++) {
    const open: number[] = [];
    for (let i = endBefore(ringEnds, ring); i < i32At(ringEnds, ring); i++) open.push(i32At(x, i), i32At(y, i));
    polygons.add(open, holes[ring] === 1);
  }
  return polygons.take();
}

/** Where the items of a list begin, whose ends are given. */
export function endBefore(ends: Int32Array, index: number): number {
  return index === 0 ? 0 : i32At(ends, index - 1);
}
