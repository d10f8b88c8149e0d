// What `diff` reports of two releases: which units and which files an operator will see change.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateLine, deflateText } from '../../format/gzip.ts';
import {
  alonePath,
  CHECKSUMS_FILE,
  cellsPath,
  featureFilePath,
  indexPath,
  namesPath,
  neighboursPath,
  neighboursTablePath,
  wordsPath,
} from '../../format/layout.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import { type Changes, diff, EXAMPLES, type LevelDiff, NO_GID } from '../../generator/check/diff.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { type FixtureFeature, type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease, ONE_OTHER } from '../support/releases/build-release.ts';
import { changeArrays, replaceFeatures, replaceText, type StoredFeature } from '../support/releases/reseal-features.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const out = join(folder, 'output');
const layers = countryLayers();
const NOTHING = { count: 0, examples: [] };
const SAME: Changes = { added: NOTHING, removed: NOTHING, changed: NOTHING };
let built = 0;

/** Builds a release of the layers and gives its id. */
async function release(of: readonly FixtureLayer[], options: Parameters<typeof buildRelease>[2] = {}): Promise<string> {
  const id = `r${++built}`;
  await buildRelease(writeDataset(join(folder, `${id}.gpkg`), 'GPKG', of), out, {
    release: id,
    ...ONE_OTHER,
    ...options,
  });
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

/** Makes it impossible to read any unit of a release. */
function removeUnits(id: string): void {
  for (const level of [0, 1, 2, 3, 4, 5])
    rmSync(join(out, 'releases', id, `lv${level}/features`), { recursive: true, force: true });
}

test('a release built again from the same dataset differs in nothing, and no unit is read for that', async () => {
  const again = await release(layers);
  removeUnits(again);
  const levels = diff(out, before, again, SILENT);
  assert.deepEqual(
    levels,
    [0, 1, 2, 3, 4, 5].map((level) => ({ level, units: SAME, files: SAME })),
  );
});

test('releases that store other pages differ in files alone, in either direction', async () => {
  const ids: string[] = [];
  for (const storedPages of STORED_PAGES) ids.push(await release(layers, { storedPages }));
  const pagesIn = (id: string, level: number): number =>
    readdirSync(join(out, 'releases', id, `lv${level}`), { recursive: true }).filter((path) =>
      /^(fc|geojsonl)\b.*\.gz$/.test(String(path)),
    ).length;
  for (const a of ids) {
    for (const b of ids) {
      for (const { level, units, files } of diff(out, a, b, SILENT)) {
        const more = pagesIn(b, level) - pagesIn(a, level);
        assert.deepEqual(units, SAME);
        assert.deepEqual([files.added.count, files.removed.count], [Math.max(more, 0), Math.max(-more, 0)]);
        // The index has the table of the pages.
        const path = `lv${level}/index.bin`;
        const [old, now] = [a, b].map((id) => readFileSync(join(out, 'releases', id, path)));
        assert.deepEqual(files.changed, old && now?.equals(old) ? NOTHING : one(path));
      }
    }
  }
  assert.ok(ids[0] && ids[2] && pagesIn(ids[0], 2) > 4 && pagesIn(ids[2], 2) === 0);
});

test('a changed name, a moved border, a new unit and one that is gone, by GID, in the level where they are', async () => {
  const old = await release(layers);
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
  // Units with the same fid are compared by the indexes.
  for (const id of [old, after]) removeUnits(id);
  const levels = diff(out, old, after, SILENT);
  assert.deepEqual(levelOf(levels, 2).units, {
    added: one('BBB.1.2_1'),
    removed: one('AAA.1.2_1'),
    changed: { count: 2, examples: ['AAA.1.1_1', 'BBB.1.1_1'] },
  });
  // The names have the numbers of units below.
  assert.deepEqual(levelOf(levels, 1), {
    level: 1,
    units: SAME,
    files: { ...SAME, changed: one('lv1/names.jsonl.gz') },
  });
  const back = diff(out, after, old, SILENT);
  const { added, removed, changed } = levelOf(back, 2).units;
  assert.deepEqual([added, removed, changed.count], [one('AAA.1.2_1'), one('BBB.1.2_1'), 2]);
});

test('files are compared by their bytes, whatever the units: changed, added and removed', async () => {
  const after = await release(
    withFeatures(1, ([first, second]) => {
      assert.ok(first && second);
      return [first, { ...second, values: ['CCC.1_1', 'CCC', 'Celand', 'South'] }];
    }),
    { accept: ['orphans', 'fewer-units'] },
  );
  const { files } = levelOf(diff(out, before, after, SILENT), 1);
  const both = (listing: string): string[] => [
    `lv1/fc/${listing}/000001.json.gz`,
    `lv1/geojsonl/${listing}/000001.geojsonl.gz`,
  ];
  assert.deepEqual(files.added, { count: 2, examples: both('gid-0/CCC') });
  assert.deepEqual(files.removed, { count: 2, examples: both('gid-0/BBB') });
  const features = ONE_OTHER.geometries.flatMap((geometry) => [
    indexPath(1, geometry),
    featureFilePath(1, 0, geometry),
    alonePath(1, 0, geometry),
  ]);
  const changed = [...both('all'), ...both('gid-0/AAA'), ...features, namesPath(1), wordsPath(1), cellsPath(1)];
  changed.push(neighboursPath(1), neighboursTablePath(1));
  assert.deepEqual(files.changed, { count: changed.length, examples: changed.sort() });
});

test('other fids and another order of units and columns are no change of the units, only of the files; another order alone is one', async () => {
  const [countries, ...others] = layers;
  assert.ok(countries);
  const features = countries.features.map(({ fid, values, wkt }) => ({
    fid: 50 - (fid ?? 0),
    values: values.toReversed(),
    wkt,
  }));
  const columns = countries.columns.toReversed();
  const after = await release([{ ...countries, columns, features }, ...others]);
  const level = levelOf(diff(out, before, after, SILENT), 0);
  assert.deepEqual(level.units, SAME);
  // With the same fids it is their bytes that are compared.
  const sameFids = features.map((unit) => ({ ...unit, fid: 50 - unit.fid }));
  const turned = await release([{ ...countries, columns, features: sameFids }, ...others]);
  assert.equal(levelOf(diff(out, before, turned, SILENT), 0).units.changed.count, 2);
  const elsewhere = features.map((unit) => ({ ...unit, wkt: unit.fid === 48 ? square(11, 0, 4) : unit.wkt }));
  const moved = await release([{ ...countries, columns, features: elsewhere }, ...others]);
  assert.deepEqual(levelOf(diff(out, before, moved, SILENT), 0).units, { ...SAME, changed: one('BBB') });
  // Two pages, names, words and cells, and of each geometry the index, the feature file and the one beside it.
  assert.equal(level.files.changed.count, 5 + 3 * ONE_OTHER.geometries.length);
});

test('other fids alone, of as many digits or more, are no change; with another name of the same length they are', async () => {
  const renumbered = (add: number, name: string) =>
    release(
      withFeatures(2, (features) =>
        features.map(({ fid = 0, values, wkt }) => ({
          fid: fid + add,
          values: fid === 3 ? values.with(-1, name) : values,
          wkt,
        })),
      ),
    );
  for (const [add, name] of [
    [4, '西'],
    [7, 'West'],
    [1000, '西'],
  ] as const) {
    const same = levelOf(diff(out, before, await renumbered(add, '東'), SILENT), 2);
    assert.deepEqual(same.units, SAME);
    assert.ok(same.files.changed.count > 0);
    const other = await renumbered(add, name);
    const expected = { ...SAME, changed: one('BBB.1.1_1') };
    assert.deepEqual(levelOf(diff(out, before, other, SILENT), 2).units, expected);
    assert.deepEqual(levelOf(diff(out, other, before, SILENT), 2).units, expected);
  }
});

test('the same texts compressed to other bytes are no change of the units, and none is read for that', async () => {
  const [old, other] = [await release(layers), await release(layers)];
  const inPieces = ({ text }: StoredFeature): StoredFeature => ({
    data: Buffer.concat([deflateText(text.subarray(0, 20)), deflateLine(text.subarray(20))]),
    text,
  });
  replaceFeatures(join(out, 'releases', other), 2, (features) => features.map(inPieces));
  for (const id of [old, other]) removeUnits(id);
  const level = levelOf(diff(out, old, other, SILENT), 2);
  assert.deepEqual(level.units, SAME);
  assert.deepEqual(level.files, {
    ...SAME,
    changed: { count: 3, examples: ['lv2/alone/000001.bin', 'lv2/features/000001.geojsonl.gz', 'lv2/index.bin'] },
  });
});

test('units that share a GID or have none are matched by what they say', async () => {
  const unit = (fid: number, gid: string | null, name: string) => ({ fid, values: [gid, name], wkt: square(fid, 0) });
  const named = (...features: FixtureFeature[]) => withFeatures(0, () => features);
  const accept = ['null-gids', 'duplicate-gids', 'orphans', 'fewer-units'] as const;
  const odd = await release(named(unit(1, 'TWO', 'a'), unit(2, 'TWO', 'b'), unit(3, null, 'c'), unit(4, null, 'd')), {
    accept,
  });
  const after = await release(
    named(unit(1, 'TWO', 'a'), unit(2, 'TWO', 'B'), unit(4, null, 'd'), unit(5, 'TWO', 'e')),
    { accept },
  );
  const { units } = levelOf(diff(out, odd, after, SILENT), 0);
  assert.deepEqual(units, { added: one('TWO'), removed: one(NO_GID), changed: one('TWO') });
  // Each unit matches at most one.
  const alike = (fid: number, name: string) => ({ ...unit(fid, 'TWO', name), wkt: square(0, 0) });
  const [two, twice] = [
    await release(named(alike(1, 'a'), alike(2, 'b')), { accept }),
    await release(named(alike(3, 'a'), alike(4, 'a')), { accept }),
  ];
  assert.deepEqual(levelOf(diff(out, two, twice, SILENT), 0).units, { ...SAME, changed: one('TWO') });
  assert.deepEqual(levelOf(diff(out, twice, two, SILENT), 0).units, { ...SAME, changed: one('TWO') });
});

test('a text that looks like the end of the properties is a name like any other', async () => {
  const name = (tail: string): string => `}},"geometry":null} \\" "properties":{"fid":1 ${tail}`;
  // Units with other fids and another order of columns are compared by all that their texts hold.
  const named = (tail: string, add = 0) => {
    const [countries, ...others] = layers;
    assert.ok(countries);
    const columns = add > 0 ? countries.columns.toReversed() : countries.columns;
    const features = countries.features.map(({ fid = 0, values, wkt }) => {
      const changed = [values[0], name(tail)];
      return { fid: fid + add, values: add > 0 ? changed.toReversed() : changed, wkt };
    });
    return release([{ ...countries, columns, features }, ...others]);
  };
  const [a, b, c, d] = [await named('x'), await named('y'), await named('x', 1), await named('y', 1)];
  const changed = (from: string, to: string): number => levelOf(diff(out, from, to, SILENT), 0).units.changed.count;
  assert.deepEqual([changed(a, b), changed(a, c), changed(a, d), changed(c, a), changed(d, a)], [2, 0, 2, 0, 2]);
});

test('units that differ in the last digit of a 64-bit number have changed, also with other fids and another order of columns', async () => {
  const own = join(folder, 'integers');
  const geometry = '{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}';
  const build = async (id: string, fid: number, properties: string): Promise<void> => {
    const file = join(folder, 'integers.geojson');
    writeFileSync(file, `{"type":"Feature","id":${fid},"properties":{${properties}},"geometry":${geometry}}`);
    await buildRelease(file, own, { release: id });
  };
  await build('a', 1, '"GID_0":"AAA","POP":9007199254740993');
  await build('b', 20, '"POP":9007199254740993,"GID_0":"AAA"');
  await build('c', 20, '"POP":9007199254740992,"GID_0":"AAA"');
  assert.deepEqual(levelOf(diff(own, 'a', 'b', SILENT), 0).units, SAME);
  assert.deepEqual(levelOf(diff(own, 'a', 'c', SILENT), 0).units, { ...SAME, changed: one('AAA') });
  assert.deepEqual(levelOf(diff(own, 'c', 'b', SILENT), 0).units, { ...SAME, changed: one('AAA') });
});

test('of many changes all are counted and the first named; levels that only one has are counted whole', async () => {
  let compared = 0;
  const advance = (_: string, amount: number): void => {
    compared += amount;
  };
  const file = join(folder, 'many.gpkg');
  writeSynthetic(file, 200);
  await buildRelease(file, out, { release: 'many', accept: ['empty-geometries'] });
  const levels = diff(out, before, 'many', { ...SILENT, advance });
  const five = levelOf(levels, 5);
  assert.ok(five.units.added.count > EXAMPLES);
  assert.equal(five.units.added.examples.length, EXAMPLES);
  assert.deepEqual([five.units.removed, five.units.changed], [NOTHING, NOTHING]);
  assert.equal(levelOf(levels, 2).units.removed.count, 4);
  const total = (kind: keyof Changes): number => levels.reduce((sum, { units }) => sum + units[kind].count, 0);
  assert.equal(compared, total('added') + 2 * total('changed') + total('removed'));
});

test('a release that is missing, has no id or is damaged is refused, and says what to do', async () => {
  for (const id of ['r0', '../output', '']) {
    const message = /no such release$|not a release id$/;
    const remedy = id === 'r0' ? new RegExp(`^use one of: .*${before}`) : /^use /;
    assert.throws(() => diff(out, before, id, SILENT), { name: 'BuildError', message, remedy });
  }
  const damaged = await release(
    withFeatures(0, (units) => units.map(({ fid = 0, ...unit }) => ({ ...unit, fid: fid + 3 }))),
    { accept: ['fewer-units'] },
  );
  const root = join(out, 'releases', damaged);
  const remedy = new RegExp(`verify --release ${damaged}`);
  const assertRefused = (message: RegExp, from = damaged, to = before): void =>
    assert.throws(() => diff(out, from, to, SILENT), { name: 'BuildError', message, remedy });
  const flipped = (bytes: Buffer): Buffer => bytes.fill(~(bytes.at(-1) ?? 0), bytes.length - 1);
  const [file, beside, index] = ['lv0/features/000001.geojsonl.gz', 'lv0/alone/000001.bin', 'lv0/index.bin'];
  const cases: [file: string, change: (bytes: Buffer) => Buffer, message: RegExp][] = [
    [beside, (bytes) => bytes.subarray(0, -20), /lv0\/alone\/000001\.bin: fid 5: its file ends after \d+ bytes$/],
    [beside, (bytes) => bytes.fill(1, bytes.length - 1), /lv0\/alone\/000001\.bin: fid 5: its seam is/],
    [file, (bytes) => bytes.subarray(0, 20), /\/000001\.geojsonl\.gz: fid 4: its file ends after \d+ bytes$/],
    [index, flipped, /lv0\/index\.bin: its SHA-256 is [0-9a-f]+, checksums\.txt has [0-9a-f]+$/],
    [index, () => Buffer.of(), /lv0\/index\.bin: its SHA-256 is/],
    ['lv0/manifest.json', flipped, /lv0\/manifest\.json: its SHA-256 is/],
    [CHECKSUMS_FILE, () => Buffer.from('nonsense\n'), /checksums\.txt: line 1 is "nonsense"/],
  ];
  for (const [path, change, message] of cases) {
    const bytes = readFileSync(join(root, path));
    writeFileSync(join(root, path), change(Buffer.from(bytes)));
    assertRefused(message);
    writeFileSync(join(root, path), bytes);
  }
  changeArrays(root, 0, (arrays) => ({ ...arrays, textCrc: arrays.textCrc.with(1, 0) }));
  assertRefused(/\/000001\.geojsonl\.gz: fid 4: its text is not the one that the index describes$/);
  replaceText(root, 0, 0, (text) => text.replace('"properties":{', '"properties":['));
  assertRefused(/\/000001\.geojsonl\.gz: fid 4: its text is not JSON/);
  for (const path of [file, index, 'lv0/manifest.json']) {
    rmSync(join(root, path));
    assertRefused(new RegExp(`${path}: is missing`));
  }
  assertRefused(/lv0\/manifest\.json: is missing/, before, damaged);
});
