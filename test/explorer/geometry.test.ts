// The geometry of the explorer's map: boxes across the antimeridian, and areas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MultiPolygon, Polygon, Position } from 'geojson';
import { areaKm2, isTorn } from '../../proxy/explorer/map/geometry/area.ts';
import { type Box, covers, unionOf } from '../../proxy/explorer/map/geometry/box.ts';

/** Positions as WKT has them: `0 0, 1 0.5`. */
function line(text: string): Position[] {
  return text.split(', ').map((place) => place.split(' ').map(Number));
}

function polygon(...rings: string[]): Polygon {
  return { type: 'Polygon', coordinates: rings.map(line) };
}

function ringOf(x: number, y: number, size: number): string {
  return `${x} ${y}, ${x + size} ${y}, ${x + size} ${y + size}, ${x} ${y + size}, ${x} ${y}`;
}

function square(x: number, y: number, size = 1): Polygon {
  return polygon(ringOf(x, y, size));
}

function multi(...polygons: Polygon[]): MultiPolygon {
  return { type: 'MultiPolygon', coordinates: polygons.map(({ coordinates }) => coordinates) };
}

/** 178 to -178 degrees, cut at the antimeridian. */
const CUT = multi(polygon('178 0, 180 0, 180 1, 178 1, 178 0'), polygon('-180 0, -178 0, -178 1, -180 1, -180 0'));

test('boxes: the union goes the short way round the globe, and round all of it where there is no gap', () => {
  const boxesIn = (text: string) => line(text).map(([w = 0, s = 0, e = 0, n = 0]): Box => [w, s, e, n]);
  for (const [boxes, union] of [
    ['0 0 1 1, 5 -2 6 3', '0 -2 6 3'],
    ['170 0 175 1, -175 0 -170 1', '170 0 -170 1'],
    ['179 0 -179 1', '179 0 -179 1'],
    ['27 50 -169 70, -173 -14 -171 -13', '27 -14 -169 70'],
    ['-180 0 0 1, 0 0 180 1', '-180 0 180 1'],
  ] as const)
    assert.equal(unionOf(boxesIn(boxes))?.join(' '), union);
  const many = Array.from({ length: 200_000 }, (_, i): Box => [i / 4096, -i / 4096, i / 4096 + 1, i / 4096]);
  const last = many.length / 4096 - 1 / 4096;
  assert.deepEqual(unionOf(many), [0, -last, last + 1, last]);
  assert.equal(unionOf([]), undefined);
  assert.ok(covers([170, 0, -170, 2], [-175, 0, -174, 1]));
  assert.ok(!covers([170, 0, -170, 2], [-175, 0, -169, 1]));
});

test('areas are those of the ellipsoid: degrees at the equator and in the north, the globe, without holes, across 180 degrees', () => {
  const rounded = (geometry: Polygon | MultiPolygon): number => Math.round(areaKm2(geometry));
  // Of a quadrangle of parallels and meridians; the globe has 510,065,622 km².
  assert.equal(rounded(square(0, 0)), 12_308);
  assert.equal(rounded(square(20, 60)), 6_123);
  assert.equal(rounded(square(20, -61)), 6_123);
  assert.equal(rounded(polygon('-180 -90, 180 -90, 180 90, -180 90, -180 -90')), 510_065_622);
  assert.equal(rounded(polygon(ringOf(0, 0, 4), ringOf(1, 0, 1))), rounded(square(0, 0, 4)) - 12_308);
  assert.equal(rounded(CUT), 49_234);
  // Steps across the antimeridian go the short way, and a ring round a pole has the pole inside.
  assert.equal(rounded(polygon('179 0, -179 0, -179 1, 179 1, 179 0')), 24_617);
  const cap = polygon('-180 -60, 180 -60, 180 -90, -180 -90, -180 -60');
  assert.equal(rounded(polygon('-120 -60, 0 -60, 120 -60, -120 -60')), rounded(cap));
  assert.equal(areaKm2(null), 0);
  // Those are torn at it on a flat map; what is cut there, or follows a pole, is not.
  for (const [torn, geometry] of [
    [true, polygon('179 0, -179 0, -179 1, 179 1, 179 0')],
    [true, multi(square(0, 0), polygon('-120 -60, 0 -60, 120 -60, -120 -60'))],
    [false, CUT],
    [false, cap],
    [false, null],
  ] as const)
    assert.equal(isTorn(geometry), torn, JSON.stringify(geometry));
});
