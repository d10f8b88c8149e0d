// The specification, format/README.md, held against the code: its worked example byte by byte, its arithmetic, its recipes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodeCursor, encodeCursor } from '../../format/cursor.ts';
import { FeatureIndex, featureRecord, RECORD_BYTES } from '../../format/feature-index.ts';
import type { DeflatedText } from '../../format/gzip-members.ts';
import { FRAME_DATA, joinMember, MEMBER_END_BYTES, MEMBER_HEADER, sumOf } from '../../format/gzip-members.ts';
import {
  CURRENT_PATH,
  featureFilePath,
  gidToSegment,
  indexPath,
  manifestPath,
  namesPath,
  OVERVIEW_FILE,
  RELEASE_FILE,
  releasePath,
} from '../../format/layout.ts';
import { FEATURES_PER_FILE, FORMATS, FRAMES, LEVELS, PAGE_CAPS } from '../../format/levels.ts';
import {
  columnFrom,
  digestOf,
  FORMAT_VERSION,
  type Manifest,
  manifestFromJson,
  manifestToJson,
} from '../../format/manifest.ts';
import { namesHeader, namesLine } from '../../format/names.ts';
import { currentToJson, type LevelSummary, releaseToJson, type WholeFile } from '../../format/release.ts';
import { overviewToJson } from '../../generator/overview/topojson.ts';
import { writeWholeFile } from '../../generator/release/whole-file.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { without } from '../support/processes/programs.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SPECIFICATION = readFileSync(new URL('../../format/README.md', import.meta.url), 'utf8');
const READER = fileURLToPath(new URL('read_release.py', import.meta.url));
const folder = temporaryFolder();

/** The code block of the specification whose info string is this. */
function block(info: string): string {
  const [, text] = new RegExp(`^\`\`\`${info}\\n(.*?)^\`\`\`$`, 'ms').exec(SPECIFICATION) ?? [];
  assert.ok(text !== undefined, `the specification has no block ${info}`);
  return text;
}

