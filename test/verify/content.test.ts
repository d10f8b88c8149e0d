// Releases whose every checksum is right and that contradict themselves, as a fault of the generator would make them:
// `verify` names the file that says what another one does not hold, and that one.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { cutCrc, joinCrcs, swapSeparator } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { type ColumnArrays, GidColumn, gidColumn, ownersOf } from '../../format/gid-column.ts';
import { deflateLine, deflateText, MEMBER_HEADER, SEAM } from '../../format/gzip.ts';
import { namesPath, OVERVIEW_FILE, wordsPath } from '../../format/layout.ts';
import { type LevelArrays, LevelIndex } from '../../format/level-index.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import { namedArrays } from '../../format/manifest.ts';
import type { Release } from '../../format/release.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { verify } from '../../generator/verify/verify.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease, ONE_OTHER } from '../support/releases/build-release.ts';
import { readIndex } from '../support/releases/read-index.ts';
import {
  packPage,
  replaceLevelFile,
  replacePage,
  resealLevel,
  resealRelease,
  summaryOf,
  textOf,
} from '../support/releases/reseal.ts';
import {
  changeArrays,
  featureOf,
  replaceFeatures,
  replaceText,
  type StoredFeature,
} from '../support/releases/reseal-features.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const [countries, ...others] = countryLayers();
assert.ok(countries);
// A long unit, and one without a GID.
const long = { fid: 5, values: ['CCC', 'CCC'.repeat(70_000)], wkt: square(20, 5) };
const nameless = { fid: 9, values: [null, 'Nowhere'], wkt: null };
const all = { ...countries, features: [...countries.features, long, nameless] };
const source = writeDataset(join(folder, 'all.gpkg'), 'GPKG', [all, ...others]);
const good = join(folder, 'all');
const sparse = join(folder, 'none');
for (const storedPages of STORED_PAGES)
  await buildRelease(source, join(folder, storedPages), {
    accept: ['null-gids', 'empty-geometries'],
    ...ONE_OTHER,
    storedPages,
  });

/** What `verify` finds once `change` has been made to a fresh copy, problems by path relative to the release. */
async function problemsOf(change: (root: string) => void, from = good): Promise<Record<string, string[]>> {
  const out = join(folder, 'changed');
  rmSync(out, { recursive: true, force: true });
  cpSync(from, out, { recursive: true });
  change(join(out, 'releases/r1'));
  const { findings } = await verify({ out, workers: 0 }, SILENT);
  const problems: Record<string, string[]> = {};
  for (const { path, problem } of findings) {
    const named = path.replace('releases/r1/', '');
    problems[named] = [...(problems[named] ?? []), problem];
  }
  return problems;
}

/** That of all files `named` alone is named, with the expected problem. */
async function assertNamed(change: (root: string) => void, named: string, problem: RegExp, from = good) {
  const problems = await problemsOf(change, from);
  assert.deepEqual(Object.keys(problems), [named], `${problem} ${JSON.stringify(problems)}`);
  assert.ok(
    problems[named]?.some((found) => problem.test(found)),
    `${problem} ${JSON.stringify(problems)}`,
  );
}

/** A change of the text of a page or a feature, which it must have. */
const changed = (text: string, change: (text: string) => string | Buffer): string | Buffer => {
  assert.notEqual(String(change(text)), text);
  return change(text);
};

const under2 = 'lv2/geojsonl/gid-0/AAA/000001.geojsonl.gz';
const fc2 = 'lv2/fc/all/000001.json.gz';
const features2 = 'lv2/features/000001.geojsonl.gz';
const alone2 = 'lv2/alone/000001.bin';
const index2 = 'lv2/index.bin';
const manifest2 = 'lv2/manifest.json';

test('sealing again what has not changed gives a release without faults', async () => {
  const unchanged = await problemsOf((root) => {
    for (const path of [under2, fc2]) replacePage(root, path, packPage([textOf(root, path)]));
    replaceFeatures(root, 2, (features) => features.map(({ text }) => featureOf(text)));
    // Data of two pieces can be joined with others as well.
    replaceFeatures(root, 1, (features) =>
      features.map(({ text }) => ({
        data: Buffer.concat([deflateText(text.subarray(0, 9)), deflateLine(text.subarray(9))]),
        text,
      })),
    );
    changeArrays(root, 0, (arrays) => arrays);
  });
  assert.deepEqual(unchanged, {});
});

