// Releases whose every checksum is right and that contradict themselves, as a fault of the generator would make them:
// `verify` names the file that says what a page or a feature file does not hold, and that one. Where all
// cases are of one rule, a run tries an eighth of them. Indexes, manifests and release.json are in indexes.test.ts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { elementAt } from '../../../format/element-at.ts';
import { MEMBER_HEADER } from '../../../format/gzip.ts';
import { STORED_PAGES } from '../../../format/levels.ts';
import { deflateLine, deflateText, SEAM } from '../../../format/write/gzip.ts';
import { withCountries } from '../../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildRelease, ONE_OTHER } from '../../support/releases/build-release.ts';
import { packPage, replacePage, replaceWholeFile, textOf } from '../../support/releases/reseal.ts';
import {
  changeArrays,
  featureOf,
  replaceFeatures,
  replaceText,
  type StoredFeature,
} from '../../support/releases/reseal-features.ts';
import { sliceOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { assertContradiction, assertPages, type Change, problemsOf, type TextChange } from './findings.ts';

const folder = temporaryFolder();
// A long unit, and one without a GID.
const long = { fid: 5, values: ['CCC', 'CCC'.repeat(70_000)], wkt: square(20, 5) };
const nameless = { fid: 9, values: [null, 'Nowhere'], wkt: null };
const source = writeDataset(join(folder, 'all.gpkg'), 'GPKG', withCountries(long, nameless));
const good = join(folder, 'all');
for (const storedPages of STORED_PAGES)
  await buildRelease(source, join(folder, storedPages), {
    accept: ['null-gids', 'empty-geometries'],
    ...ONE_OTHER,
    storedPages,
  });

/** The changed text, which must be another one. */
const changed = (text: string, change: TextChange): string => {
  assert.notEqual(change(text), text);
  return change(text);
};

const under2 = 'lv2/geojsonl/gid-0/AAA/000001.geojsonl.gz';
const fc2 = 'lv2/fc/all/000001.json.gz';
const features2 = 'lv2/features/000001.geojsonl.gz';
const index2 = 'lv2/index.bin';

test('sealing again what has not changed gives a release without faults', async () => {
  const unchanged = await problemsOf(good, (root) => {
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
  const cases: [string, TextChange][] = [
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
  for (const [path, change] of sliceOf(cases)) {
    const problem = new RegExp(`^${path}: (has \\d+ bytes of text, expected|its text has the CRC-32) `);
    const changePage: Change = (root) => replacePage(root, path, packPage([changed(textOf(root, path), change)]));
    await assertContradiction(good, changePage, index2, problem);
  }
});

test('names that are not those of the units of the indexes, with the right checksums', async () => {
  const names2 = 'lv2/names.jsonl.gz';
  const header = /^.*\n/;
  for (const [change, problem] of [
    [(text) => text.replace(/\n\[1,/, '\n[7,'), 'line 2: fid is 7, the index has 1$'],
    [(text) => text.replace('"AAA.1.1_1"', '"AAA.9.1_1"'), 'line \\d+: gid is "AAA.9.1_1", the index has "AAA.1.1_1"$'],
    [(text) => text.replace('"AAA.1_1",0', '"AAA.2_1",0'), 'line \\d+: parent is "AAA.2_1", the index has "AAA.1_1"$'],
    [(text) => text.replace('"AAA.1_1",0', '"AAA.1_1",5'), 'line \\d+: children is 5, the index has 0$'],
    [(text) => text.replace('[1,', '[1'), 'line 2: is not JSON$'],
    [(text) => text.replace(header, ''), 'line 1: has no column fid$'],
    [(text) => text.replace('"parent"', '"above"'), 'line 1: has no column parent$'],
    [(text) => `${text}[]\n`, 'has \\d units, expected \\d$'],
    [(text) => text.trimEnd(), 'does not end with a line$'],
  ] satisfies [TextChange, string][]) {
    const rename: Change = (root) => replaceWholeFile(root, 2, (text) => changed(text, change));
    await assertContradiction(good, rename, names2, new RegExp(`^${problem}`));
  }
});

test('a page that is not one plain gzip member, to the byte', async () => {
  await assertPages(good, fc2, index2, [
    [(bytes) => Buffer.concat([bytes, bytes]), 'its deflate stream ends after \\d+ of \\d+ bytes'],
    [(bytes) => Buffer.concat([bytes, Buffer.of(0)]), 'inflates to more than \\d+ bytes'],
    [(_, text) => gzipSync(text), 'its gzip header is [0-9a-f]+, expected 1f8b08'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -10), bytes.subarray(-8)]), 'cannot be inflated: unexpected end'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]), 'its gzip trailer'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), 'inflates to more than 0 bytes'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4, 0x7f)]), 'its gzip trailer'],
    [() => MEMBER_HEADER, 'is too short for a gzip member'],
    [() => Buffer.of(), 'is too short for a gzip member'],
  ]);
});

