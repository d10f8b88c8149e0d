// Made-up levels for the tests of cells: units of several shapes, points by their borders, and what even-odd in
// integers over all rings says of these.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CellArrays, type Cells, decodeCells } from '../../../format/cells.ts';
import { elementAt } from '../../../format/element-at.ts';
import { pointAt } from '../../../format/grid.ts';
import type { Neighbours } from '../../../format/neighbours.ts';
import { buildCells } from '../../../generator/borders/build-cells.ts';
import { LevelBorders } from '../../../generator/borders/level-borders.ts';
import { neighboursOf } from '../../../generator/borders/neighbours.ts';
import { Coordinates } from '../../../generator/rings/coordinates.ts';
import { CellFile } from '../../../proxy/points/level-units.ts';
import { type Found, NOWHERE, PointChunk } from '../../../proxy/points/look-up.ts';
import type { Dice } from '../dice.ts';
import { decimalOf, evenOdd, type Ring } from '../even-odd.ts';
import { sliceOf } from '../slice.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export type Units = readonly (readonly Ring[])[];
export type PointText = readonly [longitude: string, latitude: string];

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

/** The borders of units, as the generator has them. */
export function bordersOf(units: Units, precision: number): LevelBorders {
  const borders = new LevelBorders(precision);
  for (const rings of units) {
    for (const ring of rings) {
      const positions = new Coordinates();
      positions.resize(ring.length);
      for (const [i, [x, y]] of ring.entries()) positions.set(i, x, y);
      borders.ring(positions);
    }
    borders.unit();
  }
  return borders;
}

/** The neighbours of units, as the generator finds them. */
export function neighboursOfUnits(units: Units, precision: number): Neighbours {
  return neighboursOf(bordersOf(units, precision), { level: 0, unitAt: String });
}

export function makeLevel(units: Units, precision: number): Level {
  const chunks: Buffer[] = [];
  const { directory, crowded } = buildCells(bordersOf(units, precision), (chunk) => chunks.push(Buffer.from(chunk)));
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

export function bytesOf({ arrays, bytes }: Pick<Level, 'arrays' | 'bytes'>, cell: number): Buffer {
  return bytes.subarray(elementAt(arrays.start, cell), elementAt(arrays.start, cell + 1));
}

/** A closed ring from whole degrees, or other numbers that are exact at the precision. */
export function ring(precision: number, ...degrees: readonly (readonly [number, number])[]): Ring {
  const points = degrees.map(([x, y]) => [Math.round(x * 10 ** precision), Math.round(y * 10 ** precision)] as const);
  return [...points, elementAt(points, 0)];
}

export function rectangle(precision: number, west: number, south: number, east: number, north: number): Ring {
  return ring(precision, [west, south], [east, south], [east, north], [west, north]);
}

/**
 * Points on a vertex, on an edge as nearly as decimals allow, within a unit of it, and anywhere near: the slice of this
 * run of `count`.
 * @param scatters how far off, in degrees, in turn
 */
export function pointsNear(
  units: Units,
  precision: number,
  count: number,
  roll: Dice,
  scatters: readonly number[] = [0, 0, 10 ** -(precision + MORE), 10 ** -precision, 0.01],
): PointText[] {
  const rings = units.flat().filter(({ length }) => length > 1);
  const parts = 10 ** MORE;
  const points = Array.from({ length: count }, (_, i) => {
    const chosen = elementAt(rings, roll(rings.length));
    const at = roll(chosen.length - 1);
    const [[x1, y1], [x2, y2]] = [elementAt(chosen, at), elementAt(chosen, at + 1)];
    const along = i % 9 === 0 ? 0n : BigInt(roll(parts));
    const scatter = elementAt(scatters, i % scatters.length) * 10 ** precision * parts;
    const off = (): bigint => (scatter === 0 ? 0n : BigInt(Math.round((roll(2001) / 1000 - 1) * scatter)));
    const between = (a: number, b: number): bigint => BigInt(a) * BigInt(parts) + along * BigInt(b - a);
    return onMap(between(x1, x2) + off(), between(y1, y2) + off(), precision);
  });
  return sliceOf(points);
}

export function onMap(x: bigint, y: bigint, precision: number): PointText {
  const quarter = 90n * 10n ** BigInt(precision + MORE);
  const north = y > quarter ? quarter : y < -quarter ? -quarter : y;
  const east = x > 2n * quarter ? x - 4n * quarter : x < -2n * quarter ? x + 4n * quarter : x;
  return [decimalOf(east, precision + MORE), decimalOf(north, precision + MORE)];
}

/**
 * Asserts that each point is where the oracle says, also when all are looked up together.
 * @returns the units of each
 */
export function assertAgrees(
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
  for (const [i, point] of points.entries()) assert.deepEqual(unitsAt(...point), expected[i], point.join());
  return expected;
}

/** Many points at once, as `points` of the proxy looks them up. */
function togetherIn(bytes: Buffer, precision: number, points: readonly PointText[]): Found {
  const file = join(temporaryFolder(), 'cells.bin');
  writeFileSync(file, bytes);
  const chunk = new PointChunk(points.length, precision);
  for (const point of points) assert.ok(chunk.add(...point), point.join());
  chunk.sort();
  const cells = new CellFile(file, 'cells.bin');
  return chunk.lookUp(
    { level: 0, gids: [], names: [], parents: [], codeKeys: [], codes: new Map(), cells },
    new Int32Array(points.length),
  );
}

/**
 * A patchwork of rows x columns units, with borders of many points that neighbours share: each border runs in either
 * direction, and the rings begin anywhere.
 */
export function patchwork(precision: number, rows: number, columns: number, steps: number, roll: Dice): Units {
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
export function star(x: number, y: number, rays: number, reach: number, roll: Dice): Ring {
  const open = Array.from({ length: rays }, (_, i) => {
    const angle = (2 * Math.PI * i) / rays;
    const far = reach * (0.1 + roll(1000) / 1100);
    return [Math.round(x + far * Math.cos(angle)), Math.round(y + far * Math.sin(angle))] as const;
  });
  return [...open, elementAt(open, 0)];
}
