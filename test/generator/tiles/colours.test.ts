// Colours of units in tiles: neighbours differ, also where a source draws their border twice, unless all six are taken.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Release } from '../../../format/release-json.ts';
import { adjacentUnits, type UnitRange } from '../../../generator/tiles/adjacent-units.ts';
import { COLOURS, colourUnits } from '../../../generator/tiles/colours.ts';
import { colourLevels } from '../../../generator/tiles/prepare-tiles.ts';
import { meetingAtDeepest } from '../../../generator/tiles/simplify-zoom.ts';
import { writeUnits } from '../../support/datasets/small-datasets.ts';
import { dice } from '../../support/dice.ts';
import { assertSharded, buildRelease } from '../../support/releases/build-release.ts';
import { featuresOf, openTiles, readTiles } from '../../support/releases/read-tiles.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ZOOM = 6;

/** Builds a level with tiles. @returns what release.json says, and for each fid the colour that all its tiles have */
async function coloursOf(units: readonly string[], options = {}): Promise<{ release: Release; colours: unknown[] }> {
  const out = temporaryFolder();
  const release = await buildRelease(writeUnits(units), out, { tiles: ZOOM, ...options });
  const colours: unknown[] = [];
  for await (const { tile } of readTiles(openTiles(join(out, 'releases/r1/lv0/tiles.pmtiles'))))
    for (const { id = -1, properties } of featuresOf(tile.layers['units'])) {
      assert.equal(colours[id - 1] ?? properties['colour'], properties['colour']);
      colours[id - 1] = properties['colour'];
    }
  return { release, colours };
}

function polygon(...ring: (readonly [x: number, y: number])[]): string {
  return `POLYGON((${[...ring, ...ring.slice(0, 1)].map(([x, y]) => `${x} ${y}`).join()}))`;
}

/** A border from south to north that no other shares a point with. @param by how far it goes east and west */
function wavyLine(by: number): (readonly [x: number, y: number])[] {
  return Array.from({ length: 20 }, (_, i) => [10 + (i % 2 === 0 ? by : -by), 50 + (i + 0.5) / 20] as const);
}

const DRAWN_TWICE = [
  polygon([9, 51], [9, 50], ...wavyLine(0.02)),
  polygon([11, 50], [11, 51], ...wavyLine(-0.03).reverse()),
];

test('units whose border a source draws twice have two colours, with and without neighbours', async () => {
  for (const neighbours of [true, false]) {
    const { colours } = await coloursOf(DRAWN_TWICE, { neighbours });
    assert.deepEqual(colours, [0, 1]);
  }
});

test('shards and their seal find the same colours', async () => {
  const [source, out] = [writeUnits(DRAWN_TWICE), temporaryFolder()];
  await buildRelease(source, out, { tiles: 2 });
  await assertSharded(source, out, { tiles: 2 });
});

test('units whose border is one line with other places have two colours, those that have a corner in common one', async () => {
  const south = polygon([10, 50], [12, 50], [12, 51], [10, 51]);
  const [northWest, northEast] = [10, 11].map((x) => polygon([x, 51], [x + 1, 51], [x + 1, 52], [x, 52]));
  const { colours } = await coloursOf([south, northWest ?? '', northEast ?? '']);
  assert.equal(new Set(colours).size, 3);
  const corner = polygon([12, 51], [13, 51], [13, 52], [12, 52]);
  assert.deepEqual((await coloursOf([south, corner])).colours, [0, 0]);
});

test('of units that all touch the seventh has the last colour, and the build says how many', async () => {
  // Slanted stripes on top of each other: each crosses all others.
  const units = Array.from({ length: 8 }, (_, i) =>
    polygon([10 + i / 10, 50], [12 - i / 10, 51], [12 - i / 10, 51.2], [10 + i / 10, 50.2]),
  );
  const { release, colours } = await coloursOf(units);
  assert.deepEqual([...colours].sort(), [0, 1, 2, 3, 4, 5, 5, 5]);
  const [found] = release.quality.filter(({ kind }) => kind === 'equal-colours');
  assert.equal(found?.count, 2);
  assert.match(found?.example ?? '', /^units\.gpkg: layer ADM_0, fid \d, GID A\d$/);
  assert.deepEqual(
    (await coloursOf(units.slice(0, 6))).release.quality.filter(({ kind }) => kind === 'equal-colours'),
    [],
  );
});

