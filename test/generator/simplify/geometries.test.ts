// Simplified geometries and points: borders that units share stay shared, every unit keeps a ring, all are valid.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { isValid } from '../../../generator/gdal/valid-polygons.ts';
import { GeometryWriter } from '../../../generator/geojson/geometry.ts';
import { doubledArea, type OpenPolygon, type OpenRing } from '../../../generator/rings/open-rings.ts';
import { sideOf } from '../../../generator/rings/predicates.ts';
import { labelPoint } from '../../../generator/simplify/label-point.ts';
import { decimalsOf, type SimplifiedName, simplifierOf } from '../../../generator/simplify/simplified-geometry.ts';
import { newRingCollector, type RingsByUnit } from '../../../generator/topology/level-rings.ts';
import { areaOf } from '../../support/datasets/area-of.ts';
import { ragged } from '../../support/datasets/ragged.ts';
import { square } from '../../support/datasets/write-dataset.ts';
import { dice } from '../../support/dice.ts';

function unitsOf(wkts: readonly string[]): RingsByUnit {
  const collector = newRingCollector(7);
  const writer = new GeometryWriter(7, collector);
  const units = wkts.map((wkt) => {
    writer.write(gdal.Geometry.fromWKT(wkt).toWKB('LSB', 'ISO'));
    return structuredClone(collector.unit());
  });
  return { scale: 1e7, count: units.length, all: () => units, at: (position) => elementAt(units, position) };
}

/** The polygons of all units, of which so many are invalid. */
function simplified(wkts: readonly string[], name: SimplifiedName, expected = 0): OpenPolygon[][] {
  const { shape, invalid } = simplifierOf([unitsOf(wkts)])(name);
  assert.equal(invalid.length, expected);
  return wkts.map((_, position) => shape(position).polygons);
}

/** West, south, east and north of each ring in whole degrees. */
function extents(polygons: readonly OpenPolygon[], perDegree: number): string[] {
  return polygons.flat().map((ring) => {
    const [x, y] = [0, 1].map((axis) => ring.filter((_, i) => i % 2 === axis).map((place) => place / perDegree));
    return [Math.min(...(x ?? [])), Math.min(...(y ?? [])), Math.max(...(x ?? [])), Math.max(...(y ?? []))].join();
  });
}

/** The directed edges of the units: the same one twice is an overlap. */
function edgesOf(units: readonly OpenPolygon[][]): Set<string> {
  const edges = new Set<string>();
  for (const ring of units.flat(2) as OpenRing[])
    for (let i = 0; i < ring.length; i += 2) {
      const edge = [i, i + 1, (i + 2) % ring.length, (i + 3) % ring.length].map((at) => ring[at]).join(' ');
      assert.ok(!edges.has(edge), `${edge} twice`);
      edges.add(edge);
    }
  return edges;
}

function box(x: number, y: number, size: number): string {
  const [east, north] = [x + size, y + size];
  return `(${x} ${y},${east} ${y},${east} ${north},${x} ${north},${x} ${y})`;
}

test('islands and holes below half the square of the tolerance go, but not the largest ring of a unit nor its hole', () => {
  // A square of 0.0062 degrees at the equator has 0.475 square kilometres, one of 0.0066 has 0.538.
  const [small, large, tiny] = [0.0062, 0.0066, 0.003];
  const shell = [box(0, 0, 1), box(0.2, 0.2, small), box(0.3, 0.2, large), box(0.5, 0.2, tiny)];
  const wkts = [
    `MULTIPOLYGON((${shell.join()}),(${box(2, 0.2, small)}),(${box(3, 0.2, large)}))`,
    `POLYGON(${box(0.5, 0.2, tiny)})`,
  ];
  const count = (units: readonly OpenPolygon[][]): number[][] => units.map((unit) => unit.map(({ length }) => length));
  assert.deepEqual(count(simplified(wkts, 'medium')), [[4, 1, 1], [1]]);
  assert.deepEqual(count(simplified(wkts, 'low')), [[3, 1], [1]]);
  assert.deepEqual(extents(simplified(wkts, 'low')[1] ?? [], 1000), ['0.5,0.2,0.503,0.203']);
});