/** The bytes of a block of hexadecimal digits with comments. */
function bytesIn(info: string): Buffer {
  const digits = block(info).replaceAll(/#.*$/gm, '').replaceAll(/\s/g, '');
  assert.match(digits, /^(?:[0-9a-f]{2})+$/, info);
  return Buffer.from(digits, 'hex');
}

/** The cells of every table row that begins with this. */
function rowsOf(start: string): string[][] {
  const rows = SPECIFICATION.split('\n').filter((line) => line.startsWith(`| ${start}`));
  assert.ok(rows.length > 0, start);
  return rows.map((row) => row.slice(2, -2).split(' | '));
}

const texts = block('json texts').split(/(?<=\n)/);
const members = [bytesIn('text member-0'), bytesIn('text member-1')];
const data = members.map((member, i): DeflatedText => {
  const text = Buffer.from(texts[i] ?? '');
  return { data: member.subarray(MEMBER_HEADER.length, -MEMBER_END_BYTES), ...sumOf(text) };
});
const bodies = {
  geojsonl: joinMember(data),
  fc: joinMember([
    FRAME_DATA.fc.before,
    ...data.flatMap((piece, i) => (i === 0 ? [piece] : [FRAME_DATA.fc.between, piece])),
    FRAME_DATA.fc.after,
  ]),
};

test('the members of the worked example are gzip members of its texts, framed as the code frames them', () => {
  assert.equal(texts.length, 2);
  for (const [i, member] of members.entries()) {
    assert.equal(gunzipSync(member).toString(), texts[i]);
    assert.ok(data[i] && joinMember([data[i]]).equals(member));
  }
});

test('the index of the worked example is the one that the code makes', () => {
  const index = bytesIn('text index');
  assert.ok(index.equals(Buffer.concat(members.map((member, i) => featureRecord(member, data[i] ?? sumOf(member))))));
  assert.equal(index.length, 2 * RECORD_BYTES);
  const read = new FeatureIndex(index, 2, 100, 'features.idx');
  assert.deepEqual([read.offsetAt(1), read.offsetAt(1) + read.bytesAt(1) - 1], [100, 235]);
});

test('the body of the worked example is the one that the code joins, and gunzip reads', () => {
  const body = bytesIn('text body');
  assert.ok(body.equals(bodies.fc));
  const { before, between, after } = FRAMES.fc;
  assert.equal(gunzipSync(body).toString(), before + texts.join(between) + after);
  // The lengths that section 7 computes from the index, of two features and of none.
  const sum = members.reduce((total, member) => total + member.length, 0);
  assert.equal(body.length, 20 + sum - 20 * 2 + 46 + 6 * (2 - 1) + 8);
  const empty = joinMember([FRAME_DATA.fc.before, FRAME_DATA.fc.after]);
  assert.deepEqual([empty.length, gunzipSync(empty).length], [20 + 46 + 8, 44]);
});

test('the manifest of the worked example is read, and describes the bytes of the example', () => {
  const manifest = manifestFromJson(block('json manifest'), 'README.md');
  assert.deepEqual(JSON.parse(manifestToJson(manifest)), JSON.parse(block('json manifest')));
  for (const format of FORMATS) {
    assert.deepEqual(manifest.pages[format].bytes, [bodies[format].length]);
    assert.equal(manifest.pages[format].digests, digestOf(bodies[format]));
  }
});

test('the names and the overview of the worked example are those that the code writes', () => {
  const units = [3, 7].map((fid, i) => ({
    fid,
    gid: ['AAA', 'BBB'][i] ?? '',
    name: null,
    type: null,
    parent: null,
    children: 0,
  }));
  assert.equal(namesHeader() + units.map(namesLine).join(''), block('json names'));
  const levels = [
    { level: 0, units },
    { level: 1, units: [] },
  ] as const;
  const grid = { cell: 1, extent: [0, 0, 0, 0] } as const;
  const text = overviewToJson(
    levels,
    { arcs: [], shapes: [new Map(), new Map()] },
    { ...grid, extent: [...grid.extent] },
    1,
  );
  assert.deepEqual(JSON.parse(text), JSON.parse(block('json overview')));
  assert.ok(text.endsWith('}\n') && !text.slice(0, -1).includes('\n'));
});

test('the cursor of the worked example is the one that the code writes', () => {
  const content = { release: 'demo', content: '9f86d081', level: 0, position: 1 } as const;
  const cursor = encodeCursor(content);
  assert.ok(SPECIFICATION.includes(`\`${cursor}\``));
  assert.equal(cursor, `c_${bytesIn('text cursor').toString('base64url')}`);
  assert.deepEqual(decodeCursor(cursor), content);
});

/** What release.json says of the example's level, and of the levels that its source lacks. */
function summaryOf(level: Manifest['level'], manifest: string, names: WholeFile): LevelSummary {
  const sha256 = createHash('sha256').update(manifest).digest('hex');
  if (level === 0) return { ...JSON.parse(block('json level')), manifest: sha256, names };
  const pages = { geojsonl: 0, fc: 0 };
  const index = createHash('sha256').digest('hex');
  const nothing = {
    layer: '',
    gidColumns: [],
    nameColumn: '',
    typeColumn: '',
    isRenumbered: false,
    features: 0,
    listings: 0,
    bytes: 0,
    featureFiles: { files: 0, bytes: 0 },
  };
  return { level, ...nothing, pages, manifest: sha256, index, names };
}

/** Writes the release of the worked example. */
function writeExample(out: string): void {
  const release = 'demo';
  const put = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), content);
  };
  const root = releasePath(release);
  const example = manifestFromJson(block('json manifest'), 'README.md');
  const none = { bytes: [], digests: '' };
  const levels = LEVELS.map((level) => {
    const columns = LEVELS.slice(0, level + 1).map(() => columnFrom('', []));
    const empty = { features: 0, fids: [], columns, featuresPerFile: FEATURES_PER_FILE[level] };
    const json = manifestToJson(
      level === 0 ? example : { ...example, ...empty, level, pages: { geojsonl: none, fc: none } },
    );
    put(`${root}/${manifestPath(level)}`, json);
    put(`${root}/${indexPath(level)}`, level === 0 ? bytesIn('text index') : Buffer.alloc(0));
    mkdirSync(join(out, root, dirname(namesPath(level))), { recursive: true });
    const lines = level === 0 ? block('json names') : namesHeader();
    return summaryOf(level, json, writeWholeFile(join(out, root, namesPath(level)), [lines]));
  });
  const overview = writeWholeFile(join(out, root, OVERVIEW_FILE), [block('json overview')]);
  put(`${root}/${featureFilePath(0, 0)}`, Buffer.concat(members));
  const about = {
    release,
    source: [],
    gdal: '',
    precision: 7,
    storedPages: example.storedPages,
    attribution: [],
    quality: [],
  };
  put(`${root}/${RELEASE_FILE}`, releaseToJson({ ...about, overview, levels }));
  put(CURRENT_PATH, currentToJson({ release, hosted: [release] }));
}

test('a reader written from the specification reads the worked example', { skip: without('python3 -V') }, () => {
  const out = join(folder, 'example');
  writeExample(out);
  for (const [args, expected] of [
    [['lv0'], texts.join('')],
    [['lv0', 'gid-0=BBB'], texts[1]],
    [['lv0', '--count'], '2 of 2\n'],
    [['lv3', '--count'], '0 of 0\n'],
    [['lv0', '--names'], block('json names')],
    [['lv5', '--names'], '["fid","gid","name","type","parent","children"]\n'],
  ] as const) {
    const run = spawnSync('python3', [READER, out, ...args], { encoding: 'utf8' });
    assert.deepEqual([run.stdout, run.stderr], [expected, ''], args.join(' '));
  }
});

