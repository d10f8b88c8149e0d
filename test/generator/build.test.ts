// What every release must be, whatever its source: complete, in order, within the caps, the same every time.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { DIGEST_BYTES } from '../../format/feature-table.ts';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { CHECKSUMS_FILE, indexPath, manifestPath, pagePath } from '../../format/layout.ts';
import { pageCount } from '../../format/level-index.ts';
import { FORMATS, LEVELS, PAGE_CAPS } from '../../format/levels.ts';
import { positionsIn } from '../../format/positions.ts';
import { currentFromJson, releaseFromJson } from '../../format/release.ts';
import { writeWorld } from '../support/datasets/large-dataset.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { contentOf, filesUnder, sha256Of } from '../support/files.ts';
import { GENERATOR } from '../support/processes/run-generator.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { readIndex } from '../support/releases/read-index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const source = writeWorld(join(folder, 'world.gpkg'));
const out = join(folder, 'output');
const attribution = ['The inventors of this test'];
const geometries = ['full', 'low', 'point'] as const;
const built = await buildRelease(source, out, { workers: 2, attribution, geometries, accept: ['empty-geometries'] });
const root = join(out, 'releases/r1');

test('the first release is current, and nothing but it is in the output folder', () => {
  assert.deepEqual(currentFromJson(readFileSync(join(out, 'current.json'), 'utf8'), 'current.json'), {
    release: 'r1',
    hosted: ['r1'],
    digests: new Map([['r1', sha256Of(join(root, 'release.json'))]]),
  });
  assert.deepEqual(readdirSync(out).sort(), ['current.json', 'releases']);
  assert.deepEqual(readdirSync(join(out, 'releases')), ['r1']);
});

test('release.json says what was built from what', () => {
  const release = releaseFromJson(readFileSync(join(root, 'release.json'), 'utf8'), 'release.json');
  assert.deepEqual(release, built);
  assert.deepEqual(release.source, [{ name: 'world.gpkg', bytes: statSync(source).size, sha256: sha256Of(source) }]);
  assert.ok(release.attribution.includes('The inventors of this test'));
  assert.equal(release.precision, 7);
  assert.equal(release.storedPages, 'all');
  for (const { level, manifest, index } of release.levels)
    for (const [path, said] of [
      [manifestPath(level), manifest],
      [indexPath(level), index],
    ] as const) {
      const file = join(root, path);
      assert.deepEqual(said, { bytes: statSync(file).size, sha256: sha256Of(file) });
    }
});

test('checksums.txt has every other file of the release, in order, and sha256sum accepts it', () => {
  const lines = readFileSync(join(root, CHECKSUMS_FILE), 'utf8').trimEnd().split('\n');
  const paths = lines.map((line) => line.slice(66));
  assert.deepEqual(
    paths,
    filesUnder(root).filter((file) => file !== CHECKSUMS_FILE),
  );
  const check = spawnSync('sha256sum', ['--check', '--quiet', CHECKSUMS_FILE], { cwd: root, encoding: 'utf8' });
  assert.equal(check.status, 0, check.stdout);
});

