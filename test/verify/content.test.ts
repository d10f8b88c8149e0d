// Releases whose every checksum is right and whose content is wrong, as a fault of the generator would make them:
// `verify` names the file that says what it should not.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { deflateText, FINAL_BLOCK, joinMember, MEMBER_HEADER, memberEnd, sumOf } from '../../format/gzip-members.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { verify } from '../../generator/verify/verify.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { packPage, replacePage, resealLevel, resealRelease, summaryOf, textOf } from '../support/releases/reseal.ts';
import {
  changeIndex,
  type Member,
  memberOf,
  recordOf,
  replaceMembers,
  replaceText,
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
const index2 = 'lv2/features.idx';

test('sealing again what has not changed gives a release without faults', async () => {
  const unchanged = await problemsOf((root) => {
    replacePage(root, all2, packPage([textOf(root, all2)]));
    replacePage(root, fc2, packPage([textOf(root, fc2)]));
    replaceMembers(root, 2, (members) => members.map(({ text }) => memberOf(text)));
    changeIndex(root, 1, (records) => records);
  });
  assert.deepEqual(unchanged, {});
});

test('text that is not the features it should be, in either format: the page is named, and what is wrong', async () => {
  const cases: [string, (text: string) => string, RegExp][] = [
    [under2, (text) => text.replace('Næst', 'Nast'), /^fid 1 is not as its feature file has it$/],
    [under2, (text) => text.replace('"id":1', '"id":3'), /^fid 1: its id is 3, expected 1$/],
    [under2, (text) => text.replace('"fid":1', '"fid":3'), /^fid 1: properties\.fid is 3$/],
    [under2, (text) => text.replace('"AAA"', '"BBB"'), /^fid 1: GID_0 is "BBB", the manifest has "AAA"$/],
    [under2, (text) => text.replace('"AAA"', 'null'), /^fid 1: GID_0 is null, the manifest has "AAA"$/],
    [under2, (text) => text.replace('[0,3]', '[0,03]'), /^fid 1: its text is not JSON/],
    [under2, (text) => text.split('\n').slice(1).join('\n'), /^fid 1: its id is 2, expected 1$/],
    [under2, (text) => `${text.split('\n').toReversed().slice(1).join('\n')}\n`, /^fid 1: its id is 4, expected 1$/],
    [under2, (text) => `${text.split('\n').slice(0, 2).join('\n')}\n`, /^ends after 2 lines, expected more$/],
    [under2, (text) => text + text, /^line 4 follows its end$/],
    [under2, (text) => `${text} `, /^ends with " ", expected a line feed$/],
    [under2, (text) => text.slice(0, -1), /^ends after 2 lines, expected more$/],
    [under2, (text) => text.replace('"Feature"', '"Future"'), /^fid 1: its text is not a GeoJSON feature$/],
    [fc2, (text) => text.replace('FeatureC', 'FutureC'), /^line 1 begins with /],
    [fc2, (text) => text.replace('\n,', '\n'), /^line 3 begins with "\{", expected ","$/],
    [fc2, (text) => text.replace('\n,', '\n,,'), /^fid 2: its text is not JSON/],
    [fc2, (text) => text.replace('\n{', '\n,{'), /^fid 1: its text is not JSON/],
    [fc2, (text) => text.replace(/\]\}\n$/, ']}'), /^ends after 5 lines, expected more$/],
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
    [2, (text) => text.replace('"BBB.1_1"', '"BBB.9_9"'), /^fid 3: GID_1 is "BBB\.9_9", the manifest has "BBB\.1_1"$/],
    [1, (text) => text.replace('"AAA"', 'null'), /^fid 2: GID_0 is null, the manifest has "AAA"$/],
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
        replaceMembers(root, 2, (members) => {
          const text = members[position]?.text.toString() ?? '';
          assert.notEqual(String(change(text)), text);
          return members.with(position, memberOf(change(text)));
        });
      }, from);
      assert.deepEqual(Object.keys(problems), [features2], `${problem} ${JSON.stringify(problems)}`);
      assert.deepEqual(problems[features2]?.length, 1);
      assert.match(problems[features2]?.[0] ?? '', problem);
    }
  }
});

