// `bbox` where a quick version goes wrong, through the door: each box with the units that the rule says, which the
// model of integers (support/places.ts) says, too.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../../format/element-at.ts';
import { releasePath } from '../../../../format/layout.ts';
import { readStored } from '../../../support/datasets/large-dataset.ts';
import { fidsOf, send } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { inBox, placedLevel } from '../../../support/places.ts';
import { buildUnits } from '../../../support/releases/build-release.ts';
import { assertParts } from '../../../support/releases/parts-oracle.ts';
import { readIndex } from '../../../support/releases/read-index.ts';

/** What a box is about, the box, and the fids of the units in it. */
type Row = readonly [what: string, bbox: string, ...fids: number[]];

async function assertFinds(units: readonly string[], precision: number, rows: readonly Row[]): Promise<void> {
  const folder = await buildUnits(units, {
    precision,
    accept: ['non-polygonal', 'collapsed-geometries'],
    geometries: ['full', 'none'],
  });
  const proxy = await startService(folder);
  const placed = placedLevel(elementAt(readStored(folder, 'r1'), 0).lines, precision);
  assertParts(readIndex(join(folder, releasePath('r1')), 0), placed);
  for (const [what, bbox, ...fids] of rows) {
    const modelled = inBox(placed, bbox).map((position) => position + 1);
    assert.deepEqual(modelled, fids, `the model, ${what}: ${bbox}`);
    const found = fidsOf(await send(proxy, `/api/v1/fc/lv0?geometry=none&bbox=${bbox}`));
    assert.deepEqual(found, fids, `${what}: ${bbox}`);
  }
}

test('edges, corners, boxes without width or height, tiny ones, and decimals beyond the precision', () =>
  assertFinds(
    ['POLYGON((1 1,2 1,2 2,1 2,1 1))', 'POLYGON((10 0,14 4,10 8,6 4,10 0))', 'POLYGON((20 0,21 0,20 1,20 0))'],
    7,
    [
      ['an edge on the edge of the box', '2,1,3,2', 1],
      ['a part of an edge', '2,1.2,3,1.3', 1],
      ['a corner that touches a corner', '2,2,3,3', 1],
      ['a corner that touches an edge', '1.9,2,3,3', 1],
      ['a corner of the unit on an edge of the box', '14,3,15,5', 2],
      ['in its box, away from its slanting edge', '20.6,0.6,21,1'],
      ['a corner of the box on the slanting edge', '20.5,0.5,21,1', 3],
      ['a corner that is a hair off it', '20.500000000000001,0.5,21,1'],
      ['no width, on an edge', '2,0,2,9', 1],
      ['no width, a hair beside it', '2.000000000000001,0,2.000000000000001,9'],
      ['no height, across', '0,4,30,4', 2],
      ['neither, on a corner', '1,1,1,1', 1],
      ['neither, on a slanting edge', '12,2,12,2', 2],
      ['neither, a hair off it', '12,1.999999999999999,12,1.999999999999999'],
      ['neither, inside', '10,4,10,4', 2],
      ['1e-9 degrees, inside', '10,4,10.000000001,4.000000001', 2],
      ['1e-9 degrees, on a slanting edge', '12,2,12.000000001,2.000000001', 2],
      ['1e-9 degrees, a hair off it', '12.000000001,1.999999999,12.000000002,2'],
      ['an edge a hair east of it', '0,0,0.999999999999999,9'],
      ['two units', '1.5,1.5,6,4', 1, 2],
    ],
  ));

test('a precision of 4 and of 9: the coordinates as published decide', async () => {
  const unit = ['POLYGON((1.00004 1,2.00006 1,2.00006 2.00006,1.00004 2.00006,1.00004 1))'];
  await assertFinds(unit, 4, [
    ['rounded west', '0,1,1,2', 1],
    ['rounded east', '2.0001,1,3,2', 1],
    ['beyond it', '2.00010000001,1,3,2'],
  ]);
  await assertFinds(['POLYGON((1.123456789 1,2 1,2 2,1.123456789 1))'], 9, [
    ['beside its west, which the index rounds outward', '1,0,1.123456788,3'],
    ['its west', '1,0,1.123456789,3', 1],
  ]);
});

test('boxes in units, in holes and around islands; pieces that no cell of the border shows', () =>
  assertFinds(
    [
      'POLYGON((0 0,20 0,20 20,0 20,0 0),(4 4,4 16,16 16,16 4,4 4))',
      'POLYGON((9 9,11 9,11 11,9 11,9 9))',
      // A corridor, whose sides are one edge once they are rounded.
      'POLYGON((30 0,32 0,32 1,36 1,36 0,38 0,38 2,36 2,36 1.00000001,32 1.00000001,32 2,30 2,30 0))',
      // A hole outside its ring.
      'POLYGON((50 0,52 0,52 2,50 2,50 0),(56 0,56 2,58 2,58 0,56 0))',
      // A polygon that is there twice bounds nothing.
      'MULTIPOLYGON(((70 0,71 0,71 1,70 1,70 0)),((75 0,76 0,76 1,75 1,75 0)),((75 0,76 0,76 1,75 1,75 0)))',
    ],
    7,
    [
      ['in a unit', '1,1,2,2', 1],
      ['in a hole', '5,5,6,6'],
      ['the hole', '4,4,4,4', 1],
      ['in a hole with a unit', '5,5,15,15', 2],
      ['around the hole', '3,3,17,17', 1, 2],
      ['in the corridor', '33,0,35,2'],
      ['of one end', '31,0,35,2', 3],
      ['one end inside', '35,-1,39,3', 3],
      ['the other inside', '29,-1,33,3', 3],
      ['around the corridor', '29,0.5,39,1.5', 3],
      ['between ring and hole', '53,0,55,2'],
      ['around the hole outside', '55,-1,59,3', 4],
      ['in the hole outside', '57,1,57.5,1.5', 4],
      ['around what is there twice', '74,-1,77,2'],
      ['in it', '75.2,0.2,75.4,0.4'],
      ['the rest of it', '69,-1,77,2', 5],
    ],
  ));