test('the tables of runs and of encoded GIDs are what the code writes', () => {
  const runs = ['A A B', 'A B A A', '(none) (none) A'].flatMap(rowsOf);
  for (const [positions, gids, written] of runs) {
    const units = (positions ?? '').split(' ').map((gid) => (gid === '(none)' ? null : gid));
    const column = columnFrom('GID_0', units);
    const example = manifestFromJson(block('json manifest'), 'README.md');
    const json = JSON.parse(manifestToJson({ ...example, features: units.length, columns: [column] }));
    assert.deepEqual(
      [`\`${JSON.stringify(json.columns[0].gids)}\``, `\`[${json.columns[0].runs.join(', ')}]\``],
      [gids, written],
    );
  }
  for (const gid of ['ITA.4_1', 'esp 1', '?', '..'])
    assert.ok(SPECIFICATION.includes(`| \`${gid}\` | \`${gidToSegment(gid)}\` |`), gid);
});

test('the numbers of the specification are those of the code', () => {
  assert.match(SPECIFICATION, new RegExp(`^# .*: format version ${FORMAT_VERSION}$`, 'm'));
  for (const format of FORMATS)
    assert.ok(
      rowsOf(`\`${format}\``).some((cells) => {
        const caps = cells.slice(1).flatMap((cell) => [Number(cell), Number(cell)]);
        return JSON.stringify(caps) === JSON.stringify(PAGE_CAPS[format]);
      }),
      format,
    );
  const perFile = ['0, 1 |', '2, 3, 4, 5 |'].flatMap(rowsOf);
  const byLevel = perFile.flatMap(([levels, count]) => (levels ?? '').split(', ').map(() => Number(count)));
  assert.deepEqual(byLevel, FEATURES_PER_FILE);
  for (const place of ['before', 'between', 'after'] as const) {
    const [cells] = rowsOf(`${place} |`);
    assert.equal(cells?.[1], `\`${FRAMES.fc[place].replace('\n', '⏎')}\``);
    const hex = FRAME_DATA.fc[place].data.toString('hex').replaceAll(/(..)(?!$)/g, '$1 ');
    const [, written] = /`([0-9a-f ]+)`/.exec(cells?.[2] ?? '') ?? [];
    assert.ok(written !== undefined && hex.startsWith(written), place);
  }
});

const COMBINE_CHECK = `
import random, zlib
random.seed(1)
for lengths in [(0, 0), (0, 5), (5, 0), (1, 1), (255, 256), (256, 255), (65536, 65535), (3, 1 << 20)]:
    a, b = (random.randbytes(length) for length in lengths)
    assert crc32_combine(zlib.crc32(a), zlib.crc32(b), len(b)) == zlib.crc32(a + b), lengths
`;

test('the combination of CRCs that the specification gives is right', { skip: without('python3 -V') }, () => {
  const code = block('python crc32_combine') + COMBINE_CHECK;
  const run = spawnSync('python3', ['-'], { input: code, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
});

/** Builds a small release and runs a block of shell commands in its folder. */
async function runInRelease(name: string, info: string): Promise<{ root: string; stdout: string }> {
  const source = writeDataset(join(folder, `${name}.gpkg`), 'GPKG', countryLayers());
  await buildRelease(source, join(folder, name), { storedPages: 'none' });
  const root = join(folder, name, releasePath('r1'));
  const run = spawnSync('sh', ['-eu', '-c', block(info)], { cwd: root, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return { root, stdout: run.stdout };
}

const TOOLS = ['zcat --version', 'sha256sum --version', 'od --endian=little /dev/null', 'awk 1 /dev/null', 'curl -V'];

test('the shell recipes read a level, its index and one feature', { skip: without(...TOOLS) }, async () => {
  const { root, stdout } = await runInRelease('recipes', 'sh recipes');
  const level = readFileSync(join(root, 'lv2.geojsonl'), 'utf8');
  const lines = level.split(/(?<=\n)/);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).id),
    [1, 2, 3, 4],
  );
  assert.equal(readFileSync(join(root, 'feature.geojson'), 'utf8'), lines[1]);
  const index = new FeatureIndex(readFileSync(join(root, indexPath(2))), 4, 1000, 'features.idx');
  const rows = stdout.trim().split('\n');
  assert.equal(rows.length, 3, stdout);
  for (const [position, row] of rows.entries())
    assert.deepEqual(
      row.trim().split(/\s+/).slice(0, 3).map(Number),
      [index.bytesAt(position), index.textBytesAt(position), index.crcAt(position)],
      'and no complaint of sha256sum',
    );
});

test('GDAL reads a feature file, and leaves nothing beside it', { skip: without('ogrinfo --version') }, async () => {
  const { root, stdout } = await runInRelease('gdal', 'sh gdal');
  assert.match(stdout, /Feature Count: 4\n/);
  assert.deepEqual(readdirSync(join(root, 'lv2/features')), ['000001.geojsonl.gz']);
});