test('a feature file whose texts are not the features they should be, in any choice of pages', async () => {
  const cases: [number, TextChange, string][] = [
    [0, (text) => text.replace('"id":1', '"id":3'), '1: its id is 3, expected 1'],
    [0, (text) => text.replace('"fid":1', '"fid":3'), '1: its id is 3, expected 1'],
    [2, (text) => text.replace('"BBB.1_1"', '"BBB.9_9"'), '3: GID_1 is "BBB\\.9_9", the index has "BBB\\.1_1"'],
    [1, (text) => text.replace('"AAA"', 'null'), '2: GID_0 is "", the index has "AAA"'],
    [3, (text) => text.replace('[1,3]', '[1,03]'), '4: its text: is not JSON'],
    [0, (text) => text.replace('"properties":{', '"properties":[],"p":{'), '1: its properties: is not a JSON object'],
    [1, (text) => text.trimEnd(), '2: its seam is [0-9a-f]+, expected 0100feff0a'],
    [1, (text) => `${text}\n`, '2: its text is not one line'],
    [1, (text) => `\n${text}`, '2: its text is not one line'],
    [1, (text) => text + text, '2: its text is not one line'],
    [1, () => '\n', '2: its text: is not JSON'],
  ];
  const inEachChoice = cases.flatMap((one) => STORED_PAGES.map((storedPages) => ({ one, storedPages })));
  for (const { one, storedPages } of sliceOf(inEachChoice, ({ storedPages }) => storedPages === 'none')) {
    const [position, change, problem] = one;
    const changeText: Change = (root) => replaceText(root, 2, position, (text) => changed(text, change));
    const expected = new RegExp(`^${features2}: fid ${problem}$`);
    await assertContradiction(join(folder, storedPages), changeText, index2, expected);
  }
});

test('a feature that its feature file has otherwise than the pages, the index with it: each page is named', async () => {
  const rename: Change = (root) => replaceText(root, 2, 2, (text) => text.replace('東', '西'));
  const { [index2]: problems = [] } = await problemsOf(good, rename);
  const held = ['all', 'gid-0/BBB', 'gid-1/BBB.1_1'].map((listing) => `lv2/geojsonl/${listing}/000001.geojsonl.gz`);
  assert.equal(problems.at(-1), 'and 3 more problems');
  for (const [i, path] of held.entries())
    assert.match(problems[i] ?? '', new RegExp(`^${path}: its text has the CRC-32`));
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
  for (const [change, problem] of cases) {
    const changeData: Change = (root) =>
      replaceFeatures(root, 2, (features) => {
        const [first, second] = [elementAt(features, 0), elementAt(features, 1)];
        return features.with(1, { data: change(second, first.text), text: second.text });
      });
    await assertContradiction(good, changeData, index2, new RegExp(`^${features2}: fid 2: ${problem}`));
  }
});
