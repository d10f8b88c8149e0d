// Which units contain a point: cells of made-up levels against even-odd in integers over all rings, half of the points
// on an edge or within millionths of a unit of it. GDAL judges those of the sample, in
// proxy/features/places/sample-places.ci.ts; partitions are in topology/partitions.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { pointAt } from '../../../format/grid.ts';
import {
  assertAgrees,
  makeLevel,
  onMap,
  type PointText,
  pointsNear,
  rectangle,
  ring,
  star,
  type Units,
} from '../../support/datasets/made-up-levels.ts';
import { dice } from '../../support/dice.ts';
import type { Ring } from '../../support/even-odd.ts';

/** Points from a text: longitude and latitude of each, divided by commas. */
function pointsFrom(text: string): PointText[] {
  return text.split(', ').map((point) => {
    const [longitude = '', latitude = ''] = point.split(' ');
    return [longitude, latitude];
  });
}

test('units across the antimeridian, cut there, jumping from side to side, or written beyond 180 degrees', () => {
  const ways: Record<string, Ring[]> = {
    cut: [ring(7, [170, 0], [180, 0], [180, 11], [175, 7]), ring(7, [-180, 0], [-170, 5], [-175, 9], [-180, 11])],
    jumping: [ring(7, [170, 0], [180, 0], [-170, 5], [-175, 9], [-180, 11], [175, 7])],
    'beyond 180': [ring(7, [170, 0], [180, 0], [190, 5], [185, 9], [180, 11], [175, 7])],
    'beyond -180': [ring(7, [-190, 0], [-180, 0], [-170, 5], [-175, 9], [-180, 11], [-185, 7])],
  };
  const named = '180 5, -180 5, -180.000 10.9999999999, 180 11.0000001, -171 5, -169.9 5, 175 3, 0 5';
  const points = [...pointsFrom(named), ...pointsNear(Object.values(ways), 7, 1200, dice(2))];
  const found = Object.entries(ways).map(([way, rings]) => {
    const all = assertAgrees([rings], 7, points);
    assert.deepEqual(all.slice(0, 8), [[0], [0], [0], [], [0], [], [0], []], way);
    return all;
  });
  for (const other of found) assert.deepEqual(other, found[0]);
});

test('an edge across the antimeridian is not rounded where it crosses', () => {
  const units = [[ring(3, [179.999, 0], [-179.998, 0.001], [-179.998, 5], [179.999, 5])]];
  // The edge is at a third of a unit there.
  const named = pointsFrom('180 0.000333, 180 0.000334, -180 0.000333, -179.999 0.000666, -179.999 0.000667');
  const found = assertAgrees(units, 3, [...named, ...pointsNear(units, 3, 500, dice(3))]);
  assert.deepEqual(found.slice(0, 5), [[], [0], [], [], [0]]);
});

test('units around a pole contain the pole and every longitude, also where neighbours meet there', () => {
  const wave = (south: number, turns: 1 | -1): [number, number][] =>
    Array.from({ length: 72 }, (_, i) => [turns * (5 * i - 178), south + (i % 7) / 4]);
  const meridians = (pole: 90 | -90, far: number): Ring[][] =>
    [-180, -60, 60].map((west) => [ring(7, [west, pole], [west, far], [west + 120, far], [west + 120, pole])]);
  const kinds: Record<string, Units> = {
    'around both': [[ring(7, ...wave(70, 1))], [ring(7, ...wave(-75, -1))]],
    'with a hole around it': [[ring(7, ...wave(60, 1)), ring(7, ...wave(80, -1))]],
    'cut as far as the pole': [[ring(7, [-180, -90], [180, -90], [180, -70], [0, -60], [-180, -70])]],
    'neighbours at both': [...meridians(90, 50), ...meridians(-90, -50)],
  };
  const poles: PointText[] = ['-180', '-60', '-12.3456789', '0', '60', '180'].flatMap((longitude) => [
    [longitude, '90'],
    [longitude, '-90.00'],
    [longitude, '89.9999999'],
  ]);
  for (const [kind, units] of Object.entries(kinds)) {
    const found = assertAgrees(units, 7, [...poles, ...pointsNear(units, 7, 600, dice(4))]);
    const [north, south] = [found[0] ?? [], found[1] ?? []];
    if (kind === 'around both') assert.deepEqual([north, south], [[0], [1]]);
    if (kind === 'with a hole around it') assert.deepEqual([north, south], [[], []]);
    if (kind === 'cut as far as the pole') assert.deepEqual([north, south], [[], [0]]);
    if (kind === 'neighbours at both') for (const at of found.slice(0, 18)) assert.equal(at.length, 1);
  }
});