/** Bulged squares of some 2 square kilometres, on whole thousandths of a degree: `low` would take most bulges away. */
function smallUnits(seed: number, across: number): string[] {
  const draw = dice(seed);
  const step = 14;
  const rings = ragged(across, across, (column, row, isAcross) => {
    const [x, y, along, off] = [column * step, row * step, 5 + draw(5), draw(7) - 3];
    const bulge = isAcross ? [x + along, y + off] : [x + off, y + along];
    return [[x, y], bulge].map((place) => place.map((thousandths) => thousandths / 1000).join(' '));
  });
  return rings.map((ring) => `POLYGON((${ring}))`);
}

test('small units stay recognisable: none changes its area by more than a tenth, and borders stay shared', () => {
  const wkts = smallUnits(46, 20);
  const low = simplified(wkts, 'low');
  const exact = wkts.map((wkt) => areaOf({ geometry: JSON.parse(gdal.Geometry.fromWKT(wkt).toJSON()) }));
  const changes = low.map((unit, i) => {
    const area = unit.flat().reduce((sum, ring) => sum + doubledArea(ring), 0) / 2e6;
    return Math.abs(area / (exact[i] ?? NaN) - 1);
  });
  assert.ok(Math.max(...changes) < 0.1 + 1e-9, `${Math.max(...changes)}`);
  const positions = (units: readonly OpenPolygon[][]): number => units.flat(3).length / 2;
  assert.ok(positions(low) < 8 * wkts.length, 'nothing was left out');
  const edges = edgesOf(low);
  const opposite = (edge: string): string => edge.replace(/^(\S+ \S+) (.*)$/, '$2 $1');
  // Amid the field, whose frame has one side.
  const place = (edge: string): number[] => edge.split(' ').map(Number);
  const inner = [...edges].filter((edge) => place(edge).every((side) => side > 10 && side < 270));
  assert.ok(inner.length > 1000 && inner.every((edge) => edges.has(opposite(edge))), `${inner.length}`);
});

test('longitudes are scaled by the cosine of the latitude: the same island stays at the equator and goes at 70 degrees', () => {
  const island = (y: number): string => `MULTIPOLYGON((${box(0, y, 1)}),(${box(2, y, 0.009)}))`;
  const counts = simplified([island(0), island(70)], 'low').map(({ length }) => length);
  assert.deepEqual(counts, [2, 1]);
});

test('a unit smaller than a cell of the grid is that cell; one without area has no polygon', () => {
  const wkts = [
    square(20, 20, 0.00001),
    'POLYGON((0 0,1 1,2 2,0 0))',
    'POINT(1 1)',
    square(179.99999, 89.99999, 0.00001),
  ];
  const cells = simplified(wkts, 'low').map((unit) => extents(unit, 1000));
  assert.deepEqual(cells, [['20,20,20.001,20.001'], [], [], ['179.999,89.999,180,90']]);
});

test('a waist narrower than the grid is cut: two polygons that touch, instead of a ring that meets itself', () => {
  const waist = 'POLYGON((0 0,1 0,1 1,0.50002 0.5,1 1.2,0 1.2,0.49998 0.5,0 0))';
  const [unit = []] = simplified([waist], 'low');
  assert.deepEqual(extents(unit, 1000).sort(), ['0,0,1,1', '0,0.5,1,1.2']);
  assert.ok(isValid(unit));
});

