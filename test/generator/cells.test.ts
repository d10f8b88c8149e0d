// Which units contain a point: cells of made-up levels against even-odd in integers over all rings, half of the points
// on an edge or within millionths of a unit of it, and by a reader in Python that knows the specification alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CellArrays, type Cells, decodeCells, directoryBytes } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { pointAt } from '../../format/grid.ts';
import { FormatError } from '../../format/parse.ts';
import { FORMAT_VERSION } from '../../format/version.ts';
import { encodeDirectory, newCellBuilder } from '../../generator/cells/build-cells.ts';
import { Coordinates } from '../../generator/geojson/coordinates.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { CellFile } from '../../proxy/points/level-units.ts';
import { type Found, NOWHERE, PointChunk } from '../../proxy/points/look-up.ts';
import { type Dice, dice } from '../support/dice.ts';
import { decimalOf, evenOdd, type Ring } from '../support/even-odd.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Units = readonly (readonly Ring[])[];
type PointText = readonly [longitude: string, latitude: string];

/** Decimals that points have beyond those of the rings. */
const MORE = 6;

interface Level {
  cells: Cells;
  arrays: CellArrays;
  /** Of the whole file. */
  bytes: Buffer;
  crowded: readonly number[];
  unitsAt(...point: PointText): number[];
}

function makeLevel(units: Units, precision: number): Level {
  const builder = newCellBuilder(precision);
  for (const rings of units) {
    for (const ring of rings) {
      const positions = new Coordinates();
      positions.resize(ring.length);
      for (const [i, [x, y]] of ring.entries()) positions.set(i, x, y);
      builder.ring(positions, false, positions.signedArea());
    }
    builder.unit();
  }
  const chunks: Buffer[] = [];
  const { directory, crowded } = builder.finish((chunk) => chunks.push(Buffer.from(chunk)));
  const bytes = Buffer.concat([directory, ...chunks]);
  const cells = decodeCells(bytes, 'cells.bin', { features: units.length, precision });
  const { arrays } = cells;
  const unitsAt = (longitude: string, latitude: string): number[] => {
    const point = pointAt(longitude, latitude, precision) ?? assert.fail(`${longitude}, ${latitude}`);
    const cell = cells.cellAt(point);
    return cells.unitsAt(point, cell, bytesOf(level, cell), 'cells.bin');
  };
  const level = { cells, arrays, bytes, crowded, unitsAt };
  return level;
}

function bytesOf({ arrays, bytes }: Pick<Level, 'arrays' | 'bytes'>, cell: number): Buffer {
  return bytes.subarray(elementAt(arrays.start, cell), elementAt(arrays.start, cell + 1));
}

/** A closed ring from whole degrees, or other numbers that are exact at the precision. */
function ring(precision: number, ...degrees: readonly (readonly [number, number])[]): Ring {
  const points = degrees.map(([x, y]) => [Math.round(x * 10 ** precision), Math.round(y * 10 ** precision)] as const);
  return [...points, elementAt(points, 0)];
}

function rectangle(precision: number, west: number, south: number, east: number, north: number): Ring {
  return ring(precision, [west, south], [east, south], [east, north], [west, north]);
}

/** Points on a vertex, on an edge as nearly as decimals allow, within a unit of it, and anywhere near. */
function pointsNear(units: Units, precision: number, count: number, roll: Dice): PointText[] {
  const rings = units.flat().filter(({ length }) => length > 1);
  const parts = 10 ** MORE;
  return Array.from({ length: count }, (_, i) => {
    const chosen = elementAt(rings, roll(rings.length));
    const at = roll(chosen.length - 1);
    const [[x1, y1], [x2, y2]] = [elementAt(chosen, at), elementAt(chosen, at + 1)];
    const along = i % 8 === 0 ? 0n : BigInt(roll(parts));
    const scatter = elementAt([0, 0, 1, parts, 0.01 * 10 ** precision * parts], i % 5);
    const off = (): bigint => (scatter === 0 ? 0n : BigInt(Math.round((roll(2001) / 1000 - 1) * scatter)));
    const between = (a: number, b: number): bigint => BigInt(a) * BigInt(parts) + along * BigInt(b - a);
    return onMap(between(x1, x2) + off(), between(y1, y2) + off(), precision);
  });
}

function onMap(x: bigint, y: bigint, precision: number): PointText {
  const quarter = 90n * 10n ** BigInt(precision + MORE);
  const north = y > quarter ? quarter : y < -quarter ? -quarter : y;
  const east = x > 2n * quarter ? x - 4n * quarter : x < -2n * quarter ? x + 4n * quarter : x;
  return [decimalOf(east, precision + MORE), decimalOf(north, precision + MORE)];
}

