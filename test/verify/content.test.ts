// Releases whose every checksum is right and whose content is wrong, as a fault of the generator would make them:
// `verify` names the file that says what it should not.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { type ColumnArrays, GidColumn, gidColumn, ownersOf } from '../../format/gid-column.ts';
import { deflateText, MEMBER_HEADER } from '../../format/gzip.ts';
import { type LevelArrays, LevelIndex } from '../../format/level-index.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import { namedArrays } from '../../format/manifest.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { verify } from '../../generator/verify/verify.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
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
const layers = countryLayers();
const [countries, ...others] = layers;
assert.ok(countries);
// Two long units, and one without a GID.
const long = ['CCC', 'DDD'].map((gid, i) => ({
  fid: 5 + i,
  values: [gid, gid.repeat(70_000)],
  wkt: square(20, i * 5),
}));
const nameless = { fid: 9, values: [null, 'Nowhere'], wkt: null };
const all = { ...countries, features: [...countries.features, ...long, nameless] };
const source = writeDataset(join(folder, 'all.gpkg'), 'GPKG', [all, ...others]);
const good = join(folder, 'all');
const sparse = ['unfiltered', 'none'].map((storedPages) => join(folder, storedPages));
for (const storedPages of STORED_PAGES)
  await buildRelease(source, join(folder, storedPages), { accept: ['null-gids', 'empty-geometries'], storedPages });

/** What `verify` finds once `change` has been made to a fresh copy, problems by path relative to the release. */
async function problemsOf(change: (root: string) => void, from = good): Promise<Record<string, string[]>> {
  const out = join(folder, 'changed');
  rmSync(out, { recursive: true, force: true });
  cpSync(from, out, { recursive: true });
  change(join(out, 'releases/r1'));
  const { findings: faults } = await verify({ out, workers: 0 }, SILENT);
  const problems: Record<string, string[]> = {};
  for (const fault of faults) {
    const path = fault.path.replace('releases/r1/', '');
    problems[path] = [...(problems[path] ?? []), fault.problem];
  }
  return problems;
}

const all2 = 'lv2/geojsonl/all/000001.geojsonl.gz';
const under2 = 'lv2/geojsonl/gid-0/AAA/000001.geojsonl.gz';
const fc2 = 'lv2/fc/all/000001.json.gz';
const features2 = 'lv2/features/000001.geojsonl.gz';
const index2 = 'lv2/index.bin';
const manifest2 = 'lv2/manifest.json';

test('sealing again what has not changed gives a release without faults', async () => {
  const unchanged = await problemsOf((root) => {
    replacePage(root, all2, packPage([textOf(root, all2)]));
    replacePage(root, fc2, packPage([textOf(root, fc2)]));
    replaceFeatures(root, 2, (features) => features.map(({ text }) => featureOf(text)));
    changeArrays(root, 1, (arrays) => arrays);
  });
  assert.deepEqual(unchanged, {});
});