test('a page whose text is not what its features make, in either format, by any character', async () => {
  const lines = (change: (lines: string[]) => string[]) => (text: string) => change(text.split(/(?<=\n)/)).join('');
  const cases: [string, (text: string) => string][] = [
    [under2, (text) => text.replace('Næst', 'Nast')],
    [under2, (text) => text.replace('"id":1', '"id":3')],
    [under2, (text) => text.replace('"AAA"', '"BBB"')],
    [under2, (text) => text.replace('[0,3]', '[0,03]')],
    [under2, lines((own) => own.slice(1))],
    [under2, lines((own) => own.toReversed())],
    [under2, lines((own) => own.slice(0, 2))],
    [under2, (text) => text + text],
    [under2, (text) => `${text} `],
    [under2, (text) => text.slice(0, -1)],
    [fc2, (text) => text.replace('FeatureC', 'FutureC')],
    [fc2, (text) => text.replace('}},{', '}}{')],
    [fc2, (text) => text.replace('}},{', '}},,{')],
    [fc2, (text) => text.replace('}},{', '}},\n{')],
    [fc2, (text) => text.replace(/\]\}\n$/, ']}')],
    [fc2, (text) => text.replace(/\]\}\n$/, ']}\n\n')],
    [fc2, (text) => text.replace('東', '西')],
    [fc2, (text) => text.replace('[0,3]', '[0,3.0]')],
  ];
  for (const [path, change] of cases)
    await assertNamed(
      (root) => replacePage(root, path, packPage([String(changed(textOf(root, path), change))])),
      index2,
      new RegExp(`^${path}: (has \\d+ bytes of text, expected|its text has the CRC-32) `),
    );
});

test('a page that is not one plain gzip member, to the byte', async () => {
  const cases: [(bytes: Buffer, text: string) => Buffer, string][] = [
    [(bytes) => Buffer.concat([bytes, bytes]), 'its deflate stream ends after \\d+ of \\d+ bytes'],
    [(bytes) => Buffer.concat([bytes, Buffer.of(0)]), 'inflates to more than \\d+ bytes'],
    [(_, text) => gzipSync(text), 'its gzip header is [0-9a-f]+, expected 1f8b08'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -10), bytes.subarray(-8)]), 'cannot be inflated: unexpected end'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]), 'its gzip trailer'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), 'inflates to more than 0 bytes'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4, 0x7f)]), 'its gzip trailer'],
    [() => MEMBER_HEADER, 'is too short for a gzip member'],
    [() => Buffer.of(), 'is too short for a gzip member'],
  ];
  for (const [change, problem] of cases)
    await assertNamed(
      (root) => replacePage(root, fc2, change(readFileSync(join(root, fc2)), textOf(root, fc2))),
      index2,
      new RegExp(`^${fc2}: ${problem}`),
    );
});

/** Text that deflates to no less than half its length. */
function hexadecimal(digests: number, seed: string): string {
  return Array.from({ length: digests }, (_, i) => createHash('sha256').update(`${seed} ${i}`).digest('hex')).join('');
}