/** Which units are neighbours of each, from pairs. */
function neighboursIn(units: number, pairs: Float64Array): Set<number>[] {
  const all = Array.from({ length: units }, () => new Set<number>());
  for (const pair of pairs) {
    const [a, b] = [Math.floor(pair / units), pair % units];
    all[a]?.add(b);
    all[b]?.add(a);
  }
  return all;
}

test('colours differ between neighbours unless all six are taken, on 300 graphs by seed; those of a plane need no more', () => {
  const random = dice(89);
  for (let round = 0; round < 300; round++) {
    const units = 1 + random(60);
    const chosen = new Set<number>();
    for (let i = 0; i < units * (round % 9); i++) {
      const [a, b] = [random(units), random(units)];
      if (a !== b) chosen.add(Math.min(a, b) * units + Math.max(a, b));
    }
    const pairs = Float64Array.from(chosen).sort();
    const { colours, crowded } = colourUnits(units, pairs);
    const neighbours = neighboursIn(units, pairs);
    for (const [unit, own] of neighbours.entries()) {
      const taken = new Set([...own].map((other) => colours[other]));
      assert.ok(colours[unit] !== undefined && colours[unit] < COLOURS);
      // Of two with one colour the one that got it last had neighbours with all.
      if (taken.has(colours[unit])) assert.ok([unit, ...own].some((other) => crowded.includes(other)));
      if (crowded.includes(unit)) assert.equal(taken.size, COLOURS);
    }
  }
  // A hexagonal map: each unit has six neighbours.
  const side = 30;
  const hexagons = Array.from({ length: side * side }, (_, unit) =>
    [1, side, side + 1]
      .filter((step) => (step === side || (unit + 1) % side !== 0) && unit + step < side * side)
      .map((step) => unit * side * side + unit + step),
  );
  const plane = colourUnits(side * side, Float64Array.from(hexagons.flat()).sort());
  assert.deepEqual(plane.crowded, []);
});

test('of an arc that thousands of units have six stand for all: each differs from them, or has the last colour', () => {
  const count = 6000;
  // Each unit is one ring of one arc.
  const numbers = Int32Array.from({ length: count }, (_, i) => i + 1);
  const range: UnitRange = { first: 0, count };
  const rings = { arcs: new Int32Array(count), ringEnds: numbers, holes: new Int32Array(count), unitEnds: numbers };
  const { neighbours } = adjacentUnits(rings, range, 1, new Float64Array());
  assert.equal(neighbours.length, 15 + 6 * (count - 6));
  const { colours, crowded } = colourUnits(count, neighbours);
  assert.equal(new Set(colours.subarray(0, 6)).size, 6);
  assert.equal(crowded.length, count - 6);
});

test('where more edges cross than are told apart, the deepest level is coloured by common arcs alone, and says so', () => {
  // Two arcs that cross, each a unit of level 0 and one of level 1, which has two others that cross.
  const arcs = {
    x: Int32Array.of(0, 10, 0, 10, 20, 30, 20, 30),
    y: Int32Array.of(0, 10, 10, 0, 0, 10, 10, 0),
    arcEnds: Int32Array.of(2, 4, 6, 8),
  };
  const ends = Int32Array.of(1, 2, 3, 4, 5, 6);
  const rings = { arcs: Int32Array.of(0, 1, 0, 1, 2, 3), ringEnds: ends, holes: new Int32Array(6), unitEnds: ends };
  const ranges = [
    { level: 0, first: 0, count: 2 },
    { level: 1, first: 2, count: 4 },
  ] as const;
  const masks = Uint8Array.of(0b11, 0b11, 0b10, 0b10);
  const coloured = (most?: number) =>
    colourLevels(rings, ranges, masks, meetingAtDeepest(arcs, masks, most)).map(({ isSearched, colours }) => [
      isSearched,
      ...colours,
    ]);
  const whole = [true, 0, 1];
  assert.deepEqual(coloured(), [whole, [true, 0, 1, 0, 1]]);
  assert.deepEqual(coloured(2), [whole, [false, 0, 0, 0, 0]]);
  assert.deepEqual(coloured(1), [
    [false, 0, 0],
    [false, 0, 0, 0, 0],
  ]);
});
