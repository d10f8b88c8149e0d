// What a dry run forecasts for each choice of --pages: the files exactly, the bytes nearly, nothing written.
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { releasePath } from '../../format/layout.ts';
import { GEOMETRIES, LEVELS, STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import type { Release } from '../../format/release.ts';
import { forecast } from '../../generator/estimate/estimate.ts';
import { DEFAULTS } from '../../generator/options/defaults.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { writeSample } from '../../generator/sample/sample.ts';
import { withCountries } from '../support/datasets/small-datasets.ts';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { filesUnder } from '../support/files.ts';
import { typed } from '../support/processes/typed.ts';
import { buildRelease, WHOLE } from '../support/releases/build-release.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const source = join(folder, 'synthetic.gpkg');
writeSynthetic(source, 200);
const accept = ['empty-geometries'] as const;
const options = {
  source: [source],
  out: folder,
  levels: LEVELS,
  precision: 7,
  geometries: GEOMETRIES,
  cells: true,
  neighbours: true,
  workers: 0,
  accept,
};
const expected = await forecast(options, SILENT);
const releases = new Map<StoredPages, Release>();
for (const storedPages of STORED_PAGES)
  releases.set(storedPages, await buildRelease(source, join(folder, storedPages), { ...WHOLE, accept, storedPages }));

const TOLERANCE = 0.2;

function isNear(estimate: number, size: number): boolean {
  return Math.abs(estimate / size - 1) < TOLERANCE;
}

for (const storedPages of STORED_PAGES) {
  test(`a dry run forecasts a release with --pages ${storedPages}: each level, the files exactly, the bytes within 20 %`, () => {
    const { levels } = releases.get(storedPages) ?? assert.fail(storedPages);
    for (const { level, layer, features, listings, featureFiles, pages } of levels) {
      const { pages: own, ...estimate } = elementAt(expected.levels, level);
      const { geojsonl, fc } = own[storedPages];
      const said = [estimate.layer, estimate.features, estimate.listings, estimate.featureFiles.files, geojsonl, fc];
      assert.deepEqual(said, [layer, features, listings, featureFiles.files, pages.geojsonl, pages.fc], `lv${level}`);
    }
    const root = join(folder, storedPages, 'releases/r1');
    const files = filesUnder(root);
    const whole = expected.releases.find(({ pages }) => pages === storedPages) ?? assert.fail(storedPages);
    assert.equal(whole.files, files.length);
    const bytes = files.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
    assert.ok(isNear(whole.bytes, bytes), `${whole.bytes} bytes forecast, ${bytes} built`);
    for (const [level, { bytes: pageBytes, featureFiles }] of levels.entries()) {
      const { pages, featureFiles: estimate } = expected.levels[level] ?? assert.fail(`level ${level}`);
      assert.ok(isNear(estimate.bytes, featureFiles.bytes), `features of level ${level}: ${estimate.bytes}`);
      if (storedPages === 'none') assert.deepEqual([pages.none.bytes, pageBytes], [0, 0]);
      else assert.ok(isNear(pages[storedPages].bytes, pageBytes), `pages of level ${level}`);
    }
  });
}

test('a dry run forecasts the bytes of the tiles of the sample within 20 %, and more space than the release has', async () => {
  const sample = join(folder, 'sample.gpkg');
  writeSample(sample, { overwrite: true });
  const root = join(await sampleOutput(), releasePath('sample'));
  const files = filesUnder(root).filter((file) => /tiles\.(pmtiles|digest)$/.test(file));
  const size = files.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
  const alone = { ...options, source: [sample], geometries: ['full'], cells: false, neighbours: false } as const;
  const [without = 0, with8 = 0] = await Promise.all(
    [undefined, DEFAULTS.tiles].map(async (tiles) => (await forecast({ ...alone, tiles }, SILENT)).releases[0]?.bytes),
  );
  assert.ok(size > 1e6 && isNear(with8 - without, size), `${with8 - without} bytes forecast, ${size} built`);
  const whole = { ...options, source: [sample], tiles: DEFAULTS.tiles };
  for (const { pages, bytes, space } of (await forecast(whole, SILENT)).releases)
    assert.ok(space > bytes, `${space} bytes on disk, ${bytes} of the release with --pages ${pages}`);
});

async function printed(dataset: string, ...args: string[]): Promise<string> {
  const command = ['build', '--source', dataset, '--release', 'r1', '--workers', '0', '--quiet', ...args];
  const { status, stdout, stderr } = await typed('generator', command);
  assert.equal(status, 0, stderr);
  return stdout;
}

test('the command line prints the three choices as a table or as JSON and publishes nothing', async () => {
  // Levels that the dataset lacks, and a unit without geometry.
  const bare = { fid: 9, values: ['CCC', 'Celand'], wkt: null };
  const few = writeDataset(join(folder, 'few.gpkg'), 'GPKG', withCountries(bare));
  await buildRelease(few, join(folder, 'few'), { ...WHOLE, accept, tiles: 3 });
  const dryRun = ['--dry-run', '--out', join(folder, 'nothing'), '--tiles', '3', '--accept', ...accept];
  const ofFew = await forecast({ ...options, source: [few], tiles: 3 }, SILENT);
  assert.equal(ofFew.releases[0]?.files, filesUnder(join(folder, 'few/releases/r1')).length);
  assert.deepEqual(JSON.parse(await printed(few, ...dryRun, '--json')), ofFew);
  const table = await printed(few, ...dryRun);
  for (const { pages, files, space } of ofFew.releases) {
    const [ofFiles, ofSpace] = [files, space].map((number) => number.toLocaleString('en'));
    assert.match(table, new RegExp(`^--pages ${pages} +${ofFiles} +[\\d,]+ +${ofSpace}$`, 'm'));
  }
  assert.ok(table.endsWith('\n\nBytes are estimates. Nothing was published.\n'), table);
  assert.ok(!existsSync(join(folder, 'nothing')));
});

test('a geometry that has more bytes than the full one is named, by the dry run and by the build', async () => {
  // Triangles smaller than a cell of the grid of `medium`, which takes one more position; and a ragged unit.
  const triangle = (x: number): string => `POLYGON((${x} 20,${x}.00001 20,${x} 20.00001,${x} 20))`;
  const teeth = Array.from({ length: 500 }, (_, i) => `${i / 500} ${(i % 2) / 1e4}`);
  const ragged = `POLYGON((${teeth.join()},1 1,${teeth[0]}))`;
  const datasets = [Array.from({ length: 50 }, (_, i) => triangle(i)), [ragged]].map((wkts, n) => {
    const features = wkts.map((wkt, i) => ({ fid: i + 1, values: [`A${i}`], wkt }));
    return writeDataset(join(folder, `${n}.gpkg`), 'GPKG', [{ name: 'ADM_0', columns: ['GID_0'], features }]);
  });
  const [simple = '', detailed = ''] = datasets;
  const line =
    'medium has more bytes than full, as the source is so simple; without it: --geometry full,low,point,none';
  for (const args of [['--dry-run'], ['--out', join(folder, 'simple')]]) {
    const text = await printed(simple, ...args);
    assert.ok(text.includes(`\n\n${line}\n`), text);
  }
  assert.doesNotMatch(await printed(detailed, '--dry-run'), /more bytes/);
  // What the build says of the positions that are left.
  const useless = (kept: string): string =>
    `medium keeps ${kept} positions: useless for this source; without it: --geometry full,low,point,none\n`;
  assert.ok((await printed(simple, '--out', join(folder, 'simple-2'))).includes(useless('125.0 % of the 200')));
  const text = await printed(detailed, '--out', join(folder, 'detailed'));
  assert.match(text, /^low keeps \d\.\d % of the 502 positions$/m);
});
