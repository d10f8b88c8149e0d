// Countries with thousands of islands beside a long ragged coast: rings find their places, and edges those that cross
// them, without a comparison of each with all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberAt } from '../../../format/element-at.ts';
import { buildCells } from '../../../generator/borders/build-cells.ts';
import { LevelBorders } from '../../../generator/borders/level-borders.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { Coordinates } from '../../../generator/rings/coordinates.ts';
import { doubledArea, type OpenRing } from '../../../generator/rings/open-rings.ts';
import { sideOf } from '../../../generator/rings/predicates.ts';
import { areTangled, crossingsOf } from '../../../generator/simplify/crossings.ts';
import { withoutDoubledEdges } from '../../../generator/topology/cut-edges.ts';
import { nestRings } from '../../../generator/topology/nest-rings.ts';
import { dice } from '../../support/dice.ts';
import { seedsOf } from '../../support/slice.ts';

/** Twice the islands take at most so many times as long: a comparison of each with all takes four times. */
const GROWTH_MAX = 3;
const FEW = 12_000;
const STEP = 100;

interface Archipelago {
  mainland: OpenRing;
  squares: OpenRing[];
  isOnLand: boolean[];
}

/** Squares on both sides of a coast of five times as many steps, from south-west to north-east, in no order. */
function archipelago(islands: number): Archipelago {
  const steps = 5 * islands;
  const coast = Array.from({ length: steps }, (_, i) => [i * STEP + (i % 2 === 0 ? 0 : 3 * STEP), i * STEP]).flat();
  const shore = Array.from({ length: steps }, (_, i) => coast.slice(2 * (steps - 1 - i), 2 * (steps - i))).flat();
  const mainland = [2 * steps * STEP, 0, 2 * steps * STEP, steps * STEP, ...shore];
  const order = Array.from({ length: islands }, (_, i) => (i * 7_919) % islands);
  const squares = order.map((i) => {
    const y = i * 5 * STEP + 50;
    const x = y + (i % 2 === 0 ? -1_000 : 1_000);
    return i % 2 === 0 ? [x, y, x + 20, y, x + 20, y + 20, x, y + 20] : [x, y, x, y + 20, x + 20, y + 20, x + 20, y];
  });
  return { mainland, squares, isOnLand: order.map((i) => i % 2 === 1) };
}

