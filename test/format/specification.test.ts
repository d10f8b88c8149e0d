// The specification, format/README.md, held against the code: its worked example byte by byte, its arithmetic, its recipes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import { decodeCursor, encodeCursor } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import { FRAME_DATA } from '../../format/gzip.ts';
import {
  CHECKSUMS_FILE,
  featureFilePath,
  gidToSegment,
  indexPath,
  type ListingKey,
  manifestPath,
  namesPath,
  OVERVIEW_FILE,
  pagePath,
  RELEASE_FILE,
  releasePath,
} from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { FEATURES_PER_FILE, FORMATS, type Format, FRAMES, LEVELS, PAGE_CAPS } from '../../format/levels.ts';
import { decodeLevel, encodeLevel, FORMAT_VERSION, namedArrays } from '../../format/manifest.ts';
import { namesHeader, namesLine } from '../../format/names.ts';
import { type CheckedFile, type LevelSummary, releaseToJson, type WholeFile } from '../../format/release.ts';
import { overviewToJson } from '../../generator/overview/write-overview.ts';
import { writeWholeFile } from '../../generator/release/output-file.ts';
import { without } from '../support/processes/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type MadeLevel, makeColumn, makeLevel, memberOf } from './make-level.ts';

const SPECIFICATION = readFileSync('format/README.md', 'utf8');
const READER = 'test/format/read_release.py';
const folder = temporaryFolder();

/** The code block of the specification whose info string is this. */
function block(info: string): string {
  const [, text] = new RegExp(`^\`\`\`${info}\\n(.*?)^\`\`\`$`, 'ms').exec(SPECIFICATION) ?? [];
  assert.ok(text !== undefined, `the specification has no block ${info}`);
  return text;
}

