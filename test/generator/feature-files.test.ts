// Feature files and their index as a build writes them, the pages that reuse their members, and the three choices of
// --pages: what is stored differs, what is stored in several of them is the same to the byte.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { FeatureIndex, RECORD_BYTES } from '../../format/feature-index.ts';
import { deflateText, joinMember, MEMBER_END_BYTES, MEMBER_HEADER, sumOf } from '../../format/gzip-members.ts';
import { featureFilePath, indexPath, manifestPath, pagePath } from '../../format/layout.ts';
import { FEATURES_PER_FILE, FRAMES, LEVELS, type Level, STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import { manifestFromJson, storedPageCount } from '../../format/manifest.ts';
import { releaseFromJson } from '../../format/release.ts';
import { valueAt } from '../../format/runs.ts';
import { writeSynthetic } from '../../generator/datasets/synthetic/synthetic.ts';
import { REUSE_TEXT_BYTES } from '../../generator/store/feature-store.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { contentOf, filesUnder } from '../support/files.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** A ring of `count` corners around (x, y): about 25 bytes of text each. */
function manyCornered(x: number, y: number, count: number): string {
  const corners = Array.from({ length: count }, (_, i) => {
    const turn = (2 * Math.PI * i) / count;
    return `${x + Math.cos(turn)} ${y + Math.sin(turn)}`;
  });
  return `POLYGON((${[...corners, corners[0]].join(',')}))`;
}

// Three feature files. Of every seven countries one is large and one very large; those from 201 on are all small.
const countries = Array.from({ length: 245 }, (_, i) => {
  const corners = i >= 200 || i % 7 > 1 ? 5 + (i % 50) : i % 7 === 0 ? 400 : 9000;
  // Written in another order than that of the fids, which have gaps.
  return { fid: 3 * ((i * 101) % 245) + 1, values: [`A${i}`], wkt: manyCornered(i / 10, i % 80, corners) };
});
const source = writeDataset(join(folder, 'countries.gpkg'), 'GPKG', [
  { name: 'ADM_0', columns: ['GID_0'], features: countries },
]);
const root = join(folder, 'countries/releases/r1');
await buildRelease(source, join(folder, 'countries'), { workers: 2 });

const synthetic = join(folder, 'synthetic.gpkg');
writeSynthetic(synthetic, 3000, { verticesScale: 0.1 });
const workers: Readonly<Record<StoredPages, number>> = { all: 0, unfiltered: 2, none: 1 };
for (const storedPages of STORED_PAGES)
  await buildRelease(synthetic, join(folder, storedPages), {
    storedPages,
    workers: workers[storedPages],
    accept: ['null-gids', 'duplicate-gids', 'empty-geometries'],
  });

function manifestOf(release: string, level: Level) {
  const file = manifestPath(level);
  return manifestFromJson(readFileSync(join(release, file), 'utf8'), file);
}

function indexOf(release: string, level: Level): FeatureIndex {
  const file = indexPath(level);
  const { features, featuresPerFile } = manifestOf(release, level);
  return new FeatureIndex(readFileSync(join(release, file)), features, featuresPerFile, file);
}

/** The members of a level by position, cut out of its feature files by its index. */
function membersOf(release: string, level: Level): Buffer[] {
  const index = indexOf(release, level);
  return Array.from({ length: index.features }, (_, position) => {
    const offset = index.offsetAt(position);
    const file = readFileSync(join(release, featureFilePath(level, index.fileOf(position))));
    return file.subarray(offset, offset + index.bytesAt(position));
  });
}

test('every feature is a gzip member of its own, in order of fid; a file ends with the last one of its number', () => {
  const manifest = manifestOf(root, 0);
  const members = membersOf(root, 0);
  assert.equal(members.length, 245);
  assert.deepEqual(
    members.map((member) => JSON.parse(gunzipSync(member).toString()).id),
    members.map((_, position) => valueAt(manifest.fids, position)),
  );
  for (const member of members) {
    const text = gunzipSync(member);
    assert.equal(text.indexOf('\n'), text.length - 1);
    assert.ok(joinMember([{ data: deflateText(text), ...sumOf(text) }]).equals(member));
  }
  const files = readdirSync(join(root, 'lv0/features')).sort();
  assert.deepEqual(files, ['000001.geojsonl.gz', '000002.geojsonl.gz', '000003.geojsonl.gz']);
  for (const [number, file] of files.entries()) {
    const gunzip = spawnSync('gzip', ['-dc', join(root, 'lv0/features', file)], { maxBuffer: 2 ** 28 });
    const own = members.slice(number * FEATURES_PER_FILE[0], (number + 1) * FEATURES_PER_FILE[0]);
    assert.ok(gunzip.stdout.equals(Buffer.concat(own.map((member) => gunzipSync(member)))), file);
  }
});

test('the index has the length, the length and CRC-32 of the text, and the digest of every member', () => {
  const index = indexOf(root, 0);
  const file = readFileSync(join(root, indexPath(0)));
  for (const [position, member] of membersOf(root, 0).entries()) {
    const sha256 = createHash('sha256').update(member).digest();
    const text = gunzipSync(member);
    assert.deepEqual(
      [index.bytesAt(position), index.textBytesAt(position), index.crcAt(position)],
      [member.length, text.length, sumOf(text).crc],
    );
    const record = file.subarray(position * RECORD_BYTES, (position + 1) * RECORD_BYTES);
    assert.ok(record.subarray(-8).equals(sha256.subarray(0, 8)));
  }
  assert.equal(file.length, 245 * RECORD_BYTES);
});

test('release.json counts the feature files and their bytes; a level without features has an empty index', () => {
  const { levels } = releaseFromJson(readFileSync(join(root, 'release.json'), 'utf8'), 'release.json');
  const bytes = membersOf(root, 0).reduce((sum, member) => sum + member.length, 0);
  assert.deepEqual(levels[0]?.featureFiles, { files: 3, bytes });
  assert.deepEqual(levels[1]?.featureFiles, { files: 0, bytes: 0 });
  assert.equal(readFileSync(join(root, indexPath(1))).length, 0);
  assert.ok(!readdirSync(join(root, 'lv1')).includes('features'));
});

test('pages have the text of their features, large ones as the deflate data of their members; others are deflated whole', () => {
  const members = membersOf(root, 0);
  let reused = 0;
  let whole = 0;
  for (const [format, cap] of [
    ['geojsonl', 20],
    ['fc', 5],
  ] as const) {
    const { before, between, after } = FRAMES[format];
    for (let first = 0; first < members.length; first += cap) {
      const page = readFileSync(join(root, pagePath(0, format, 'all', first / cap)));
      const own = members.slice(first, first + cap);
      const text = before + own.map((member) => gunzipSync(member).toString()).join(between) + after;
      assert.equal(gunzipSync(page).toString(), text);
      const large = own.filter((member) => gunzipSync(member).length >= REUSE_TEXT_BYTES);
      for (const member of large)
        assert.ok(page.includes(member.subarray(MEMBER_HEADER.length, -MEMBER_END_BYTES)), `${format} from ${first}`);
      reused += large.length;
      if (large.length > 0) continue;
      assert.ok(page.equals(joinMember([{ data: deflateText(Buffer.from(text)), ...sumOf(Buffer.from(text)) }])));
      whole++;
    }
  }
  assert.ok(reused > 50 && whole > 5, `${reused} reused, ${whole} whole`);
});

test('the choices of --pages store other pages and the same feature files and indexes, byte for byte', () => {
  const contentWith = (storedPages: StoredPages) => contentOf(join(folder, storedPages, 'releases/r1'));
  const [all, unfiltered, none] = [contentWith('all'), contentWith('unfiltered'), contentWith('none')];
  const isMetadata = (path: string): boolean => /^(checksums\.txt|release\.json|lv\d\/manifest\.json)$/.test(path);
  const contentWithout = (content: Record<string, string>, isLeftOut: (path: string) => boolean): [string, string][] =>
    Object.entries(content).filter(([path]) => !isLeftOut(path));
  const isFiltered = (path: string): boolean => path.includes('/gid-');
  const isPage = (path: string): boolean => /^lv\d\/(geojsonl|fc)\//.test(path);
  assert.deepEqual(
    contentWithout(unfiltered, isMetadata),
    contentWithout(all, (path) => isMetadata(path) || isFiltered(path)),
  );
  assert.deepEqual(
    contentWithout(none, isMetadata),
    contentWithout(all, (path) => isMetadata(path) || isPage(path)),
  );
  assert.equal(Object.keys(none).filter((path) => /^lv\d\/features\/\d{6}\.geojsonl\.gz$/.test(path)).length, 8);
  assert.ok(Object.keys(all).some(isFiltered) && Object.keys(unfiltered).some(isPage));
});

test('release.json and manifests say which pages are stored and count these', () => {
  for (const storedPages of STORED_PAGES) {
    const release = join(folder, storedPages, 'releases/r1');
    const said = releaseFromJson(readFileSync(join(release, 'release.json'), 'utf8'), 'release.json');
    assert.equal(said.storedPages, storedPages);
    const paths = filesUnder(release);
    for (const level of LEVELS) {
      const manifest = manifestOf(release, level);
      assert.equal(manifest.storedPages, storedPages);
      for (const format of ['geojsonl', 'fc'] as const) {
        const files = paths.filter((path) => path.startsWith(`lv${level}/${format}/`)).length;
        assert.equal(said.levels[level]?.pages[format], files);
        assert.equal(storedPageCount(level, format, manifest.features, manifest.columns, storedPages), files);
      }
    }
  }
});
