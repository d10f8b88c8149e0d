// The output folder under its operator: one builder at a time, releases that never change; building again repairs, and
// nothing that was not published is activated or signed. What is done in which order is in manage-model.test.ts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKSUMS_FILE, CURRENT_MAX_BYTES, CURRENT_PATH, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { FORMAT_VERSION } from '../../../format/version.ts';
import { build } from '../../../generator/build.ts';
import { releaseTable } from '../../../generator/cli/tables.ts';
import { activateRelease, listReleases, pruneReleases } from '../../../generator/release/manage.ts';
import { type Lock, takeLock } from '../../../generator/release/output-lock.ts';
import { signRelease } from '../../../generator/release/sign.ts';
import { publishedReleases, readCurrent, withdraw } from '../../../generator/release/staging.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { countryRow } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf, filesUnder, sha256 } from '../../support/files.ts';
import { buildOptions, buildRelease, ONE_OTHER } from '../../support/releases/build-release.ts';
import { assertPointsTo, pointTo } from '../../support/releases/point-to.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const oldSource = writeDataset(join(folder, 'old.gpkg'), 'GPKG', [countryRow(2)]);
const newSource = writeDataset(join(folder, 'new.gpkg'), 'GPKG', [countryRow(3)]);
// An output folder that serves `old`, and one in which `new` has been built after it.
const before = join(folder, 'before');
const newBuild = { release: 'new' };
await buildRelease(oldSource, before, { release: 'old' });
const reference = copyOf(before);
await buildRelease(newSource, reference, newBuild);
const expected = contentOf(reference);

const four = temporaryFolder();
for (const release of ['r1', 'r2', 'r3', 'r4']) await buildRelease(oldSource, four, { release });

const freshOutput = (): string => copyOf(before);

test('of two builders at once the second is refused and told who is writing; the first is not disturbed', async () => {
  const out = freshOutput();
  const refusal = { message: new RegExp(`process ${process.pid} is writing there`) };
  let refused = 0;
  const advance = (): void => {
    assert.throws(() => takeLock(out), refusal);
    refused++;
  };
  await build(buildOptions(newSource, out, newBuild), { ...SILENT, advance });
  assert.ok(refused > 0);
  assert.deepEqual(contentOf(out), expected);
  const lock = takeLock(out);
  await assert.rejects(buildRelease(oldSource, out, { release: 'other' }), refusal);
  lock.release();
  assert.deepEqual(contentOf(out), expected);
});

test('a build whose lock another process has taken publishes nothing, and leaves alone what that one writes', async () => {
  const out = freshOutput();
  const others = join(out, 'releases/.other.staging/release');
  let other: Lock | undefined;
  const takeOver = (): void => {
    if (other !== undefined) return;
    rmSync(join(out, 'releases/.lock'), { recursive: true });
    other = takeLock(out);
    mkdirSync(others, { recursive: true });
  };
  await assert.rejects(build(buildOptions(newSource, out, newBuild), { ...SILENT, advance: takeOver }), {
    message: /\.lock: another process has taken the lock$/,
    remedy: /two builds into one folder cannot run at once/,
  });
  other?.assertHeld();
  assert.ok(existsSync(others));
  assertPointsTo(out, 'old', ['old']);
  other?.release();
  await buildRelease(newSource, out, newBuild);
  assert.deepEqual(contentOf(out), expected);
});

test('a lock that a dead process has left counts for nothing, nor one from before a restart or of a reused process id', async () => {
  const out = freshOutput();
  const lock = join(out, 'releases/.lock');
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  const pidNamespace = existsSync('/proc/self/ns/pid') ? readlinkSync('/proc/self/ns/pid') : '';
  const dead = { token: 'x', host: hostname(), pidNamespace, pid: child.pid, boot: 'b', started: '1' };
  const leave = (holder: object): void => {
    mkdirSync(lock);
    writeFileSync(join(lock, 'holder.json'), JSON.stringify(holder));
  };
  for (const holder of [dead, { ...dead, pid: process.pid }, { ...dead, pid: 1 }]) {
    leave(holder);
    await activateRelease(out, 'old');
    assert.ok(!existsSync(lock));
  }
  leave({ ...dead, host: 'another.machine' });
  await assert.rejects(activateRelease(out, 'old'), {
    message: /on another\.machine is writing there/,
    remedy: /remove .*\.lock/,
  });
});

test('a release id that could name another folder, and what is no date, are refused before anything is read', async () => {
  const out = freshOutput();
  for (const release of ['..', 'a/b', '.x', ''])
    await assert.rejects(buildRelease('no such source', out, { release }), { message: /not a release id/ });
  await assert.rejects(buildRelease('no such source', out, { ...newBuild, date: '31.12.2026' }), {
    message: 'date 31.12.2026: not a date',
  });
  assert.deepEqual(contentOf(out), contentOf(before));
});

