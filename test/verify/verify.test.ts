// Damage of every kind to a release's files: `verify` names the very file, and no other.
import assert from 'node:assert/strict';
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
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeCells } from '../../format/cells.ts';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { GEOMETRIES, STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import type { Report } from '../../generator/report/progress.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { type VerifyOptions, verify } from '../../generator/verify/verify.ts';
import { countryLayers, writeCountries } from '../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { filesUnder, sha256 } from '../support/files.ts';
import { runGenerator } from '../support/processes/run-generator.ts';
import { buildRelease, ONE_OTHER } from '../support/releases/build-release.ts';
import { buildSynthetic } from '../support/releases/build-synthetic.ts';
import { readIndex } from '../support/releases/read-index.ts';
import { resealRelease, summaryOf } from '../support/releases/reseal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
await buildSynthetic(synthetic, 60, other, { release: 'other' });
const root = 'releases/r1';
const files = filesOf(good);
const featureFiles = files.filter((file) => /\/(features|alone)\//.test(file));
const indexes = files.filter((file) => file.endsWith('index.bin'));
const pages = files.filter((file) => /\/(geojsonl|fc)\//.test(file));

/** The files of the release in an output folder, and current.json. */
function filesOf(out: string): string[] {
  return ['current.json', ...filesUnder(join(out, root)).map((file) => `${root}/${file}`)];
}

/** What `verify` finds in a fresh copy of the good release once `damage` is done to it. */
async function faultsOf(damage: (out: string) => void, options: Partial<VerifyOptions> = {}, from = good) {
  const out = join(folder, 'damaged');
  rmSync(out, { recursive: true, force: true });
  cpSync(from, out, { recursive: true });
  damage(out);
  return (await verify({ out, workers: 0, ...options }, SILENT)).findings;
}

/** Damages a file; `bytes` is a copy of its content. */
type Damage = (path: string, bytes: Buffer) => void;

const spoilt = join(folder, 'spoilt');
cpSync(good, spoilt, { recursive: true });

/** The same where `damage` is done to one file: only that one is put back, in a tenth of the time. */
async function faultsWith(file: string, damage: Damage) {
  const path = join(spoilt, file);
  const bytes = readFileSync(path);
  damage(path, Buffer.from(bytes));
  const { findings: faults } = await verify({ out: spoilt, workers: 0 }, SILENT);
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, bytes);
  return faults;
}

/** That of all files exactly these are named. */
function assertNamed(faults: readonly { path: string }[], expected: readonly string[], what: string): void {
  assert.deepEqual(
    [...new Set(faults.map(({ path }) => path))],
    [...expected].sort(),
    `${what}: ${JSON.stringify(faults)}`,
  );
}

/** Of release.json and its line in checksums.txt either may have been changed: then both are named. */
function assertNamesIt(faults: readonly { path: string }[], file: string, what: string): void {
  const pair = [`${root}/checksums.txt`, `${root}/release.json`];
  const both = pair.includes(file) && pair.every((one) => faults.some(({ path }) => path === one));
  assertNamed(faults, both ? pair : [file], what);
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
    const named = await verify({ out, release: 'r1', source: { source: [source] }, workers: 0 }, SILENT);
    assert.deepEqual(named, found);
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
  const page = 'releases/other/lv5/fc/all/000001.json.gz';
  const bytes = readFileSync(join(other, page));
  writeFileSync(join(other, page), Buffer.concat([bytes.subarray(0, -1), Buffer.of(~(bytes.at(-1) ?? 0))]));
  const options = { out: other, source: { source: [synthetic] } };
  const found = await verify({ ...options, workers: 2 }, report);
  assert.deepEqual(found, await verify({ ...options, workers: 0 }, SILENT));
  assertNamed(found.findings, [page], 'one byte');
  assert.deepEqual(Object.fromEntries(counts), {
    'features verified, expected': found.features * GEOMETRIES.length,
    'features verified': found.features * GEOMETRIES.length,
    'pages verified, expected': found.pages,
    'pages verified': found.pages,
    'features compared, expected': found.features,
    'features compared': found.features,
    ends: 1,
  });
});

/** Flips a bit of the byte at a share of a file. */
const flipped =
  (share: number, bit: number): Damage =>
  (path, bytes) => {
    const at = Math.round((bytes.length - 1) * share);
    bytes[at] = (bytes[at] ?? 0) ^ bit;
    writeFileSync(path, bytes);
  };

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

/** Damage of content, which a file without bytes cannot have, and damage that takes the file away. */
const CHANGES: [what: string, damage: Damage][] = [
  ...[0x01, 0x20, 0x80, 0x01, 0x20, 0x80, 0x01].map((bit, i): [string, Damage] => [`${i} / 6`, flipped(i / 6, bit)]),
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
  let tried = 0;
  for (const file of files) {
    // The indexes of levels without features have no bytes.
    const changes = readFileSync(join(good, file)).length > 0 ? CHANGES : CHANGES.slice(-1);
    for (const [what, damage] of changes) assertNamesIt(await faultsWith(file, damage), file, `${file} ${what}`);
    // No release depends on whether current.json is a link.
    const replacements = REPLACEMENTS.filter(([, damage]) => file !== 'current.json' || damage !== linked);
    for (const [what, damage] of replacements) assertNamed(await faultsWith(file, damage), [file], `${file} ${what}`);
    tried += changes.length + replacements.length;
  }
  assert.ok(tried > 450, `${tried} kinds of damage`);
});

