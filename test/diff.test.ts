// What `diff` tells of two releases: which units and which page files an operator will see change.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKSUMS_FILE } from '../format/layout.ts';
import { type Changes, diff, EXAMPLES, type LevelDiff, NO_GID } from '../generator/diff.ts';
import { writeSynthetic } from '../generator/synthetic.ts';
import {
  buildRelease,
  countryLayers,
  type FixtureFeature,
  type FixtureLayer,
  SILENT,
  square,
  temporaryFolder,
  writeDataset,
} from './fixture.ts';

const folder = temporaryFolder();
const out = join(folder, 'output');
const layers = countryLayers((level) => `ADM_${level}`);
const NOTHING = { count: 0, examples: [] };
const SAME: Changes = { added: NOTHING, removed: NOTHING, changed: NOTHING };
let built = 0;

/** Builds a release of the layers and gives its id. */
async function release(of: readonly FixtureLayer[], options: Parameters<typeof buildRelease>[2] = {}): Promise<string> {
  const id = `r${++built}`;
  const accept = ['null-gids', 'duplicate-gids'] as const;
  await buildRelease(writeDataset(join(folder, `${id}.gpkg`), 'GPKG', of), out, { release: id, accept, ...options });
  return id;
}

const before = await release(layers);

/** The layers with other features in one of them. */
function withFeatures(
  level: number,
  change: (features: readonly FixtureFeature[]) => readonly FixtureFeature[],
): FixtureLayer[] {
  return layers.map((layer, i) => (i === level ? { ...layer, features: change(layer.features) } : layer));
}

function levelOf(levels: readonly LevelDiff[], level: number): LevelDiff {
  const found = levels[level];
  assert.ok(found);
  return found;
}

/** What is in one of a list. */
function one(example: string) {
  return { count: 1, examples: [example] };
}

test('a release built again from the same dataset differs in nothing, and no page is read for that', async () => {
  const again = await release(layers);
  const levels = diff(out, before, again, SILENT);
  assert.deepEqual(
    levels,
    [0, 1, 2, 3, 4, 5].map((level) => ({ level, units: SAME, pages: SAME })),
  );
});

test('a changed name, a moved border, a new unit and one that is gone, by GID, in the level where they are', async () => {
  const after = await release(
    withFeatures(2, ([first, second, third]) => {
      assert.ok(first && second && third);
      return [
        { ...first, values: [...first.values.slice(0, -1), 'Newest'] },
        second,
        { ...third, wkt: square(10.5, 0) },
        { fid: 8, values: ['BBB.1.2_1', 'BBB', 'Beland', 'BBB.1_1', 'All', 'New'], wkt: square(12, 0) },
      ];
    }),
  );
  const levels = diff(out, before, after, SILENT);
  assert.deepEqual(levelOf(levels, 2).units, {
    added: one('BBB.1.2_1'),
    removed: one('AAA.1.2_1'),
    changed: { count: 2, examples: ['AAA.1.1_1', 'BBB.1.1_1'] },
  });
  assert.deepEqual(levelOf(levels, 1), { level: 1, units: SAME, pages: SAME });
  const back = diff(out, after, before, SILENT);
  const { added, removed, changed } = levelOf(back, 2).units;
  assert.deepEqual([added, removed, changed.count], [one('AAA.1.2_1'), one('BBB.1.2_1'), 2]);
});

test('page files are compared by their bytes, whatever the units: changed, added and removed', async () => {
  const after = await release(
    withFeatures(1, ([first, second]) => {
      assert.ok(first && second);
      return [first, { ...second, values: ['CCC.1_1', 'CCC', 'Celand', 'South'] }];
    }),
  );
  const { pages } = levelOf(diff(out, before, after, SILENT), 1);
  const both = (listing: string): string[] => [
    `lv1/fc/${listing}/000001.json.gz`,
    `lv1/geojsonl/${listing}/000001.geojsonl.gz`,
  ];
  assert.deepEqual(pages.added, { count: 2, examples: both('gid-0/CCC') });
  assert.deepEqual(pages.removed, { count: 2, examples: both('gid-0/BBB') });
  assert.deepEqual(new Set(pages.changed.examples), new Set([...both('all'), ...both('gid-0/AAA')]));
});