test('a release that is built again is compared at the end, of which the build tells at its beginning', async () => {
  const notes: string[] = [];
  const report = { ...SILENT, note: (text: string) => notes.push(text) };
  const other = buildOptions(oldSource, copyOf(reference), { ...newBuild, accept: ['fewer-units'] });
  await assert.rejects(build(other, report), { message: /releases\/new exists already, with other content/ });
  assert.match(notes.join(), /new is published already/);
});

test('list shows what there is, as many files as verify finds, and says which releases are hosted', async () => {
  const out = freshOutput();
  for (const [release, storedPages] of [
    ['b', 'all'],
    ['c', 'unfiltered'],
    ['review', 'none'],
  ] as const)
    await buildRelease(newSource, out, {
      release,
      ...ONE_OTHER,
      storedPages,
      tiles: 2,
      activate: release !== 'review',
    });
  const listed = listReleases(out);
  assert.deepEqual(
    listed.map(({ release, units, storedPages }) => `${release} ${units} ${storedPages}`),
    ['old 2 none', 'b 3 all', 'c 3 unfiltered', 'review 3 none'],
  );
  const table = releaseTable(listed).split('\n');
  assert.deepEqual(
    table.map((row) => / {2}(state|current|hosted|not hosted) {2}/.exec(row)?.[1]),
    ['state', 'hosted', 'hosted', 'current', 'not hosted'],
  );
  for (const { release, files, bytes = 0 } of listed) {
    const verified = await verify({ out, release, workers: 0 }, SILENT);
    const { length } = filesUnder(join(out, 'releases', release));
    assert.deepEqual([files, verified.files, verified.findings, bytes > 0], [length, length, [], true]);
  }
});

test('a release with a damaged release.json is listed as damaged; prune removes others and leaves it', async () => {
  const out = copyOf(four);
  const file = join(out, releasePath('r2'), RELEASE_FILE);
  writeFileSync(file, '{');
  const listed = listReleases(out).toSorted((a, b) => (a.release < b.release ? -1 : 1));
  const said = listed.map(({ release, units, damage }) => `${release} ${units} ${damage}`);
  assert.deepEqual(said, ['r1 2 undefined', `r2 undefined ${file}: is not JSON`, 'r3 2 undefined', 'r4 2 undefined']);
  const table = releaseTable(listed).split('\n');
  assert.match(table[2] ?? '', /^r2 .* hosted, damaged /);
  assert.equal(table.at(-1), `damaged: ${file}: is not JSON`);
  assert.deepEqual(await pruneReleases(out, 1), ['r3', 'r1']);
  assert.deepEqual(publishedReleases(out).toSorted(), ['r2', 'r4']);
});

test('building a release again replaces the files that are missing or damaged, and no other one', async () => {
  const folder = copyOf(four);
  const expected = contentOf(folder);
  const root = join(folder, releasePath('r4'));
  rmSync(join(root, 'lv1/names.jsonl.gz'));
  rmSync(join(root, 'lv0/features'), { recursive: true });
  const index = join(root, 'lv0/index.bin');
  writeFileSync(index, readFileSync(index).fill(0, 100, 110));
  await buildRelease(oldSource, folder, { release: 'r4' });
  assert.deepEqual(contentOf(folder), expected);
});

test('building a release again mends its release.json and checksums.txt, whatever is left of them', async () => {
  const expected = contentOf(four);
  const damages: Record<string, (root: string) => void> = {
    'half a release.json': (root) => writeFileSync(join(root, RELEASE_FILE), '{"version":'),
    'no release.json': (root) => rmSync(join(root, RELEASE_FILE)),
    'another number': (root) => {
      const file = join(root, RELEASE_FILE);
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"sequence":\s*2/, '"sequence":7'));
    },
    'the highest number': (root) => {
      const file = join(root, RELEASE_FILE);
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace(/"sequence":\s*2/, `"sequence":${Number.MAX_SAFE_INTEGER}`));
    },
    'half a checksums.txt': (root) => writeFileSync(join(root, CHECKSUMS_FILE), 'abc'),
    'no checksums.txt': (root) => rmSync(join(root, CHECKSUMS_FILE)),
    'half of both': (root) => {
      writeFileSync(join(root, RELEASE_FILE), '{"version":');
      writeFileSync(join(root, CHECKSUMS_FILE), 'abc');
    },
    'neither of them': (root) => {
      rmSync(join(root, RELEASE_FILE));
      rmSync(join(root, CHECKSUMS_FILE));
    },
    'no folder, but its digest in current.json': (root) => rmSync(root, { recursive: true }),
  };
  for (const [what, damage] of Object.entries(damages)) {
    const out = copyOf(four);
    damage(join(out, releasePath('r2')));
    assert.notDeepEqual(contentOf(out), expected, what);
    await buildRelease(oldSource, out, { release: 'r2', activate: false });
    assert.deepEqual(contentOf(out), expected, what);
    await assert.rejects(buildRelease(newSource, out, { release: 'r2', activate: false }), {
      message: /r2 exists already, with other content/,
    });
  }
});