test('two pages swapped: both are named', async () => {
  const contents = new Map(pages.map((page) => [page, readFileSync(join(good, page), 'base64')]));
  let tried = 0;
  for (const [i, page] of pages.entries()) {
    const twin = pages[(i + 3) % pages.length] ?? page;
    if (i % 3 !== 0) continue;
    if (contents.get(page) === contents.get(twin)) continue;
    const faults = await faultsOf((out) => {
      cpSync(join(good, page), join(out, twin));
      cpSync(join(good, twin), join(out, page));
    });
    assertNamed(faults, [page, twin], `${page} and ${twin}`);
    tried++;
  }
  assert.ok(tried > 4, `${tried} pairs`);
  const [a = '', b = ''] = ['AAA', 'BBB'].map((gid) => `${root}/lv1/geojsonl/gid-0/${gid}/000001.geojsonl.gz`);
  const faults = await faultsOf((out) => cpSync(join(good, b), join(out, a)));
  assert.deepEqual(
    faults.map(({ path, problem }) => [path, problem.replaceAll(/\d+/g, 'n')]),
    [[a, 'is n bytes long, expected n']],
  );
});

test('a byte flipped in each feature: its file is named, and the fid; around the features or in the index: that file', async () => {
  let tried = 0;
  const withFlip = (file: string, at: number) =>
    faultsWith(file, (path, bytes) => flipped(at / (bytes.length - 1), 1)(path, bytes));
  for (const level of [0, 1, 2] as const) {
    const [file, index] = [`${root}/lv${level}/features/000001.geojsonl.gz`, `${root}/lv${level}/index.bin`];
    let start = MEMBER_HEADER.length;
    const table = readIndex(join(good, root), level);
    for (let position = 0; position < table.features; position++)
      for (const data of new Set([table.chained, table.aloneAt(position)])) {
        const path = data === table.alone ? `${root}/lv${level}/alone/000001.bin` : file;
        const [first, end] = [data.offsetAt(position), data.offsetAt(position) + data.bytes(position, position + 1)];
        const what = data === table.aloneAt(position) ? 'digest' : 'CRC-32';
        const problem = `fid ${position + 1}: bytes ${first} to ${end - 1} do not have the ${what} in the index`;
        for (const at of [first, (first + end) >> 1, end - 1]) {
          assert.deepEqual(await withFlip(path, at), [{ path, problem }]);
          tried++;
        }
        if (path === file) start = end;
      }
    for (const [at, what] of [
      [0, 'gzip header'],
      [start + 1, 'final block with the gzip trailer'],
      [start + 3, 'final block with the gzip trailer'],
      [start + 9, 'final block with the gzip trailer'],
    ] as const) {
      const faults = await withFlip(file, at);
      assertNamed(faults, [file], `${file}, byte ${at}`);
      assert.match(faults[0]?.problem ?? '', new RegExp(`^its ${what} is [0-9a-f]+, expected [0-9a-f]+$`));
    }
    const bytes = readFileSync(join(good, index)).length;
    for (let at = level; at < bytes; at += 11, tried++)
      assertNamed(await withFlip(index, at), [index], `${index}, byte ${at}`);
  }
  assert.ok(tried > 9 * 3 + 60, `${tried} flips`);
});

