// Real boundaries and many islands: boxes of all sizes find the units that integers over the published text find, and
// GDAL.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { releasePath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { gdal } from '../../generator/gdal/gdal.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { square } from '../support/datasets/write-dataset.ts';
import { inBox, placedLevel } from '../support/places.ts';
import { assertBoxes, boxesOf, proxyFind } from '../support/releases/boxes-beside-model.ts';
import { buildUnits } from '../support/releases/build-release.ts';
import { geometriesOf } from '../support/releases/points-beside-gdal.ts';
import { readIndex } from '../support/releases/read-index.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { seedsOf, sliceOf } from '../support/slice.ts';

const LEVELS: readonly Level[] = [0, 1, 2, 3];
/** Boxes of each level, in all slices. */
const BOXES = 2500;

const folder = await sampleOutput();
const stored = readStored(folder, 'sample');
const [seed = 1] = seedsOf(1);

test('10,000 boxes of the sample find what integers over the published text find', async () => {
  const count = sliceOf(Array.from({ length: BOXES }, (_, i) => i)).length;
  for (const level of LEVELS) {
    const placed = placedLevel(elementAt(stored, level).lines, 7);
    const units = await assertBoxes(await proxyFind(folder, level), placed, count, 10 * seed + level);
    assert.ok(units > count, `level ${level}: ${units} units in ${count} boxes`);
  }
});

test('GDAL finds the same units, but for those that are not valid or cross 180 degrees', async () => {
  let compared = 0;
  for (const level of [0, 2] as const) {
    const { lines } = elementAt(stored, level);
    const geometries = geometriesOf(lines);
    const isPlain = geometries.map((geometry) => {
      const { minX, maxX } = geometry?.getEnvelope() ?? { minX: -180, maxX: 180 };
      return minX > -180 && maxX < 180 && geometry?.isValid() === true;
    });
    const boxes = boxesOf(placedLevel(lines, 7), 7, seed);
    const find = await proxyFind(folder, level);
    for (let i = 0; i < 100; i++) {
      const bbox: string = boxes.next().value;
      const [west = 0, south = 0, east = 0, north = 0] = bbox.split(',').map(Number);
      if (west > east) continue;
      const box = gdal.Geometry.fromWKT(
        `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`,
      );
      const expected = [...geometries.keys()].filter((p) => isPlain[p] && geometries[p]?.intersects(box));
      assert.deepEqual(
        (await find(bbox)).filter((p) => isPlain[p]),
        expected,
        bbox,
      );
      compared += expected.length;
    }
  }
  assert.ok(compared > 1000, `${compared} units`);
});

/** Asserts what boxes find among the units of a release, by their positions. */
async function assertFinds(folder: string, rows: readonly (readonly [bbox: string, ...number[]])[]): Promise<void> {
  const placed = placedLevel(elementAt(readStored(folder, 'r1'), 0).lines, 7);
  const find = await proxyFind(folder, 0);
  for (const [bbox, ...found] of rows) {
    assert.deepEqual(await find(bbox), found, bbox);
    assert.deepEqual(inBox(placed, bbox), found, `the model: ${bbox}`);
  }
}

/** Islands along each side of a square of them. */
const ALONG = 361;

test('a unit of 130,000 islands has few parts, and boxes between them and around them are exact', async () => {
  const polygons = Array.from({ length: ALONG * ALONG }, (_, i) => {
    const [x, y] = [(i % ALONG) / 10, Math.floor(i / ALONG) / 10];
    return square(x, y, 0.05).slice('MULTIPOLYGON('.length, -1);
  });
  const out = await buildUnits([`MULTIPOLYGON(${polygons.join()})`, square(50, 0)]);
  const { part } = readIndex(join(out, releasePath('r1')), 0).arrays;
  assert.equal(part.length, 5 * 16);
  await assertFinds(out, [
    ['0.06,0.06,0.09,0.09'],
    ['18.06,0,18.09,36'],
    ['18.06,17.06,18.11,17.11', 0],
    ['36.04,36.04,37,37', 0],
    ['0.051,0.051,0.099,35'],
    ['17.99,17.99,50.5,18.06', 0],
    ['17.99,0,50.5,36', 0, 1],
  ]);
});

test('a ring of so many positions that nobody has asked whether it is valid: its spike is no border', async () => {
  const count = 150_001;
  const circle = Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return `${10 + Math.cos(angle)} ${10 + Math.sin(angle)}`;
  });
  const [start = ''] = circle;
  const out = await buildUnits([`POLYGON((${[start, '12 10', ...circle, start].join()}))`]);
  await assertFinds(out, [['11.5,8,13,12'], ['10.5,8,13,12', 0]]);
});