/**
 * Asserts that each point is where the oracle says, also when all are looked up together.
 * @returns the units of each
 */
function assertAgrees(
  units: Units,
  precision: number,
  points: readonly PointText[],
  { unitsAt, bytes }: Level = makeLevel(units, precision),
): number[][] {
  const oracle = evenOdd(units, precision, precision + MORE);
  const expected = points.map((point) => oracle(...point));
  const { first, several } = togetherIn(bytes, precision, points);
  const firsts = expected.map(([unit = NOWHERE]) => unit);
  assert.deepEqual([...first.subarray(0, points.length)], firsts);
  const inSeveral = [...points.keys()].filter((i) => elementAt(expected, i).length > 1);
  assert.deepEqual(
    several.toSorted((a, b) => a - b),
    inSeveral,
  );
  return points.map((point) => {
    const found = unitsAt(...point);
    assert.deepEqual(found, oracle(...point), point.join());
    return found;
  });
}

/** Many points at once, as `points` of the proxy looks them up. */
function togetherIn(bytes: Buffer, precision: number, points: readonly PointText[]): Found {
  const file = join(temporaryFolder(), 'cells.bin');
  writeFileSync(file, bytes);
  const chunk = new PointChunk(points.length, precision);
  for (const point of points) assert.ok(chunk.add(...point), point.join());
  chunk.sort();
  const cells = new CellFile(file, 'cells.bin');
  return chunk.lookUp({ level: 0, gids: [], names: [], cells }, new Int32Array(points.length));
}

/**
 * A patchwork of rows x columns units, with borders of many points that neighbours share: each border runs in either
 * direction, and the rings begin anywhere.
 */
function patchwork(precision: number, rows: number, columns: number, steps: number, roll: Dice): Units {
  const scale = 10 ** precision;
  const step = scale / steps;
  const height = rows * steps;
  const width = columns * steps;
  const jitter = (): number => Math.round(((roll(1001) - 500) / 1100) * step);
  const at = Array.from({ length: height + 1 }, (_, r) =>
    Array.from({ length: width + 1 }, (_, c) => [Math.round(c * step) + jitter(), Math.round(r * step) + jitter()]),
  );
  const point = (r: number, c: number): readonly [number, number] => {
    const [x = 0, y = 0] = elementAt(elementAt(at, r), c);
    return [x, y];
  };
  return Array.from({ length: rows * columns }, (_, i) => {
    const [r, c] = [Math.floor(i / columns) * steps, (i % columns) * steps];
    const open = [
      ...Array.from({ length: steps }, (_, k) => point(r, c + k)),
      ...Array.from({ length: steps }, (_, k) => point(r + k, c + steps)),
      ...Array.from({ length: steps }, (_, k) => point(r + steps, c + steps - k)),
      ...Array.from({ length: steps }, (_, k) => point(r + steps - k, c)),
    ];
    const first = roll(open.length);
    const turned = [...open.slice(first), ...open.slice(0, first)];
    if (roll(2) === 0) turned.reverse();
    return [[...turned, elementAt(turned, 0)]];
  });
}

/** A star with random rays around a point. */
function star(x: number, y: number, rays: number, reach: number, roll: Dice): Ring {
  const open = Array.from({ length: rays }, (_, i) => {
    const angle = (2 * Math.PI * i) / rays;
    const far = reach * (0.1 + roll(1000) / 1100);
    return [Math.round(x + far * Math.cos(angle)), Math.round(y + far * Math.sin(angle))] as const;
  });
  return [...open, elementAt(open, 0)];
}

for (const precision of [3, 7, 9, 12])
  test(`with ${precision} decimals neighbours share their borders: each point is in exactly one unit`, () => {
    const roll = dice(precision);
    const units = patchwork(precision, 4, 6, 20, roll);
    const level = makeLevel(units, precision);
    assert.ok(level.arrays.key.length > 5);
    const inner = units.filter((_, i) => i % 6 > 0 && i % 6 < 5 && i > 6 && i < 17);
    assert.ok(inner.length === 8);
    for (const found of assertAgrees(units, precision, pointsNear(inner, precision, 500, roll), level))
      assert.equal(found.length, 1);
    const around = assertAgrees(units, precision, pointsNear(units, precision, 200, roll), level);
    assert.ok(around.some(({ length }) => length === 0));
  });

