// The index of boxes against a comparison with each box.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxFrom, indexingBoxes } from '../../format/boxes.ts';
import { elementAt } from '../../format/element-at.ts';
import { positionsIn } from '../../format/positions.ts';
import { resultOf } from '../../format/steps.ts';
import { inTurns } from '../../proxy/work/in-turns.ts';
import { type Dice, dice } from '../support/dice.ts';
import { turnsDuring } from '../support/turns-during.ts';

type Degrees = readonly [west: number, south: number, east: number, north: number];

/** Whole degrees, so that many sides touch; south > north is a feature without geometry. */
function degreesFrom(roll: Dice): Degrees {
  const [longitude, latitude] = [(): number => roll(361) - 180, (): number => roll(181) - 90];
  const [west, south] = [longitude(), latitude()];
  switch (roll(8)) {
    case 0:
      return [0, 1, 0, 0];
    case 1:
      return [west, south, longitude(), Math.max(south, latitude())];
    case 2:
      return [-180, -90, 180, roll(181) - 90];
    default:
      return [west, south, ((west + roll(4) + 180) % 360) - 180, Math.min(90, south + roll(4))];
  }
}

/** A box that a release may have: some or all of it lies beyond the poles. */
function beyondPoles(roll: Dice): Degrees {
  const [west, south] = [roll(361) - 180, roll(427) - 213];
  return [west, south, Math.min(180, west + roll(4)), Math.min(214, south + roll(99))];
}

/** Is a longitude on the way from west to east? 180 and -180 are the same place. */
function isOn([west, , east]: Degrees, longitude: number): boolean {
  const length = west > east ? east - west + 360 : east - west;
  return (longitude - west + 720) % 360 <= length;
}

for (const features of [0, 1, 31, 64, 65, 5000])
  test(`an index selects of ${features} scattered boxes those that a comparison with each selects`, () => {
    const roll = dice(features + 1);
    const boxes = Array.from({ length: features }, () => (roll(8) === 0 ? beyondPoles(roll) : degreesFrom(roll)));
    const index = resultOf(indexingBoxes(Int32Array.from(boxes.flat(), (degrees) => degrees * 1e7)));
    const asked: Degrees[] = [
      [-180, -90, 180, 90],
      [-180, -90, 180, -90],
      [180, -90, -180, 90],
      ...Array.from({ length: 300 }, () => degreesFrom(roll)),
    ];
    for (const box of asked) {
      const [west, south, , north] = box;
      const sought = boxFrom(box.map(String));
      if (sought === undefined) continue;
      const expected = [...boxes.keys()].filter((position) => {
        const own = elementAt(boxes, position);
        const [, from, , to] = own;
        return from <= Math.min(to, north) && to >= south && (isOn(box, own[0]) || isOn(own, west));
      });
      const found = index.touching(sought);
      assert.deepEqual([...positionsIn(found.slice(0, found.count))], expected, box.join());
    }
  });

test('a box beyond the map, which no release should have, throws nothing', () => {
  const boxes = Int32Array.of(-2147483647, 0, -2147483647, 0, 2147483647, 0, 2147483647, 0, 0, 0, 0, 0);
  const index = resultOf(indexingBoxes(boxes));
  const sought = boxFrom(['-1', '-1', '1', '1']) ?? assert.fail();
  const found = index.touching(sought);
  assert.deepEqual([...positionsIn(found.slice(0, found.count))], [2]);
});

test('other requests are answered while the boxes of a large level are put in order', async () => {
  const boxes = Int32Array.from({ length: 4 * 40_000 }, (_, i) => 1000 * (i % 1_000_000));
  const turns = await turnsDuring(inTurns(indexingBoxes(boxes)));
  assert.ok(turns > 10, `${turns} turns`);
});
