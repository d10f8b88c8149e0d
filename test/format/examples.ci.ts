// Other readers: the Python and the shell recipes of format/EXAMPLES.md, and the reader of read_release.py with its
// worked example.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { alonePath, CHECKSUMS_FILE, featureFilePath, indexPath, manifestPath } from '../../format/layout.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import { encodeLevel, namedArrays, namedFeatureArrays } from '../../format/write/level.ts';
import { sha256 } from '../support/files.ts';
import { without } from '../support/processes/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  chain,
  type MadeFeatures,
  type MadeLevel,
  makeFeatures,
  makeLevel,
  memberOf,
  type Unit,
} from './make-level.ts';
import { assertReads, startReader } from './python-reader.ts';
import { block, boxOf, buildExample, SPECIFICATION, texts, textsWithout } from './worked-example.ts';

const folder = temporaryFolder();
const PYTHON = without('python3 -V');

test('a reader written from the specification reads the worked example', { skip: PYTHON }, async () => {
  const out = join(folder, 'example');
  await buildExample(out);
  const read = startReader();
  for (const [level, args, expected] of [
    [0, [], texts.join('')],
    [0, ['gid-0=BBB'], texts[0]],
    [0, ['gid-0=AAA'], texts[1]],
    [0, ['--count'], '2 of 2\n'],
    [3, ['--count'], '0 of 0\n'],
    [0, ['geometry=none'], textsWithout.join('')],
    [0, ['geometry=none', 'gid-0=AAA'], textsWithout[1]],
    [0, ['geometry=full'], texts.join('')],
    [3, ['geometry=none'], ''],
    [0, ['--names'], block('json names')],
    [5, ['--names'], '["fid","gid","name","type","parent","children","view","inside","parents","area","others"]\n'],
  ] as [Level, string[], string][])
    await assertReads(read, [out, level, ...args], expected);
  // As it is typed.
  const typed = spawnSync('python3', ['test/format/read_release.py', out, 'lv0'], { encoding: 'utf8' });
  assert.deepEqual([typed.stdout, typed.stderr], [texts.join(''), '']);
});

interface MadeGeometries extends MadeLevel {
  none: MadeFeatures;
}

/** A level 2 of 1,100 units in two files, in the folder of a release with nothing else but its checksums. */
function writeLevel(root: string): MadeGeometries {
  const units = Array.from({ length: 1100 }, (_, i): Unit => {
    const fid = 2 * i + 1;
    const geometry = `{"type":"Point","coordinates":[${i / 10},-1]}`;
    const text = `{"type":"Feature","id":${fid},"properties":{"fid":${fid}},"geometry":${geometry}}\n`;
    return { fid, text, gids: ['A', `B${i % 7}`, `C${i}`], box: boxOf([i / 10, -1, i / 10, -1], 7) };
  });
  const made = makeLevel(2, chain(2, units), 'none', ['none']);
  const texts = units.map(({ text }) => ({ text: text.replace(/"geometry":.*$/m, '"geometry":null}') }));
  const none = makeFeatures(2, chain(2, texts));
  const { manifest, index, tables } = encodeLevel('r', made.index, new Map([['none', none.table]]));
  const featureFiles = (files: readonly Buffer[], geometry: Geometry): [string, Buffer][] =>
    files.map((bytes, file) => [featureFilePath(2, file, geometry), bytes]);
  const besides = (files: readonly Buffer[], geometry: Geometry): [string, Buffer][] =>
    files.map((bytes, file) => [alonePath(2, file, geometry), bytes]);
  const files: [string, string | Buffer][] = [
    [manifestPath(2), manifest],
    [indexPath(2), index],
    [indexPath(2, 'none'), tables.get('none') ?? assert.fail()],
    ...featureFiles(made.files, 'full'),
    ...featureFiles(none.files, 'none'),
    ...besides(made.alone, 'full'),
    ...besides(none.alone, 'none'),
  ];
  for (const [path, bytes] of files) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }
  const sums = files.map(([path, bytes]) => `${sha256(bytes)}  ${path}\n`);
  writeFileSync(join(root, CHECKSUMS_FILE), sums.sort().join(''));
  return { ...made, none };
}

const root = join(folder, 'level');
const made = writeLevel(root);

const CHECKS = `
import os, random, sys

random.seed(1)
for lengths in [(0, 0), (0, 5), (5, 0), (1, 1), (255, 256), (256, 255), (65536, 65535), (3, 1 << 20)]:
    a, b = (random.randbytes(length) for length in lengths)
    assert shift(zlib.crc32(a), len(b)) ^ zlib.crc32(b) == zlib.crc32(a + b), lengths
    assert shift(zlib.crc32(a), len(b)) ^ zlib.crc32(a + b) == zlib.crc32(b), lengths

asked = json.load(sys.stdin)


def damaged(path, at, intact, hit):
    """What is said of a slice in a file with another byte, where other slices are read."""
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    for run in intact:
        geojsonl(*run)
    try:
        return geojsonl(*hit).hex()
    except ValueError as error:
        return str(error)
    finally:
        Path(path).write_bytes(content)


arrays = {one: {name: list(array) for name, array in tables(one).items()} for one in asked["geometries"]}
slices = {one: [geojsonl(a, b, one).hex() for a, b in asked["slices"]] for one in asked["geometries"]}
print(json.dumps({"arrays": arrays, "slices": slices, "damaged": [damaged(*one) for one in asked["damages"]]}))
`;

