// Units of a level that overlap: a build names the pairs, with the area that both have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../../format/findings.ts';
import { inPieces } from '../../../generator/gdal/pieces.ts';
import { areaOf, polygonParts, toValid } from '../../../generator/gdal/valid-polygons.ts';
import { writeUnits } from '../../support/datasets/small-datasets.ts';
import { box } from '../../support/datasets/write-dataset.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What a build says of units that overlap. */
async function overlapsOf(units: readonly string[], options = {}): Promise<Finding | undefined> {
  const { quality } = await buildRelease(writeUnits(units), temporaryFolder(), { tiles: 8, ...options });
  return quality.find(({ kind }) => kind === 'overlapping');
}

/** Square kilometres between meridians and parallels, on the sphere with the mean radius. */
function km2(west: number, south: number, east: number, north: number): number {
  const [radians, radius] = [Math.PI / 180, 6371.0088];
  return radius ** 2 * (east - west) * radians * (Math.sin(north * radians) - Math.sin(south * radians));
}

test('two squares that overlap are named with the area that both have', async () => {
  const found = await overlapsOf([box(10, 50, 11, 51), box(10.5, 50.5, 11.5, 51.5)]);
  const area = km2(10.5, 50.5, 11, 51);
  assert.equal(found?.count, 1);
  assert.deepEqual(
    found?.pairs?.map(({ gids }) => gids),
    [['A0', 'A1']],
  );
  const got = found?.pairs?.[0]?.km2 ?? 0;
  assert.ok(Math.abs(got - area) < area / 1e5, `${got}, expected ${area}`);
  assert.equal(found?.example, `units.gpkg: layer ADM_0, fid 1, GID A0, and GID A1: ${got} km2`);
});

test('units inside one with many positions are measured as those inside one with few', async () => {
  const around = (edges: number): string => {
    const corners = Array.from({ length: edges }, (_, i) => {
      const turn = (2 * Math.PI * (i % edges)) / edges;
      return `${(10 + Math.cos(turn)).toFixed(7)} ${(50 + Math.sin(turn)).toFixed(7)}`;
    });
    return `POLYGON((${[...corners, corners[0]].join(',')}))`;
  };
  // So many that the one around them is divided.
  const at = (i: number): number[] => [9.7 + 0.025 * (i % 23), 49.7 + 0.025 * Math.floor(i / 23)];
  const inside = Array.from({ length: 510 }, (_, i) => at(i)).map(([x = 0, y = 0]) => box(x, y, x + 0.02, y + 0.02));
  const [few, many] = await Promise.all([60, 20_000].map((edges) => overlapsOf([...inside, around(edges)])));
  assert.equal(few?.count, 510);
  assert.deepEqual(many?.pairs, few?.pairs);
});

test('a geometry is divided until what is asked of a place costs what is around it', () => {
  const corners = Array.from({ length: 20_000 }, (_, i) => [Math.cos(i / 3183), Math.sin(i / 3183)]);
  const whole = toValid([[corners.flat()]]);
  const pieces = inPieces(whole);
  const positions = pieces.map(({ geometry }) =>
    polygonParts(geometry)
      .flatMap(({ rings }) => rings.toArray())
      .reduce((sum, { points }) => sum + points.count(), 0),
  );
  assert.ok(pieces.length > 1 && Math.max(...positions) <= 2000, String(positions));
  const areas = pieces.reduce((sum, { geometry }) => sum + areaOf(geometry), 0);
  assert.ok(Math.abs(areas - areaOf(whole)) < 1e-9, String(areas));
});

test('of very many pairs the hundred with the most are named, and all are counted and added up', async () => {
  const sides = Array.from({ length: 16 }, (_, i) => 1 - 0.05 * i);
  const found = await overlapsOf(sides.map((side) => box(10, 50, 10 + side, 50 + side)));
  // Each lies in all that are larger.
  const pairs = sides.flatMap((side, i) => sides.slice(0, i).map((_, j) => ({ gids: [`A${j}`, `A${i}`], side })));
  assert.equal(found?.count, pairs.length);
  const areas = found?.pairs?.map(({ km2: area }) => area) ?? [];
  assert.deepEqual(
    areas,
    areas.toSorted((a, b) => b - a),
  );
  assert.deepEqual(
    found?.pairs?.map(({ gids }) => gids.join(' ')).toSorted(),
    pairs
      .slice(0, 100)
      .map(({ gids }) => gids.join(' '))
      .toSorted(),
  );
  const all = pairs.reduce((sum, { side }) => sum + km2(10, 50, 10 + side, 50 + side), 0);
  const said = Number(/; ([\d.]+) km2 in all pairs$/.exec(found?.example ?? '')?.[1]);
  assert.ok(Math.abs(said - all) < all / 1e4, `${said}, expected ${all}`);
});

for (const [name, units] of [
  ['that are the same', [box(10, 50, 11, 51), box(10, 50, 11, 51)]],
  ['whose common part has no edge that crosses another', [box(10, 50, 12, 51), box(11, 50, 13, 51)]],
  ['of which one is a part of the other, at its border', [box(10, 50, 11, 51), box(10, 50, 10.5, 50.5)]],
  [
    'whose borders begin and end together, without a crossing',
    ['POLYGON((10 50,11 50,11 51,10.2 50.6,10 50))', 'POLYGON((10 50,10.3 50.5,11 51,10 51,10 50))'],
  ],
  ['of which one lies inside the other', [box(10, 50, 11, 51), box(10.4, 50.4, 10.5, 50.5)]],
  [
    'of which one has an island inside the other',
    [box(10, 50, 11, 51), 'MULTIPOLYGON(((20 0,21 0,21 1,20 0)),((10.4 50.4,10.5 50.4,10.5 50.5,10.4 50.4)))'],
  ],
] as const)
  test(`units ${name} are found`, async () => {
    assert.deepEqual(
      (await overlapsOf(units))?.pairs?.map(({ gids }) => gids.join(' ')),
      ['A0 A1'],
    );
  });

test('nothing is found where units are beside each other: as a plane, with other places on a border, in a hole', async () => {
  const squares = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) =>
    box(10 + (i % 3), 50 + (i - (i % 3)) / 3, 11 + (i % 3), 51 + (i - (i % 3)) / 3),
  );
  assert.equal(await overlapsOf(squares), undefined);
  // The southern one has no place where the northern ones meet.
  assert.equal(
    await overlapsOf([box(10, 50, 12, 51), box(10, 51, 11.3333333, 52), box(11.3333333, 51, 12, 52)]),
    undefined,
  );
  const hole = '(10.4 50.4,10.4 50.6,10.6 50.6,10.6 50.4,10.4 50.4)';
  assert.equal(await overlapsOf([box(10, 50, 11, 51, hole), box(10.4, 50.4, 10.6, 50.6)]), undefined);
  assert.equal(await overlapsOf([box(10, 50, 11, 51, hole), box(10.45, 50.45, 10.55, 50.55)]), undefined);
});

test('what rounding makes of a slanted border is no overlap', async () => {
  // With two decimals the place of the second unit on the border of the first is 100 m south of it.
  const first = 'POLYGON((10 50,11 50,11 51.37,10 50.11,10 50))';
  const second = 'POLYGON((10 50.11,10.35 50.551,11 51.37,11 52,10 52,10 50.11))';
  assert.equal(await overlapsOf([first, second], { precision: 2 }), undefined);
});

test('without tiles nobody looks for it', async () => {
  const squares = [box(10, 50, 11, 51), box(10.5, 50.5, 11.5, 51.5)];
  assert.equal(await overlapsOf(squares, { tiles: undefined }), undefined);
});
