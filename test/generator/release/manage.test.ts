// The output folder under its operator: one builder at a time, releases that never change, activate, list and prune;
// building again repairs, and nothing that was not published is activated or signed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKSUMS_FILE, CURRENT_MAX_BYTES, CURRENT_PATH, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { FORMAT_VERSION } from '../../../format/version.ts';
import { build } from '../../../generator/build.ts';
import { releaseTable } from '../../../generator/cli/tables.ts';
import { activateRelease, listReleases, pruneReleases, removeRelease } from '../../../generator/release/manage.ts';
import { type Lock, takeLock } from '../../../generator/release/output-lock.ts';
import { signRelease } from '../../../generator/release/sign.ts';
import { publishedReleases, withdraw } from '../../../generator/release/staging.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { countryRow } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf, filesUnder, sha256, sha256Of } from '../../support/files.ts';
import { buildOptions, buildRelease, ONE_OTHER } from '../../support/releases/build-release.ts';
import { pointTo } from '../../support/releases/point-to.ts';
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

function currentIn(out: string) {
  return JSON.parse(readFileSync(join(out, 'current.json'), 'utf8'));
}

function pointerTo(out: string, release: string, hosted: readonly string[]) {
  const digests = hosted.map((id) => [id, sha256Of(join(out, releasePath(id), RELEASE_FILE))]);
  return { version: FORMAT_VERSION, release, hosted, digests: Object.fromEntries(digests) };
}

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
  assert.deepEqual(currentIn(out), pointerTo(out, 'old', ['old']));
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