test('members in another order, the index with them: the feature file is named, and each fid', async () => {
  const problems = await problemsOf((root) => replaceMembers(root, 2, (members) => members.toReversed()));
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
  assert.deepEqual(named, [`fid 3: name "東" and type null are not its feature's`]);
  assert.deepEqual(Object.keys(others), pages.sort());
  for (const problem of Object.values(others)) assert.deepEqual(problem, ['fid 3 is not as its feature file has it']);
});

test('a page with wrong features in a level without an index, or whose feature file is damaged: each is named', async () => {
  const wrong = (root: string): void =>
    replacePage(root, under2, packPage([textOf(root, under2).replace('"AAA"', '"BBB"')]));
  const unindexed = await problemsOf((root) => {
    wrong(root);
    rmSync(join(root, index2));
  });
  assert.deepEqual(unindexed, {
    [index2]: ['is missing'],
    [under2]: ['fid 1: GID_0 is "BBB", the manifest has "AAA"'],
  });
  const damaged = await problemsOf((root) => {
    replaceText(root, 2, 0, (text) => text.replace('"id":1', '"id":3'));
    wrong(root);
  });
  assert.deepEqual(damaged, {
    [features2]: ['fid 1: its id is 3, expected 1'],
    [under2]: ['fid 1: GID_0 is "BBB", the manifest has "AAA"'],
  });
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
    [fc2, () => Buffer.of(), /^ends after 0 bytes, expected 10$/],
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
    Array.from({ length: 20_000 }, (_, i) => createHash('sha256').update(`${gid} ${i}`).digest('hex')).join('');
  const units = ['AAA', 'BBB', 'CCC'].map((gid, i) => ({ fid: i, values: [gid, name(gid)], wkt: square(i, 0) }));
  const from = join(folder, 'large');
  await buildRelease(writeDataset(join(folder, 'large.gpkg'), 'GPKG', [{ ...countries, features: units }]), from);
  const path = 'lv0/fc/all/000001.json.gz';
  const cases: [(bytes: Buffer, text: string) => Buffer, RegExp | undefined][] = [
    [(bytes) => bytes, undefined],
    [(_, text) => packPage([text.slice(0, 9), text.slice(9, 2e6), text.slice(2e6)]), undefined],
    [(_, text) => packPage([text.replace('"BBB"', '"BBC"')]), /^fid 1: GID_0 is "BBC", the manifest has "BBB"$/],
    [(_, text) => packPage([text.replace(/."},/, 'x"},')]), /^fid \d is not as its feature file has it$/],
    [(_, text) => packPage([text.slice(0, -4)]), /^ends after 3 lines, expected more$/],
    [(_, text) => packPage([`${text} `]), /^ends with " ", expected a line feed$/],
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
      assert.ok(bytes.length > 1.5e6);
      replacePage(root, path, change(bytes, textOf(root, path)));
    }, from);
    assert.deepEqual(Object.keys(problems), problem ? [path] : [], `${problem} ${JSON.stringify(problems)}`);
    if (problem) assert.match(problems[path]?.[0] ?? '', problem);
  }
});

test('members that are not one plain gzip member whose data can be joined: the feature file is named', async () => {
  const trailer = (text: Buffer): Buffer => memberEnd(sumOf(text)).subarray(FINAL_BLOCK.length);
  const framed = (data: Buffer, text: Buffer): Buffer => Buffer.concat([MEMBER_HEADER, data, memberEnd(sumOf(text))]);
  const cases: [(member: Member, previous: Buffer) => Buffer, RegExp | undefined][] = [
    [({ bytes }) => bytes, undefined],
    [
      // Deflate data of two pieces can be joined with others as well.
      ({ text }) =>
        joinMember(
          [text.subarray(0, 9), text.subarray(9)].map((part) => ({ data: deflateText(part), ...sumOf(part) })),
        ),
      undefined,
    ],
    [({ text }) => gzipSync(text), /^fid 2: its gzip header is [0-9a-f]+, expected 1f8b08/],
    [
      ({ text }) => Buffer.concat([MEMBER_HEADER, deflateRawSync(text), trailer(text)]),
      /^fid 2: its final block is [0-9a-f]{4}, expected 0300$/,
    ],
    [({ text }) => framed(deflateRawSync(text), text), /^fid 2: its deflate stream ends after \d+ of \d+ bytes$/],
    [
      ({ text }, previous) =>
        framed(deflateRawSync(text, { dictionary: previous, finishFlush: constants.Z_FULL_FLUSH }), text),
      /^fid 2: cannot be inflated: invalid distance too far back$/,
    ],
    [({ bytes }) => Buffer.concat([bytes, bytes]), /^fid 2: its deflate stream ends after \d+ of \d+ bytes$/],
    [({ bytes }) => Buffer.concat([bytes, Buffer.of(0)]), /^fid 2: its final block is/],
    [({ text }) => framed(deflateText(text).subarray(0, -4), text), /^fid 2: cannot be inflated: /],
    [
      ({ bytes }) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]),
      /^fid 2: its gzip trailer is/,
    ],
    [({ bytes }) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), /^fid 2: inflates to more than 0 bytes$/],
    [({ bytes }) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4, 0x7f)]), /^fid 2: its gzip trailer is/],
  ];
  for (const [change, problem] of cases) {
    const problems = await problemsOf((root) =>
      replaceMembers(root, 2, (members) => {
        const [first, second] = members;
        assert.ok(first && second);
        return members.with(1, { bytes: change(second, first.text), text: second.text });
      }),
    );
    assert.deepEqual(Object.keys(problems), problem ? [features2] : [], `${problem} ${JSON.stringify(problems)}`);
    if (problem) assert.match(problems[features2]?.[0] ?? '', problem);
  }
});

