// Areas on the ellipsoid: of rings that are known, and of others as the oracle of names has them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Coordinates } from '../../../generator/rings/coordinates.ts';
import { ringAreaKm2 } from '../../../generator/rings/ellipsoid-area.ts';
import { areaIn } from '../../support/releases/view-oracle.ts';

const SCALE = 1e7;
/** Of the whole ellipsoid, in km2. */
const EARTH = 510_065_621.724;

type Position = readonly [longitude: number, latitude: number];

function areaOf(positions: readonly Position[]): number {
  const ring = new Coordinates();
  ring.resize(positions.length);
  for (const [i, [x, y]] of positions.entries()) ring.set(i, Math.round(x * SCALE), Math.round(y * SCALE));
  ring.close();
  return ringAreaKm2(ring, SCALE);
}

function box(west: number, south: number, east: number, north: number): Position[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

/** All north of a latitude, cut at 180 degrees. */
function capFrom(latitude: number): Position[] {
  const south = [-180, -60, 60, 180].map((longitude): Position => [longitude, latitude]);
  return [...south, [180, 90], [-180, 90]];
}

test('areas are those of the ellipsoid: of all of it, half, a degree; across 180 degrees, around a pole, of long edges', () => {
  const pole: Position[] = [0, 120, -120, 0].map((longitude) => [longitude, 60]);
  for (const [ring, expected] of [
    [box(-180, -90, 180, 90), EARTH],
    [capFrom(0), EARTH / 2],
    [box(-180, -90, 180, -90), 0],
    [box(0, 0, 1, 1), 12_308.4637],
    [box(179.5, 0, -179.5, 1), 12_308.4637],
    [pole, areaOf(capFrom(60))],
  ] as const)
    assert.ok(Math.abs(areaOf(ring) - expected) <= 1e-6 * expected, `${areaOf(ring)} is not ${expected}`);
  for (const ring of [
    [0, -80, 60, 80, 100, -80].flatMap((x, i, all) => (i % 2 === 0 ? [[x, all[i + 1] ?? 0] as const] : [])),
    box(-3, 41, 4, 44),
    pole,
  ]) {
    const closed = [...ring, ring[0] ?? [0, 0]].map(([x, y]) => [x, y]);
    const expected = areaIn({ type: 'Polygon', coordinates: [closed] }) ?? 0;
    assert.ok(Math.abs(areaOf(ring) - expected) <= 1e-5 * expected, `${areaOf(ring)} is not ${expected}`);
  }
});
