// Damage of every kind to a release's files: `verify` names the very file, and no other. A run tries an eighth of the
// long lists.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { namesPath } from '../../../format/layout.ts';
import { STORED_PAGES, type StoredPages } from '../../../format/levels.ts';
import { checkedFile } from '../../../generator/files/checksums.ts';
import { type Report, SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { countryRow, writeCountries } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { filesUnder } from '../../support/files.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildRelease, ONE_OTHER } from '../../support/releases/build-release.ts';
import { buildSynthetic } from '../../support/releases/build-synthetic.ts';
import { readIndex } from '../../support/releases/read-index.ts';
import { packPage, replaceNeighbours, replaceWholeFile, resealSummary, textOf } from '../../support/releases/reseal.ts';
import { assertAsSource } from '../../support/releases/source-oracle.ts';
import { sliceOf } from '../../support/slice.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { assertContradiction, assertNamed, assertSome, findingsOf } from './findings.ts';

const folder = temporaryFolder();
const source = writeCountries();
const synthetic = join(folder, 'synthetic.gpkg');
const releases: Record<StoredPages, string> = {
  all: join(folder, 'good'),
  unfiltered: join(folder, 'unfiltered'),
  none: join(folder, 'none'),
};
for (const storedPages of STORED_PAGES)
  await buildRelease(source, releases[storedPages], { ...ONE_OTHER, storedPages });
const good = releases.all;
const other = join(folder, 'other');
await buildSynthetic(synthetic, 60, other, { release: 'other', ...ONE_OTHER });
// A level of several feature files.
const many = join(folder, 'many');
const row = writeDataset(join(folder, 'row.gpkg'), 'GPKG', [countryRow(250)]);
await buildRelease(row, many, { storedPages: 'unfiltered' });
const root = 'releases/r1';
const files = filesOf(good);

/** The files of the release in an output folder, and current.json. */
function filesOf(out: string): string[] {
  return ['current.json', ...filesUnder(join(out, root)).map((file) => `${root}/${file}`)];
}

/** Damages a file; `bytes` is a copy of its content. */
type Damage = (path: string, bytes: Buffer) => void;

/** What is found once `damage` is done to one file. */
function findingsWith(file: string, damage: Damage, from = good) {
  return findingsOf(from, (out) => damage(join(out, file), readFileSync(join(out, file))));
}

test('a good release has no faults, whichever pages it stores, and everything in it is counted', async () => {
  for (const storedPages of STORED_PAGES) {
    const out = releases[storedPages];
    const own = filesOf(out);
    const packed = own.filter((file) => /\/(features|alone|geojsonl|fc)\//.test(file));
    const sizes = packed.map((file) => readFileSync(join(out, file)).length);
    const found = await verify({ out, workers: 0 }, SILENT);
    assert.deepEqual(found, {
      release: 'r1',
      files: own.length - 1,
      pages: packed.filter((file) => !/\/(features|alone)\//.test(file)).length,
      features: 9,
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      findings: [],
    });
    assert.deepEqual(await verify({ out, release: 'r1', workers: 0 }, SILENT), found);
    await assertAsSource(source, out);
  }
  const [all, unfiltered, none] = STORED_PAGES.map((storedPages) => filesOf(releases[storedPages]).length);
  assert.ok(all && unfiltered && none && all > unfiltered && unfiltered > none);
});

test('child processes find what this process finds, and the work is announced and done', async () => {
  const counts = new Map<string, number>();
  const count = (what: string, amount: number): void => {
    counts.set(what, (counts.get(what) ?? 0) + amount);
  };
  const report: Report = {
    expect: (what, amount) => count(`${what}, expected`, amount),
    advance: count,
    note: (text) => count(text, 1),
    end: () => count('ends', 1),
  };
  const out = copyOf(other);
  const page = 'releases/other/lv5/fc/all/000001.json.gz';
  flipped(1, 0xff)(join(out, page), readFileSync(join(out, page)));
  const found = await verify({ out, workers: 2 }, report);
  assert.deepEqual(found, await verify({ out, workers: 0 }, SILENT));
  assertNamed(found.findings, [page], 'one byte');
  const features = found.features * ONE_OTHER.geometries.length;
  assert.deepEqual(Object.fromEntries(counts), {
    'features verified, expected': features,
    'features verified': features,
    'pages verified, expected': found.pages,
    'pages verified': found.pages,
    ends: 1,
  });
});

test('a pipe or a device in the place of a file is named, and neither waited for nor read', async () => {
  const paths = [
    'release.json',
    'checksums.txt',
    'lv0/names.jsonl.gz',
    'lv1/index.bin',
    'lv2/features/000001.geojsonl.gz',
  ];
  const all = ['current.json', 'changes/a..r1.csv.gz', ...paths.map((own) => `${root}/${own}`)];
  for (const [i, path] of all.entries()) {
    const found = await findingsOf(good, (out) => {
      const file = join(out, path);
      mkdirSync(dirname(file), { recursive: true });
      rmSync(file, { force: true });
      if (i % 2 === 0) execFileSync('mkfifo', [file]);
      else symlinkSync('/dev/zero', file);
    });
    assert.deepEqual(found, [{ path, problem: 'is neither a file nor a folder: nothing else was verified' }]);
  }
});

test('a text of names or neighbours that is a bomb is inflated no further than its units can make', async () => {
  const bomb = ' '.repeat(1 << 25);
  const more = /^inflates to more than (16\d{6}|10\d{5}) bytes$/;
  await assertContradiction(good, (at) => replaceWholeFile(at, 0, (text) => text + bomb), 'lv0/names.jsonl.gz', more);
  const change = { table: (text: string) => text + bomb };
  await assertContradiction(good, (at) => replaceNeighbours(at, 0, change), 'lv0/neighbours.csv.gz', more);
});

test('a file of a megabyte is inflated no further than release.json says, too', async () => {
  // What does not become smaller: it is read in pieces.
  const noise = randomBytes(3 << 19).toString('base64');
  const found = await findingsOf(good, (out) => {
    const [at, path] = [join(out, root), namesPath(0)];
    const bytes = packPage([textOf(at, path), noise]);
    writeFileSync(join(at, path), bytes);
    resealSummary(at, 0, ({ names }) => ({ names: { ...names, ...checkedFile(bytes) } }));
  });
  assertSome(found, /^lv0\/names\.jsonl\.gz: inflates to more than 10\d{5} bytes$/);
});

/** Flips bits of the byte at a share of a file. */
function flipped(share: number, bits: number): Damage {
  return (path, bytes) => {
    const at = Math.round((bytes.length - 1) * share);
    bytes[at] = (bytes[at] ?? 0) ^ bits;
    writeFileSync(path, bytes);
  };
}

/** Puts a link to the same content in the place of a file. */
const linked: Damage = (path, bytes) => {
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, bytes);
  rmSync(path);
  symlinkSync(elsewhere, path);
};

const emptied: Damage = (path) => {
  rmSync(path);
  mkdirSync(path);
};

// Ten and three: 13 has no factor in common with the eight slices, so that each slice has all kinds.
/**
 * Damage of content, of which a file without bytes can have the last one alone, and damage that takes the file away.
 */
const CHANGES: [what: string, damage: Damage][] = [
  ...[0x01, 0x20, 0x80, 0x01, 0x20, 0x80].map((bit, i): [string, Damage] => [`${i} / 5`, flipped(i / 5, bit)]),
  ['cut to nothing', (path) => truncateSync(path, 0)],
  ['cut to a half', (path, bytes) => truncateSync(path, bytes.length >> 1)],
  ['cut by a byte', (path, bytes) => truncateSync(path, bytes.length - 1)],
  ['grown', (path) => appendFileSync(path, 'x')],
];
const REPLACEMENTS: [what: string, damage: Damage][] = [
  ['missing', (path) => rmSync(path)],
  ['a folder', emptied],
  ['a link', linked],
];

test('a byte flipped anywhere in any file, a file cut, grown, missing, a folder or a link: that file is named', async () => {
  const pair = [`${root}/checksums.txt`, `${root}/release.json`];
  const cases = files.flatMap((file) => {
    const changes = readFileSync(join(good, file)).length > 0 ? CHANGES : CHANGES.slice(-1);
    // No release depends on whether current.json is a link.
    const replacements = REPLACEMENTS.filter(([, damage]) => file !== 'current.json' || damage !== linked);
    return [
      ...changes.map(([what, damage]) => ({ file, what, damage, from: good, hasContent: true })),
      ...replacements.map(([what, damage]) => ({ file, what, damage, from: good, hasContent: false })),
    ];
  });
  assert.ok(cases.length > 450, `${cases.length} kinds of damage`);
  for (const from of [releases.unfiltered, releases.none, many])
    for (const file of filesOf(from).filter((path) => path.endsWith('.gz')))
      cases.push({ file, what: 'missing', damage: (path) => rmSync(path), from, hasContent: false });
  for (const { file, what, damage, from, hasContent } of sliceOf(cases)) {
    const findings = await findingsWith(file, damage, from);
    // Of release.json and its line in checksums.txt either may have been changed: then both are named.
    const areBoth = hasContent && pair.includes(file) && findings.some(({ path }) => path !== file);
    assertNamed(findings, areBoth ? pair : [file], `${file} ${what}`);
  }
});

test('a byte flipped in each feature: its file is named, and the fid; around the features: that file', async () => {
  const cases: { file: string; at: number; problem: RegExp }[] = [];
  for (const level of [0, 1, 2] as const) {
    const file = `${root}/lv${level}/features/000001.geojsonl.gz`;
    const table = readIndex(join(good, root), level);
    for (let position = 0; position < table.features; position++)
      for (const data of new Set([table.chained, table.aloneAt(position)])) {
        const path = data === table.alone ? `${root}/lv${level}/alone/000001.bin` : file;
        const [first, end] = [data.offsetAt(position), data.offsetAt(position) + data.bytes(position, position + 1)];
        const what = data === table.aloneAt(position) ? 'digest' : 'CRC-32';
        const problem = `^fid ${position + 1}: bytes ${first} to ${end - 1} do not have the ${what} in the index$`;
        for (const at of [first, (first + end) >> 1, end - 1])
          cases.push({ file: path, at, problem: new RegExp(problem) });
      }
    const end = readFileSync(join(good, file)).length;
    cases.push({ file, at: 0, problem: /^its gzip header is [0-9a-f]+, expected [0-9a-f]+$/ });
    for (const at of [end - 9, end - 7, end - 1])
      cases.push({ file, at, problem: /^its final block with the gzip trailer is [0-9a-f]+, expected [0-9a-f]+$/ });
  }
  assert.ok(cases.length > 9 * 3 + 9, `${cases.length} flips`);
  for (const { file, at, problem } of sliceOf(cases)) {
    const findings = await findingsWith(file, (path, bytes) => flipped(at / (bytes.length - 1), 1)(path, bytes));
    assertNamed(findings, [file], `${file}, byte ${at}`);
    assertSome(findings, problem);
  }
});

test('a file in the place of one of another level, kind, listing or release: just that one is named', async () => {
  const held = files.filter((file) => /\/lv[012]\/.*(features|alone|index|cells|manifest)\b/.test(file));
  assert.ok(held.length > 20);
  const cases = held.flatMap((file) => [
    ...held.map((elsewhere) => ({ file, from: join(good, elsewhere) })),
    { file, from: join(other, file.replace(root, 'releases/other')) },
  ]);
  const pages = files.filter((file) => /\/(geojsonl|fc)\//.test(file));
  for (const [i, page] of pages.entries())
    cases.push({ file: page, from: join(good, elementAt(pages, (i + 3) % pages.length)) });
  // A square is its own simplification.
  const isOther = ({ file, from }: { file: string; from: string }): boolean =>
    !readFileSync(from).equals(readFileSync(join(good, file)));
  for (const { file, from } of sliceOf(cases.filter(isOther)))
    assertNamed(await findingsWith(file, (path) => cpSync(from, path)), [file], `${file} from ${from}`);
  const [first, third] = [1, 3].map((number) => `${root}/lv0/features/00000${number}.geojsonl.gz`);
  assert.ok(first && third);
  assertNamed(await findingsWith(third, (path) => cpSync(join(many, first), path), many), [third], 'first for third');
  for (const [from, problem] of [
    [join(other, 'releases/other/lv2/manifest.json'), /^belongs to release other level 2, expected r1 level 2$/],
    [join(good, root, 'lv3/manifest.json'), /^belongs to release r1 level 3, expected r1 level 2$/],
  ] as const)
    assertSome(await findingsWith(`${root}/lv2/manifest.json`, (path) => cpSync(from, path)), problem);
});

test('what is not part of the release is named: other files anywhere, and pages that it does not store', async () => {
  const foreign = [
    ...['.hidden', 'lv0/features/000002.geojsonl.gz', 'lv0/geojsonl/z', 'lv0/index.bin.bak', 'lv0/manifest.json.bak'],
    ...['lv1/fc/gid-0/AAA/000002.json.gz', 'lv5/features/000001.geojsonl.gz', 'lv7/y', 'x'],
  ];
  const withForeign = copyOf(good);
  for (const path of foreign) {
    mkdirSync(dirname(join(withForeign, root, path)), { recursive: true });
    writeFileSync(join(withForeign, root, path), 'more');
  }
  for (const [own, more] of [
    [good, withForeign],
    [releases.unfiltered, good],
    [releases.none, good],
  ] as const) {
    const addAll = (out: string): void => cpSync(join(more, root), join(out, root), { recursive: true, force: false });
    const extra = filesOf(more).filter((path) => !filesOf(own).includes(path));
    assert.ok(extra.length > 0);
    const expected = extra.map((path) => ({ path, problem: 'is not part of this release' }));
    assert.deepEqual(await findingsOf(own, addAll), expected);
  }
});

test('without a manifest or an index the other files of its level are not blamed, but those that are damaged, too', async () => {
  const level = (...paths: string[]): string[] => paths.map((path) => `${root}/lv2/${path}`);
  const [page, lines, features] = [
    'fc/all/000001.json.gz',
    'geojsonl/all/000001.geojsonl.gz',
    'features/000001.geojsonl.gz',
  ];
  for (const [removed, grown] of [
    [level('manifest.json', lines, features), level(page, 'index.bin')],
    [level('index.bin'), level(page, features)],
  ] as const) {
    const findings = await findingsOf(good, (out) => {
      for (const file of removed) rmSync(join(out, file));
      for (const file of grown) appendFileSync(join(out, file), 'x');
    });
    assertNamed(findings, [...removed, ...grown], `${removed.length} missing`);
  }
});

test('a line of checksums.txt that is gone, twice, out of order or for nothing: checksums.txt is named, and why', async () => {
  const file = `${root}/checksums.txt`;
  const lines = readFileSync(join(good, file), 'utf8').trimEnd().split('\n');
  const zeros = '0'.repeat(64);
  const [features0, features1] = [0, 1].map((level) => `lv${level}/features/000001.geojsonl.gz`);
  const cases: [string[], RegExp][] = [
    [lines.slice(1), /^has no line for lv0\/alone\/000001\.bin$/],
    [[lines[0] ?? '', ...lines], /^line 2: .* follows /],
    [lines.toReversed(), /^line 2: .* paths must ascend$/],
    [[...lines, `${zeros}  x`], /^lists x, which is not part of this release$/],
    [lines.map((line) => line.replace('  lv1/manifest', ' *lv1/manifest')), /^line \d+ is ".*expected a SHA-256/],
    [lines.filter((line) => !line.endsWith(`  ${features0}`)), new RegExp(`^has no line for ${features0}$`)],
    ...['lv1/index.bin', features1, 'lv1/manifest.json'].map((path): [string[], RegExp] => [
      lines.map((line) => (line.endsWith(`  ${path}`) ? `${zeros}  ${path}` : line)),
      new RegExp(`^has 0+ for ${path}, which is`),
    ]),
  ];
  for (const [changed, problem] of cases) {
    const findings = await findingsWith(file, (path) => writeFileSync(path, `${changed.join('\n')}\n`));
    assertNamed(findings, [file], String(problem));
    assertSome(findings, problem);
  }
});

test('a release in a folder of another name, one that is not there, and ids that are none', async () => {
  const renamed = (out: string): void => renameSync(join(out, root), join(out, 'releases/r2'));
  const findings = await findingsOf(good, renamed, { release: 'r2' });
  assertSome(findings, /^is of release r1, expected r2$/);
  for (const release of ['r9', '../good', ''])
    await assert.rejects(verify({ out: good, release, workers: 0 }, SILENT), { message: /no such release/ });
  const gone = await findingsOf(good, (out) => rmSync(join(out, root), { recursive: true }));
  assert.deepEqual(gone, [{ path: 'current.json', problem: 'lists r1, which does not exist' }]);
});

test('a digest in current.json that is not that of release.json is named: the proxy would refuse the release', async () => {
  const findings = await findingsWith('current.json', (path, bytes) =>
    writeFileSync(path, bytes.toString().replace(/[0-9a-f]{64}/, '0'.repeat(64))),
  );
  assertNamed(findings, ['current.json'], 'its digest');
  assertSome(findings, /^has the SHA-256 0{64} for releases\/r1\/release\.json, which is [0-9a-f]{64}$/);
});

test('all faults are reported in one go, and of a file with many the first few', async () => {
  const grown = files.filter((file) => file !== 'current.json');
  const findings = await findingsOf(good, (out) => {
    for (const file of grown) appendFileSync(join(out, file), 'x');
  });
  assertNamed(findings, grown, 'all grown');
  const none = await findingsWith(`${root}/checksums.txt`, (path) => writeFileSync(path, ''));
  assert.deepEqual(none.at(-1), { path: `${root}/checksums.txt`, problem: `and ${files.length - 5} more problems` });
});

test('the command says which files to copy again, or how current.json is written anew', async () => {
  const out = copyOf(good);
  const lines = async (...release: string[]): Promise<string[]> => {
    const { stdout } = await typed('generator', ['verify', '--out', out, ...release, '--workers', '0']);
    return stdout.trimEnd().split('\n');
  };
  const told = async (): Promise<string | undefined> => (await lines('--release', 'r1')).at(-1);
  assert.match((await told()) ?? '', /0 findings$/);
  const [cells = '', first = '', second = ''] = ['cells.bin', 'alone/000001.bin', 'features/000001.geojsonl.gz'].map(
    (path) => `${root}/lv1/${path}`,
  );
  const again =
    'again from where they are intact, or build the release again from its source with its options, which replaces what is damaged';
  truncateSync(join(out, cells), 1);
  const one = await lines('--release', 'r1');
  assert.match(one.at(-2) ?? '', /, 1 finding$/);
  assert.equal(one.at(-1), `copy ${cells} ${again}; then verify again`);
  for (const file of [first, second]) truncateSync(join(out, file), 1);
  assert.equal(await told(), `copy ${first} and 2 other files ${again}; then verify again`);
  writeFileSync(join(out, root, 'foreign'), '');
  assert.equal(await told(), `copy ${first} and 2 other files ${again}; then verify again`);
  writeFileSync(join(out, 'current.json'), '{}');
  assert.equal((await lines()).at(-1), `current.json is written anew by activate: run activate <release> --out ${out}`);
});
