// What every release must be, whatever its source: complete, as it says, and published whole or not at all.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { CHECKSUMS_FILE } from '../../format/layout.ts';
import { currentFromJson, releaseFromJson } from '../../format/release.ts';
import { ACCEPTABLE } from '../../generator/quality/findings.ts';
import { countryLayers, writeCountries } from '../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { filesUnder, sha256Of } from '../support/files.ts';
import { buildRelease, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const source = writeCountries();
const out = join(folder, 'output');
const built = await buildRelease(source, out, { ...WHOLE, attribution: ['The inventors of this test'] });
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
  const { size } = statSync(source);
  assert.deepEqual(release.source, [{ name: 'countries.gpkg', bytes: size, sha256: sha256Of(source) }]);
  assert.deepEqual(release.attribution, ['The inventors of this test']);
  assert.deepEqual([release.precision, release.storedPages], [7, 'all']);
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

test('pages and feature files are gzip without name or time, which any gunzip reads', () => {
  const files = filesUnder(root).filter((file) => file.endsWith('.gz'));
  assert.ok(files.length > 30);
  for (const file of files) assert.ok(readFileSync(join(root, file)).subarray(0, 10).equals(MEMBER_HEADER), file);
  const gunzip = spawnSync('gzip', ['--test', ...files], { cwd: root, encoding: 'utf8' });
  assert.equal(gunzip.status, 0, gunzip.stderr);
});

test('a build that fails, whatever is accepted, leaves nothing behind and the current release as it is', async () => {
  const outside = { fid: 99, values: ['X', 'AAA.1_1', 'AAA'], wkt: square(500, 0) };
  const broken = countryLayers().with(2, { name: 'ADM_2', columns: ['GID_2', 'GID_1', 'GID_0'], features: [outside] });
  const brokenSource = writeDataset(join(folder, 'broken.gpkg'), 'GPKG', broken);
  const before = readFileSync(join(out, 'current.json'), 'utf8');
  await assert.rejects(buildRelease(brokenSource, out, { release: 'r2', accept: ACCEPTABLE }), {
    message: /layer ADM_2 \(level 2\), fid 99, GID X: \[500, 0\] is not a longitude/,
  });
  assert.equal(readFileSync(join(out, 'current.json'), 'utf8'), before);
  assert.deepEqual(readdirSync(join(out, 'releases')), ['r1']);
});

test('a release id that is taken or could name another folder is refused', async () => {
  await assert.rejects(buildRelease(source, out), { message: /releases\/r1 exists already/ });
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