test('a hole, the enclave that fills it, an island in a hole, and several islands of one unit', () => {
  const box = (...sides: [number, number, number, number]): Ring => rectangle(7, ...sides);
  const units = [
    [box(0, 0, 10, 10), box(2, 2, 4, 4), box(5, 5, 9, 9)],
    [box(2, 2, 4, 4)],
    [box(6, 6, 8, 8), box(20, 0, 21, 1), box(30, -60, 31, -50)],
  ];
  const points: PointText[] = [
    ...pointsNear(units, 7, 1000, dice(1)),
    ['1', '1'],
    ['3', '3'],
    ['5.5', '5.5'],
    ['7', '7'],
    ['20.5', '0.5'],
    ['30.5', '-55.00'],
    ['-7', '3'],
  ];
  const found = assertAgrees(units, 7, points);
  assert.deepEqual(found.slice(-7), [[0], [1], [], [2], [2], [2], []]);
});

test('units across the antimeridian, cut there, jumping from side to side, or written beyond 180 degrees', () => {
  const ways: Record<string, Ring[]> = {
    cut: [ring(7, [170, 0], [180, 0], [180, 11], [175, 7]), ring(7, [-180, 0], [-170, 5], [-175, 9], [-180, 11])],
    jumping: [ring(7, [170, 0], [180, 0], [-170, 5], [-175, 9], [-180, 11], [175, 7])],
    'beyond 180': [ring(7, [170, 0], [180, 0], [190, 5], [185, 9], [180, 11], [175, 7])],
    'beyond -180': [ring(7, [-190, 0], [-180, 0], [-170, 5], [-175, 9], [-180, 11], [-185, 7])],
  };
  const points: PointText[] = [
    ['180', '5'],
    ['-180', '5'],
    ['-180.000', '10.9999999999'],
    ['180', '11.0000001'],
    ['-171', '5'],
    ['-169.9', '5'],
    ['175', '3'],
    ['0', '5'],
    ...pointsNear(Object.values(ways), 7, 1200, dice(2)),
  ];
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
  const found = assertAgrees(units, 3, [
    ['180', '0.000333'],
    ['180', '0.000334'],
    ['-180', '0.000333'],
    ['-179.999', '0.000666'],
    ['-179.999', '0.000667'],
  ]);
  assert.deepEqual(found, [[], [0], [], [], [0]]);
  assertAgrees(units, 3, pointsNear(units, 3, 500, dice(3)));
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
  const points: PointText[] = [
    ['3', '0.5'],
    ['3', '2'],
    ['13.5', '2'],
    ['12', '3.5'],
    ['26', '2'],
    ['31', '0'],
    ['42', '2'],
    ...pointsNear(units, 7, 1500, dice(5)),
  ];
  assert.deepEqual(assertAgrees(units, 7, points).slice(0, 7), [[1], [], [2], [], [], [], [7]]);
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
  const points = Array.from({ length: 1500 }, (): PointText => onMap(BigInt(roll(3e7)), BigInt(roll(3e7)), 0));
  assertAgrees(units, 0, points, level);
});

test('cells lie in the order of their keys, and neither sea nor the inside of a unit has more than one in a row', () => {
  const units = patchwork(7, 4, 6, 20, dice(10));
  const { arrays, bytes } = makeLevel(units, 7);
  assert.equal(arrays.key[0], 0);
  assert.ok(arrays.key.every((key, i) => i === 0 || key > elementAt(arrays.key, i - 1)));
  assert.equal(arrays.start.length, arrays.key.length + 1);
  assert.equal(arrays.start.at(-1), bytes.length);
  const lengths = Array.from(arrays.crc, (_, cell) => bytesOf({ arrays, bytes }, cell).length);
  assert.ok(lengths.includes(0));
  assert.ok(lengths.every((length, i) => length > 0 || lengths[i + 1] !== 0));
  const again = makeLevel(units, 7);
  assert.deepEqual([again.arrays, again.bytes], [arrays, bytes]);
});

test('a level without areas is the directory of one cell without bytes', () => {
  for (const units of [[], [[], []], [[ring(7, [1, 1], [2, 2])]]]) {
    const { arrays, bytes, unitsAt } = makeLevel(units, 7);
    assert.deepEqual([[...arrays.key], [...arrays.start], [...arrays.crc], bytes.length], [[0], [60, 60], [0], 60]);
    assert.deepEqual(unitsAt('1.5', '1.5'), []);
  }
});