test('the same release built again is fine; other content under its id is refused; --no-activate leaves the pointer', async () => {
  const out = freshOutput();
  await buildRelease(newSource, out, { ...newBuild, activate: false });
  assert.equal(currentIn(out).release, 'old');
  await buildRelease(newSource, out, newBuild);
  assert.deepEqual(contentOf(out), expected);
  const notes: string[] = [];
  const report = { ...SILENT, note: (text: string) => notes.push(text) };
  const other = buildOptions(oldSource, out, { ...newBuild, accept: ['fewer-units'] });
  await assert.rejects(build(other, report), { message: /releases\/new exists already, with other content/ });
  assert.match(notes.join(), /new is published already/);
  assert.deepEqual(contentOf(out), expected);
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

test('activate goes forward and back, list shows what there is, prune keeps the current one and clears away leftovers', async () => {
  const out = freshOutput();
  for (const [release, storedPages] of [
    ['b', 'all'],
    ['c', 'unfiltered'],
    ['d', 'none'],
  ] as const)
    await buildRelease(newSource, out, { release, ...ONE_OTHER, storedPages, tiles: 2 });
  await activateRelease(out, 'old');
  const listed = listReleases(out);
  assert.deepEqual(
    listed.map(({ release, units, storedPages, isCurrent }) => `${release} ${units} ${storedPages} ${isCurrent}`),
    ['old 2 none true', 'b 3 all false', 'c 3 unfiltered false', 'd 3 none false'],
  );
  assert.ok(listed.every(({ bytes = 0, date }) => bytes > 0 && date.getTime() > 0));
  for (const { release, files } of listed) {
    const verified = await verify({ out, release, workers: 0 }, SILENT);
    const { length } = filesUnder(join(out, 'releases', release));
    assert.deepEqual([files, verified.files, verified.findings], [length, length, []]);
  }
  await assert.rejects(activateRelease(out, 'e'), { message: /releases\/e: no such release/, remedy: /old, b, c, d/ });
  mkdirSync(join(out, 'releases/.z.staging/release'), { recursive: true });
  assert.deepEqual(await pruneReleases(out, 2), ['c', 'b']);
  assert.deepEqual(readdirSync(join(out, 'releases')).sort(), ['d', 'old']);
  assert.deepEqual(currentIn(out), pointerTo(out, 'old', ['old', 'd']));
  assert.deepEqual(await pruneReleases(out, 1), ['d']);
  assert.deepEqual(await pruneReleases(out, 1), []);
});

test('a release built for review is not readable when another is activated or pruned, until it is activated itself', async () => {
  const out = freshOutput();
  await buildRelease(newSource, out, { release: 'review', activate: false });
  await buildRelease(newSource, out, { release: 'b' });
  assert.deepEqual(currentIn(out), pointerTo(out, 'b', ['old', 'b']));
  await activateRelease(out, 'review');
  assert.deepEqual(currentIn(out), pointerTo(out, 'review', ['old', 'b', 'review']));
});

test('prune counts hosted releases alone, list says which are, and remove takes one that is not', async () => {
  const out = copyOf(four);
  await buildRelease(oldSource, out, { release: 'review', activate: false });
  const table = releaseTable(listReleases(out)).split('\n');
  assert.deepEqual(
    table.map((row) => / {2}(state|current|hosted|not hosted) {2}/.exec(row)?.[1]),
    ['state', 'hosted', 'hosted', 'hosted', 'current', 'not hosted'],
  );
  assert.deepEqual(await pruneReleases(out, 4), []);
  assert.deepEqual(await pruneReleases(out, 2), ['r2', 'r1']);
  assert.deepEqual(publishedReleases(out), ['r3', 'r4', 'review']);
  for (const [release, message, remedy] of [
    ['r4', /releases\/r4: release r4 is current: proxies answer for it$/, /activate, then use prune/],
    ['r3', /releases\/r3: release r3 is hosted: proxies answer for it$/, /^use prune --keep N/],
    ['none', /releases\/none: no such release$/, /r3, r4, review/],
  ] as const)
    await assert.rejects(removeRelease(out, release), { message, remedy });
  await removeRelease(out, 'review');
  assert.deepEqual(readdirSync(join(out, 'releases')).sort(), ['r3', 'r4']);
  assert.deepEqual(currentIn(out), pointerTo(out, 'r4', ['r3', 'r4']));
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

test('prune goes by the order that current.json records, not by the dates of files, which a copy may change', async () => {
  const out = freshOutput();
  for (const release of ['z', 'a']) await buildRelease(newSource, out, { release });
  await activateRelease(out, 'old');
  for (const [i, release] of ['a', 'z', 'old'].entries())
    utimesSync(join(out, 'releases', release, 'release.json'), 1000 * i, 1000 * i);
  const order = listReleases(out).map(({ release }) => release);
  assert.deepEqual(order, ['old', 'z', 'a']);
  assert.deepEqual(await pruneReleases(out, 2), ['z']);
});

test('while prune waits a build is made; what is made current again meanwhile, or was removed, stays so', async () => {
  const out = freshOutput();
  for (const release of ['b', 'c']) await buildRelease(newSource, out, { release });
  const meanwhile = async (): Promise<void> => {
    await buildRelease(newSource, out, { release: 'd' });
    await activateRelease(out, 'b');
    assert.deepEqual(await pruneReleases(out, 3), ['old']);
  };
  assert.deepEqual(await pruneReleases(out, 1, { graceMs: 5000, wait: meanwhile }), []);
  assert.deepEqual(readdirSync(join(out, 'releases')).sort(), ['b', 'c', 'd']);
  assert.deepEqual(currentIn(out), pointerTo(out, 'b', ['c', 'd', 'b']));
});

test('prune takes a release out of current.json, waits, and then removes its files', async () => {
  const out = copyOf(reference);
  const waited: number[] = [];
  const wait = async (ms: number): Promise<void> => {
    waited.push(ms);
    assert.deepEqual(currentIn(out), pointerTo(out, 'new', ['new']));
    assert.ok(existsSync(join(out, 'releases/old/release.json')));
  };
  assert.deepEqual(await pruneReleases(out, 1, { graceMs: 5000, wait }), ['old']);
  assert.ok(!existsSync(join(out, 'releases/old')));
  // There is nothing to remove, so there is nothing to wait for.
  assert.deepEqual(await pruneReleases(out, 1, { graceMs: 60_000, wait }), []);
  assert.deepEqual(waited, [5000]);
});

test('a prune after one that was ended removes what that would have: the newest releases stay', async () => {
  const folder = copyOf(four);
  // As it is left by `prune --keep 2 --grace 1h` that is ended while it waits.
  await withdraw(folder, ['r1', 'r2']);
  assert.deepEqual(publishedReleases(folder), ['r1', 'r2', 'r3', 'r4']);
  assert.deepEqual(await pruneReleases(folder, 2), ['r2', 'r1']);
  assert.deepEqual(publishedReleases(folder), ['r3', 'r4']);
});

test('a release that was never hosted is as new as its number says', async () => {
  const folder = copyOf(four);
  await buildRelease(oldSource, folder, { release: 'a5', activate: false });
  assert.deepEqual(publishedReleases(folder), ['r1', 'r2', 'r3', 'r4', 'a5']);
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

test('a release whose folder was removed is built again and served; one for review says how it can be', async () => {
  const out = copyOf(four);
  rmSync(join(out, releasePath('r2')), { recursive: true });
  await buildRelease(oldSource, out, { release: 'r2', activate: false });
  await assert.rejects(activateRelease(out, 'r2'), {
    message: /r2\/release\.json: its SHA-256 is .*, current\.json has .*: it is not what was published$/,
    remedy:
      'restore the file; or, if its folder was removed and the release built again, build it once more without --no-activate, which compares all files; or build it under another id',
  });
  await buildRelease(oldSource, out, { release: 'r2' });
  const digests = Object.fromEntries(
    ['r1', 'r2', 'r3', 'r4'].map((id) => [id, sha256Of(join(out, releasePath(id), RELEASE_FILE))]),
  );
  const current = currentIn(out);
  assert.deepEqual([current.release, current.digests], ['r2', digests]);
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
  assert.equal(currentIn(out).release, 'old');
});