test('the same of pages so large that they are inflated as streams, and of features larger than what is read at once', async () => {
  const from = join(folder, 'large');
  const features = ['AAA', 'BBB', 'CCC'].map((gid, i) => ({
    fid: i,
    values: [gid, hexadecimal(i === 1 ? 40_000 : 1000, gid)],
    wkt: square(i, 0),
  }));
  await buildRelease(writeDataset(join(folder, 'large.gpkg'), 'GPKG', [{ ...countries, features }]), from);
  const path = 'lv0/fc/all/000001.json.gz';
  const cases: [(bytes: Buffer, text: string) => Buffer, string][] = [
    [(_, text) => packPage([text.replace('"BBB"', '"BBC"')]), 'its text has the CRC-32 '],
    [(_, text) => packPage([text.replace(/\]\}\n$/, '')]), 'has \\d+ bytes of text, expected '],
    [(bytes) => Buffer.concat([bytes, bytes]), 'its deflate stream ends after \\d+ of \\d+ bytes'],
    [(bytes) => Buffer.concat([bytes, Buffer.alloc(20)]), 'its deflate stream ends after \\d+ of \\d+ bytes'],
    [(bytes) => bytes.subarray(0, -10), 'cannot be inflated: '],
    [(bytes) => bytes.subarray(0, bytes.length - 1000), 'cannot be inflated: '],
    [(bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), 'its gzip trailer is'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]), 'its gzip trailer is'],
  ];
  const inPieces = (text: string): Buffer => packPage([text.slice(0, 9), text.slice(9, 2e6), text.slice(2e6)]);
  assert.deepEqual(await problemsOf((root) => replacePage(root, path, inPieces(textOf(root, path))), from), {});
  for (const [change, problem] of cases)
    await assertNamed(
      (root) => {
        const bytes = readFileSync(join(root, path));
        assert.ok(bytes.length > 2 ** 20);
        replacePage(root, path, change(bytes, textOf(root, path)));
      },
      'lv0/index.bin',
      new RegExp(`^${path}: ${problem}`),
      from,
    );
  const file = 'lv0/features/000001.geojsonl.gz';
  for (const [change, problem] of [
    [(text: string) => text.replace('"BBB"', '"BBC"'), 'GID_0 is "BBC", the index has "BBB"'],
    [(text: string) => `${text.slice(0, 9)}\n${text.slice(9)}`, 'its text is not one line'],
    [(text: string) => text.slice(0, -3), 'its seam is'],
  ] as const)
    await assertNamed(
      (root) => replaceText(root, 0, 1, change),
      'lv0/index.bin',
      new RegExp(`^${file}: fid 1: ${problem}`),
      from,
    );
});

test('a feature file whose texts are not the features they should be, in any choice of pages', async () => {
  const cases: [number, (text: string) => string | Buffer, string][] = [
    [0, (text) => text.replace('"id":1', '"id":3'), 'fid 1: its id is 3, expected 1'],
    [0, (text) => text.replace('"fid":1', '"fid":3'), 'fid 1: its id is 3, expected 1'],
    [2, (text) => text.replace('"BBB.1_1"', '"BBB.9_9"'), 'fid 3: GID_1 is "BBB\\.9_9", the index has "BBB\\.1_1"'],
    [1, (text) => text.replace('"AAA"', 'null'), 'fid 2: GID_0 is "", the index has "AAA"'],
    [3, (text) => text.replace('[1,3]', '[1,03]'), 'fid 4: its text: is not JSON'],
    [
      0,
      (text) => text.replace('"properties":{', '"properties":[],"p":{'),
      'fid 1: its properties: is not a JSON object',
    ],
    [1, (text) => text.trimEnd(), 'fid 2: its seam is [0-9a-f]+, expected 0100feff0a'],
    [1, (text) => `${text}\n`, 'fid 2: its text is not one line'],
    [1, (text) => `\n${text}`, 'fid 2: its text is not one line'],
    [1, (text) => text + text, 'fid 2: its text is not one line'],
    [1, () => '\n', 'fid 2: its text: is not JSON'],
  ];
  for (const [position, change, problem] of cases)
    for (const from of STORED_PAGES)
      await assertNamed(
        (root) =>
          replaceFeatures(root, 2, (features) => {
            const text = String(elementAt(features, position).text);
            return features.with(position, featureOf(changed(text, change)));
          }),
        index2,
        new RegExp(`^${features2}: ${problem}$`),
        join(folder, from),
      );
  const reversed = await problemsOf((root) => replaceFeatures(root, 2, (features) => features.toReversed()), sparse);
  assert.deepEqual(reversed, {
    [index2]: [
      `${features2}: fid 1: its id is 4, expected 1`,
      `${features2}: fid 2: its id is 3, expected 2`,
      `${features2}: fid 3: its id is 2, expected 3`,
      'and 1 more problem',
    ],
  });
});

test('a feature that its feature file has otherwise than the pages, the index with it: each page is named', async () => {
  const { [index2]: problems = [] } = await problemsOf((root) =>
    replaceText(root, 2, 2, (text) => text.replace('東', '西')),
  );
  const held = ['all', 'gid-0/BBB', 'gid-1/BBB.1_1'].map((listing) => `lv2/geojsonl/${listing}/000001.geojsonl.gz`);
  assert.equal(problems.at(-1), 'and 3 more problems');
  for (const [i, path] of held.entries())
    assert.match(problems[i] ?? '', new RegExp(`^${path}: its text has the CRC-32`));
});