test('two features of a file swapped: the file is named, with the fids in whose place they are not', async () => {
  const file = `${root}/lv2/features/000001.geojsonl.gz`;
  const { chained, features: count } = readIndex(join(good, root), 2);
  const bytes = readFileSync(join(good, file));
  const features = Array.from({ length: count }, (_, p) =>
    bytes.subarray(chained.offsetAt(p)).subarray(0, chained.bytes(p, p + 1)),
  );
  for (const [a, b] of [
    [0, 1],
    [0, 3],
    [2, 3],
  ] as const) {
    const [one, two] = [features[a], features[b]];
    assert.ok(one && two);
    const swapped = features.with(a, two).with(b, one);
    const faults = await faultsWith(file, (path) =>
      writeFileSync(
        path,
        Buffer.concat([bytes.subarray(0, chained.offsetAt(0)), ...swapped, bytes.subarray(chained.offsetAt(count))]),
      ),
    );
    assertNamed(faults, [file], `${a} and ${b}`);
    const fids = faults.map(({ problem }) => Number(/^fid (\d+): bytes/.exec(problem)?.[1]));
    assert.ok(fids.includes(a + 1), String(fids));
  }
});

test('feature files and indexes of another level or release, and of each other: just those are named', async () => {
  const held = [...featureFiles, ...indexes.slice(0, 3)];
  for (const file of held) {
    for (const elsewhere of [...held, ...held.map((path) => path.replace(root, 'releases/other'))]) {
      if (elsewhere === file) continue;
      const bytes = readFileSync(join(elsewhere.startsWith(root) ? good : other, elsewhere));
      // A square is its own simplification.
      if (bytes.equals(readFileSync(join(good, file)))) continue;
      const faults = await faultsWith(file, (path) => writeFileSync(path, bytes));
      assertNamed(faults, [file], `${file} from ${elsewhere}`);
    }
  }
});

test('a level of several feature files: two of them swapped, one cut short, one missing, by any number of workers', async () => {
  const features = Array.from({ length: 250 }, (_, i) => ({
    fid: 3 * i,
    values: [`A${i}`, 'x'],
    wkt: square(i / 2, 0),
  }));
  const [countries] = countryLayers();
  assert.ok(countries);
  const from = join(folder, 'many');
  const many = writeDataset(join(folder, 'many.gpkg'), 'GPKG', [{ ...countries, features }]);
  await buildRelease(many, from, { storedPages: 'unfiltered' });
  const [first, second, third] = [1, 2, 3].map((n) => `${root}/lv0/features/00000${n}.geojsonl.gz`);
  assert.ok(first && second && third);
  const cases: [damage: (out: string) => void, named: string[], problem: RegExp][] = [
    [
      (out) => {
        renameSync(join(out, first), join(out, 'x'));
        renameSync(join(out, second), join(out, first));
        renameSync(join(out, 'x'), join(out, second));
      },
      [first, second],
      /^(is \d+ bytes long, expected \d+|fid 0: bytes 10 to \d+ do not have the digest in the index)$/,
    ],
    [(out) => truncateSync(join(out, third), 5000), [third], /^is 5000 bytes long, expected \d+$/],
    [(out) => rmSync(join(out, second)), [second], /^is missing$/],
    [
      (out) => flipped(1, 1)(join(out, second), readFileSync(join(out, second))),
      [second],
      /^its final block with the gzip trailer is [0-9a-f]+, expected [0-9a-f]+$/,
    ],
  ];
  for (const workers of [0, 2])
    for (const [damage, named, problem] of cases) {
      const faults = await faultsOf(damage, { workers, source: { source: [many] } }, from);
      assertNamed(faults, named, String(problem));
      assert.match(faults[0]?.problem ?? '', problem);
    }
});

test('pages that another release of the same features stores are not part of this one', async () => {
  for (const storedPages of ['unfiltered', 'none'] as const) {
    const from = releases[storedPages];
    const own = filesOf(from);
    const extra = files.filter((file) => !own.includes(file));
    assert.ok(extra.length > 0);
    const faults = await faultsOf(
      (out) => cpSync(join(good, root), join(out, root), { recursive: true, force: false }),
      {},
      from,
    );
    assert.deepEqual(
      faults,
      extra.map((path) => ({ path, problem: 'is not part of this release' })),
    );
    for (const file of own.filter((path) => path.endsWith('.gz')))
      assertNamed(await faultsOf((out) => rmSync(join(out, file)), {}, from), [file], `${file} missing`);
  }
});

