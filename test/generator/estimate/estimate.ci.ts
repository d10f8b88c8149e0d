// What a dry run forecasts for each choice of --pages: the files exactly, the bytes as a range, nothing written.
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { releasePath } from '../../../format/layout.ts';
import { GEOMETRIES, LEVELS, STORED_PAGES, type StoredPages } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { DEFAULTS } from '../../../generator/options/defaults.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { writeSample } from '../../../generator/sample/sample.ts';
import { withCountries } from '../../support/datasets/small-datasets.ts';
import { writeSynthetic } from '../../support/datasets/synthetic/synthetic.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { filesUnder } from '../../support/files.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildRelease, WHOLE } from '../../support/releases/build-release.ts';
import { sampleOutput } from '../../support/releases/world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
  parquet: true,
  workers: 0,
  accept,
};
const expected = await forecast(options, SILENT);
const releases = new Map<StoredPages, Release>();
for (const storedPages of STORED_PAGES)
  releases.set(storedPages, await buildRelease(source, join(folder, storedPages), { ...WHOLE, accept, storedPages }));

/** Bytes of the files below a folder. */
function bytesIn(root: string): number {
  return filesUnder(root).reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
}

function assertWithin({ least, most }: { least: number; most: number }, bytes: number): void {
  assert.ok(least < bytes && bytes < most && most < 2.5 * least, `${least} to ${most} bytes forecast, ${bytes} built`);
}

for (const storedPages of STORED_PAGES) {
  test(`a dry run forecasts a release with --pages ${storedPages}: each level, the files exactly, the bytes within a range`, () => {
    const { levels } = releases.get(storedPages) ?? assert.fail(storedPages);
    for (const { level, layer, features, listings, featureFiles, pages } of levels) {
      const { pages: own, ...estimate } = elementAt(expected.levels, level);
      const { geojsonl, fc } = own[storedPages];
      const said = [estimate.layer, estimate.features, estimate.listings, estimate.featureFiles, geojsonl, fc];
      assert.deepEqual(said, [layer, features, listings, featureFiles.files, pages.geojsonl, pages.fc], `lv${level}`);
    }
    const root = join(folder, storedPages, 'releases/r1');
    const files = filesUnder(root);
    const whole = expected.releases.find(({ pages }) => pages === storedPages) ?? assert.fail(storedPages);
    assert.equal(whole.files, files.length);
    assertWithin(whole.bytes, bytesIn(root));
  });
}

test('a dry run forecasts the bytes of the sample within a range, and more space than the release has at least', async () => {
  const sample = join(folder, 'sample.gpkg');
  writeSample(sample, { overwrite: true });
  const { releases } = await forecast({ ...options, source: [sample], tiles: DEFAULTS.tiles }, SILENT);
  for (const { pages, bytes, space } of releases) {
    assert.ok(space > bytes.least, `${space} bytes on disk, ${bytes.least} of the release with --pages ${pages}`);
    if (pages === 'none') assertWithin(bytes, bytesIn(join(await sampleOutput(), releasePath('sample'))));
  }
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
    assert.match(table, new RegExp(`^--pages ${pages} +${ofFiles} +[\\d,]+ +[\\d,]+ +${ofSpace}$`, 'm'));
  }
  assert.ok(table.endsWith('\n\nBytes are estimates. Nothing was published.\n'), table);
  assert.ok(!existsSync(join(folder, 'nothing')));
});

test('a geometry that has more bytes than the full one is named by the build', async () => {
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
  const ofSimple = await printed(simple, '--out', join(folder, 'simple'));
  assert.ok(ofSimple.includes(`\n\n${line}\n`), ofSimple);
  // What the build says of the positions that are left.
  const useless = (kept: string): string =>
    `medium keeps ${kept} positions: useless for this source; without it: --geometry full,low,point,none\n`;
  assert.ok(ofSimple.includes(useless('125.0 % of the 200')));
  const text = await printed(detailed, '--out', join(folder, 'detailed'));
  assert.doesNotMatch(text, /more bytes/);
  assert.match(text, /^low keeps \d\.\d % of the 502 positions$/m);
});