test('a flipped bit, missing bytes and those of another cell are an error, never another unit', () => {
  const { cells, arrays, bytes } = makeLevel(patchwork(7, 2, 3, 20, dice(11)), 7);
  const point = pointAt('1.2', '1.1', 7) ?? assert.fail();
  const cell = cells.cellAt(point);
  const own = bytesOf({ arrays, bytes }, cell);
  assert.equal(cells.unitsAt(point, cell, own, 'cells.bin').length, 1);
  const refused = (damaged: Uint8Array): void =>
    assert.throws(() => cells.unitsAt(point, cell, damaged, 'lv1/cells.bin'), {
      name: FormatError.name,
      message: `lv1/cells.bin: cell ${cell} is damaged`,
    });
  for (let bit = 0; bit < 8 * own.length; bit++) {
    const damaged = Buffer.from(own);
    damaged[bit >> 3] = elementAt(own, bit >> 3) ^ (1 << (bit & 7));
    refused(damaged);
  }
  refused(own.subarray(0, -1));
  refused(new Uint8Array(0));
  refused(bytesOf({ arrays, bytes }, cell + 1));
});

test('a directory that is cut, damaged, of another version or of another level is refused', () => {
  const { cells, bytes } = makeLevel(patchwork(7, 4, 6, 20, dice(18)), 7);
  const refused = (damaged: Uint8Array, problem: RegExp, expected = { features: 24, precision: 7 }): void =>
    assert.throws(() => decodeCells(damaged, 'lv1/cells.bin', expected), { name: FormatError.name, message: problem });
  assert.deepEqual(decodeCells(bytes.subarray(0, cells.bytes), 'cells.bin').arrays, cells.arrays);
  // Views of what begins at an odd place.
  assert.deepEqual(decodeCells(Buffer.concat([Buffer.of(0), bytes]).subarray(1), 'cells.bin').arrays, cells.arrays);
  assert.equal(cells.fileBytes, bytes.length);
  for (let bytesLeft = 0; bytesLeft < cells.bytes; bytesLeft += 13)
    refused(
      bytes.subarray(0, bytesLeft),
      bytesLeft < 32 ? /^lv1\/cells\.bin: does not begin like/ : /has \d+ bytes, its directory has \d+$/,
    );
  for (let bit = 0; bit < 8 * cells.bytes; bit += bit < 8 * 40 ? 1 : 101) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    refused(damaged, /^lv1\/cells\.bin: /);
  }
  const older = Buffer.from(bytes);
  older.writeUInt32LE(FORMAT_VERSION - 1, 8);
  refused(older, /format version is 4, expected 5: build the release again/);
  refused(bytes, /is of 24 units with 7 decimals, expected 25 with 7$/, { features: 25, precision: 7 });
  refused(bytes, /is of 24 units with 7 decimals, expected 24 with 6$/, { features: 24, precision: 6 });
});

test('a directory whose arrays contradict each other is refused although its CRC-32 is right', () => {
  const from = directoryBytes(3);
  const arrays = (key: number[], start: number[]): CellArrays => {
    return { key: Float64Array.from(key), start: Float64Array.from(start), crc: new Uint32Array(key.length) };
  };
  const head = { features: 2, precision: 7 };
  const decoded = (key: number[], start: number[]): Cells =>
    decodeCells(encodeDirectory(head, arrays(key, start)), 'cells.bin');
  assert.equal(decoded([0, 4, 8], [from, from, from + 9, from + 9]).fileBytes, from + 9);
  const refused: [key: number[], start: number[], problem: RegExp][] = [
    [[0, 8, 4], [from, from, from, from], /the key of cell 2 does not ascend/],
    [[0, 4, 4], [from, from, from, from], /the key of cell 2 does not ascend/],
    [[0, NaN, 4], [from, from, from, from], /the key of cell 1 does not ascend/],
    [[0, 1.5, 4], [from, from, from, from], /the key of cell 1 does not ascend/],
    [[0, 4, Infinity], [from, from, from, from], /the key of cell 2 does not ascend/],
    [[1, 4, 8], [from, from, from, from], /first cell does not begin/],
    [[0, 4, 8], [0, from, from, from], /first cell does not begin/],
    [[0, 4, 8], [from, from + 2, from + 1, from + 3], /cell 1 ends before it begins/],
    [[0, 4, 8], [from, from, from, NaN], /cell 2 ends before it begins/],
    [[], [directoryBytes(0)], /first cell does not begin/],
  ];
  for (const [key, start, problem] of refused)
    assert.throws(() => decoded(key, start), { name: FormatError.name, message: problem }, problem.source);
  const precise = encodeDirectory({ features: 2, precision: 13 }, arrays([0], [60, 60]));
  assert.throws(() => decodeCells(precise, 'cells.bin'), /has 13 decimals, at most 12 are possible/);
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
  for (const wrong of [
    '',
    ' 1',
    '+1',
    '1.',
    '.5',
    '1e2',
    'NaN',
    'Infinity',
    '0x1',
    '1,5',
    '180.0001',
    '-180.1',
    '1000',
  ])
    assert.equal(pointAt(wrong, '0', 3), undefined, wrong);
  for (const wrong of ['90.00000000000000000001', '-91', '95', `0.${'1'.repeat(41)}`])
    assert.equal(pointAt('0', wrong, 3), undefined, wrong);
});