test('without an index the files of its level are verified by checksums', async () => {
  const problems = await problemsOf((root) => {
    appendFileSync(join(root, under2), 'x');
    rmSync(join(root, index2));
  });
  assert.deepEqual(problems[index2], ['is missing']);
  assert.match(problems[under2]?.join() ?? '', /^its SHA-256 is [0-9a-f]+, expected [0-9a-f]+$/);
  assert.equal(Object.keys(problems).length, 2);
});

test('deflate data that cannot stand alone or be joined with others: the feature is named', async () => {
  const full = { finishFlush: constants.Z_FULL_FLUSH };
  const cases: [(feature: StoredFeature, previous: Buffer) => Buffer, string][] = [
    [({ text }) => deflateRawSync(text), 'its seam is [0-9a-f]{10}, expected 0100feff0a'],
    [({ text }) => deflateRawSync(text, full), 'its seam is [0-9a-f]{2}0000ffff, expected 0100feff0a'],
    [
      ({ text }) => Buffer.concat([deflateRawSync(text), Buffer.of(0), SEAM]),
      'its deflate stream ends after \\d+ of \\d+ bytes',
    ],
    [({ text }, previous) => deflateLine(text, previous), 'cannot be inflated: invalid distance too far back'],
    [({ data }) => Buffer.concat([data, data]), 'inflates to more than \\d+ bytes'],
    [({ data }) => Buffer.concat([data, Buffer.of(0)]), 'its seam is'],
    [({ data }) => data.subarray(0, -4), 'its seam is'],
    [({ data }) => Buffer.concat([data.subarray(0, -10), data.subarray(-5)]), 'cannot be inflated: '],
    [({ data }) => Buffer.concat([gzipSync('x').subarray(0, 10), data]), 'cannot be inflated: '],
  ];
  for (const [change, problem] of cases)
    await assertNamed(
      (root) =>
        replaceFeatures(root, 2, (features) => {
          const [first, second] = [elementAt(features, 0), elementAt(features, 1)];
          return features.with(1, { data: change(second, first.text), text: second.text });
        }),
      index2,
      new RegExp(`^${features2}: fid 2: ${problem}`),
    );
});

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