test('text that is not the features it should be, in either format: the page is named, and what is wrong', async () => {
  const cases: [string, (text: string) => string, RegExp][] = [
    [under2, (text) => text.replace('Næst', 'Nast'), /^fid 1 is not as its feature file has it$/],
    [under2, (text) => text.replace('"id":1', '"id":3'), /^fid 1: its id is 3, expected 1$/],
    [under2, (text) => text.replace('"fid":1', '"fid":3'), /^fid 1: properties\.fid is 3$/],
    [under2, (text) => text.replace('"AAA"', '"BBB"'), /^fid 1: GID_0 is "BBB", the index has "AAA"$/],
    [under2, (text) => text.replace('"AAA"', 'null'), /^fid 1: GID_0 is null, the index has "AAA"$/],
    [under2, (text) => text.replace('[0,3]', '[0,03]'), /^fid 1: its text is not JSON/],
    [under2, (text) => text.split('\n').slice(1).join('\n'), /^fid 1: its id is 2, expected 1$/],
    [under2, (text) => `${text.split('\n').toReversed().slice(1).join('\n')}\n`, /^fid 1: its id is 4, expected 1$/],
    [under2, (text) => `${text.split('\n').slice(0, 2).join('\n')}\n`, /^ends after 2 lines, expected more$/],
    [under2, (text) => text + text, /^line 4 follows its end$/],
    [under2, (text) => `${text} `, /^line 4 follows its end$/],
    [under2, (text) => text.slice(0, -1), /^line 3 does not end in a line feed$/],
    [under2, (text) => text.replace('"Feature"', '"Future"'), /^fid 1: its text is not a GeoJSON feature$/],
    [fc2, (text) => text.replace('FeatureC', 'FutureC'), /^line 1 begins with /],
    [fc2, (text) => text.replace('\n,', '\n'), /^line 3 begins with "\{", expected ","$/],
    [fc2, (text) => text.replace('\n,', '\n,,'), /^fid 2: its text is not JSON/],
    [fc2, (text) => text.replace('\n{', '\n,{'), /^fid 1: its text is not JSON/],
    [fc2, (text) => text.replace(/\]\}\n$/, ']}'), /^line 6 does not end in a line feed$/],
    [fc2, (text) => text.replace(/\]\}\n$/, '] }\n'), /^line 6 begins with "\] \}", expected "\]\}\\n"$/],
    [fc2, (text) => text.replace(/\]\}\n$/, ']}\n\n'), /^line 7 follows its end$/],
    [fc2, (text) => text.replace('東', '西'), /^fid 3 is not as its feature file has it$/],
    [fc2, (text) => text.replace('[0,3]', '[0,3.0]'), /^fid 1 is not as its feature file has it$/],
  ];
  for (const [path, change, problem] of cases) {
    const problems = await problemsOf((root) => {
      const text = textOf(root, path);
      assert.notEqual(change(text), text);
      replacePage(root, path, packPage([change(text)]));
    });
    assert.deepEqual(Object.keys(problems), [path], String(problem));
    assert.match(problems[path]?.[0] ?? '', problem);
  }
});

test('a feature file whose texts are not the features they should be: it alone is named, in any choice of pages', async () => {
  const cases: [number, (text: string) => string | Buffer, RegExp][] = [
    [0, (text) => text.replace('"id":1', '"id":3'), /^fid 1: its id is 3, expected 1$/],
    [0, (text) => text.replace('"fid":1', '"fid":3'), /^fid 1: properties\.fid is 3$/],
    [2, (text) => text.replace('"BBB.1_1"', '"BBB.9_9"'), /^fid 3: GID_1 is "BBB\.9_9", the index has "BBB\.1_1"$/],
    [1, (text) => text.replace('"AAA"', 'null'), /^fid 2: GID_0 is null, the index has "AAA"$/],
    [3, (text) => text.replace('[1,3]', '[1,03]'), /^fid 4: its text is not JSON/],
    [0, (text) => text.replace('"Feature"', '"Future"'), /^fid 1: its text is not a GeoJSON feature$/],
    [0, (text) => text.replace('"properties":{', '"properties":[],"p":{'), /^fid 1: has no properties$/],
    [0, (text) => text.replace('"geometry":{', '"geometry":7,"g":{'), /^fid 1: has no geometry$/],
    [1, (text) => text.trimEnd(), /^fid 2: its text is not one line$/],
    [1, (text) => `${text}\n`, /^fid 2: its text is not one line$/],
    [1, (text) => `\n${text}`, /^fid 2: its text is not one line$/],
    [1, (text) => text.replace(',', ',\n'), /^fid 2: its text is not one line$/],
    [1, (text) => text + text, /^fid 2: its text is not one line$/],
    [1, () => '\n', /^fid 2: its text is not JSON/],
    [0, (text) => Buffer.from(text.replace('æ', '\xff'), 'latin1'), /^fid 1: its text is not UTF-8$/],
  ];
  for (const [position, change, problem] of cases) {
    for (const from of [good, ...sparse]) {
      const problems = await problemsOf((root) => {
        replaceFeatures(root, 2, (features) => {
          const text = features[position]?.text.toString() ?? '';
          assert.notEqual(String(change(text)), text);
          return features.with(position, featureOf(change(text)));
        });
      }, from);
      assert.deepEqual(Object.keys(problems), [features2], `${problem} ${JSON.stringify(problems)}`);
      assert.deepEqual(problems[features2]?.length, 1);
      assert.match(problems[features2]?.[0] ?? '', problem);
    }
  }
});

test('features in another order, the index with them: the feature file is named, and each fid', async () => {
  const problems = await problemsOf((root) => replaceFeatures(root, 2, (features) => features.toReversed()));
  assert.deepEqual(problems, {
    [features2]: [
      'fid 1: its id is 4, expected 1',
      'fid 2: its id is 3, expected 2',
      'fid 3: its id is 2, expected 3',
      'and 1 more problem',
    ],
  });
});