/** The bytes of a block of hexadecimal digits with comments; `[name]` stands for other bytes. */
function bytesIn(info: string, named: Readonly<Record<string, Uint8Array>> = {}): Buffer {
  const digits = block(info)
    .replaceAll(/#.*$/gm, '')
    .replaceAll(/\[(.*?)\]/g, (_, name) => Buffer.from(named[name] ?? []).toString('hex'))
    .replaceAll(/\s/g, '');
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
const featureFile = bytesIn('text feature-file');
const example = exampleLevel();
const body = bytesIn('text body', { 'data of position 0': dataAt(0), 'data of position 1': dataAt(1) });

/** The level of the worked example, from its files. */
function exampleLevel(): LevelIndex {
  const files = { manifest: block('json manifest'), index: bytesIn('text index') };
  const names = { manifest: 'README.md manifest', index: 'README.md index' };
  return decodeLevel(files, { release: 'demo', level: 0, features: 2 }, names);
}

/** Deflate data of a position of the worked example, from its feature file. */
function dataAt(position: number): Buffer {
  const from = example.offsetAt(position);
  return featureFile.subarray(from, from + example.dataBytes(position, position + 1));
}

test('the feature file of the worked example is one gzip member of its texts, with a seam after each', () => {
  assert.equal(texts.length, 2);
  const data = [dataAt(0), dataAt(1)];
  assert.ok(memberOf(data, Buffer.from(texts.join(''))).equals(featureFile));
  assert.equal(gunzipSync(featureFile).toString(), texts.join(''));
  for (const [i, text] of texts.entries()) {
    assert.equal(gunzipSync(memberOf([elementAt(data, i)], Buffer.from(text))).toString(), text);
    assert.equal(elementAt(data, i).toString('hex').slice(-8), '0000ffff');
  }
});

test('the index and the manifest of the worked example are what the code writes', () => {
  const pages: Readonly<Record<Format, Buffer>> = { geojsonl: featureFile, fc: body };
  const units = texts.map((text, i) => {
    const { fid, GID_0 } = JSON.parse(text).properties;
    return { fid, text, gids: [GID_0], data: dataAt(i) };
  });
  const { index, files } = makeLevel(0, units, 'unfiltered', (format) => pages[format]);
  const written = encodeLevel('demo', index);
  assert.equal(written.manifest, block('json manifest'));
  assert.equal(written.index.toString('hex'), bytesIn('text index').toString('hex'));
  assert.deepEqual(files, [featureFile]);
});

test('the comments of the worked example say what its bytes are', () => {
  const { arrays } = JSON.parse(block('json manifest'));
  const comments = [...block('text index').matchAll(/# +(\d+) (\S+?)(?:: (.*))?$/gm)];
  assert.equal(comments.length, Object.keys(arrays).length);
  for (const [i, [name, array]] of namedArrays(example.arrays).entries()) {
    const [, offset, written, values] = elementAt(comments, i);
    assert.deepEqual([written, Number(offset)], [name, arrays[name].offset]);
    if (name.endsWith('.text')) assert.equal(values, Buffer.from(array).toString());
    else if (!name.endsWith('digest')) assert.deepEqual(values?.split(' ').map(Number), [...array], name);
  }
  const [first, last] = [example.offsetAt(1), example.offsetAt(1) + example.dataBytes(1, 2) - 1];
  const hex = (crc: number): string => `0x${crc.toString(16).padStart(8, '0')}`;
  const [one, two] = [crc32(elementAt(texts, 0)), crc32(elementAt(texts, 1))];
  const cut = `shift(${hex(one)}, ${elementAt(texts, 1).length}) xor ${hex(crc32(texts.join('')))} = ${hex(two)}`;
  assert.ok(SPECIFICATION.includes(`is bytes ${first} to ${last} of file 1, and the CRC-32 of its text is ${cut}.`));
  assert.equal(example.textCrc(1, 2), two);
  for (const [what, bytes] of [
    ['lv0/features/000001.geojsonl.gz`, ', featureFile.length],
    ['lv0/index.bin`, ', bytesIn('text index').length],
    ['lv0/manifest.json`, ', Buffer.byteLength(block('json manifest')).toLocaleString('en')],
    ['body of both features, ', body.length],
  ] as const)
    assert.ok(SPECIFICATION.includes(`${what}${bytes} bytes`), `${what}${bytes}`);
});

test('the fc body of the worked example is the one that the specification describes, and gunzip reads', () => {
  const { before, between, after } = FRAMES.fc;
  const text = before + texts.join(between) + after;
  const frame = FRAME_DATA.fc;
  const data = [frame.before.data, dataAt(0), frame.between.data, dataAt(1), frame.after.data];
  assert.ok(memberOf(data, Buffer.from(text)).equals(body));
  assert.equal(gunzipSync(body).toString(), text);
  // The lengths that section 8 computes from the index, of two features and of none.
  assert.equal(body.length, 20 + example.dataBytes(0, 2) + 46 + 6 * (2 - 1) + 8);
  assert.equal(text.length, example.textBytes(0, 2) + 41 + (2 - 1) + 3);
  const empty = memberOf([frame.before.data, frame.after.data], Buffer.from(before + after));
  assert.deepEqual([empty.length, gunzipSync(empty).length], [20 + 46 + 8, 44]);
});

test('the names and the overview of the worked example are those that the code writes', () => {
  const units = [3, 7].map((fid, i) => ({
    fid,
    gid: ['BBB', 'AAA'][i] ?? '',
    name: null,
    type: null,
    parent: null,
    children: 0,
  }));
  assert.equal(namesHeader() + units.map(namesLine).join(''), block('json names'));
  const levels = [{ level: 0, units }] as const;
  const shapes = [units.map(() => [])];
  const text = overviewToJson(levels, { arcs: [], shapes }, { cell: 1, extent: [0, 0, 0, 0] }, 1);
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

function checkedFile(bytes: Uint8Array): CheckedFile {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** What release.json says of a level whose source lacks it. */
const ABSENT = {
  layer: '',
  gidColumns: [],
  nameColumn: '',
  typeColumn: '',
  isRenumbered: false,
  features: 0,
  listings: 0,
  pages: { geojsonl: 0, fc: 0 },
  bytes: 0,
  featureFiles: { files: 0, bytes: 0 },
};

/** Writes the release of the worked example. */
function writeExample(out: string): void {
  const release = 'demo';
  const root = join(out, releasePath(release));
  const put = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const levels = LEVELS.map((level): LevelSummary => {
    const absent = encodeLevel(release, makeLevel(level, [], 'unfiltered').index);
    const { manifest, index } =
      level === 0 ? { manifest: block('json manifest'), index: bytesIn('text index') } : absent;
    put(manifestPath(level), manifest);
    put(indexPath(level), index);
    const lines = level === 0 ? block('json names') : namesHeader();
    const names: WholeFile = writeWholeFile(join(root, namesPath(level)), [lines]);
    const files = { manifest: checkedFile(Buffer.from(manifest)), index: checkedFile(index) };
    if (level !== 0) return { level, ...ABSENT, ...files, names };
    const summary: LevelSummary = { ...JSON.parse(block('json level')), names };
    assert.deepEqual({ manifest: summary.manifest, index: summary.index }, files);
    assert.equal(summary.bytes, featureFile.length + body.length);
    assert.equal(summary.featureFiles.bytes, featureFile.length);
    return summary;
  });
  put(featureFilePath(0, 0), featureFile);
  put(pagePath(0, 'geojsonl', 'all', 0), featureFile);
  put(pagePath(0, 'fc', 'all', 0), body);
  const overview = writeWholeFile(join(root, OVERVIEW_FILE), [block('json overview')]);
  const about = { release, source: [], gdal: '', precision: 7, attribution: [], options: {}, quality: [] };
  put(RELEASE_FILE, releaseToJson({ ...about, storedPages: 'unfiltered', overview, levels }));
  pointTo(out, release);
}

const PYTHON = without('python3 -V');

test('a reader written from the specification reads the worked example', { skip: PYTHON }, () => {
  const out = join(folder, 'example');
  writeExample(out);
  for (const [args, expected] of [
    [['lv0'], texts.join('')],
    [['lv0', 'gid-0=BBB'], texts[0]],
    [['lv0', 'gid-0=AAA'], texts[1]],
    [['lv0', '--count'], '2 of 2\n'],
    [['lv3', '--count'], '0 of 0\n'],
    [['lv0', '--names'], block('json names')],
    [['lv5', '--names'], '["fid","gid","name","type","parent","children"]\n'],
  ] as const) {
    const run = spawnSync('python3', [READER, out, ...args], { encoding: 'utf8' });
    assert.deepEqual([run.stdout, run.stderr], [expected, ''], args.join(' '));
  }
});

test('the tables of GID columns, of encoded GIDs and of page numbers are what the code makes', () => {
  for (const [positions, text, ...written] of ['A A B', 'B A B B', '(none) é'].flatMap(rowsOf)) {
    const gids = (positions ?? '').split(' ').map((gid) => (gid === '(none)' ? null : gid));
    const { start, text: bytes, run, first, rank, count } = makeColumn('GID_0', gids).arrays;
    assert.equal(text, `\`${Buffer.from(bytes).toString()}\``);
    assert.deepEqual(
      written,
      [start, run, first, rank, count].map((array) => array.join(' ')),
      positions,
    );
  }
  for (const gid of ['ITA.4_1', 'esp 1', '?', '..'])
    assert.ok(SPECIFICATION.includes(`| \`${gid}\` | \`${gidToSegment(gid)}\` |`), gid);
  const units = Array.from({ length: 25 }, (_, i) => ({
    fid: i,
    text: '\n',
    gids: [i % 9 === 8 || i === 24 ? 'B' : 'A', `U${i}`],
  }));
  const { index } = makeLevel(1, units, 'all');
  const { geojsonl, fc } = index.arrays.pages ?? assert.fail();
  const sentence = `So \`geojsonl.listing\` is ${geojsonl.listing.join(', ')} and \`fc.listing\` is ${fc.listing.join(', ')}.`;
  assert.ok(SPECIFICATION.includes(sentence), sentence);
  const keys: ListingKey[] = [0, 1, 2].map((listing) => index.listingKey(listing));
  for (const format of FORMATS)
    for (const [listing, key] of keys.entries()) {
      const [row] = SPECIFICATION.split('\n').filter((line) => line.includes(`\`${pagePath(1, format, key, 0)}\``));
      const first = elementAt(index.arrays.pages?.[format].listing ?? [], listing);
      const last = elementAt(index.arrays.pages?.[format].listing ?? [], listing + 1) - 1;
      assert.match(
        row ?? '',
        new RegExp(`\\| ${listing}, .*\\| ${first}(?:${first === last ? '' : `(?:,| to) ${last}`}) \\|$`),
      );
    }
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
  const [few, many] = [FEATURES_PER_FILE[0], FEATURES_PER_FILE[2]];
  assert.deepEqual(FEATURES_PER_FILE, [few, few, many, many, many, many]);
  assert.ok(SPECIFICATION.includes(`feature file but the last: ${few} at levels 0 and 1, ${many} at the others |`));
  for (const place of ['before', 'between', 'after'] as const) {
    const [cells] = rowsOf(`${place} |`);
    assert.equal(cells?.[1], `\`${FRAMES.fc[place].replace('\n', '⏎')}\``);
    const hex = FRAME_DATA.fc[place].data.toString('hex').replaceAll(/(..)(?!$)/g, '$1 ');
    const [, written] = /`([0-9a-f ]+)`/.exec(cells?.[2] ?? '') ?? [];
    assert.ok(written !== undefined && hex.startsWith(written), place);
  }
});

test('the arrays are specified by name, type and order as the code writes them', () => {
  const { manifest } = encodeLevel('r', makeLevel(1, [], 'all').index);
  const written = Object.entries<{ type: string }>(JSON.parse(manifest).arrays).map(([name, { type }]) => [name, type]);
  const rows = SPECIFICATION.split('\n').flatMap((line) => {
    const [, name, type] = /^\| `([\w<>.]+)` \| (f64|u32|u8) \| /.exec(line) ?? [];
    return name === undefined ? [] : [[name, type] as const];
  });
  const named = (start: string, names: string[]) =>
    names.flatMap((one) =>
      rows.filter(([name]) => name.startsWith(start)).map(([name, type]) => [name.replace(start, one), type]),
    );
  const features = rows.filter(([name]) => !name.includes('<'));
  assert.deepEqual(
    [...features, ...named('gid<c>', ['gid0', 'gid1']), ...named('<format>', ['geojsonl', 'fc'])],
    written,
  );
});

/** A level 2 of 1,100 units in two files, in the folder of a release with nothing else but its checksums. */
function writeLevel(root: string): MadeLevel {
  const units = Array.from({ length: 1100 }, (_, i) => {
    const fid = 2 * i + 1;
    const text = `{"type":"Feature","id":${fid},"properties":{"fid":${fid}},"geometry":null}\n`;
    return { fid, text, gids: ['A', `B${i % 7}`, `C${i}`] };
  });
  const made = makeLevel(2, units, 'none');
  const { manifest, index } = encodeLevel('r', made.index);
  const files: [string, string | Buffer][] = [
    [manifestPath(2), manifest],
    [indexPath(2), index],
    ...made.files.map((bytes, file): [string, Buffer] => [featureFilePath(2, file), bytes]),
  ];
  mkdirSync(join(root, dirname(featureFilePath(2, 0))), { recursive: true });
  for (const [path, bytes] of files) writeFileSync(join(root, path), bytes);
  const sums = files.map(([path, bytes]) => `${checkedFile(Buffer.from(bytes)).sha256}  ${path}\n`);
  writeFileSync(join(root, CHECKSUMS_FILE), sums.sort().join(''));
  return made;
}

const root = join(folder, 'level');
const made = writeLevel(root);

/** Runs Python code in the folder of the level. */
function runPython(code: string): string {
  const run = spawnSync('python3', ['-'], { cwd: root, input: code, encoding: 'utf8', maxBuffer: 2 ** 26 });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

const SHIFT_CHECK = `
import random, zlib
random.seed(1)
for lengths in [(0, 0), (0, 5), (5, 0), (1, 1), (255, 256), (256, 255), (65536, 65535), (3, 1 << 20)]:
    a, b = (random.randbytes(length) for length in lengths)
    assert shift(zlib.crc32(a), len(b)) ^ zlib.crc32(b) == zlib.crc32(a + b), lengths
    assert shift(zlib.crc32(a), len(b)) ^ zlib.crc32(a + b) == zlib.crc32(b), lengths
`;

import { pointTo } from '../support/releases/point-to.ts';

test('the arithmetic of CRCs that the specification gives is right', { skip: PYTHON }, () => {
  runPython(block('python shift') + SHIFT_CHECK);
});

test('the Python of the specification opens an index: every array has the items that the code has', {
  skip: PYTHON,
}, () => {
  const code = `${block('python index')}\nprint(json.dumps({name: list(table(name)) for name in manifest["arrays"]}))`;
  assert.deepEqual(
    Object.entries(JSON.parse(runPython(code))),
    namedArrays(made.index.arrays).map(([name, array]) => [name, [...array]]),
  );
});

test('the Python of the specification makes slices that gunzip reads, and refuses damage', { skip: PYTHON }, () => {
  const code = ['python index', 'python shift', 'python slice'].map(block).join('\n');
  const slices = [
    [0, 1],
    [0, 1000],
    [17, 67],
    [999, 1000],
    [1000, 1100],
    [1050, 1050],
  ] as const;
  const printed = runPython(`${code}\nfor a, b in ${JSON.stringify(slices)}: print(geojsonl(a, b).hex())`);
  for (const [i, [a, b]] of slices.entries()) {
    const bytes = Buffer.from(elementAt(printed.split('\n'), i), 'hex');
    const expected = memberOf(made.data.slice(a, b), Buffer.concat(made.texts.slice(a, b)));
    assert.ok(bytes.equals(expected), `${a} to ${b}`);
    assert.equal(gunzipSync(bytes).toString(), made.texts.slice(a, b).join(''));
  }
  const damaged = join(folder, 'damaged-level');
  cpSync(root, damaged, { recursive: true });
  const file = join(damaged, featureFilePath(2, 0));
  const bytes = readFileSync(file);
  const at = made.index.offsetAt(20);
  bytes[at] = elementAt(bytes, at) ^ 1;
  writeFileSync(file, bytes);
  const input = `${code}\ngeojsonl(0, 20)\ngeojsonl(20, 40)`;
  const run = spawnSync('python3', ['-'], { cwd: damaged, input, encoding: 'utf8' });
  assert.match(run.stderr, /ValueError: lv2\/features\/000001\.geojsonl\.gz: damaged\n$/);
});

/** Runs a block of shell commands in the folder of the level. */
function runRecipes(info: string): string {
  const run = spawnSync('sh', ['-eu', '-c', block(info)], { cwd: root, encoding: 'utf8' });
  assert.deepEqual([run.status, run.stderr], [0, '']);
  return run.stdout;
}

const TOOLS = ['zcat --version', 'sha256sum --version', 'od --endian=little /dev/null', 'awk 1 /dev/null', 'curl -V'];

test('the shell recipes read a level, its index and one feature', { skip: without(...TOOLS, 'python3 -V') }, () => {
  const stdout = runRecipes('sh recipes');
  assert.equal(readFileSync(join(root, 'lv2.geojsonl'), 'utf8'), made.texts.join(''));
  assert.equal(readFileSync(join(root, 'feature.geojson'), 'utf8'), `${made.texts[1]}`);
  assert.deepEqual(stdout.trim().split(/\s+/).map(Number), [1, 3, 5], 'and no complaint of sha256sum');
});

test('the recipe for one feature reads any position, also in the second file', {
  skip: without(...TOOLS) || PYTHON,
}, () => {
  for (const position of [0, 999, 1000, 1099]) {
    const recipe = block('sh recipes').replace('position=1 ', `position=${position} `);
    const run = spawnSync('sh', ['-eu', '-c', recipe], { cwd: root, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(readFileSync(join(root, 'feature.geojson'), 'utf8'), `${made.texts[position]}`);
  }
});

test('GDAL reads a feature file, and leaves nothing beside it', { skip: without('ogrinfo --version') }, () => {
  assert.match(runRecipes('sh gdal'), /Feature Count: 1000\n/);
  assert.deepEqual(readdirSync(join(root, 'lv2/features')), ['000001.geojsonl.gz', '000002.geojsonl.gz']);
});