test('a side of a unit decides only where an edge of its border lies on it', async () => {
  await assertFinds(['POLYGON((0 0,2 1,1 2,0 0))', 'POLYGON((10 0,12 0,12 2,10 0))'], 7, [
    ['two sides, but the corner alone', '1.6,1.6,3,3'],
    ['a whole side', '-1,1.5,3,3', 1],
    ['a whole side, whose end touches', '12,-1,13,3', 2],
    ['a whole side of no height', '-1,2,3,2', 1],
    ['all but the end of a side', '-1,1.9999,0.999,3'],
  ]);
  // The way to the north and back is no border.
  await assertFinds(['POLYGON((0 0,2 0,2 1,1 1,1 2,1 1,0 1,0 0))'], 7, [['a spike', '-1,1.5,3,3']]);
});

/** Positions around a centre, half a degree from it, from an angle on and back to it: so many that cells are small. */
function around(x: number, y: number, from: number): string[] {
  return Array.from({ length: 1999 }, (_, i) => {
    const angle = from + (2 * Math.PI * (i + 1)) / 2000;
    return `${x + Math.cos(angle) / 2} ${y + Math.sin(angle) / 2}`;
  });
}

test('what lies deep in a box, joined by a corridor that is no border, is in no cell of the border of the box', () => {
  const [east, west] = [around(40, 1, Math.PI), around(30, 1, 0)];
  const there = ['30.5 1', '39.5 1', ...east, '39.5 1.00000001', '30.5 1.00000001', ...west, '30.5 1'];
  return assertFinds([`POLYGON((${there.join()}))`], 7, [
    ['around one end', '35,-9,50,12', 1],
    ['around the other', '20,-9,35,12', 1],
    ['the corridor alone', '32,-9,38,12'],
  ]);
});

test('180 and -180 degrees are one meridian, the poles are points, and units are cut there or cross', () =>
  assertFinds(
    [
      'MULTIPOLYGON(((170 0,180 0,180 10,170 10,170 0)),((-180 0,-175 0,-175 10,-180 10,-180 0)))',
      'POLYGON((175 20,-175 20,-175 30,175 30,175 20))',
      'POLYGON((-180 -90,180 -90,180 -80,0 -80,-180 -80,-180 -90))',
      'POLYGON((179 40,180 40,180 41,179 41,179 40))',
      'POLYGON((0 70,120 80,-120 80,0 70))',
    ],
    7,
    [
      ['west of 180', '179.5,1,180,2', 1],
      ['180 alone', '180,1,180,2', 1],
      ['-180 alone', '-180,1,-180,2', 1],
      ['across', '179.9,1,-179.9,2', 1],
      ['across a ring that jumps', '179.9,22,-179.9,23', 2],
      ['east of the cut', '-176,22,-174,23', 2],
      ['beyond a ring that jumps', '-174.9,20,174.9,30'],
      ['-180 of a unit that ends at 180', '-180,40,-180,41', 4],
      ['from -180', '-180,40.5,-179,40.6', 4],
      ['the rest of the turn', '-179.9,40,178.9,41'],
      ['the south pole', '0,-90,0,-90', 3],
      ['around it', '-180,-81,180,-79', 3],
      ['the north pole, which a ring is around', '-180,90,180,90', 5],
      ['one point of it', '33,90,33,90', 5],
      ['north of that ring', '10,85,11,86', 5],
      ['south of it', '60,70,61,71'],
      ['the world', '-180,-90,180,90', 1, 2, 3, 4, 5],
      ['the world from elsewhere', '10,-90,9.9,90', 1, 2, 3, 4, 5],
    ],
  ));

test('levels with lines, points or units without area compare boxes', async () => {
  const notch: Row = ['the notch of a triangle', '0.6,0.6,1,1', 1];
  for (const other of ['LINESTRING(5 5,6 6)', 'POINT(5 5)', 'POLYGON((5 5,5.00000001 5,5 5.00000001,5 5))'])
    await assertFinds(['POLYGON((0 0,1 0,0 1,0 0))', other], 7, [notch, ['the other', '5,5,7,7', 2]]);
  await assertFinds(['POLYGON((0 0,1 0,0 1,0 0))'], 7, [['alone, exactly', '0.6,0.6,1,1']]);
});