test('a feature that its feature file has otherwise than every page: the pages and the names are named, the index being trusted', async () => {
  const problems = await problemsOf((root) => replaceText(root, 2, 2, (text) => text.replace('東', '西')));
  const held = ['all', 'gid-0/BBB', 'gid-1/BBB.1_1'];
  const pages = held.flatMap((listing) => [
    `lv2/fc/${listing}/000001.json.gz`,
    `lv2/geojsonl/${listing}/000001.geojsonl.gz`,
  ]);
  const { 'lv2/names.jsonl.gz': named, ...others } = problems;
  assert.equal(named?.length, 1);
  assert.match(named[0] ?? '', /^line 4 is .*"東".*, expected .*"西"/);
  assert.deepEqual(Object.keys(others), pages.sort());
  for (const problem of Object.values(others)) assert.deepEqual(problem, ['fid 3 is not as its feature file has it']);
});

test('a page with wrong features in a level whose feature file is damaged: both are named; without an index by checksums', async () => {
  const wrong = (root: string): void =>
    replacePage(root, under2, packPage([textOf(root, under2).replace('"AAA"', '"BBB"')]));
  const damaged = await problemsOf((root) => {
    replaceText(root, 2, 0, (text) => text.replace('"id":1', '"id":3'));
    wrong(root);
  });
  assert.deepEqual(damaged, {
    [features2]: ['fid 1: its id is 3, expected 1'],
    [under2]: ['fid 1: GID_0 is "BBB", the index has "AAA"'],
  });
  const unindexed = await problemsOf((root) => {
    appendFileSync(join(root, under2), 'x');
    rmSync(join(root, index2));
  });
  assert.deepEqual(unindexed[index2], ['is missing']);
  assert.match(unindexed[under2]?.join() ?? '', /^its SHA-256 is [0-9a-f]+, expected [0-9a-f]+$/);
  assert.equal(Object.keys(unindexed).length, 2);
});

test('a page that is not one plain gzip member, to the byte', async () => {
  const cases: [string, (bytes: Buffer, text: string) => Buffer, RegExp][] = [
    [fc2, (bytes) => Buffer.concat([bytes, bytes]), /^its deflate stream ends after \d+ of \d+ bytes$/],
    [fc2, (bytes) => Buffer.concat([bytes, Buffer.of(0)]), /^inflates to more than \d+ bytes$/],
    [fc2, (_, text) => gzipSync(text), /^its gzip header is [0-9a-f]+, expected 1f8b08/],
    [
      fc2,
      (bytes) => Buffer.concat([bytes.subarray(0, -10), bytes.subarray(-8)]),
      /^cannot be inflated: unexpected end/,
    ],
    [fc2, (bytes) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]), /^its gzip trailer/],
    [fc2, (bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), /^inflates to more than 0 bytes$/],
    [fc2, (bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4, 0x7f)]), /^its gzip trailer/],
    [fc2, () => MEMBER_HEADER, /^is too short for a gzip member$/],
    [fc2, () => Buffer.of(), /^is too short for a gzip member$/],
  ];
  for (const [path, change, problem] of cases) {
    const problems = await problemsOf((root) => {
      replacePage(root, path, change(readFileSync(join(root, path)), textOf(root, path)));
    });
    assert.deepEqual(Object.keys(problems), [path], String(problem));
    assert.match(problems[path]?.[0] ?? '', problem);
  }
});

