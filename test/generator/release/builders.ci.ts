// Builders that cannot disturb each other: killed ones, ones in containers, and one on a file system without hard
// links.
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { activateRelease } from '../../../generator/release/manage.ts';
import { takeLock } from '../../../generator/release/output-lock.ts';
import { openStaging } from '../../../generator/release/staging.ts';
import { after } from '../../support/after.ts';
import { countryRow, writeCountries } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf } from '../../support/files.ts';
import { compile } from '../../support/processes/compile.ts';
import { interceptFiles, systemError } from '../../support/processes/faulty-fs.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const folder = temporaryFolder();
const source = writeDataset(join(folder, 'row.gpkg'), 'GPKG', [countryRow(2)]);

const LOCK_HOLDER = compile('test/support/processes/lock-holder.ts');
const BLOCKED_POOL = compile('test/support/processes/blocked-pool.ts');

/** A process that takes the lock of an output folder and holds it until its input ends, or is refused. */
function startHolder(out: string, command: readonly string[] = []): ChildProcessByStdio<Writable, Readable, Readable> {
  const [program = '', ...args] = [...command, process.execPath, LOCK_HOLDER, out];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  // Where a test fails, it would keep the test file from ending.
  after(() => child.kill('SIGKILL'));
  return child;
}

test('a child process in a call of two minutes ends seconds after its parent is killed', async () => {
  const parent = spawn(process.execPath, [BLOCKED_POOL], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.equal(String((await once(parent.stdout, 'data'))[0]), 'blocked');
  let isClosed = false;
  // Parent and child write to the same pipe.
  parent.stdout.on('close', () => {
    isClosed = true;
  });
  parent.kill('SIGKILL');
  await until(() => isClosed, 'the child process is still running');
});

test('what a child process of a killed build still writes goes to no folder of the next build, and is removed by the one after', async () => {
  const out = join(folder, 'late');
  await buildRelease(source, out);
  const expected = contentOf(out);
  const killed = openStaging(out, 'r1');
  const next = openStaging(out, 'r1');
  const late = join(killed.release, 'lv0/features/000001.geojsonl.gz');
  mkdirSync(dirname(late), { recursive: true });
  writeFileSync(late, 'late');
  assert.deepEqual(readdirSync(next.release), []);
  assert.deepEqual(readdirSync(next.work), []);
  await buildRelease(source, out);
  assert.deepEqual(contentOf(out), expected);
  assert.deepEqual(readdirSync(join(out, 'releases')), ['r1']);
});

for (const [what, change, message] of [
  ['cut', (file: string) => truncateSync(file, 9), /has 9 bytes, \d+ bytes were written/],
  ['removed', (file: string) => rmSync(file), /is missing, \d+ bytes were written/],
] as const) {
  test(`a build whose files are ${what} before they are published names the file and publishes nothing`, async () => {
    const file = what === 'cut' ? 'lv0/features/000001.geojsonl.gz' : 'lv1/fc/all/000001.json.gz';
    const out = join(folder, what);
    let records = 0;
    const stop = interceptFiles((_, name) => {
      const [staging] = existsSync(join(out, 'releases')) ? readdirSync(join(out, 'releases')).filter(isStaging) : [];
      const root = join(out, 'releases', staging ?? '');
      // The records of a task are written after its files; those of borders come first.
      const isRecorded = (entry: string): boolean => /^\.records-[1-9]/.test(entry.slice(3));
      const work = existsSync(join(root, 'work')) ? readdirSync(join(root, 'work')) : [];
      if (name === 'closeSync' || !work.some((entry) => entry.startsWith(file.slice(0, 3)) && isRecorded(entry)))
        return;
      if (existsSync(join(root, 'release', file)) && records++ === 0) change(join(root, 'release', file));
    });
    const building = buildRelease(writeCountries(), out, { storedPages: 'all' });
    await assert.rejects(building, { message, remedy: /run the command again/ }).finally(stop);
    assert.ok(records > 0);
    assert.deepEqual(readdirSync(join(out, 'releases')), []);
  });
}

function isStaging(name: string): boolean {
  return name.endsWith('.staging');
}

const UNSHARE = ['--pid', '--fork', '--kill-child', '--mount-proc'];
const SKIP = spawnSync('unshare', [...UNSHARE, 'true']).status !== 0 && 'PID namespaces cannot be made here (unshare)';

test('a lock that a process in another PID namespace holds is not taken, though the host name is the same', {
  skip: SKIP,
}, async () => {
  const out = join(folder, 'containers');
  await buildRelease(source, out);
  const holder = startHolder(out, ['unshare', ...UNSHARE]);
  assert.equal(String((await once(holder.stdout, 'data'))[0]), 'held');
  await assert.rejects(activateRelease(out, 'r1'), {
    message: /process \d+ in another container or PID namespace on \S+ is writing there/,
    remedy: /remove the folder .*\.lock$/,
  });
  holder.stdin.end();
  await once(holder, 'exit');
  await activateRelease(out, 'r1');
});

test('a lock whose file is damaged is reported with its path, and a lock without a file counts for nothing', async () => {
  const out = join(folder, 'damaged');
  await buildRelease(source, out);
  const lock = join(out, 'releases/.lock');
  mkdirSync(lock);
  await activateRelease(out, 'r1');
  assert.ok(!existsSync(lock));
  mkdirSync(lock);
  for (const [file, message] of [
    ['other', /\.lock: does not name its holder/],
    ['holder.json', /\.lock\/holder\.json: is damaged/],
  ] as const) {
    writeFileSync(join(lock, file), '');
    await assert.rejects(activateRelease(out, 'r1'), { message, remedy: /remove (that|the) folder/ });
  }
});

test('a build on a file system without hard links gives the same files', async () => {
  const [linked, copied] = [join(folder, 'linked'), join(folder, 'copied')];
  const countries = writeCountries();
  // Identical pages are links to one file.
  await buildRelease(countries, linked, { storedPages: 'all' });
  const stop = interceptFiles((_, name) => {
    if (name === 'linkSync') throw systemError('EPERM', name);
  });
  let names: string[] = [];
  const building = buildRelease(countries, copied, { storedPages: 'all' });
  await building.finally(() => {
    names = stop();
  });
  assert.ok(names.includes('linkSync'));
  assert.deepEqual(contentOf(copied), contentOf(linked));
});

test('of many processes that take a lock at once, where a dead one has left it, one holds it and the others are refused', async () => {
  const out = join(folder, 'race');
  for (let round = 0; round < 2; round++) {
    const dead = startHolder(out);
    await once(dead.stdout, 'data');
    dead.kill('SIGKILL');
    await once(dead, 'exit');
    const takers = Array.from({ length: 4 }, () => startHolder(out));
    const said = takers.map((child) =>
      Promise.race([once(child.stdout, 'data').then(() => 'held'), text(child.stderr)]),
    );
    const [refusal = '', ...others] = (await Promise.all(said)).filter((what) => what !== 'held');
    assert.equal(others.length, 2, 'one of four holds it');
    for (const line of [refusal, ...others]) assert.match(line, /is writing there/);
    for (const child of takers) {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    }
    assert.deepEqual(readdirSync(join(out, 'releases')), []);
  }
  takeLock(out).release();
});
