// How levels nest: positions that the next level has not, large levels, and which ones are simplified together. The share
// of the edges is compared by the oracle of every release, and said in neighbours.test.ts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS } from '../../../format/levels.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { GeometryWriter } from '../../../generator/geojson/geometry.ts';
import { groupsOf } from '../../../generator/simplify/simplify-together.ts';
import { LevelStore } from '../../../generator/store/level-store.ts';
import { GEOMETRY_KINDS } from '../../../generator/store/store-index.ts';
import { type Nesting, nestingOf } from '../../../generator/topology/nesting.ts';
import { square } from '../../support/datasets/write-dataset.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Writes the stores of a level. @param units the GIDs of each, from level 0 down, and its geometry as WKT */
function storeOf(name: string, units: readonly (readonly [gids: readonly (string | null)[], wkt: string])[]): string {
  const store = new LevelStore(join(temporaryFolder(), name));
  const columns = (units[0]?.[0] ?? []).map((_, n) => `GID_${n}`);
  const features = store.createFeatures(columns);
  const rings = store.createRings();
  const writer = new GeometryWriter(7, rings);
  for (const [i, [gids, wkt]] of units.entries()) {
    writer.write(gdal.Geometry.fromWKT(wkt).toWKB('LSB', 'ISO'));
    rings.unit(i + 1);
    features.append({ fid: i + 1, gids, box: [0, 0, 0, 0], parts: [], kind: GEOMETRY_KINDS.polygon }, [
      Buffer.from('{}\n'),
    ]);
  }
  rings.close();
  features.close();
  return store.path;
}

test('positions that the next level has not are those of units without children, and of edges that it has not', () => {
  const upper = storeOf('upper', [
    [['A'], square(0, 0, 1)],
    [['B'], square(5, 5, 1)],
  ]);
  const lower = storeOf('lower', [[['A', 'A.1'], 'POLYGON((0 0,1 0,1 1,0 0.9,0 0))']]);
  assert.deepEqual(nestingOf({ upper, lower }), { share: 1 / 2, own: 5 + 2 });
});

test('of a level with many edges a sample of them is compared', () => {
  const corners = Array.from({ length: 20_000 }, (_, i) => {
    const turn = (2 * Math.PI * i) / 20_000;
    return `${80 * Math.cos(turn)} ${80 * Math.sin(turn)}`;
  });
  const ringOf = (own: readonly string[]): string => `POLYGON((${[...own, own[0]].join()}))`;
  const upper = storeOf('upper', [[['A'], ringOf(corners)]]);
  const lower = storeOf('lower', [[['A', 'A.1'], ringOf(corners)]]);
  assert.deepEqual(nestingOf({ upper, lower }, 1000), { share: 1, own: 0 });
  const half = storeOf('half', [[['A', 'A.1'], ringOf(corners.slice(10_000))]]);
  const { share, own } = nestingOf({ upper, lower: half }, 1000);
  const exact = nestingOf({ upper, lower: half });
  assert.ok(
    Math.abs((share ?? NaN) - (exact.share ?? NaN)) < 0.1 && Math.abs(own - exact.own) < 2000,
    `${share}, ${own}`,
  );
});

test('levels that nest are simplified together, in runs; what the next level has, too, is held once', () => {
  const nests = (own: number): Nesting => ({ share: 0.98, own });
  const levels = [100, 200, 400, 800].map((positions, i) => ({ level: LEVELS[i] ?? 0, store: `lv${i}`, positions }));
  const groups = groupsOf(levels, [{ share: 0.97, own: 50 }, nests(10), nests(20)]);
  assert.deepEqual(
    groups.map((group) => [group.levels.map(({ level }) => level), group.positions]),
    [
      [[0], 100],
      [[1, 2, 3], 10 + 20 + 800],
    ],
  );
  const apart = groupsOf(levels.slice(0, 2), [{ share: null, own: 0 }]);
  const positions = apart.map((group) => group.positions);
  assert.deepEqual(positions, [100, 200]);
});
