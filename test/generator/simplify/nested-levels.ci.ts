// Levels that nest are simplified together: in `medium` and `low`, too, a unit is what its children make up, position
// for position, as far as it is in `full`.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { GEOMETRIES, type Geometry, type Level } from '../../../format/levels.ts';
import { readStored, type StoredLevel } from '../../support/datasets/large-dataset.ts';
import { writeNested } from '../../support/datasets/synthetic/nested.ts';
import { contentOf } from '../../support/files.ts';
import { assertSharded, buildRelease } from '../../support/releases/build-release.ts';
import { sampleOutput } from '../../support/releases/world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The edges of some features, each with both its ends; one that has its opposite is inside of them. */
function outlineOf(lines: readonly string[]): Set<string> {
  const outline = new Set<string>();
  for (const line of lines) {
    const { type, coordinates } = JSON.parse(line).geometry ?? { type: 'MultiPolygon', coordinates: [] };
    const rings: number[][][] = type === 'Polygon' ? coordinates : coordinates.flat();
    for (const ring of rings)
      for (const [i, to] of ring.entries()) {
        const from = ring[i - 1];
        if (from !== undefined && !outline.delete(`${to} ${from}`)) outline.add(`${from} ${to}`);
      }
  }
  return outline;
}

/** By how many edges each parent of a level differs from the outline of its children. */
function differencesOf(stored: readonly StoredLevel[], level: Level, geometry: Geometry): Map<string, number> {
  const linesOf = ({ units, withGeometry }: StoredLevel): Map<string, string[]> => {
    const lines = new Map<string, string[]>();
    for (const [i, line] of (withGeometry.get(geometry) ?? []).entries()) {
      const gid = elementAt(elementAt(units, i).gids, level);
      lines.set(gid, [...(lines.get(gid) ?? []), line]);
    }
    return lines;
  };
  const [above, below] = [elementAt(stored, level), elementAt(stored, level + 1)].map(linesOf);
  return new Map(
    Array.from(above ?? [])
      .filter(([gid]) => below?.has(gid))
      .map(([gid, lines]) => {
        const [parent, children] = [outlineOf(lines), outlineOf(below?.get(gid) ?? [])];
        const only = (own: Set<string>, other: Set<string>): string[] => [...own].filter((edge) => !other.has(edge));
        return [gid, only(parent, children).length + only(children, parent).length];
      }),
  );
}

/** The parents that differ from their children, of all that have any. */
function assertFits(stored: readonly StoredLevel[], level: Level): { parents: number; differ: number } {
  const full = differencesOf(stored, level, 'full');
  for (const geometry of ['medium', 'low'] as const) {
    const differences = differencesOf(stored, level, geometry);
    assert.equal(differences.size, full.size);
    for (const [gid, edges] of differences)
      assert.ok(edges === 0 || full.get(gid) !== 0, `${geometry}: ${gid} differs in ${edges} edges, in full in none`);
  }
  return { parents: full.size, differ: [...full.values()].filter((edges) => edges > 0).length };
}

test('the countries of the sample: a state or a province is its counties or municipalities', async () => {
  const stored = readStored(await sampleOutput(), 'sample');
  // Atlases have some units that cross their neighbours: these differ in full, too.
  assert.deepEqual(assertFits(stored, 1), { parents: 70, differ: 3 });
  assert.deepEqual(assertFits(stored, 2), { parents: 52, differ: 25 });
});

/** Degrees of a square: units are larger than what is left out, or about as large. */
for (const degrees of [0.05, 0.008])
  describe(`an invented world in the shape of GADM, of squares of ${degrees} degrees`, async () => {
    const folder = temporaryFolder();
    const source = writeNested(join(folder, 'nested.gpkg'), degrees);
    const options = { geometries: GEOMETRIES };
    const release = await buildRelease(source, join(folder, 'plain'), options);
    const stored = readStored(join(folder, 'plain'), 'r1');

    for (const level of [0, 1, 2, 3, 4] as const)
      test(`level ${level}: each unit is what its children make up`, () => {
        const { parents, differ } = assertFits(stored, level);
        assert.ok(parents >= 2 ** Math.min(level, 3) && differ === 0, `${differ} of ${parents} differ in full`);
      });

    test('units lose positions, more with low, and are all valid', () => {
      const [full = NaN, medium = NaN, low = NaN] = (['full', 'medium', 'low'] as const).map(
        (geometry) => outlineOf(elementAt(stored, 5).withGeometry.get(geometry) ?? []).size,
      );
      assert.ok(low < medium / 2 && medium < full, `${full}, ${medium}, ${low}`);
      const invalid = release.levels.flatMap(({ geometries }) => [geometries.medium?.invalid, geometries.low?.invalid]);
      assert.deepEqual(new Set(invalid), new Set([0]));
    });

    test('the bytes are the same with child processes, and from shards', async () => {
      const expected = contentOf(join(folder, 'plain'));
      await buildRelease(source, join(folder, 'processes'), { ...options, workers: 2 });
      assert.deepEqual(contentOf(join(folder, 'processes')), expected);
      await assertSharded(source, join(folder, 'plain'), options);
    });
  });