/** Asserts how the processor time of some work grows with twice as much to do, the least of five rounds of each. */
function assertGrowth(size: number, workOn: (size: number) => () => void): void {
  const [before = NaN, after = NaN] = [size, 2 * size].map((own) => {
    const work = workOn(own);
    return Math.min(...[1, 2, 3, 4, 5].map(() => cpuMs(work)));
  });
  assert.ok(after < GROWTH_MAX * before, `${before} ms, ${after} ms with twice as much`);
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('islands and lakes beside a long coast have their places, twice as many in about twice the time', () => {
  assertGrowth(FEW, (islands) => {
    const { mainland, squares, isOnLand } = archipelago(islands);
    return () => {
      const polygons = nestRings([...squares, mainland]);
      const largest = polygons.find(([exterior]) => exterior === mainland);
      assert.equal(largest?.length, 1 + isOnLand.filter(Boolean).length);
      assert.equal(polygons.length, 1 + isOnLand.filter((isLake) => !isLake).length);
    };
  });
});

test('edges that cross are found in their order among islands in no order, twice as many in about twice the time', () => {
  assertGrowth(FEW, (islands) => {
    const { mainland, squares } = archipelago(islands);
    const [first = assert.fail()] = squares;
    // The last ring is the first one, moved: each has a corner in the other.
    const rings = [...squares, mainland, first.map((place, i) => place - (i % 2 === 0 ? 10 : 5))];
    const places = rings.flatMap((ring) => [...ring, ...ring.slice(0, 2)]);
    const of = (axis: number): Int32Array => Int32Array.from(places.filter((_, i) => i % 2 === axis));
    let end = 0;
    const arcs = { x: of(0), y: of(1), arcEnds: Int32Array.from(rings, ({ length }) => (end += length / 2 + 1)) };
    const last = arcs.x.length - 5;
    const expected = [
      [0, last + 1],
      [3, last + 2],
    ];
    return () => {
      const found = crossingsOf(arcs)?.map((crossing) => crossing.edges);
      assert.deepEqual(found, expected);
    };
  });
});

test('edges of a unit that cross, overlap or touch elsewhere than at a common end are found as GDAL finds them', () => {
  for (const seed of seedsOf(20)) {
    const below = dice(seed);
    const places = Array.from({ length: 14 }, () => [below(5), below(5)] as const).filter(
      ([x, y], i, all) => x !== all[i - 1]?.[0] || y !== all[i - 1]?.[1],
    );
    const [x, y] = [Int32Array.from(places, (place) => place[0]), Int32Array.from(places, (place) => place[1])];
    const ends = places.map(([east, north]) => `${east} ${north}`);
    const expected: (readonly [number, number])[] = [];
    for (let i = 0; i + 1 < ends.length; i++)
      for (let k = i + 1; k + 1 < ends.length; k++)
        if (doMeet(ends.slice(i, i + 2), ends.slice(k, k + 2))) expected.push([i, k]);
    const found = crossingsOf({ x, y, arcEnds: Int32Array.of(places.length) });
    assert.deepEqual(
      found?.map(({ edges }) => edges),
      expected,
    );
  }
});

/** Do edges meet elsewhere than at a common end? One there and back does not; one that is twice in a direction does. */
function doMeet(one: readonly string[], other: readonly string[]): boolean {
  if (one.join() === other.join()) return true;
  if (one.join() === other.toReversed().join()) return false;
  const [a, b] = [one, other].map((ends) => gdal.Geometry.fromWKT(`LINESTRING(${ends})`));
  const common = a && b && a.intersection(b);
  if (common === undefined || common.isEmpty()) return false;
  if (!(common instanceof gdal.Point)) return true;
  const place = `${common.x} ${common.y}`;
  return !(one.includes(place) && other.includes(place));
}

test('a scribble is told from a border without a comparison of each of its edges with all', () => {
  const below = dice(90);
  const [x, y] = [0, 1].map(() => Int32Array.from({ length: 100_000 }, () => below(1000))) as [Int32Array, Int32Array];
  assert.equal(areTangled({ x, y, arcEnds: Int32Array.of(x.length) }), true);
  const circle = (i: number): number => (2 * Math.PI * i) / x.length;
  const [east, north] = [x.map((_, i) => 1e6 * Math.cos(circle(i))), y.map((_, i) => 1e6 * Math.sin(circle(i)))];
  assert.equal(areTangled({ x: east, y: north, arcEnds: Int32Array.of(x.length) }), false);
});

test('cells of units that are all the same island take about twice the time for twice the units, also 100,000', () => {
  const cellsOf = (units: number): number => {
    const borders = new LevelBorders(7);
    const island = new Coordinates();
    const corners = [0, 0, 100, 0, 100, 100, 0, 100, 0, 0];
    island.resize(corners.length / 2);
    for (let i = 0; i < island.count; i++) island.set(i, numberAt(corners, 2 * i), numberAt(corners, 2 * i + 1));
    for (let unit = 0; unit < units; unit++) {
      borders.ring(island);
      borders.unit();
    }
    let bytes = 0;
    buildCells(borders, (more) => {
      bytes += more.length;
    });
    return bytes;
  };
  assertGrowth(FEW, (units) => () => cellsOf(units));
  // A cell has its units, a byte each, and those of a side by their numbers, most of which take three.
  const bytes = cellsOf(100_000);
  assert.ok(bytes > 300_000 && bytes < 500_000, `${bytes} bytes`);
});

test('a unit that leaves a tile at thousands of places, as a spiral does, is cut in about twice the time for twice the places', () => {
  // Bars from a line, of which the ring takes the first, the last, the second ...: the ways between lie on one another.
  const cutRing = (bars: number): OpenRing =>
    Array.from({ length: bars }, (_, i) => {
      const y = 4 * (i % 2 === 0 ? i / 2 : bars - (i + 1) / 2);
      return [0, y, 9, y, 9, y + 2, 0, y + 2];
    }).flat();
  assertGrowth(1000, (bars) => {
    const ring = cutRing(bars);
    return () => {
      const polygons = withoutDoubledEdges([[ring]], [{ axis: 0, at: 0 }]);
      assert.equal(polygons.length, bars);
      assert.ok(polygons.every(([bar, ...holes]) => bar?.length === 8 && holes.length === 0));
    };
  });
});

test('rings that touch are nested as a comparison of each with all does it', () => {
  for (const seed of seedsOf(100)) {
    const below = dice(seed);
    const rings = Array.from({ length: 12 }, () => {
      const [x, y, width, height] = [below(8), below(8), 1 + below(6), 1 + below(6)];
      const ring = [x, y, x + width, y, x + width, y + height, x, y + height];
      return below(2) === 0 ? ring : [x, y, x, y + height, x + width, y + height, x + width, y];
    });
    assert.deepEqual(nestRings(rings), nestedOneByOne(rings));
  }
});

/** The rule of `nestRings`, tried with every ring. */
function nestedOneByOne(rings: readonly OpenRing[]): OpenRing[][] {
  const boxOf = (ring: OpenRing): number[] => {
    const [xs, ys] = [0, 1].map((axis) => ring.filter((_, i) => i % 2 === axis));
    return [Math.min(...(xs ?? [])), Math.min(...(ys ?? [])), -Math.max(...(xs ?? [])), -Math.max(...(ys ?? []))];
  };
  const isAround = (outer: OpenRing, inner: OpenRing): boolean => {
    const box = boxOf(inner);
    if (boxOf(outer).some((edge, i) => edge > numberAt(box, i))) return false;
    for (let i = 0; i < inner.length; i += 2) {
      const side = sideOf(numberAt(inner, i), numberAt(inner, i + 1), outer);
      if (side !== 0) return side > 0;
    }
    return false;
  };
  const placed: { ring: OpenRing; polygon: OpenRing[] }[] = [];
  for (const ring of rings.toSorted((a, b) => Math.abs(doubledArea(b)) - Math.abs(doubledArea(a)))) {
    const around = placed.findLast((other) => isAround(other.ring, ring));
    const isLand = around !== undefined && doubledArea(around.ring) > 0;
    if (doubledArea(ring) > 0 && !isLand) placed.push({ ring, polygon: [ring] });
    else if (doubledArea(ring) < 0 && isLand) {
      around.polygon.push(ring);
      placed.push({ ring, polygon: around.polygon });
    }
  }
  return placed.filter(({ ring, polygon }) => polygon[0] === ring).map(({ polygon }) => polygon);
}
