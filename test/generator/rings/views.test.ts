// Where maps go to show a unit: its box, without islands that would make it a speck.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MultiPolygon, Position } from 'geojson';
import { VIEW_SCALE } from '../../../format/names.ts';
import { Extent, indexBox } from '../../../generator/rings/bbox.ts';
import { Coordinates } from '../../../generator/rings/coordinates.ts';
import { MainPart } from '../../../generator/rings/main-part.ts';
import { dice } from '../../support/dice.ts';
import { viewIn } from '../../support/releases/view-oracle.ts';

const PRECISION = 7;
const SCALE = 10 ** PRECISION;

type Box = readonly [west: number, south: number, east: number, north: number];

/** The view of rectangles, and that of the oracle. */
function viewsOf(boxes: readonly Box[]): { got: number[]; expected: number[] | null } {
  const main = new MainPart(PRECISION);
  const extent = new Extent();
  const positions = new Coordinates();
  const rings = boxes.map(([west, south, east, north]): Position[] => {
    const ring = [west, south, east, south, east, north, west, north, west, south];
    return [0, 2, 4, 6, 8].map((i) => ring.slice(i, i + 2));
  });
  for (const ring of rings) {
    positions.resize(ring.length);
    for (const [i, [x = 0, y = 0]] of ring.entries()) positions.set(i, Math.round(x * SCALE), Math.round(y * SCALE));
    extent.addPart(positions);
    main.ring(positions, false);
    main.ring(positions, true);
  }
  const box = extent.box(SCALE);
  const geometry: MultiPolygon = { type: 'MultiPolygon', coordinates: rings.map((ring) => [ring]) };
  const expected = viewIn({ bbox: box.map((edge) => edge / SCALE), geometry }, PRECISION);
  return { got: main.finish(indexBox(box, SCALE)).map((edge) => edge / VIEW_SCALE), expected };
}

test('a unit is shown without far islands, unless they are a large part of it, or near', () => {
  const land: Box = [0, 40, 10, 48];
  const cases: [what: string, boxes: Box[], view: number[]][] = [
    ['land alone, rounded outward', [[0.001, 40.006, 10.002, 48]], [0, 40, 10.01, 48]],
    ['a far island', [land, [-18, 28, -16, 29]], [0, 40, 10, 48]],
    ['several, on both sides', [[-18, 28, -16, 29], land, [40, 40, 41, 41], [55, -21, 56, -20]], [0, 40, 10, 48]],
    ['a near one', [land, [12, 39, 13, 40]], [0, 39, 13, 48]],
    ['one of a quarter of the area and more', [land, [-19, 28, -14, 33]], [-19, 28, 10, 48]],
    ['an islet that is not so far', [land, [21, 44, 21.2, 44.2]], [0, 40, 10, 48]],
    [
      'land on both sides of 180 degrees',
      [
        [170, -20, 180, -10],
        [-180, -20, -170, -10],
        [0, 0, 1, 1],
      ],
      [170, -20, -170, -10],
    ],
  ];
  for (const [what, boxes, view] of cases) {
    const { got, expected } = viewsOf(boxes);
    assert.deepEqual(got, view, what);
    assert.deepEqual(expected, view, `the oracle: ${what}`);
  }
});

test('views are those of the oracle for islands anywhere', () => {
  const roll = dice(68);
  const random = (): number => roll(1e6) / 1e6;
  for (let unit = 0; unit < 300; unit++) {
    const count = 1 + Math.floor(8 * random());
    const near = random() < 0.5 ? 20 : 360;
    const boxes = Array.from({ length: count }, (): Box => {
      const [width, height] = [random() ** 3 * 20, random() ** 3 * 20];
      const west = -180 + Math.floor(random() * Math.min(near, 360 - width));
      const south = -89 + Math.floor(random() * Math.min(near, 178 - height));
      return [west, south, west + width, south + height];
    });
    const { got, expected } = viewsOf(boxes);
    assert.deepEqual(got, expected, JSON.stringify(boxes));
  }
});