test('files that do not belong to the release are named, wherever they are and whatever they are called', async () => {
  for (const file of [
    'x',
    '.hidden',
    'lv0/manifest.json.bak',
    'lv1/fc/gid-0/AAA/000002.json.gz',
    'lv7/y',
    'lv0/geojsonl/z',
    'lv0/features/000002.geojsonl.gz',
    'lv5/features/000001.geojsonl.gz',
    'lv0/index.bin.bak',
  ]) {
    const faults = await faultsOf((out) => {
      mkdirSync(join(out, root, file, '..'), { recursive: true });
      writeFileSync(join(out, root, file), 'more');
    });
    assert.deepEqual(faults, [{ path: `${root}/${file}`, problem: 'is not part of this release' }]);
  }
});

test('a manifest of another release or of another level: it is named, and the other files of its level are not blamed', async () => {
  const manifestOf = (level: number): string => `${root}/lv${level}/manifest.json`;
  for (const level of [0, 1, 2, 3, 4, 5]) {
    const file = manifestOf(level);
    const foreign = await faultsWith(file, (path) => cpSync(join(other, file.replace(root, 'releases/other')), path));
    assertNamed(foreign, [file], `${file} of another release`);
    assert.ok(
      foreign.some(({ problem }) => problem.startsWith(`belongs to release other level ${level}, expected r1`)),
    );
    const shifted = await faultsWith(file, (path) => cpSync(join(good, manifestOf((level + 1) % 6)), path));
    assertNamed(shifted, [file], `${file} of another level`);
  }
  const page = `${root}/lv2/fc/all/000001.json.gz`;
  const faults = await faultsOf((out) => {
    rmSync(join(out, root, 'lv2/manifest.json'));
    appendFileSync(join(out, page), 'x');
    rmSync(join(out, `${root}/lv2/geojsonl/all/000001.geojsonl.gz`));
    appendFileSync(join(out, root, 'lv2/index.bin'), 'x');
    rmSync(join(out, root, 'lv2/features/000001.geojsonl.gz'));
  });
  const others = ['geojsonl/all/000001.geojsonl.gz', 'index.bin', 'features/000001.geojsonl.gz'];
  assertNamed(
    faults,
    [`${root}/lv2/manifest.json`, page, ...others.map((path) => `${root}/lv2/${path}`)],
    'five of one level',
  );
  const unindexed = await faultsOf((out) => {
    rmSync(join(out, root, 'lv2/index.bin'));
    appendFileSync(join(out, page), 'x');
    appendFileSync(join(out, root, 'lv2/features/000001.geojsonl.gz'), 'x');
  });
  assertNamed(
    unindexed,
    [`${root}/lv2/index.bin`, page, `${root}/lv2/features/000001.geojsonl.gz`],
    'three of a level without an index',
  );
});

test('cells that are damaged, cut, gone or those of another level: just that file is named', async () => {
  const file = `${root}/lv1/cells.bin`;
  const damages: Record<string, Damage> = {
    'a flipped bit': (path, bytes) => {
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      writeFileSync(path, bytes);
    },
    'cut short': (path, bytes) => writeFileSync(path, bytes.subarray(0, -1)),
    gone: (path) => rmSync(path),
    'those of another level': (path) => writeFileSync(path, readFileSync(join(good, root, 'lv0/cells.bin'))),
  };
  for (const [what, damage] of Object.entries(damages)) assertNamed(await faultsWith(file, damage), [file], what);
});

test('cells that contradict their directory or release.json, whatever the digests say', async () => {
  const path = `${root}/lv1/cells.bin`;
  const intact = readFileSync(join(good, path));
  const { bytes: length } = decodeCells(intact, path);
  const flipped = (at: number): Buffer => {
    const bytes = Buffer.from(intact);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  };
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
    const faults = await faultsOf((out) => {
      writeFileSync(join(out, path), bytes);
      resealRelease(join(out, root), (release) => {
        const described = { bytes: directory.length, sha256: sha256(directory) };
        const cells = { bytes: bytes.length, sha256: sha256(bytes), directory: described };
        return { ...release, levels: release.levels.with(1, { ...summaryOf(release, 1), cells }) };
      });
    });
    assertNamed(faults, [path], problem.source);
    assert.match(faults[0]?.problem ?? '', problem);
  }
});