test('every page of every listing is there: the right features, in order, under the cap, as the index says', () => {
  let pages = 0;
  for (const level of LEVELS) {
    const index = readIndex(root, level);
    assert.equal(index.features, built.levels[level]?.features);
    for (const format of FORMATS) {
      for (let listing = 0; listing < index.listings; listing++) {
        const key = index.listingKey(listing);
        const positions = index.listingPositions(listing);
        const cap = PAGE_CAPS[format][level];
        for (let page = 0; page < pageCount(level, format, positions.count); page++) {
          const path = pagePath(level, format, key, page);
          const bytes = readFileSync(join(root, path));
          const count = Math.min(cap, positions.count - page * cap);
          const stored = index.storedPage(format, listing, positions.count, page * cap, count);
          assert.equal(bytes.length, stored?.bytes, path);
          assert.equal(
            createHash('sha256').update(bytes).digest().subarray(0, DIGEST_BYTES).toString('hex'),
            index.pageDigest(format, stored?.number ?? -1),
            path,
          );
          const text = gunzipSync(bytes).toString();
          const features: { id: number; properties: Record<string, unknown> }[] =
            format === 'fc' ? JSON.parse(text).features : JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`);
          assert.deepEqual(
            features.map(({ id }) => id),
            Array.from(positionsIn(positions.slice(page * cap, count)), (position) => index.fidAt(position)),
            path,
          );
          if (key === 'all') continue;
          for (const feature of features) assert.equal(feature.properties[`GID_${key.column}`], key.gid, path);
          pages++;
        }
      }
    }
  }
  assert.ok(pages > 300);
});

test('pages and feature files are gzip without name or time, which any gunzip reads', () => {
  const files = filesUnder(root).filter((file) => file.endsWith('.gz'));
  for (const file of files) assert.ok(readFileSync(join(root, file)).subarray(0, 10).equals(MEMBER_HEADER), file);
  const sample = files.filter((file, i) => i % 3 === 0 || file.includes('/features/'));
  const gunzip = spawnSync('gzip', ['--test', ...sample], { cwd: root, encoding: 'utf8' });
  assert.equal(gunzip.status, 0, gunzip.stderr);
});

test('two builds of one source are byte-identical, under another time zone, language, umask and number of workers', () => {
  const content = [
    ['022', '0', { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' }],
    ['077', '1', { TZ: 'Asia/Kathmandu', LANG: 'de_DE.UTF-8', LC_ALL: 'tr_TR.UTF-8' }],
  ].map(([umask, workers, env], i) => {
    const target = join(folder, `command-${i}`);
    const options = `--release r1 --workers ${workers} --geometry low,point --attribution "$4" --accept empty-geometries`;
    const command = `umask ${umask}; exec "$0" "$1" build --source "$2" --out "$3" ${options}`;
    const args = ['-c', command, process.execPath, GENERATOR, source, target, ...attribution];
    const run = spawnSync('sh', args, { env: { ...process.env, ...Object(env) }, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    return contentOf(target);
  });
  assert.deepEqual(content, [contentOf(out), contentOf(out)]);
});

test('a build that fails leaves nothing behind and the current release as it is', async () => {
  const outside = { fid: 99, values: ['X', 'AAA.1_1', 'AAA'], wkt: square(500, 0) };
  const broken = countryLayers().with(2, { name: 'ADM_2', columns: ['GID_2', 'GID_1', 'GID_0'], features: [outside] });
  const brokenSource = writeDataset(join(folder, 'broken.gpkg'), 'GPKG', broken);
  const before = readFileSync(join(out, 'current.json'), 'utf8');
  await assert.rejects(buildRelease(brokenSource, out, { release: 'r2' }), {
    message: /layer ADM_2 \(level 2\), fid 99, GID X: \[500, 0\] is not a longitude/,
  });
  assert.equal(readFileSync(join(out, 'current.json'), 'utf8'), before);
  assert.deepEqual(readdirSync(join(out, 'releases')), ['r1']);
});

test('a release id that is taken or could name another folder is refused', async () => {
  await assert.rejects(buildRelease(source, out, { accept: ['empty-geometries'] }), {
    message: /releases\/r1 exists already/,
  });
  for (const release of ['..', 'a/b', '.x', ''])
    await assert.rejects(buildRelease(source, out, { release }), { message: /not a release id/ });
  assert.ok(!existsSync(join(folder, 'a')));
});

test('a program that gives no date of the calendar is told so before anything is read', async () => {
  await assert.rejects(buildRelease('no such source', out, { release: 'r3', date: '31.12.2026' }), {
    message: 'date 31.12.2026: not a date',
  });
  assert.ok(!existsSync(join(out, 'releases', 'r3')));
});