test('members larger than what is read at once', async () => {
  const name = Array.from({ length: 90_000 }, (_, i) => createHash('sha256').update(String(i)).digest('hex')).join('');
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
    [1, (text) => text.replace('"BBB"', '"BBC"'), /^fid 1: GID_0 is "BBC", the manifest has "BBB"$/],
    [1, (text) => text.slice(0, -3), /^fid 1: its text is not one line$/],
    [2, (text) => text.replace('"id":2', '"id":1'), /^fid 2: its id is 1, expected 2$/],
  ];
  for (const [position, change, problem] of cases) {
    const problems = await problemsOf((root) => replaceText(root, 0, position, change), from);
    assert.deepEqual(Object.keys(problems), [file], String(problem));
    assert.match(problems[file]?.[0] ?? '', problem);
  }
});

test('index records that do not describe their members: the index is named, and the fid', async () => {
  const add = (record: Buffer, at: number, amount: number): Buffer => {
    const changed = Buffer.from(record);
    changed.writeUInt32LE(record.readUInt32LE(at) + amount, at);
    return changed;
  };
  const described = (position: number): RegExp =>
    new RegExp(
      `^record ${position}, of fid ${position + 1}, does not describe its member, bytes \\d+ to \\d+ of ${features2}$`,
    );
  const cases: [(records: Buffer[]) => Buffer[], RegExp][] = [
    [([first, ...rest]) => (first ? [first, first, ...rest.slice(1)] : []), described(1)],
    [(records) => records.toReversed(), described(0)],
    [(records) => records.map((record, i) => (i < 2 ? add(record, 0, 1 - 2 * i) : record)), described(0)],
    [(records) => records.map((record, i) => (i === 2 ? add(record, 0, 1) : record)), described(2)],
    [
      (records) => records.map((record, i) => (i === 3 ? add(record, 0, 1) : record)),
      /^has \d+ bytes of members for lv2/,
    ],
    [
      (records) => records.map((record, i) => (i === 2 ? add(record, 4, 1) : record)),
      /^record 2, of fid 3, has \d+ bytes/,
    ],
    [
      (records) => records.map((record, i) => (i === 2 ? add(record, 4, -1) : record)),
      /^record 2, of fid 3, has \d+ bytes/,
    ],
    [
      (records) => records.map((record, i) => (i === 2 ? add(record, 8, 1) : record)),
      /^record 2, of fid 3, has \d+ bytes/,
    ],
    [(records) => records.map((record, i) => (i === 2 ? add(record, 12, 1) : record)), described(2)],
    [(records) => records.map((record, i) => (i === 3 ? add(record, 16, -1) : record)), described(3)],
    [(records) => [...records, recordOf(memberOf('more\n'))], /^100 bytes, expected 20 for each of 4 features$/],
    [(records) => records.slice(1), /^60 bytes, expected 20 for each of 4 features$/],
    [
      (records) => records.map((record, i) => (i === 1 ? Buffer.alloc(20) : record)),
      /^record 1 is of 0 bytes, expected more/,
    ],
  ];
  for (const [change, problem] of cases) {
    const problems = await problemsOf((root) => changeIndex(root, 2, change));
    const { 'release.json': counts, ...rest } = problems;
    assert.deepEqual(counts, undefined, String(problem));
    assert.deepEqual(Object.keys(rest), [index2], `${problem} ${JSON.stringify(problems)}`);
    assert.match(problems[index2]?.[0] ?? '', problem);
  }
});