test('GDAL finds four thousand points in the same units, half of them within millionths of a degree of a border', () => {
  const roll = dice(14);
  const units = [...patchwork(7, 4, 6, 20, roll), [star(3e7, 2e7, 300, 2e7, roll), rectangle(7, 2.9, 1.9, 3.1, 2.1)]];
  const { unitsAt } = makeLevel(units, 7);
  const polygons = units.map((rings) => {
    const texts = rings.map((points) => `(${points.map(([x, y]) => `${x / 1e7} ${y / 1e7}`).join()})`);
    return gdal.Geometry.fromWKT(`POLYGON (${texts.join()})`);
  });
  assert.ok(polygons.every((polygon) => polygon.isValid()));
  // Not those on a border, or nearer to it than doubles tell apart.
  const points = pointsNear(units, 7, 10_000, roll).filter((_, i) => i % 5 > 2);
  assert.equal(points.length, 4_000);
  let inside = 0;
  for (const [longitude, latitude] of points) {
    const [x, y] = [Number(longitude), Number(latitude)];
    const point = new gdal.Point(x, y);
    const found = [...polygons.keys()].filter((unit) => elementAt(polygons, unit).contains(point));
    assert.deepEqual(unitsAt(longitude, latitude), found, `${longitude}, ${latitude}`);
    inside += found.length;
  }
  assert.ok(inside > 3600);
});

test('the example of the specification, byte by byte', () => {
  const [, block = ''] = /^```text cells\n(.*?)^```$/ms.exec(readFileSync('format/EXAMPLES.md', 'utf8')) ?? [];
  const { bytes, unitsAt } = makeLevel([[rectangle(0, 0, 0, 2, 2)], [rectangle(0, 2, 0, 4, 2)]], 0);
  assert.equal(bytes.toString('hex'), block.replaceAll(/#.*$|\s/gm, ''));
  assert.deepEqual(unitsAt('2', '1'), [1]);
});

const READER = 'test/format/read_cells.py';
const skip = spawnSync('python3', ['--version']).error !== undefined && 'python3 is not installed here';

function readCells(file: string, points: readonly PointText[]): { stdout: string; stderr: string } {
  const input = points.map((point) => `${point.join()}\n`).join('');
  return spawnSync('python3', ['-I', '-S', READER, file], { encoding: 'utf8', input });
}

test('the reader in Python, which knows the specification alone, finds the same units', { skip }, () => {
  const folder = temporaryFolder();
  const roll = dice(12);
  const overlapping = Array.from({ length: 9 }, (_, i) => [star(1.79e9, 0, 500 + i, 9e7, roll)]);
  for (const [precision, units] of [
    [3, patchwork(3, 4, 6, 20, roll)],
    [7, overlapping],
    [12, patchwork(12, 4, 6, 20, roll)],
  ] as const) {
    const level = makeLevel(units, precision);
    const points = [...pointsNear(units, precision, 80, roll), ['180', '90'] as const];
    const file = join(folder, `${precision}.bin`);
    writeFileSync(file, level.bytes);
    const { stdout, stderr } = readCells(file, points);
    const expected = points.map((point) => `${JSON.stringify(level.unitsAt(...point))}\n`);
    assert.deepEqual([stderr, stdout.replaceAll(' ', '')], ['', expected.join('')]);
  }
  const { cells, bytes } = makeLevel(patchwork(7, 2, 3, 20, dice(19)), 7);
  const file = join(folder, 'damaged.bin');
  for (const [at, problem] of [
    [0, 'does not begin like a file of cells'],
    [8, 'format version 4, expected 5'],
    [20, 'the directory is damaged'],
    [cells.bytes - 1, 'the directory is damaged'],
  ] as const) {
    writeFileSync(file, bytes.with(at, elementAt(bytes, at) ^ 1));
    assert.equal(readCells(file, [['1.5', '1.5']]).stderr, `error: ${problem}\n`);
  }
  writeFileSync(
    file,
    Buffer.concat([bytes.subarray(0, cells.bytes), bytes.subarray(cells.bytes).map((byte) => byte ^ 1)]),
  );
  assert.match(readCells(file, [['1.5', '1.5']]).stderr, /^error: cell \d+ is damaged\n$/);
});
