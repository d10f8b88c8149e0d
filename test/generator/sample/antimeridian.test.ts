// Cutting at the antimeridian, checked by area: what is cut covers what was whole, and nothing leaves the map.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as gdalTypes from 'gdal-async';
import type { Position } from 'geojson';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { cutAtAntimeridian } from '../../../generator/sample/antimeridian.ts';
import { dice } from '../../support/dice.ts';
import { seedsOf } from '../../support/slice.ts';

type Polygon = Position[][];

/** Random ones, of which one in five is valid at least. */
const POLYGONS = 250;

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
  return [west, east, east, west, west].map((x, i) => [x, i % 4 < 2 ? south : north]);
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

test('a ring round a pole is led along the antimeridian to that pole', () => {
  for (const latitude of [-70, 70])
    assertCovers(cutAtAntimeridian([[-150, -60, 30, 120, -150].map((x) => [x, latitude])]), 360 * 20);
});

test('odd polygons keep their area, with corners on the antimeridian among them', () => {
  const seeds = seedsOf(POLYGONS);
  let checked = 0;
  for (const seed of seeds) {
    const draw = dice(seed);
    const random = (): number => draw(1e6) / 1e6;
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
  assert.ok(checked > seeds.length / 5, `${checked} of ${seeds.length} are valid`);
});
