// What the simplified geometries of the sample promise, by the features that it has on disk: what units share in `full`
// they share in `medium` and `low`, nothing overlaps or gapes, borders stay near, and points lie inside.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../format/element-at.ts';
import { LEVELS } from '../../../format/levels.ts';
import { readStored } from '../../support/datasets/large-dataset.ts';
import { decimalOf, evenOdd, type Ring } from '../../support/even-odd.ts';
import { DECIMALS, placedLevel } from '../../support/places.ts';
import { sampleOutput } from '../../support/releases/world.ts';
import { seedsOf } from '../../support/slice.ts';

/** Decimals of `full`. */
const PRECISION = 7;

/** Units of the last decimal of `full` in a cell of the grid, and the tolerance in metres. */
const SIMPLIFIED = [
  { geometry: 'medium', cell: 1e3, tolerance: 100 },
  { geometry: 'low', cell: 1e4, tolerance: 1000 },
] as const;

/** Metres of a unit of the last decimal of a latitude. */
const METRES = 111_195 / 10 ** PRECISION;

/** Points of each level and geometry, which the slice draws. */
const RUNS = 40;

/** Positions of a unit whose distances are measured. */
const MEASURED = 10;

const stored = readStored(await sampleOutput(), 'sample');
for (const level of LEVELS) {
  const { lines, withGeometry } = elementAt(stored, level);
  // The countries of the sample have as many vertices as all else.
  if (lines.length > 0 && level > 0) describe(`level ${level}`, () => testLevel(lines, withGeometry));
}

function testLevel(lines: readonly string[], withGeometry: ReadonlyMap<string, string[]>): void {
  const full = placedLevel(lines, PRECISION);
  const owners = ownersOf(full.rings);
  for (const { geometry, cell, tolerance } of SIMPLIFIED) {
    const simplified = placedLevel(withGeometry.get(geometry) ?? assert.fail(), PRECISION);

    const placeOf = ([x, y]: Place): string => `${Math.round(x / cell)},${Math.round(y / cell)}`;

    test(`${geometry}: an edge from amid a border of some units is one of just these units`, () => {
      // Of each cell the units that have the edges which end there; undefined where borders meet.
      const unitsAt = new Map<string, string | undefined>();
      for (const [[from, to], units] of owners)
        for (const end of [from, to]) {
          const place = placeOf(end);
          unitsAt.set(place, unitsAt.has(place) && unitsAt.get(place) !== units.join() ? undefined : units.join());
        }
      let shared = 0;
      for (const [[from, to], units] of ownersOf(simplified.rings))
        for (const end of [from, to]) {
          const place = placeOf(end);
          const expected = unitsAt.get(place);
          assert.ok(unitsAt.has(place), `no position of full is at ${place}`);
          assert.equal(units.join(), expected ?? units.join(), `${place}, ${to}`);
          if (expected?.includes(',')) shared++;
        }
      assert.ok(shared > 5_000, `${shared} ends amid borders`);
    });

    test(`${geometry}: borders stay near: the largest ring of each unit, at most two and a half times the tolerance away`, () => {
      const distances = full.rings.flatMap((rings, unit) => {
        const edges = Array.from(edgesOf(elementAt(simplified.rings, unit)));
        const largest = rings.reduce((a, b) => (areaOf(b) > areaOf(a) ? b : a), rings[0] ?? []);
        const step = Math.max(1, Math.floor(largest.length / MEASURED));
        // An edge there and back has no area: it goes, however long.
        const isTip = (i: number): boolean => largest[i - 1]?.join() === largest[i + 1]?.join();
        return largest.filter((_, i) => i % step === 0 && !isTip(i)).map((position) => distance(position, edges));
      });
      distances.sort((a, b) => a - b);
      const [usual = 0, most = 0] = [distances[Math.floor(0.95 * distances.length)], distances.at(-1)];
      assert.ok(usual < tolerance / 4 && most < 2.5 * tolerance, `95 % up to ${usual} m, at most ${most} m`);
    });

    test(`${geometry}: a point is in two units only if it is in full, in none only beside a border`, () => {
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      const property = fc.property(fc.nat(lines.length - 1), share, share, (unit, across, along) => {
        const [west, south, east, north] = full.boxes[unit] ?? [];
        if (west === undefined || south === undefined || east === undefined || north === undefined) return;
        const between = (from: bigint, to: bigint, part: number): string =>
          decimalOf(from + BigInt(Math.floor(Number(to - from) * part)), DECIMALS);
        const [x, y] = [between(west, east, across), between(south, north, along)];
        const [before, now] = [full.containing(x, y), simplified.containing(x, y)];
        const position = [Number(x) * 10 ** PRECISION, Number(y) * 10 ** PRECISION] as const;
        const isBeside = (own: number): boolean =>
          distance(position, Array.from(edgesOf(elementAt(full.rings, own)))) < tolerance;
        const [gone, come] = [before.filter((own) => !now.includes(own)), now.filter((own) => !before.includes(own))];
        assert.ok([...gone, ...come].every(isBeside), `${x},${y} is in ${now}, in full in ${before}`);
        if (now.length > 1) assert.deepEqual(now, before, `${x},${y}`);
      });
      for (const seed of seedsOf(1)) fc.assert(property, { seed, numRuns: RUNS, includeErrorInReport: true });
    });
  }

  test('the point of every unit lies inside its full geometry', () => {
    for (const [unit, line] of (withGeometry.get('point') ?? assert.fail()).entries()) {
      const rings = elementAt(full.rings, unit);
      const point: number[] | undefined = JSON.parse(line).geometry?.coordinates;
      assert.equal(point === undefined, rings.length === 0);
      const [x = '', y = ''] = point?.map((value) => value.toFixed(PRECISION)) ?? [];
      if (point !== undefined)
        assert.equal(evenOdd([rings], PRECISION, DECIMALS)(x, y).length, 1, `unit ${unit}: ${x},${y}`);
    }
  });
}