test('the same of pages so large that they are inflated as streams', async () => {
  // Hexadecimal digits of a hash deflate to no less than half their length.
  const name = (gid: string): string =>
    Array.from({ length: 13_000 }, (_, i) => createHash('sha256').update(`${gid} ${i}`).digest('hex')).join('');
  const units = ['AAA', 'BBB', 'CCC'].map((gid, i) => ({ fid: i, values: [gid, name(gid)], wkt: square(i, 0) }));
  const from = join(folder, 'large');
  await buildRelease(writeDataset(join(folder, 'large.gpkg'), 'GPKG', [{ ...countries, features: units }]), from);
  const path = 'lv0/fc/all/000001.json.gz';
  const cases: [(bytes: Buffer, text: string) => Buffer, RegExp | undefined][] = [
    [(bytes) => bytes, undefined],
    [(_, text) => packPage([text.slice(0, 9), text.slice(9, 2e6), text.slice(2e6)]), undefined],
    [(_, text) => packPage([text.replace('"BBB"', '"BBC"')]), /^fid 1: GID_0 is "BBC", the index has "BBB"$/],
    [(_, text) => packPage([text.replace(/."},/, 'x"},')]), /^fid \d is not as its feature file has it$/],
    [(_, text) => packPage([text.slice(0, -4)]), /^line 4 does not end in a line feed$/],
    [(_, text) => packPage([text.replace(/\]\}\n$/, '')]), /^ends after 4 lines, expected more$/],
    [(_, text) => packPage([`${text} `]), /^line 6 follows its end$/],
    [(bytes) => Buffer.concat([bytes, bytes]), /^its deflate stream ends after \d+ of \d+ bytes$/],
    [(bytes) => Buffer.concat([bytes, Buffer.alloc(20)]), /^its deflate stream ends after \d+ of \d+ bytes$/],
    [(bytes) => bytes.subarray(0, -10), /^cannot be inflated: /],
    [(bytes) => bytes.subarray(0, bytes.length >> 1), /^cannot be inflated: /],
    [(bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), /^its gzip trailer is/],
    [(bytes) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]), /^its gzip trailer is/],
  ];
  for (const [change, problem] of cases) {
    const problems = await problemsOf((root) => {
      const bytes = readFileSync(join(root, path));
      assert.ok(bytes.length > 2 ** 20);
      replacePage(root, path, change(bytes, textOf(root, path)));
    }, from);
    assert.deepEqual(Object.keys(problems), problem ? [path] : [], `${problem} ${JSON.stringify(problems)}`);
    if (problem) assert.match(problems[path]?.[0] ?? '', problem);
  }
});

test('deflate data that cannot stand alone or be joined with others: the feature file is named', async () => {
  const full = { finishFlush: constants.Z_FULL_FLUSH };
  const cases: [(feature: StoredFeature, previous: Buffer) => Buffer, RegExp | undefined][] = [
    [({ data }) => data, undefined],
    // Data of two pieces can be joined with others as well.
    [({ text }) => Buffer.concat([deflateText(text.subarray(0, 9)), deflateText(text.subarray(9))]), undefined],
    [({ text }) => deflateRawSync(text), /^fid 2: its seam is [0-9a-f]{8}, expected 0000ffff$/],
    [
      ({ text }) => Buffer.concat([deflateRawSync(text), deflateText(Buffer.of())]),
      /^fid 2: its deflate stream ends after \d+ of \d+ bytes$/,
    ],
    [
      ({ text }, previous) => deflateRawSync(text, { dictionary: previous, ...full }),
      /^fid 2: cannot be inflated: invalid distance too far back$/,
    ],
    [({ data }) => Buffer.concat([data, data]), /^fid 2: its text is not one line$/],
    [({ data }) => Buffer.concat([data, Buffer.of(0)]), /^fid 2: its seam is/],
    [({ data }) => data.subarray(0, -4), /^fid 2: its seam is/],
    [({ data }) => Buffer.concat([data.subarray(0, -9), data.subarray(-4)]), /^fid 2: cannot be inflated: /],
    [({ data }) => Buffer.concat([gzipSync('x').subarray(0, 10), data]), /^fid 2: cannot be inflated: /],
  ];
  for (const [change, problem] of cases) {
    const problems = await problemsOf((root) =>
      replaceFeatures(root, 2, (features) => {
        const [first, second] = features;
        assert.ok(first && second);
        return features.with(1, { data: change(second, first.text), text: second.text });
      }),
    );
    assert.deepEqual(Object.keys(problems), problem ? [features2] : [], `${problem} ${JSON.stringify(problems)}`);
    if (problem) assert.match(problems[features2]?.[0] ?? '', problem);
  }
});

