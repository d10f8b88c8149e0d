// Releases whose every checksum is right and whose indexes, manifests, cells or release.json contradict the others, as
// a fault of the generator would make them: `verify` names the file that is wrong.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeCells } from '../../../format/cells.ts';
import { cutCrc, joinCrcs, swapSeparator } from '../../../format/crc32.ts';
import { elementAt } from '../../../format/element-at.ts';
import type { FeatureArrays } from '../../../format/feature-table.ts';
import { type ColumnArrays, GidColumn, ownersOf } from '../../../format/gid-column.ts';
import { namesPath, wordsPath } from '../../../format/layout.ts';
import { type LevelArrays, LevelIndex } from '../../../format/level-index.ts';
import { gidColumn } from '../../../format/write/gid-column.ts';
import { namedArrays } from '../../../format/write/level.ts';
import { writeCountries, writeUnits } from '../../support/datasets/small-datasets.ts';
import { box } from '../../support/datasets/write-dataset.ts';
import { sha256 } from '../../support/files.ts';
import { buildRelease, ONE_OTHER } from '../../support/releases/build-release.ts';
import { readIndex } from '../../support/releases/read-index.ts';
import {
  replaceLevelFile,
  replaceNeighbours,
  resealLevel,
  resealRelease,
  resealSummary,
} from '../../support/releases/reseal.ts';
import { changeArrays } from '../../support/releases/reseal-features.ts';
import { sliceOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { assertContradiction, type Change, problemsOf } from './findings.ts';

const good = temporaryFolder();
await buildRelease(writeCountries(), good, ONE_OTHER);
const index = readIndex(join(good, 'releases/r1'), 2);

const features2 = 'lv2/features/000001.geojsonl.gz';
const alone2 = 'lv2/alone/000001.bin';
const index2 = 'lv2/index.bin';
const manifest2 = 'lv2/manifest.json';

/** The array with some elements changed by an amount. */
function added<T extends Float64Array | Uint32Array | Uint8Array>(
  array: T,
  ...changes: [at: number, amount: number][]
): T {
  const changed = array.slice() as T;
  for (const [at, amount] of changes) changed[at] = elementAt(array, at) + amount;
  return changed;
}

/** The arrays with those sums of text with commas that follow from the others. */
function withCommas(arrays: LevelArrays): LevelArrays {
  const textCrcFc = new Uint32Array(arrays.textCrc.length);
  for (let p = 0; p + 1 < textCrcFc.length; p++) {
    const bytes = elementAt(arrays.textStart, p + 1) - elementAt(arrays.textStart, p);
    const own = cutCrc(elementAt(arrays.textCrc, p), elementAt(arrays.textCrc, p + 1), bytes);
    textCrcFc[p + 1] = joinCrcs(elementAt(textCrcFc, p), swapSeparator(own), bytes);
  }
  return { ...arrays, textCrcFc };
}

function withColumn(arrays: LevelArrays, level: number, change: (own: ColumnArrays) => Partial<ColumnArrays>) {
  const { name, arrays: own } = elementAt(arrays.columns, level);
  return { ...arrays, columns: arrays.columns.with(level, new GidColumn(name, { ...own, ...change(own) })) };
}

test('an index whose arrays are not those of the feature files: it is named, and the array, the position or the fid', async () => {
  const areAlone = [0, 1, 2, 3].map((position) => index.aloneAt(position) === index.alone);
  assert.deepEqual(areAlone, [false, true, true, true]);
  const described = (position: number, path: string, what = 'digest'): RegExp =>
    new RegExp(`^${path}: fid ${position + 1}: bytes \\d+ to \\d+ do not have the ${what} in the index$`);
  const otherText = /: fid \d: its text is not the one that the index describes$/;
  const array =
    <Name extends keyof FeatureArrays | 'fid'>(name: Name, change: (own: LevelArrays[Name]) => LevelArrays[Name]) =>
    (own: LevelArrays): LevelArrays => ({ ...own, [name]: change(own[name]) });
  /** The arrays with a number of one of them that is changed by an amount. */
  const number = (name: keyof FeatureArrays, at: number, amount: number) =>
    array(name, (own) => added(own, [at, amount]));
  const ofColumn =
    (level: number, name: 'count' | 'rank' | 'first' | 'run' | 'start', at: number, amount: number) =>
    (own: LevelArrays): LevelArrays =>
      withColumn(own, level, (arrays) => ({ [name]: added(arrays[name], [at, amount]) }));
  /** GIDs in another order, with their positions. */
  const otherOrder = (own: LevelArrays): LevelArrays =>
    withColumn(own, 0, () => {
      const { arrays } = gidColumn('GID_0', ['AAA', 'BBB'], ownersOf(elementAt(own.columns, 0), 4));
      return { ...arrays, text: Buffer.from('BBBAAA') };
    });
  const cases: [(arrays: LevelArrays) => LevelArrays, RegExp][] = [
    [number('start', 1, 1), described(0, features2)],
    [number('start', 3, -1), described(2, features2, 'CRC-32')],
    [number('aloneStart', 3, -1), described(2, alone2)],
    [number('aloneCrc', 3, 1), described(2, alone2, 'CRC-32')],
    [number('textCrcFc', 2, 1), /^textCrc\.fc\[2\] is \d+, expected \d+$/],
    [array('start', (own) => own.map((start) => start + 7)), /^start\[0\] is 7, expected 0$/],
    [number('start', 1, 1e6), /^start\[2\] is \d+, expected a whole number above 1/],
    [number('start', 4, 1), /^lv2\/features\/000001\.geojsonl\.gz: is \d+ bytes long, expected \d+$/],
    [array('start', (own) => own.with(2, NaN)), /^start\[2\] is NaN, expected a whole number above \d+$/],
    [number('textCrc', 1, 1), /^textCrc\.fc\[1\] is \d+, expected \d+$/],
    [(own) => withCommas(number('textStart', 2, 1)(own)), otherText],
    [(own) => withCommas(number('textStart', 4, -1)(own)), /: fid 4: inflates to more than \d+ bytes$/],
    [(own) => withCommas(number('textCrc', 1, 1)(own)), otherText],
    [number('dataCrc', 4, 1), / 4: bytes \d+ to \d+ do not have the CRC-32 in /],
    [number('digest', 16, 1), described(2, alone2)],
    [number('digest', 31, 1), described(3, alone2)],
    [array('digest', (own) => own.toReversed()), described(0, features2)],
    [array('fid', (own) => own.toReversed()), /^fid\[1\] is 3, expected a whole number above 4$/],
    [array('fid', (own) => own.map((fid) => fid / 2)), /^fid\[0\] is 0\.5, expected a whole number above -1$/],
    [ofColumn(0, 'count', 0, 1), /^gid0\.count\[0\] is \d, expected \d$/],
    [ofColumn(0, 'rank', 0, 1), /^gid0\.rank\[0\] is 1, expected 0$/],
    [ofColumn(1, 'first', 0, 4e9), /^gid1\./],
    [ofColumn(1, 'run', 1, 4e9), /^gid1\.run\[\d\] is \d+, expected a whole number above \d+$/],
    [ofColumn(2, 'start', 1, 4e9), /^gid2\.start\[\d\] is \d+, expected a whole number above \d+$/],
    [otherOrder, /^gid0\.text\[0\] is 66, expected 65$/],
  ];
  for (const [change, problem] of cases)
    await assertContradiction(good, (root) => changeArrays(root, 2, change), index2, problem);
});

test('parts that do not lie in the box of their unit, or are too few or too many', async () => {
  const out = temporaryFolder();
  const two = 'MULTIPOLYGON(((0 0,1 0,1 1,0 1,0 0),(3 3,4 3,4 4,3 4,3 3)),((178 0,-178 0,-178 1,178 1,178 0)))';
  await buildRelease(writeUnits([two, box(5, 0, 6, 1)]), out);
  const { part } = readIndex(join(out, 'releases/r1'), 0).arrays;
  assert.equal(part.length, 15, 'three parts: the second crosses 180 degrees, a hole outside is the third');
  const beyond = /^part\[\d+\] does not lie in the box of position 0$/;
  const cases: [Int32Array, RegExp][] = [
    ...[2, 7, 12].map((at): [Int32Array, RegExp] => [part.with(at, -1), beyond]),
    [part.subarray(0, 5), /^position 0 has 1 parts, expected none, or 2 to 16$/],
    [Int32Array.from({ length: 90 }, (_, i) => elementAt(part, i % 15)), /^position 0 has 18 parts/],
    [Int32Array.of(...part, 1, 50000000, 0, 60000000, 9999999), /^position 1 has 1 parts/],
  ];
  for (const [changed, problem] of cases)
    await assertContradiction(
      out,
      (root) => changeArrays(root, 0, (own) => ({ ...own, part: changed })),
      'lv0/index.bin',
      problem,
    );
});

test('a number of any array of an index that is larger by one, or by 2^31, is found', async () => {
  const cases: { name: string; at: number; amount: number }[] = [];
  for (const [name, array] of namedArrays(index.arrays))
    for (let at = cases.length % 3; at < array.length; at += array instanceof Uint8Array ? 11 : 2)
      cases.push({ name, at, amount: cases.length % 2 === 0 || array instanceof Uint8Array ? 1 : 2 ** 31 });
  assert.ok(cases.length > 40, `${cases.length} numbers`);
  for (const { name, at, amount } of sliceOf(cases)) {
    const problems = await problemsOf(good, (root) =>
      changeArrays(root, 2, (arrays) => {
        const array = new Map(namedArrays(arrays)).get(name);
        assert.ok(array);
        array[at] = elementAt(array, at) + amount;
        return arrays;
      }),
    );
    const named = [index2, manifest2, features2, alone2].filter((path) => Object.hasOwn(problems, path));
    assert.ok(named.length > 0, `${name}[${at}] + ${amount}: ${JSON.stringify(problems)}`);
  }
});

test('what release.json says that manifests, indexes and names do not, and the other way round', async () => {
  const counts = {
    features: 1,
    listings: 1,
    bytes: 1,
    pages: { geojsonl: 1, fc: 5 },
    gidColumns: ['GID_0', 'GID_1', 'GID'],
    featureFiles: { files: 2, bytes: 1 },
    extent: [0, 0, 1, 1],
  };
  const zeros = '0'.repeat(64);
  const cases: [change: Parameters<typeof resealSummary>[2], problem: string][] = [
    [({ names }) => ({ names: { ...names, textBytes: 1 } }), 'lv2/names.*: has \\d+ bytes of text, expected 1'],
  ];
  for (const [member, value] of Object.entries(counts))
    cases.push([() => ({ [member]: value }), `level 2: ${member} is .*, its index has .*`]);
  const paths = { manifest: manifest2, index: index2, names: namesPath(2), words: wordsPath(2) } as const;
  for (const member of ['manifest', 'index', 'names', 'words'] as const)
    for (const [change, problem] of [
      [{ sha256: zeros }, 'its SHA-256 is [0-9a-f]{64}, expected 0{64}'],
      [{ bytes: 7 }, 'is \\d+ bytes long, expected 7'],
    ] as const)
      cases.push([(level) => ({ [member]: { ...level[member], ...change } }), `${paths[member]}: ${problem}`]);
  for (const [change, problem] of cases)
    await assertContradiction(
      good,
      (root) => resealSummary(root, 2, change),
      'release.json',
      new RegExp(`^${problem}$`),
    );
  const gid9 = (text: Buffer): Buffer => Buffer.from(text.toString().replace('"GID_2"', '"GID_9"'));
  const renamed = await problemsOf(good, (root) => replaceLevelFile(root, 2, 'manifest', gid9));
  assert.match(renamed['release.json']?.[0] ?? '', /^level 2: gidColumns is .*GID_2.*GID_9/);
});

test('an index with bytes that no array has, and manifests of another choice of pages than that of release.json', async () => {
  const longer: Change = (root) =>
    replaceLevelFile(root, 2, 'index', (bytes) => Buffer.concat([bytes, Buffer.alloc(8)]));
  const others: Change = (root) => resealRelease(root, (release) => ({ ...release, storedPages: 'none' }));
  // A level without features has no page in any choice.
  const othersOfEmpty: Change = (root) =>
    resealLevel(root, 3, ({ level, arrays, geometries }) => {
      return new LevelIndex(level, 'none', { ...arrays, pages: undefined }, geometries);
    });
  const cases: [Change, string, RegExp][] = [
    [longer, manifest2, /^indexBytes is \d+, expected \d+, the length of .*lv2\/index\.bin$/],
    [others, manifest2, /^storedPages is all, release\.json has none$/],
    [othersOfEmpty, 'lv3/manifest.json', /^storedPages is none, release\.json has all$/],
  ];
  for (const [change, named, problem] of cases) {
    const problems = await problemsOf(good, change);
    assert.match(problems[named]?.[0] ?? JSON.stringify(problems), problem);
  }
});

test('cells that contradict their directory or release.json, whatever the digests say', async () => {
  const path = 'lv1/cells.bin';
  const intact = readFileSync(join(good, 'releases/r1', path));
  const { bytes: length } = decodeCells(intact, path);
  const flipped = (at: number): Buffer => Buffer.from(intact.with(at, elementAt(intact, at) ^ 1));
  const cases: [content: Buffer, directory: Buffer, problem: RegExp][] = [
    [flipped(length), intact.subarray(0, length), /^the CRC-32 of cell 0 is not that of bytes \d+ to \d+$/],
    [
      flipped(length - 1),
      flipped(length - 1).subarray(0, length),
      /^the CRC-32 of its directory is \d+, expected \d+$/,
    ],
    [intact, flipped(0).subarray(0, length), /^the SHA-256 of its directory is .*, release\.json has /],
    [intact, intact.subarray(0, length + 1), /^its directory has \d+ bytes, release\.json has \d+$/],
    [Buffer.concat([intact, Buffer.of(0)]), intact.subarray(0, length), /^is of a file of \d+ bytes, expected \d+$/],
  ];
  for (const [bytes, directory, problem] of cases) {
    const replaceCells: Change = (root) => {
      writeFileSync(join(root, path), bytes);
      const described = { bytes: directory.length, sha256: sha256(directory) };
      const cells = { bytes: bytes.length, sha256: sha256(bytes), directory: described };
      resealSummary(root, 1, () => ({ cells }));
    };
    await assertContradiction(good, replaceCells, path, problem);
  }
});

test('neighbours that contradict each other, their level or their table, whatever the digests say', async () => {
  const path = 'lv1/neighbours.bin';
  const intact = readFileSync(join(good, 'releases/r1', path));
  const table = 'lv1/neighbours.csv.gz';
  const cases: [Parameters<typeof replaceNeighbours>[2], named: string, RegExp][] = [
    [{ bytes: (own) => own.subarray(0, -4) }, path, /^has \d+ bytes, expected \d+$/],
    [{ bytes: (own) => Buffer.from(own.with(-4, elementAt(own, own.length - 4) ^ 1)) }, path, /have different lengths/],
    [
      { bytes: () => readFileSync(join(good, 'releases/r1/lv2/neighbours.bin')) },
      path,
      /^has the neighbours of \d+ units/,
    ],
    [{ table: (text) => text.replace('.1_1', '.1_2') }, table, /^line 2 is .*, lv1\/neighbours\.bin has /],
    [{ table: (text) => `${text}1,A,2,B,0.1\r\n` }, table, /^goes on after line \d+$/],
    [{ table: (text) => text.slice(0, -3) }, table, /^line \d+ is /],
  ];
  assert.ok(intact.readUInt32LE(16) > 0, 'there are neighbours');
  for (const [change, named, problem] of cases)
    await assertContradiction(good, (root) => replaceNeighbours(root, 1, change), named, problem);
});