test('what crosses itself after simplification is taken at half the tolerance, on both sides of the border', () => {
  // Without its bulge, which is smaller than the limit, the border would run through the island in it, which is larger.
  const island = box(0.5015, -0.003, 0.0066);
  const wkts = [
    `MULTIPOLYGON(((0 0,0 1,1 1,1 0,0.509 0,0.509 0.005,0.5 0.005,0.5 0,0 0)),(${island}))`,
    `POLYGON((0 0,0.5 0,0.5 0.005,0.509 0.005,0.509 0,1 0,1 -1,0 -1,0 0),${island})`,
  ];
  const units = simplified(wkts, 'low');
  for (const unit of units) assert.ok(isValid(unit));
  const edges = edgesOf(units);
  for (const place of ['500 5 ', '509 5 '])
    assert.ok(
      [...edges].some((edge) => edge.startsWith(place)),
      place,
    );
});

test('where rounding lays the end of a border upon another one, a point goes that had come back for the shape', () => {
  // The first unit ends in a sliver between the others, for which the grid has no room.
  const sliver = '0.01 0.03,0.008 0.0303';
  const wkts = [
    `POLYGON((-0.01 0.026,0 0.03,${sliver},0.008 0.038,-0.01 0.038,-0.01 0.026))`,
    'POLYGON((-0.01 0.026,0 0.03,0.01 0.03,0.06 0.02,0.06 -0.05,-0.06 -0.05,-0.06 0.02,-0.01 0.026))',
    `POLYGON((${sliver},0.06 0.06,0.06 0.02,0.01 0.03))`,
    'POLYGON((0.008 0.0303,0.06 0.06,0.06 0.13,0.008 0.13,0.008 0.038,0.008 0.0303))',
  ];
  for (const unit of simplified(wkts, 'low')) assert.ok(isValid(unit));
});

test('a ring that jumps is cut at the antimeridian, with its holes; one around a pole is closed at the pole', () => {
  const wkts = [
    'POLYGON((170 0,-170 0,-170 20,170 20,170 0),(-175 5,-175 10,-172 10,-172 5,-175 5),(178 5,178 10,-178 10,-178 5,178 5))',
    'POLYGON((-180 -80,-90 -80,0 -80,90 -80,180 -80,180 -90,-180 -90,-180 -80))',
    'POLYGON((0 70,100 75,179 70,-179 70,-100 75,0 70))',
    // Beyond the antimeridian instead of across it.
    'POLYGON((170 0,190 0,190 20,170 20,170 0))',
    // Holes outside of their shell stay where they are, however far from it.
    'POLYGON((-50 0,-40 0,-40 10,-50 10,-50 0),(-39 1,-39 2,-38 2,-38 1,-39 1),(-46 4,-46 6,-44 6,-44 4,-46 4))',
    'POLYGON((100 40,110 40,110 50,100 50,100 40),(-120 42,-120 44,-110 44,-110 42,-120 42))',
    'POLYGON((170 0,-170 0,-170 20,170 20,170 0),(-60 5,-60 10,-50 10,-50 5,-60 5))',
  ];
  assert.deepEqual(
    // Three have holes outside of their shell, as in the source.
    simplified(wkts, 'low', 3).map((unit) => extents(unit, 1000)),
    [
      // The hole that is cut is a bay.
      ['170,0,180,20', '-180,0,-170,20', '-175,5,-172,10'],
      ['-180,-90,180,-80'],
      ['-180,70,180,90'],
      ['170,0,180,20', '-180,0,-170,20'],
      ['-50,0,-40,10', '-39,1,-38,2', '-46,4,-44,6'],
      ['100,40,110,50', '-120,42,-110,44'],
      ['170,0,180,20', '-180,0,-170,20', '-60,5,-50,10'],
    ],
  );
});