test('rings that touch or cross themselves, spikes, repeated points, rings without area, units that are empty', () => {
  const touching = ring(7, [0, 0], [4, 0], [2, 2], [4, 4], [0, 4], [2, 2]);
  const bowTie = ring(7, [10, 0], [14, 4], [14, 0], [10, 4]);
  const spike = ring(7, [20, 0], [24, 0], [24, 2], [28, 2], [24, 2], [24, 4], [24, 4], [20, 4]);
  const flat = ring(7, [30, 0], [34, 0], [32, 0]);
  const twice = rectangle(7, 40, 0, 44, 4);
  const units = [[], [touching], [bowTie], [], [spike], [flat], [twice, twice], [twice, twice, twice], []];
  const named = pointsFrom('3 0.5, 3 2, 13.5 2, 12 3.5, 26 2, 31 0, 42 2');
  const found = assertAgrees(units, 7, [...named, ...pointsNear(units, 7, 1500, dice(5))]);
  assert.deepEqual(found.slice(0, 7), [[1], [], [2], [], [], [], [7]]);
});

test('of units that overlap all are found', () => {
  const roll = dice(6);
  const units = Array.from({ length: 60 }, (_, i) => [star(roll(2e7), roll(2e7), 12 + i, 3e7, roll)]);
  const found = assertAgrees(units, 7, pointsNear(units, 7, 1000, roll));
  assert.ok(Math.max(...found.map(({ length }) => length)) > 15);
});

test('the same unit 300 times, some with a part of their own, is stored with each border once', () => {
  const same = star(0, 0, 400, 1e8, dice(7));
  const units = Array.from({ length: 300 }, (_, i) =>
    i % 100 === 0 ? [same, rectangle(7, 20, i / 100, 21, i)] : [same],
  );
  const level = makeLevel(units, 7);
  assert.ok(level.arrays.key.length < 100, `${level.arrays.key.length} cells`);
  assertAgrees(units, 7, pointsNear(units, 7, 50, dice(8)), level);
});

test('more edges than a cell should have: at one point, and side by side over a long way', () => {
  const rays = Array.from({ length: 400 }, (_, i) => {
    const [a, b] = [(2 * Math.PI * i) / 400, (2 * Math.PI * (i + 1)) / 400];
    return [ring(7, [0, 0], [9 * Math.cos(a), 9 * Math.sin(a)], [9 * Math.cos(b), 9 * Math.sin(b)])];
  });
  const stripes = Array.from({ length: 700 }, (_, i): Ring[] => [
    [
      [-1e9, 3 * i],
      [1e9, 7e8 + 3 * i],
      [1e9, 7e8 + 3 * i + 3],
      [-1e9, 3 * i + 3],
      [-1e9, 3 * i],
    ],
  ]);
  for (const units of [rays, stripes]) {
    const level = makeLevel(units, 7);
    assert.ok(level.arrays.key.length < 3000, `${level.arrays.key.length} cells`);
    const found = assertAgrees(units, 7, pointsNear(units, 7, 600, dice(9)), level);
    assert.ok(Math.max(...found.map(({ length }) => length)) === 1);
  }
});

test('long edges side by side are stored a bounded number of times, and every point is found', () => {
  const teeth = 10_000;
  const tooth = (i: number): [number, number][] => [
    [i / 1000, 10],
    [i / 1000 + 0.0005, 0],
  ];
  const comb = [ring(7, ...Array.from({ length: teeth }, (_, i) => tooth(i)).flat(), [teeth / 1000, 10.5], [0, 10.5])];
  const level = makeLevel([comb], 7);
  assert.ok(level.bytes.length < 250 * 2 * teeth, `${level.bytes.length} bytes`);
  assert.deepEqual(level.crowded, [0]);
  assertAgrees([comb], 7, pointsNear([comb], 7, 300, dice(15)), level);
});

test('cells of a few units of length: points between their borders and the next position', () => {
  const roll = dice(13);
  const units = Array.from({ length: 40 }, () => [star(roll(30), roll(30), 50, 30, roll)]);
  const level = makeLevel(units, 0);
  const steps = level.arrays.key.map((key, i) => elementAt([...level.arrays.key, 4 ** 9], i + 1) - key);
  assert.ok(Math.min(...steps) <= 8 * 8);
  const points = Array.from({ length: 300 }, (): PointText => onMap(BigInt(roll(3e7)), BigInt(roll(3e7)), 0));
  assertAgrees(units, 0, points, level);
});

test('a point is taken from plain decimals in range, exactly, with more digits than a double has', () => {
  const units = [[rectangle(3, 0, 0, 1, 1)]];
  const { unitsAt } = makeLevel(units, 3);
  assert.deepEqual(unitsAt('0.9999999999999999999999999999999999999999', '0.5'), [0]);
  assert.deepEqual(unitsAt('1', '0.5'), []);
  assert.deepEqual(unitsAt('-0.0000000000000000000000000000000000000001', '0.5'), []);
  assert.deepEqual(unitsAt('-0', '-0.0'), [0]);
  // On the border of two cells, if the grid has one there.
  assert.deepEqual(unitsAt('0.0005', '0.9995'), [0]);
  const outside = ['180.0001', '-180.1', '1000'];
  for (const wrong of ['', ' 1', '+1', '1.', '.5', '1e2', 'NaN', 'Infinity', '0x1', '1,5', ...outside])
    assert.equal(pointAt(wrong, '0', 3), undefined, wrong);
  for (const wrong of ['90.00000000000000000001', '-91', '95', `0.${'1'.repeat(41)}`])
    assert.equal(pointAt('0', wrong, 3), undefined, wrong);
});