test('an index whose arrays are not those of the feature files: it is named, and the array, the position or the fid', async () => {
  const isChained = (position: number): boolean => {
    const index = readIndex(join(good, 'releases/r1'), 2);
    return index.aloneAt(position) === index.alone;
  };
  assert.deepEqual([0, 1, 2, 3].map(isChained), [false, true, true, true]);
  const described = (position: number, path: string, what = 'digest'): RegExp =>
    new RegExp(`^${path}: fid ${position + 1}: bytes \\d+ to \\d+ do not have the ${what} in the index$`);
  const column = (arrays: LevelArrays, c: number): GidColumn => elementAt(arrays.columns, c);
  const inColumn = (
    arrays: LevelArrays,
    c: number,
    change: (own: ColumnArrays) => Partial<ColumnArrays>,
  ): LevelArrays => {
    const { name, arrays: own } = column(arrays, c);
    return { ...arrays, columns: arrays.columns.with(c, new GidColumn(name, { ...own, ...change(own) })) };
  };
  const cases: [(arrays: LevelArrays) => LevelArrays, RegExp][] = [
    [(arrays) => ({ ...arrays, start: added(arrays.start, [1, 1]) }), described(0, features2)],
    [(arrays) => ({ ...arrays, start: added(arrays.start, [3, -1]) }), described(2, features2, 'CRC-32')],
    [(arrays) => ({ ...arrays, aloneStart: added(arrays.aloneStart, [3, -1]) }), described(2, alone2)],
    [(arrays) => ({ ...arrays, aloneCrc: added(arrays.aloneCrc, [3, 1]) }), described(2, alone2, 'CRC-32')],
    [
      (arrays) => ({ ...arrays, textCrcFc: added(arrays.textCrcFc, [2, 1]) }),
      /^textCrc\.fc\[2\] is \d+, expected \d+$/,
    ],
    [(arrays) => ({ ...arrays, start: arrays.start.map((start) => start + 7) }), /^start\[0\] is 7, expected 0$/],
    [
      (arrays) => ({ ...arrays, start: added(arrays.start, [1, 1e6]) }),
      /^start\[2\] is \d+, expected a whole number above 1/,
    ],
    [
      (arrays) => ({ ...arrays, start: added(arrays.start, [4, 1]) }),
      /^lv2\/features\/000001\.geojsonl\.gz: is \d+ bytes long, expected \d+$/,
    ],
    [
      (arrays) => ({ ...arrays, start: arrays.start.with(2, Number.NaN) }),
      /^start\[2\] is NaN, expected a whole number above \d+$/,
    ],
    [(arrays) => ({ ...arrays, textCrc: added(arrays.textCrc, [1, 1]) }), /^textCrc\.fc\[1\] is \d+, expected \d+$/],
    [
      (arrays) => withCommas({ ...arrays, textStart: added(arrays.textStart, [2, 1]) }),
      /: fid \d: its text is not the one that the index describes$/,
    ],
    [
      (arrays) => withCommas({ ...arrays, textStart: added(arrays.textStart, [4, -1]) }),
      /: fid 4: inflates to more than \d+ bytes$/,
    ],
    [
      (arrays) => withCommas({ ...arrays, textCrc: added(arrays.textCrc, [1, 1]) }),
      /: fid \d: its text is not the one that the index describes$/,
    ],
    [
      (arrays) => ({ ...arrays, dataCrc: added(arrays.dataCrc, [4, 1]) }),
      /: fid 4: bytes \d+ to \d+ do not have the CRC-32 in the index$/,
    ],
    [(arrays) => ({ ...arrays, digest: added(arrays.digest, [16, 1]) }), described(2, alone2)],
    [(arrays) => ({ ...arrays, digest: added(arrays.digest, [31, 1]) }), described(3, alone2)],
    [(arrays) => ({ ...arrays, digest: arrays.digest.toReversed() }), described(0, features2)],
    [(arrays) => ({ ...arrays, fid: arrays.fid.toReversed() }), /^fid\[1\] is 3, expected a whole number above 4$/],
    [
      (arrays) => ({ ...arrays, fid: arrays.fid.map((fid) => fid / 2) }),
      /^fid\[0\] is 0\.5, expected a whole number above -1$/,
    ],
    [
      (arrays) => inColumn(arrays, 0, ({ count }) => ({ count: added(count, [0, 1]) })),
      /^gid0\.count\[0\] is \d, expected \d$/,
    ],
    [
      (arrays) => inColumn(arrays, 0, ({ rank }) => ({ rank: added(rank, [0, 1]) })),
      /^gid0\.rank\[0\] is 1, expected 0$/,
    ],
    [(arrays) => inColumn(arrays, 1, ({ first }) => ({ first: added(first, [0, 4e9]) })), /^gid1\./],
    [
      (arrays) => inColumn(arrays, 1, ({ run }) => ({ run: added(run, [1, 4e9]) })),
      /^gid1\.run\[\d\] is \d+, expected a whole number above \d+$/,
    ],
    [
      (arrays) => inColumn(arrays, 2, ({ start }) => ({ start: added(start, [1, 4e9]) })),
      /^gid2\.start\[\d\] is \d+, expected a whole number above \d+$/,
    ],
    [
      (arrays) => {
        // GIDs in another order, with their positions.
        const gids = ['BBB', 'AAA'];
        const { arrays: own, name } = gidColumn('GID_0', ['AAA', 'BBB'], ownersOf(column(arrays, 0), 4));
        const text = Buffer.from(gids.join(''));
        return { ...arrays, columns: arrays.columns.with(0, new GidColumn(name, { ...own, text })) };
      },
      /^gid0\.text\[0\] is 66, expected 65$/,
    ],
  ];
  for (const [change, problem] of cases) await assertNamed((root) => changeArrays(root, 2, change), index2, problem);
});

test('any number of any array of an index by one or by 2^31 more: it is found', async () => {
  let tried = 0;
  const unfiltered = join(folder, 'unfiltered');
  const names = namedArrays(readIndex(join(unfiltered, 'releases/r1'), 2).arrays);
  for (const [name, array] of names)
    for (let at = tried % 3; at < array.length; at += array instanceof Uint8Array ? 11 : 2) {
      const amount = tried++ % 2 === 0 ? 1 : 2 ** 31;
      const problems = await problemsOf(
        (root) =>
          changeArrays(root, 2, (arrays) => {
            const changed = new Map(namedArrays(arrays)).get(name);
            assert.ok(changed);
            changed[at] = elementAt(changed, at) + (changed instanceof Uint8Array ? 1 : amount);
            return arrays;
          }),
        unfiltered,
      );
      const named = [index2, manifest2, features2, alone2].filter((path) => Object.hasOwn(problems, path));
      assert.ok(named.length > 0, `${name}[${at}] + ${amount}: ${JSON.stringify(problems)}`);
    }
  assert.ok(tried > 40, `${tried} numbers`);
});