test('what release.json says that manifests and indexes do not, and manifests that contradict themselves', async () => {
  const counts = [{ features: 1 }, { listings: 1 }, { bytes: 1 }, { pages: { geojsonl: 1, fc: 5 } }];
  const ofFeatures = [{ files: 2 }, { bytes: 1 }];
  for (const [i, change] of [...counts, ...ofFeatures].entries()) {
    const problems = await problemsOf((root) =>
      resealRelease(root, (release) => {
        const summary = summaryOf(release, 2);
        const changed = i < counts.length ? change : { featureFiles: { ...summary.featureFiles, ...change } };
        return { ...release, levels: release.levels.with(2, { ...summary, ...changed }) };
      }),
    );
    assert.deepEqual(Object.keys(problems), ['release.json']);
    assert.match(problems['release.json']?.[0] ?? '', /^level 2 has [12] .*, its (manifest|index) \d+$/);
  }
  for (const [file, wrong] of [
    ['manifest.json', { manifest: '0'.repeat(64) }],
    ['features.idx', { index: '0'.repeat(64) }],
  ] as const) {
    const problems = await problemsOf((root) =>
      resealRelease(root, (release) => ({
        ...release,
        levels: release.levels.with(2, { ...summaryOf(release, 2), ...wrong }),
      })),
    );
    assert.deepEqual(Object.keys(problems), ['release.json']);
    assert.match(problems['release.json']?.[0] ?? '', new RegExp(`^has 0+ for lv2/${file}, which is [0-9a-f]{64}$`));
  }
  const unstored = await problemsOf((root) => resealRelease(root, (release) => ({ ...release, storedPages: 'none' })));
  assert.deepEqual(unstored, { 'release.json': ['storedPages is none, the manifests have all'] });
  // A level without features has no page in any choice.
  const alone = await problemsOf((root) => resealLevel(root, 3, (manifest) => ({ ...manifest, storedPages: 'none' })));
  assert.deepEqual(alone, { 'lv3/manifest.json': ['storedPages is none, release.json has all'] });
  const foreign = await problemsOf((root) => resealLevel(root, 1, (manifest) => ({ ...manifest, release: 'r2' })));
  assert.deepEqual(foreign, { 'lv1/manifest.json': ['is of release r2, expected r1'] });
  const torn = await problemsOf((root) => resealLevel(root, 1, (manifest) => ({ ...manifest, fids: [3, 2, 1, 1] })));
  assert.deepEqual(torn, { 'lv1/manifest.json': ['fids[2] is out of order'] });
});
