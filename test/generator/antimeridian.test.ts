// Cutting at the antimeridian, checked by area: what is cut covers what was whole, and nothing leaves the map.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as gdalTypes from 'gdal-async';
import type { Position } from 'geojson';
import { cutAtAntimeridian } from '../../generator/sample/antimeridian.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { newRandom } from '../support/datasets/synthetic/random.ts';

type Polygon = Position[][];

function multiPolygon(coordinates: readonly (readonly (readonly Position[])[])[]): gdalTypes.MultiPolygon {
  const geometry = gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates });
  assert.ok(geometry instanceof gdal.MultiPolygon);
  return geometry;
}

/** The same ring with every longitude between -180 and 180. */
function wrapped(ring: readonly Position[]): Position[] {
  return ring.map(([x = 0, y = 0]) => [((((x + 180) % 360) + 360) % 360) - 180, y]);
}

function rectangle(west: number, south: number, east: number, north: number): Position[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

function assertCovers(parts: readonly (readonly (readonly Position[])[])[], area: number): void {
  const cut = multiPolygon(parts);
  assert.ok(Math.abs(cut.getArea() - area) <= area * 1e-9, `area ${cut.getArea()}, expected ${area}`);
  assert.ok(cut.isValid());
  const { minX, maxX } = cut.getEnvelope();
  assert.ok(minX >= -180 && maxX <= 180, `from ${minX} to ${maxX}`);
}

test('a polygon that does not cross stays as it is', () => {
  const polygon = [rectangle(170, 0, 180, 10), rectangle(172, 2, 174, 4)];
  assert.deepEqual(cutAtAntimeridian(polygon), [polygon]);
});

test('a polygon that crosses becomes two, in either notation', () => {
  const ring = rectangle(170, 0, 200, 10);
  for (const notation of [ring, wrapped(ring)]) {
    const parts = cutAtAntimeridian([notation]);
    assert.equal(parts.length, 2);
    assertCovers(parts, 300);
  }
});

test('a polygon that crosses twice becomes three', () => {
  const bay: Position[] = [
    [170, 0],
    [190, 0],
    [190, 3],
    [175, 3],
    [175, 6],
    [190, 6],
    [190, 9],
    [170, 9],
    [170, 0],
  ];
  const parts = cutAtAntimeridian([bay]);
  assert.equal(parts.length, 3);
  assertCovers(parts, 135);
});

test('holes go with the part that they are in, are cut themselves, or only touch', () => {
  const holes = [rectangle(172, 2, 174, 4), rectangle(186, 2, 188, 4), rectangle(178, 6, 182, 8)];
  const parts = cutAtAntimeridian([rectangle(170, 0, 190, 10), ...holes]);
  assertCovers(parts, 184);
  assert.deepEqual(
    parts.map((part) => part.length),
    [2, 2],
  );
  const touching: Position[] = [
    [180, 5],
    [184, 4],
    [184, 6],
    [180, 5],
  ];
  assertCovers(cutAtAntimeridian([rectangle(170, 0, 190, 10), touching]), 196);
});

test('a ring round a pole is led along the antimeridian to that pole', () => {
  for (const [latitude, pole] of [
    [-70, -90],
    [70, 90],
  ] as const) {
    const ring = [-150, -60, 30, 120, -150].map((x) => [x, latitude]);
    const parts = cutAtAntimeridian([ring]);
    assertCovers(parts, 360 * 20);
    assert.ok(parts.flat(2).some(([, y]) => y === pole));
  }
});

test('a thousand odd polygons keep their area, with corners on the antimeridian among them', () => {
  const random = newRandom(1, 'shape', 0, 0);
  let checked = 0;
  for (let i = 0; i < 1000; i++) {
    const polygon: Polygon = [];
    const [x, y, radius, corners] = [170 + random() * 20, random() * 100 - 50, 1 + random() * 25, 5 + random() * 60];
    for (const scale of [1, 0.25]) {
      const ring: Position[] = [];
      for (let corner = 0; corner < corners; corner++) {
        const angle = ((corner + 0.5 * random()) / Math.ceil(corners)) * 2 * Math.PI;
        const distance = radius * scale * (0.3 + 0.7 * random());
        // Half degrees: many corners stand on the antimeridian itself.
        ring.push([Math.round((x + Math.cos(angle) * distance) * 2) / 2, y + Math.sin(angle) * distance]);
      }
      polygon.push([...ring, ring[0] ?? []]);
    }
    const whole = multiPolygon([polygon]);
    if (!whole.isValid()) continue;
    checked++;
    assertCovers(cutAtAntimeridian(polygon), whole.getArea());
    assertCovers(cutAtAntimeridian(polygon.map(wrapped)), whole.getArea());
  }
  assert.ok(checked > 200, `${checked} of them valid`);
});