test('a line of checksums.txt that is gone, twice, out of order or for nothing: checksums.txt is named, and why', async () => {
  const file = `${root}/checksums.txt`;
  const lines = readFileSync(join(good, file), 'utf8').trimEnd().split('\n');
  const cases: [string[], RegExp][] = [
    [lines.slice(1), /^has no line for lv0\/alone\/000001\.bin$/],
    [[lines[0] ?? '', ...lines], /^line 2: .* follows /],
    [lines.toReversed(), /^line 2: .* paths must ascend$/],
    [[...lines, `${'0'.repeat(64)}  x`], /^lists x, which is not part of this release$/],
    [lines.map((line) => line.replace('  lv1/manifest', ' *lv1/manifest')), /^line \d+ is ".*expected a SHA-256/],
    [
      lines.filter((line) => !line.endsWith('features/000001.geojsonl.gz')),
      /^has no line for lv0\/features\/000001\.geojsonl\.gz$/,
    ],
    ...['lv1/index.bin', 'lv1/features/000001.geojsonl.gz'].map((path): [string[], RegExp] => [
      lines.map((line) => (line.endsWith(path) ? `${'0'.repeat(64)}  ${path}` : line)),
      new RegExp(`^has 0+ for ${path}, which is`),
    ]),
    [
      lines.map((line) => (line.endsWith('lv1/manifest.json') ? `${'0'.repeat(64)}  lv1/manifest.json` : line)),
      /^has 0+ for lv1\/manifest\.json, which is/,
    ],
  ];
  for (const [changed, problem] of cases) {
    const faults = await faultsWith(file, (path) => writeFileSync(path, `${changed.join('\n')}\n`));
    assertNamed(faults, [file], String(problem));
    assert.ok(
      faults.some((fault) => problem.test(fault.problem)),
      JSON.stringify(faults),
    );
  }
});

test('a release in a folder of another name, one that is not there, and ids that are none', async () => {
  const faults = await faultsOf((out) => renameSync(join(out, root), join(out, 'releases/r2')), { release: 'r2' });
  assert.ok(
    faults.some(
      ({ path, problem }) => path === 'releases/r2/release.json' && problem === 'is of release r1, expected r2',
    ),
  );
  for (const release of ['r9', '../good', '']) {
    await assert.rejects(verify({ out: good, release, workers: 0 }, SILENT), { message: /no such release/ });
  }
  const gone = await faultsOf((out) => rmSync(join(out, root), { recursive: true }));
  assert.deepEqual(gone, [{ path: 'current.json', problem: 'lists r1, which does not exist' }]);
});

test('a digest in current.json that is not that of release.json is named: the proxy would refuse the release', async () => {
  const faults = await faultsOf((out) => {
    const file = join(out, 'current.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/[0-9a-f]{64}/, '0'.repeat(64)));
  });
  assert.deepEqual(
    faults.map(({ path, problem }) => [path, problem.replaceAll(/[0-9a-f]{64}/g, 'SUM')]),
    [['current.json', 'has the SHA-256 SUM for releases/r1/release.json, which is SUM']],
  );
});

test('all faults are reported in one go, and of a file with many the first few', async () => {
  const faults = await faultsOf((out) => {
    for (const file of files) if (file !== 'current.json') appendFileSync(join(out, file), 'x');
  });
  assert.equal(new Set(faults.map(({ path }) => path)).size, files.length - 1);
  const none = await faultsOf((out) => writeFileSync(join(out, root, 'checksums.txt'), ''));
  assert.deepEqual(none.at(-1), { path: `${root}/checksums.txt`, problem: `and ${files.length - 5} more problems` });
});

test('the command says which files to copy again, or how current.json is written anew', () => {
  const out = join(folder, 'told');
  cpSync(good, out, { recursive: true });
  const told = (): string | undefined =>
    runGenerator(['verify', '--out', out, '--release', 'r1', '--workers', '0']).stdout.split('\n').at(-2);
  assert.match(told() ?? '', /0 findings$/);
  for (const file of files.filter((one) => one.endsWith('lv1/cells.bin'))) truncateSync(join(out, file), 1);
  const { stdout: one } = runGenerator(['verify', '--out', out, '--release', 'r1', '--workers', '0']);
  assert.match(one, /, 1 finding\n/);
  const [first = '', second = ''] = featureFiles;
  const again = 'again from where they are intact, or build the release again under another id';
  assert.equal(told(), `copy ${root}/lv1/cells.bin ${again}; then verify again`);
  for (const file of [first, second]) truncateSync(join(out, file), 1);
  assert.equal(told(), `copy ${first} and 2 other files ${again}; then verify again`);
  writeFileSync(join(out, root, 'foreign'), '');
  assert.equal(told(), `copy ${first} and 2 other files ${again}; then verify again`);
  writeFileSync(join(out, 'current.json'), '{}');
  const { stdout } = runGenerator(['verify', '--out', out, '--workers', '0']);
  assert.match(stdout, /\ncurrent\.json is written anew by activate: run activate <release> --out .*told\n$/);
});