const SLICES = [
  [0, 1],
  [0, 1000],
  [17, 67],
  [999, 1000],
  [1000, 1100],
  [1050, 1050],
] as const;

test('the Python of the specification joins CRCs, opens an index, makes slices that gunzip reads, and refuses damage', {
  skip: PYTHON,
}, () => {
  const code = ['python index', 'python shift', 'python slice'].map(block).join('\n') + CHECKS;
  const [inFile, beside] = [featureFilePath(2, 0), alonePath(2, 0)];
  // What comes before the first feature of a slice is not read, not even the data that it is chained to.
  const damages = [
    [
      inFile,
      made.index.chained.offsetAt(20),
      [
        [0, 20],
        [20, 40],
      ],
      [19, 40],
    ],
    [
      beside,
      made.index.alone.offsetAt(20),
      [
        [0, 40],
        [19, 40],
      ],
      [20, 40],
    ],
  ];
  const input = JSON.stringify({ geometries: ['full', 'none'], slices: SLICES, damages });
  const run = spawnSync('python3', ['-c', code], { cwd: root, input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  assert.equal(run.status, 0, run.stderr);
  const found = JSON.parse(run.stdout);
  for (const [geometry, named, { data, chained, texts }] of [
    ['full', namedArrays(made.index.arrays), made],
    ['none', namedFeatureArrays(made.none.table.arrays), made.none],
  ] as const) {
    const expected = named.map(([name, array]) => [name, [...array]]);
    assert.deepEqual(Object.entries(found.arrays[geometry]), expected);
    for (const [i, [a, b]] of SLICES.entries()) {
      const bytes = Buffer.from(found.slices[geometry][i], 'hex');
      const deflated = [...data.slice(a, Math.min(a + 1, b)), ...chained.slice(a + 1, b)];
      assert.ok(bytes.equals(memberOf(deflated, Buffer.concat(texts.slice(a, b)))), `${a} to ${b} of ${geometry}`);
      assert.equal(gunzipSync(bytes).toString(), texts.slice(a, b).join(''));
    }
  }
  assert.deepEqual(found.damaged, [`${inFile}: damaged`, `${beside}: damaged`]);
});

function runRecipes(info: string): string {
  const run = spawnSync('sh', ['-eu', '-c', block(info)], { cwd: root, encoding: 'utf8' });
  assert.deepEqual([run.status, run.stderr], [0, '']);
  return run.stdout;
}

const TOOLS = ['zcat --version', 'sha256sum --version', 'od --endian=little /dev/null', 'awk 1 /dev/null', 'curl -V'];

test('the shell recipes read a level, its index and one feature', { skip: without(...TOOLS, 'python3 -V') }, () => {
  const stdout = runRecipes('sh recipes');
  assert.equal(readFileSync(join(root, 'lv2.geojsonl'), 'utf8'), made.texts.join(''));
  assert.equal(readFileSync(join(root, 'lv2-none.geojsonl'), 'utf8'), made.none.texts.join(''));
  assert.equal(readFileSync(join(root, 'feature.geojson'), 'utf8'), `${made.texts[1]}`);
  const printed = [1, 3, 5, ...made.index.arrays.box.subarray(0, 12)];
  assert.deepEqual(stdout.trim().split(/\s+/).map(Number), printed, 'and no complaint of sha256sum');
});

test('the recipe for one feature reads any position with either geometry, also in the second file', {
  skip: without(...TOOLS) || PYTHON,
}, () => {
  const other = 'folder=lv2/none arrays=none';
  assert.ok(SPECIFICATION.includes(`\`${other}\``));
  for (const [place, { texts }] of [
    ['folder=lv2 arrays=arrays', made],
    [other, made.none],
  ] as const)
    for (const position of [0, 999, 1000, 1099]) {
      const recipe = block('sh recipes')
        .replace('position=1 ', `position=${position} `)
        .replace('folder=lv2 arrays=arrays', place);
      const run = spawnSync('sh', ['-eu', '-c', recipe], { cwd: root, encoding: 'utf8' });
      assert.deepEqual([run.status, run.stderr], [0, '']);
      assert.equal(readFileSync(join(root, 'feature.geojson'), 'utf8'), `${texts[position]}`, `${place} ${position}`);
    }
});

test('GDAL reads a feature file, and leaves nothing beside it', { skip: without('ogrinfo --version') }, () => {
  assert.match(runRecipes('sh gdal'), /Feature Count: 1000\n/);
  assert.deepEqual(readdirSync(join(root, 'lv2/features')), ['000001.geojsonl.gz', '000002.geojsonl.gz']);
});