test('the point of a unit is the centre of its largest part, inside of it, also across the antimeridian', () => {
  const wkts = [
    square(0, 0, 2),
    // Around a bay, with a lake in the middle of its widest part.
    'POLYGON((0 0,10 0,10 10,0 10,0 8,8 8,8 2,0 2,0 0))',
    'POLYGON((170 0,-170 0,-170 20,170 20,170 0))',
    'MULTIPOLYGON(((0 0,1 0,1 1,0 1,0 0)),((5 5,9 5,9 9,5 9,5 5),(6 6,6 8,8 8,8 6,6 6)))',
    square(20, 20, 0.00001),
    // A lake that is too small for `medium`, in the middle.
    'POLYGON((5 5,5.0015 5,5.0015 5.0015,5 5.0015,5 5),(5.0005 5.0005,5.0005 5.001,5.001 5.001,5.001 5.0005,5.0005 5.0005))',
    // One whose shore is there.
    'POLYGON((5 5,5.002 5,5.002 5.002,5 5.002,5 5),(5.001 5.0008,5.001 5.0012,5.0013 5.0012,5.0013 5.0008,5.001 5.0008))',
    'POINT(1 1)',
  ];
  const units = unitsOf(wkts);
  const { shape } = simplifierOf([units])('medium');
  const points = wkts.map((_, position) =>
    labelPoint(units.at(position), shape(position).polygons, decimalsOf('medium', 7))?.map((scaled) => scaled / 1e7),
  );
  assert.deepEqual(points[0], [1, 1]);
  for (const [position, wkt] of wkts.entries()) {
    const [x = NaN, y = NaN] = points[position] ?? [];
    if (wkt.startsWith('POINT')) assert.equal(points[position], undefined);
    else if (position === 2) assert.ok(Math.abs(Math.abs(x) - 175) < 0.2 && Math.abs(y - 10) < 5.1, `${x} ${y}`);
    else assert.ok(gdal.Geometry.fromWKT(wkt).contains(new gdal.Point(x, y)), `${x} ${y}`);
  }
});

test('the point of a strip of 5 to 60 metres is inside of it, never on its border, straight or with a bend', () => {
  const draw = dice(7);
  const strips = Array.from({ length: 140 }, (_, i) => {
    const [length, width, angle] = [5e6 + draw(15e6), 450 + draw(5000), (draw(360) * Math.PI) / 180];
    const at = (along: number, across: number): string =>
      [
        along * Math.cos(angle) - across * Math.sin(angle),
        along * Math.sin(angle) + across * Math.cos(angle) + (i % 2) * Math.abs(along - length / 2),
      ]
        .map(Math.round)
        .join(' ');
    const there = [0, length / 2, length];
    const corners = [...there.map((along) => at(along, 0)), ...there.toReversed().map((along) => at(along, width))];
    return [...corners, corners[0]];
  });
  const degrees = (corner = ''): string =>
    corner
      .split(' ')
      .map((units) => (Number(units) / 1e7).toFixed(7))
      .join(' ');
  const units = unitsOf(strips.map((corners) => `POLYGON((${corners.map(degrees).join()}))`));
  const { shape } = simplifierOf([units])('medium');
  const outside = strips.filter((corners, position) => {
    // In whole numbers, so that GEOS decides exactly.
    const [x = NaN, y = NaN] = labelPoint(units.at(position), shape(position).polygons, decimalsOf('medium', 7)) ?? [];
    return !gdal.Geometry.fromWKT(`POLYGON((${corners.join()}))`).contains(new gdal.Point(x, y));
  });
  assert.equal(outside.length, 0);
});

test('a position beside a border of 70 degrees, by less than a double can tell, is not on it', () => {
  // Fibonacci numbers: those of a step before lie on either side of the diagonal in turn, as close as whole numbers
  // can.
  const [a, b, c, d] = [701_408_733, 433_494_437, 267_914_296, 165_580_141];
  const ring = [0, 0, a, b, 0, b];
  assert.deepEqual([sideOf(b, c, ring), sideOf(c, d, ring), sideOf(0, 1, ring)], [-1, 1, 0]);
});

test('the point of a unit of 150,000 islands is in the largest one', () => {
  const units = unitsOf([square(0, 0, 2)]);
  const island = (west: number, size: number): OpenPolygon => [
    [west, 0, west + size, 0, west + size, size, west, size],
  ];
  const islands = Array.from({ length: 150_000 }, (_, i) => island(100 + 10 * i, 5));
  assert.deepEqual(labelPoint(units.at(0), [...islands, island(0, 20)], 1), [1e7, 1e7]);
});