test('features larger than what is read at once', async () => {
  const name = Array.from({ length: 40_000 }, (_, i) => createHash('sha256').update(String(i)).digest('hex')).join('');
  const units = ['AAA', 'BBB', 'CCC'].map((gid, i) => ({
    fid: i,
    values: [gid, i === 1 ? name : gid],
    wkt: square(i, 0),
  }));
  const from = join(folder, 'larger');
  const dataset = writeDataset(join(folder, 'larger.gpkg'), 'GPKG', [{ ...countries, features: units }]);
  await buildRelease(dataset, from, { storedPages: 'none' });
  const file = 'lv0/features/000001.geojsonl.gz';
  assert.deepEqual(await problemsOf(() => undefined, from), {});
  const cases: [number, (text: string) => string, RegExp][] = [
    [1, (text) => text.replace('"BBB"', '"BBC"'), /^fid 1: GID_0 is "BBC", the index has "BBB"$/],
    [1, (text) => text.slice(0, -3), /^fid 1: its text is not one line$/],
    [2, (text) => text.replace('"id":2', '"id":1'), /^fid 2: its id is 1, expected 2$/],
  ];
  for (const [position, change, problem] of cases) {
    const problems = await problemsOf((root) => replaceText(root, 0, position, change), from);
    assert.deepEqual(Object.keys(problems), [file], String(problem));
    assert.match(problems[file]?.[0] ?? '', problem);
  }
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

test('an index whose arrays are not those of the feature files: the index is named, the array, and the position or fid', async () => {
  const described = (position: number): RegExp =>
    new RegExp(`^${features2}: fid ${position + 1}: bytes \\d+ to \\d+ do not have the digest in the index$`);
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
    [(arrays) => ({ ...arrays, start: added(arrays.start, [1, 1]) }), described(0)],
    [(arrays) => ({ ...arrays, start: added(arrays.start, [3, -1]) }), described(2)],
    [(arrays) => ({ ...arrays, start: arrays.start.map((start) => start + 7) }), /^start\[0\] is 7, expected 0$/],
    [
      (arrays) => ({ ...arrays, start: added(arrays.start, [1, 1e6]) }),
      /^start\[2\] is \d+, expected a whole number above 1/,
    ],
    [(arrays) => ({ ...arrays, start: added(arrays.start, [4, 1]) }), described(3)],
    [
      (arrays) => ({ ...arrays, start: added(arrays.start, [4, 100]) }),
      /^lv2\/features\/000001\.geojsonl\.gz: is \d+ bytes long, expected \d+$/,
    ],
    [
      (arrays) => ({ ...arrays, start: arrays.start.with(2, Number.NaN) }),
      /^start\[2\] is NaN, expected a whole number above \d+$/,
    ],
    [
      (arrays) => ({ ...arrays, textStart: added(arrays.textStart, [2, 1]) }),
      /: fid \d: textStart\[2\] in the index is \d+, expected \d+$/,
    ],
    [
      (arrays) => ({ ...arrays, textStart: added(arrays.textStart, [4, -1]) }),
      /: fid \d: textStart\[4\] in the index is \d+, expected \d+$/,
    ],
    [
      (arrays) => ({ ...arrays, textCrc: added(arrays.textCrc, [1, 1]) }),
      /: fid \d: textCrc\[1\] in the index is \d+, expected \d+$/,
    ],
    [
      (arrays) => ({ ...arrays, dataCrc: added(arrays.dataCrc, [4, 1]) }),
      /: fid \d: dataCrc\[4\] in the index is \d+, expected \d+$/,
    ],
    [(arrays) => ({ ...arrays, digest: added(arrays.digest, [16, 1]) }), described(2)],
    [(arrays) => ({ ...arrays, digest: added(arrays.digest, [31, 1]) }), described(3)],
    [(arrays) => ({ ...arrays, digest: arrays.digest.toReversed() }), described(0)],
    [(arrays) => ({ ...arrays, fid: arrays.fid.toReversed() }), /^fid\[1\] is 3, expected a whole number above 4$/],
    [(arrays) => ({ ...arrays, fid: arrays.fid.map((fid) => fid / 2) }), /^fid\[0\] is 0\.5, expected a whole number$/],
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
      /^its arrays contradict each other: index/,
    ],
    [
      (arrays) => inColumn(arrays, 2, ({ start }) => ({ start: added(start, [1, 4e9]) })),
      /^its arrays contradict each other: /,
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
  for (const [change, problem] of cases) {
    const problems = await problemsOf((root) => changeArrays(root, 2, change));
    assert.deepEqual(Object.keys(problems), [index2], `${problem} ${JSON.stringify(problems)}`);
    assert.match(problems[index2]?.[0] ?? '', problem);
  }
});

test('any number of any array of an index by one or by 2^31 more: it is found', async () => {
  let tried = 0;
  const unfiltered = elementAt(sparse, 0);
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
      const named = [index2, manifest2, features2].filter((path) => Object.hasOwn(problems, path));
      assert.ok(named.length > 0, `${name}[${at}] + ${amount}: ${JSON.stringify(problems)}`);
    }
  assert.ok(tried > 40, `${tried} numbers`);
});

test('a manifest or an index in another form: it is named, and how it differs', async () => {
  const cases: ['manifest' | 'index', (text: Buffer) => Buffer, string, RegExp][] = [
    [
      'manifest',
      (text) => Buffer.from(JSON.stringify(JSON.parse(text.toString()))),
      manifest2,
      /^line 1 is .*, expected \{$/,
    ],
    ['manifest', (text) => Buffer.concat([text, Buffer.from('\n')]), manifest2, /^line \d+ is .*, expected its end$/],
    [
      'manifest',
      (text) => Buffer.from(text.toString().replace('"GID_2"', '"GID_9"')),
      'release.json',
      /^level 2: gidColumns is .*GID_2.*GID_9/,
    ],
    [
      'manifest',
      (text) => Buffer.from(text.toString().replace('"length": 4', '"length": 5').replace('"length":4', '"length":5')),
      manifest2,
      /^arrays fid: length is 5, expected 4$/,
    ],
    [
      'index',
      (bytes) => Buffer.concat([bytes, Buffer.alloc(8)]),
      manifest2,
      /^indexBytes is \d+, expected \d+, the length of lv2\/index\.bin$/,
    ],
    ['index', (bytes) => bytes.subarray(8), manifest2, /^indexBytes is \d+, expected \d+, the length/],
  ];
  for (const [which, change, named, problem] of cases) {
    const problems = await problemsOf((root) => replaceLevelFile(root, 2, which, change));
    assert.ok(Object.hasOwn(problems, named), `${problem} ${JSON.stringify(problems)}`);
    assert.match(problems[named]?.[0] ?? '', problem);
  }
});

test('what release.json says that manifests and indexes do not, and manifests of another release', async () => {
  const counts = [
    { features: 1 },
    { listings: 1 },
    { bytes: 1 },
    { pages: { geojsonl: 1, fc: 5 } },
    { gidColumns: ['GID_0', 'GID_1', 'GID'] },
    { featureFiles: { files: 2, bytes: 1 } },
  ];
  for (const change of counts) {
    const problems = await problemsOf((root) =>
      resealRelease(root, (release) => ({
        ...release,
        levels: release.levels.with(2, { ...summaryOf(release, 2), ...change }),
      })),
    );
    assert.deepEqual(Object.keys(problems), ['release.json']);
    const member = elementAt(Object.keys(change), 0);
    assert.match(problems['release.json']?.[0] ?? '', new RegExp(`^level 2: ${member} is .*, its index has .*$`));
  }
  for (const [file, member] of [
    ['manifest.json', 'manifest'],
    ['index.bin', 'index'],
  ] as const)
    for (const [change, problem] of [
      [{ sha256: '0'.repeat(64) }, `^has 0+ for lv2/${file}, which is [0-9a-f]{64}$`],
      [{ bytes: 7 }, `^has 7 bytes for lv2/${file}, which has \\d+$`],
    ] as const) {
      const problems = await problemsOf((root) =>
        resealRelease(root, (release) => {
          const summary = summaryOf(release, 2);
          const changed = { ...summary, [member]: { ...summary[member], ...change } };
          return { ...release, levels: release.levels.with(2, changed) };
        }),
      );
      assert.deepEqual(Object.keys(problems), ['release.json']);
      assert.match(problems['release.json']?.[0] ?? '', new RegExp(problem));
    }
  const unstored = await problemsOf((root) => resealRelease(root, (release) => ({ ...release, storedPages: 'none' })));
  assert.deepEqual(unstored, { 'release.json': ['storedPages is none, the manifests have all'] });
  // A level without features has no page in any choice.
  const alone = await problemsOf((root) =>
    resealLevel(root, 3, ({ level, arrays }) => new LevelIndex(level, 'none', { ...arrays, pages: undefined })),
  );
  assert.deepEqual(alone, { 'lv3/manifest.json': ['storedPages is none, release.json has all'] });
  const foreign = await problemsOf((root) => resealLevel(root, 1, (index) => index, 'r2'));
  assert.deepEqual(foreign, { 'lv1/manifest.json': ['belongs to release r2 level 1, expected r1 level 1'] });
});