type Place = Ring[number];

function* edgesOf(rings: readonly Ring[]): Generator<readonly [from: Place, to: Place]> {
  for (const ring of rings) for (let i = 1; i < ring.length; i++) yield [elementAt(ring, i - 1), elementAt(ring, i)];
}

/** Each undirected edge of a level with the units that have it, as often as they have it. */
function ownersOf(units: readonly (readonly Ring[])[]): [ends: readonly [Place, Place], units: number[]][] {
  const owners = new Map<string, [readonly [Place, Place], number[]]>();
  for (const [unit, rings] of units.entries())
    for (const [from, to] of edgesOf(rings)) {
      const ends =
        from[0] < to[0] || (from[0] === to[0] && from[1] < to[1]) ? ([from, to] as const) : ([to, from] as const);
      const key = `${ends[0][0]},${ends[0][1]} ${ends[1][0]},${ends[1][1]}`;
      const known = owners.get(key);
      if (known === undefined) owners.set(key, [ends, [unit]]);
      else known[1].push(unit);
    }
  return [...owners.values()];
}

/** Metres from a position to the nearest of some edges. */
function distance([x, y]: Place, edges: Iterable<readonly [from: Place, to: Place]>): number {
  const squeeze = Math.cos((y / 10 ** PRECISION / 180) * Math.PI);
  let least = Infinity;
  for (const [from, to] of edges) {
    const [ax, ay] = [(from[0] - x) * squeeze, from[1] - y];
    const [dx, dy] = [(to[0] - from[0]) * squeeze, to[1] - from[1]];
    const share = Math.max(0, Math.min(-(ax * dx + ay * dy) / (dx * dx + dy * dy || 1), 1));
    least = Math.min(least, Math.hypot(ax + share * dx, ay + share * dy));
  }
  return METRES * least;
}

function areaOf(ring: Ring): number {
  let area = 0;
  for (const [[x1, y1], [x2, y2]] of edgesOf([ring])) area += x1 * y2 - x2 * y1;
  return Math.abs(area);
}