test('other fids and another order of units and columns are no change of the units, only of the pages', async () => {
  const [countries, ...others] = layers;
  assert.ok(countries);
  const features = countries.features.map(({ fid, values, wkt }) => ({
    fid: 50 - (fid ?? 0),
    values: values.toReversed(),
    wkt,
  }));
  const after = await release([{ ...countries, columns: countries.columns.toReversed(), features }, ...others]);
  const level = levelOf(diff(out, before, after, SILENT), 0);
  assert.deepEqual(level.units, SAME);
  assert.equal(level.pages.changed.count, 2);
});

test('units that share a GID or have none are matched by what they say', async () => {
  const unit = (fid: number, gid: string | null, name: string) => ({ fid, values: [gid, name], wkt: square(fid, 0) });
  const named = (...features: FixtureFeature[]) => withFeatures(0, () => features);
  const odd = await release(named(unit(1, 'TWO', 'a'), unit(2, 'TWO', 'b'), unit(3, null, 'c'), unit(4, null, 'd')));
  const after = await release(named(unit(1, 'TWO', 'a'), unit(2, 'TWO', 'B'), unit(4, null, 'd'), unit(5, 'TWO', 'e')));
  const { units } = levelOf(diff(out, odd, after, SILENT), 0);
  assert.deepEqual(units, { added: one('TWO'), removed: one(NO_GID), changed: one('TWO') });
});

test('a text that looks like the end of the properties is a name like any other', async () => {
  const name = (tail: string): string => `}},"geometry":null} \\" ${tail}`;
  const named = (tail: string) =>
    withFeatures(0, (features) => features.map((unit) => ({ ...unit, values: [unit.values[0], name(tail)] })));
  const [a, b] = [await release(named('x')), await release(named('y'))];
  assert.equal(levelOf(diff(out, a, b, SILENT), 0).units.changed.count, 2);
});

test('of many changes all are counted and the first told; levels that only one has are counted whole', async () => {
  const counts: number[] = [];
  const report = { expect() {}, advance: (_: string, amount: number) => void counts.push(amount), end() {} };
  const accept = ['null-gids', 'duplicate-gids', 'collapsed-geometries'] as const;
  for (const [i, units] of [200, 400].entries()) {
    const file = join(folder, `${units}.gpkg`);
    await writeSynthetic(file, units);
    await buildRelease(file, out, { release: `synthetic-${i}`, accept });
  }
  const levels = diff(out, before, 'synthetic-1', report);
  const five = levelOf(levels, 5);
  assert.ok(five.units.added.count > EXAMPLES);
  assert.equal(five.units.added.examples.length, EXAMPLES);
  assert.deepEqual([five.units.removed, five.units.changed], [NOTHING, NOTHING]);
  assert.equal(levelOf(levels, 2).units.removed.count, 4);
  const backwards = diff(out, 'synthetic-1', 'synthetic-0', SILENT);
  const total = (list: readonly LevelDiff[], kind: keyof Changes): number =>
    list.reduce((sum, { units }) => sum + units[kind].count, 0);
  const forwards = diff(out, 'synthetic-0', 'synthetic-1', SILENT);
  assert.deepEqual(
    [total(backwards, 'added'), total(backwards, 'removed'), total(backwards, 'changed')],
    [total(forwards, 'removed'), total(forwards, 'added'), total(forwards, 'changed')],
  );
  const units = total(levels, 'added') + 2 * total(levels, 'changed') + total(levels, 'removed');
  assert.equal(
    counts.reduce((sum, amount) => sum + amount, 0),
    units,
  );
});

test('a release that is missing, has no id or is damaged is refused, and says what to do', async () => {
  for (const id of ['r0', '../output', '']) {
    assert.throws(() => diff(out, before, id, SILENT), { name: 'BuildError', message: /is missing|not a release id/ });
  }
  const damaged = await release(withFeatures(0, ([first]) => (first ? [first] : [])));
  const root = join(out, 'releases', damaged);
  const page = join(root, 'lv0/geojsonl/all/000001.geojsonl.gz');
  const bytes = readFileSync(page);
  writeFileSync(page, bytes.subarray(0, -1));
  const remedy = new RegExp(`verify --release ${damaged}`);
  assert.throws(() => diff(out, before, damaged, SILENT), { message: /000001\.geojsonl\.gz: ends after/, remedy });
  rmSync(join(root, 'lv0/manifest.json'));
  assert.throws(() => diff(out, damaged, before, SILENT), { message: /lv0\/manifest\.json: is missing/, remedy });
  writeFileSync(join(root, CHECKSUMS_FILE), 'nonsense\n');
  assert.throws(() => diff(out, before, damaged, SILENT), { message: /checksums\.txt: line 1 is "nonsense"/, remedy });
});
