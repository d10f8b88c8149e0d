// Releases that cannot break: whatever is killed or fails at whatever moment, the pointer names one complete release,
// and building again ends where an undisturbed build ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pLimit from 'p-limit';
import { FORMAT_VERSION } from '../../format/manifest.ts';
import { activateRelease, listReleases, pruneReleases } from '../../generator/release/manage.ts';
import { verify } from '../../generator/verify/verify.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { Releases } from '../../proxy/origin/releases.ts';
import { interceptFiles, systemError } from '../support/faulty-fs.ts';
import { contentOf } from '../support/files.ts';
import { buildRelease, type FixtureLayer, SILENT, square, temporaryFolder, writeDataset } from '../support/fixture.ts';

const folder = temporaryFolder();

function countries(count: number): FixtureLayer {
  const features = Array.from({ length: count }, (_, i) => ({ fid: i + 1, values: [`A${i}`], wkt: square(i, 0) }));
  return { name: 'ADM_0', columns: ['GID_0'], features };
}

const oldSource = writeDataset(join(folder, 'old.gpkg'), 'GPKG', [countries(2)]);
const newSource = writeDataset(join(folder, 'new.gpkg'), 'GPKG', [countries(3)]);
// An output folder that serves `old`, and one in which `new` has been built behind it undisturbed.
const before = join(folder, 'before');
const reference = join(folder, 'reference');
await buildRelease(oldSource, before, { release: 'old' });
cpSync(before, reference, { recursive: true });
const newBuild = { release: 'new' };
const stopCounting = interceptFiles(() => {});
await buildRelease(newSource, reference, newBuild);
const operations = stopCounting();

const expected = contentOf(reference);

/** A fresh copy of the output folder that serves `old`. */
function freshOutput(name: string): string {
  const out = join(folder, name);
  cpSync(before, out, { recursive: true });
  return out;
}

/** After whatever happened: the proxy serves a complete release, building again converges, nothing is left behind. */
async function assertWhole(out: string, what: string): Promise<void> {
  const releases = new Releases(directoryOrigin(out));
  await releases.refresh();
  assert.ok(releases.current && ['old', 'new'].includes(releases.current.id), what);
  const { faults } = await verify({ out, workers: 0 }, SILENT);
  assert.deepEqual(faults, [], what);
  await buildRelease(newSource, out, newBuild);
  assert.deepEqual(contentOf(out), expected, what);
  rmSync(out, { recursive: true });
}

test('SIGKILL at every file operation of a build leaves the old release or the new one, and building again converges', async () => {
  assert.ok(operations.length > 50, `${operations.length} operations`);
  const limit = pLimit(2);
  await limit.map(operations.entries(), async ([i, operation]) => {
    const out = freshOutput(`killed-${i}`);
    const child = spawn(process.execPath, [
      ...process.execArgv,
      'test/support/killed-build.ts',
      newSource,
      out,
      'new',
      String(i + 1),
    ]);
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
    await assertWhole(out, `killed at operation ${i + 1}, ${operation}`);
  });
});

/** The first and the last operation of every kind. */
const kinds = [...operations.keys()].filter(
  (i) => operations.indexOf(operations[i] ?? '') === i || operations.lastIndexOf(operations[i] ?? '') === i,
);

for (const [code, tried] of [
  ['ENOSPC', [...operations.keys()]],
  ['EIO', kinds],
  ['EMFILE', kinds],
  ['EROFS', kinds],
] as const) {
  test(`${code} at ${code === 'ENOSPC' ? 'every file operation' : 'each kind of operation'} fails the build with a remedy, or not at all, and publishes nothing half`, async () => {
    let failed = 0;
    for (const i of tried) {
      const operation = operations[i] ?? '';
      const out = freshOutput(`${code}-${i}`);
      const stop = interceptFiles((n, name) => {
        if (n === i + 1) throw systemError(code, name);
      });
      const error: unknown = await buildRelease(newSource, out, newBuild).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      stop();
      if (error instanceof Error) {
        failed++;
        assert.match(error.message, new RegExp(code), operation);
        assert.match('remedy' in error ? String(error.remedy) : '', /run the command again/, operation);
      }
      await assertWhole(out, `${code} at operation ${i + 1}, ${operation}`);
    }
    assert.ok(failed > tried.length / 2, `${failed} of ${tried.length} failed`);
  });
}

test('of two builders at once the second is refused and told who is writing; the first is not disturbed', async () => {
  const out = freshOutput('two');
  const first = buildRelease(newSource, out, newBuild);
  await assert.rejects(buildRelease(oldSource, out, { release: 'other' }), {
    message: new RegExp(`process ${process.pid} is writing there`),
  });
  await first;
  assert.deepEqual(contentOf(out), expected);
});

test('a lock that a dead process has left counts for nothing, nor one from before a restart or of a reused process id', async () => {
  const out = freshOutput('dead');
  const lock = join(out, 'releases/.lock');
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  const { hostname } = await import('node:os');
  const dead = { token: 'x', host: hostname(), pid: child.pid, boot: 'b', started: '1' };
  for (const holder of [dead, { ...dead, pid: process.pid }, { ...dead, pid: 1 }]) {
    writeFileSync(lock, JSON.stringify(holder));
    await activateRelease(out, 'old');
    assert.ok(!existsSync(lock));
  }
  writeFileSync(lock, JSON.stringify({ ...dead, host: 'another.machine' }));
  await assert.rejects(activateRelease(out, 'old'), {
    message: /on another\.machine is writing there/,
    remedy: /remove .*\.lock/,
  });
});

test('the same release built again is fine; other content under its id is refused; --no-activate leaves the pointer', async () => {
  const out = freshOutput('again');
  await buildRelease(newSource, out, { ...newBuild, activate: false });
  assert.equal(JSON.parse(readFileSync(join(out, 'current.json'), 'utf8')).release, 'old');
  await buildRelease(newSource, out, newBuild);
  assert.deepEqual(contentOf(out), expected);
  await assert.rejects(buildRelease(oldSource, out, newBuild), {
    message: /releases\/new exists already, with other content/,
  });
  assert.deepEqual(contentOf(out), expected);
});

test('activate goes forward and back, list shows what there is, prune keeps the current one and clears away leftovers', async () => {
  const out = freshOutput('operator');
  for (const release of ['b', 'c', 'd']) await buildRelease(newSource, out, { release });
  await activateRelease(out, 'old');
  const listed = await listReleases(out);
  assert.deepEqual(
    listed.map(({ release, units, isCurrent }) => [release, units, isCurrent]),
    [
      ['old', 2, true],
      ['b', 3, false],
      ['c', 3, false],
      ['d', 3, false],
    ],
  );
  assert.ok(listed.every(({ bytes, date }) => bytes > 0 && date.getTime() > 0));
  // A feature file and a page in each format.
  assert.ok(listed.every(({ files, storedPages }) => files === 3 && storedPages === 'all'));
  await assert.rejects(activateRelease(out, 'e'), { message: /releases\/e: no such release/, remedy: /b, c, d, old/ });
  mkdirSync(join(out, 'releases/.z.staging/release'), { recursive: true });
  assert.deepEqual(await pruneReleases(out, 2), ['c', 'b']);
  assert.deepEqual(readdirSync(join(out, 'releases')).sort(), ['d', 'old']);
  assert.deepEqual(JSON.parse(readFileSync(join(out, 'current.json'), 'utf8')), {
    version: FORMAT_VERSION,
    release: 'old',
    hosted: ['d', 'old'],
  });
  assert.deepEqual(await pruneReleases(out, 1), ['d']);
  assert.deepEqual(await pruneReleases(out, 1), []);
});