test('of a release whose release.json and checksums.txt are both damaged, nothing else is taken for it', async () => {
  const out = copyOf(four);
  const root = join(out, releasePath('r2'));
  for (const file of [RELEASE_FILE, CHECKSUMS_FILE]) writeFileSync(join(root, file), 'abc');
  const refused = { message: /r2 exists already, with other content/ };
  const before = contentOf(root);
  await assert.rejects(buildRelease(newSource, out, { release: 'r2', activate: false }), refused);
  rmSync(join(out, CURRENT_PATH));
  await assert.rejects(buildRelease(oldSource, out, { release: 'r2', activate: false }), refused);
  assert.deepEqual(contentOf(root), before);
});

test('a release.json with the highest number is named to a build of another release, which needs a higher one', async () => {
  const out = copyOf(four);
  const file = join(out, releasePath('r2'), RELEASE_FILE);
  const published = readFileSync(file, 'utf8');
  writeFileSync(file, published.replace(/"sequence": ?\d+/, `"sequence":${Number.MAX_SAFE_INTEGER}`));
  await assert.rejects(buildRelease(newSource, out, { release: 'r5', activate: false }), {
    message: /^releases\/r2\/release\.json: sequence is 9007199254740991, /,
    remedy: /^the file is damaged: build the release again .*; or remove that release$/,
  });
  // As it says.
  await buildRelease(oldSource, out, { release: 'r2', activate: false });
  assert.equal(readFileSync(file, 'utf8'), published);
});

test('where a folder was removed and another release built with its id, that one is served once it is built to be', async () => {
  const out = copyOf(four);
  rmSync(join(out, releasePath('r2')), { recursive: true });
  await buildRelease(newSource, out, { release: 'r2', activate: false });
  await assert.rejects(activateRelease(out, 'r2'), {
    message: /r2\/release\.json: its SHA-256 is .*, current\.json has .*: it is not what was published$/,
    remedy:
      'restore the file; or, if its folder was removed and the release built again, build it once more without --no-activate, which compares all files; or build it under another id',
  });
  await buildRelease(newSource, out, { release: 'r2' });
  assertPointsTo(out, 'r2', ['r1', 'r2', 'r3', 'r4']);
  await activateRelease(out, 'r2');
});

test('a release.json that is not what was published is neither activated nor signed, even where checksums.txt agrees with it', async () => {
  for (const agrees of [false, true]) {
    const folder = copyOf(four);
    const root = join(folder, releasePath('r3'));
    const [file, sums] = [join(root, RELEASE_FILE), join(root, CHECKSUMS_FILE)];
    const changed = readFileSync(file, 'utf8').replace(/"attribution": ?\[\]/, '"attribution":["somebody"]');
    const before = sha256(readFileSync(file));
    writeFileSync(file, changed);
    assert.notEqual(sha256(changed), before);
    if (agrees) writeFileSync(sums, readFileSync(sums, 'utf8').replace(before, sha256(changed)));
    const refused = { name: 'BuildError', message: /release\.json: its SHA-256 is .* it is not what was published$/ };
    await assert.rejects(activateRelease(folder, 'r3'), refused);
    await assert.rejects(signRelease(folder, 'r3', generateKeyPairSync('ed25519').privateKey), refused);
  }
});

test('a current.json that proxies would not read is not written', async () => {
  const out = copyOf(reference);
  const ids = Array.from({ length: 320 }, (_, i) => `r${i}${'x'.repeat(60)}`);
  for (const id of ids) {
    mkdirSync(join(out, releasePath(id)));
    // Whatever it is: only its digest counts.
    writeFileSync(join(out, releasePath(id), RELEASE_FILE), `{"version":${FORMAT_VERSION}}`);
  }
  pointTo(out, 'new', ['old', 'new', ...ids]);
  const pointer = readFileSync(join(out, CURRENT_PATH));
  assert.ok(pointer.length > CURRENT_MAX_BYTES);
  await assert.rejects(activateRelease(out, 'old'), {
    message: /^.*current\.json would have \d{5} bytes with its 322 releases; proxies read at most 65536$/,
    remedy: 'remove old releases: prune --keep 161; then activate old',
  });
  assert.deepEqual(readFileSync(join(out, CURRENT_PATH)), pointer);
  await withdraw(out, ids.slice(100));
  await activateRelease(out, 'old');
  assert.equal(readCurrent(out)?.release, 'old');
});