test('what release.json says that manifests, indexes, names and overview do not, and the other way round', async () => {
  const level2 =
    (change: (level: Release['levels'][number]) => object) =>
    (release: Release): Release => ({
      ...release,
      levels: release.levels.with(2, { ...summaryOf(release, 2), ...change(summaryOf(release, 2)) }),
    });
  const counts = {
    features: 1,
    listings: 1,
    bytes: 1,
    pages: { geojsonl: 1, fc: 5 },
    gidColumns: ['GID_0', 'GID_1', 'GID'],
    featureFiles: { files: 2, bytes: 1 },
    extent: [0, 0, 1, 1],
  };
  const cases: [(release: Release) => Release, RegExp][] = Object.entries(counts).map(([member, value]) => [
    level2(() => ({ [member]: value })),
    new RegExp(`^level 2: ${member} is .*, its index has .*$`),
  ]);
  for (const [member, path] of [
    ['manifest', manifest2],
    ['index', index2],
    ['names', namesPath(2)],
    ['words', wordsPath(2)],
  ] as const)
    cases.push(
      [
        level2((level) => ({ [member]: { ...level[member], sha256: '0'.repeat(64) } })),
        new RegExp(`^${path}: its SHA-256 is [0-9a-f]{64}, expected 0{64}$`),
      ],
      [
        level2((level) => ({ [member]: { ...level[member], bytes: 7 } })),
        new RegExp(`^${path}: is \\d+ bytes long, expected 7$`),
      ],
    );
  cases.push(
    [
      level2(({ names }) => ({ names: { ...names, textBytes: 1 } })),
      /^lv2\/names.*: has \d+ bytes of text, expected 1$/,
    ],
    [
      (release) => ({ ...release, overview: { ...release.overview, bytes: 2 } }),
      new RegExp(`^${OVERVIEW_FILE}: is \\d+ bytes long, expected 2$`),
    ],
  );
  for (const [change, problem] of cases)
    await assertNamed((root) => resealRelease(root, change), 'release.json', problem);
  const gid9 = (text: Buffer): Buffer => Buffer.from(text.toString().replace('"GID_2"', '"GID_9"'));
  const renamed = await problemsOf((root) => replaceLevelFile(root, 2, 'manifest', gid9));
  assert.match(renamed['release.json']?.[0] ?? '', /^level 2: gidColumns is .*GID_2.*GID_9/);
});

test('manifests and indexes that do not belong together, and manifests of another release or choice of pages', async () => {
  const manifestOf = (change: (text: string) => string) => (root: string) =>
    replaceLevelFile(root, 2, 'manifest', (text) => Buffer.from(changed(text.toString(), change)));
  const indexBytes = /^indexBytes is \d+, expected \d+, the length of .*lv2\/index\.bin$/;
  const cases: [(root: string) => void, string, RegExp][] = [
    [manifestOf((text) => text.replace('"length":4', '"length":5')), manifest2, /arrays fid: length is 5, expected 4$/],
    [
      (root) => replaceLevelFile(root, 2, 'index', (bytes) => Buffer.concat([bytes, Buffer.alloc(8)])),
      manifest2,
      indexBytes,
    ],
    [(root) => replaceLevelFile(root, 2, 'index', (bytes) => bytes.subarray(8)), manifest2, indexBytes],
    [
      (root) => resealRelease(root, (release) => ({ ...release, storedPages: 'none' })),
      manifest2,
      /^storedPages is all, release\.json has none$/,
    ],
    [
      // A level without features has no page in any choice.
      (root) =>
        resealLevel(
          root,
          3,
          ({ level, arrays, geometries }) => new LevelIndex(level, 'none', { ...arrays, pages: undefined }, geometries),
        ),
      'lv3/manifest.json',
      /^storedPages is none, release\.json has all$/,
    ],
    [
      (root) => resealLevel(root, 1, (index) => index, 'r2'),
      'lv1/manifest.json',
      /^belongs to release r2 level 1, expected r1 level 1$/,
    ],
  ];
  for (const [change, named, problem] of cases) {
    const problems = await problemsOf(change);
    assert.match(problems[named]?.[0] ?? JSON.stringify(problems), problem);
  }
});
