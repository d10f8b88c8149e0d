// What each phase of a build took, as programs and people get it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { build, describe } from '../../../generator/build.ts';
import { phaseTable } from '../../../generator/cli/tables.ts';
import { measured, type Phase, Phases } from '../../../generator/report/phases.ts';
import { reportTo, SILENT } from '../../../generator/report/progress.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { TaskQueue } from '../../../generator/workers/task-queue.ts';
import { RANKS } from '../../../generator/workers/tasks.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { layerOf, square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildOptions, WHOLE } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a build says what each phase took, and names those that run', async () => {
  let phases: readonly Phase[] = [];
  const seen = new Set<string>();
  let most = 0;
  await build(buildOptions(writeCountries(), temporaryFolder(), WHOLE), {
    ...SILENT,
    phases: (running) => {
      for (const { phase, done, expected } of running) {
        seen.add(phase);
        assert.ok(done < expected, phase);
        most = Math.max(most, expected);
      }
    },
    measured: (all) => {
      phases = all;
    },
  });
  const names = 'describe read borders geometries files validity check parquet indexes publish'.split(' ');
  assert.deepEqual(phases.map(({ phase }) => phase).sort(), names.sort());
  assert.deepEqual([...seen].sort(), names);
  assert.equal(most, Math.max(...phases.map(({ tasks }) => tasks)), 'tasks that wait are known');
  for (const { phase, tasks, seconds, cpuSeconds, largestBytes } of phases)
    assert.ok(tasks > 0 && seconds > 0 && cpuSeconds >= 0 && largestBytes > 1e7, phase);
});

test('as many tasks build a level of 1,000 units as one of 30, also where none of them has rings, or one has', async () => {
  const tasksOf = async (units: readonly string[]): Promise<string[]> => {
    const features = units.map((wkt, i) => [[`A${i}`], wkt] as const);
    const source = writeDataset(join(temporaryFolder(), 'a.gpkg'), 'GPKG', [layerOf('ADM_0', ['GID_0'], features)]);
    const accept = ['non-polygonal'] as const;
    let tasks: string[] = [];
    const measured = (all: readonly Phase[]) => {
      tasks = all.map((phase) => `${phase.phase} ${phase.tasks}`);
    };
    await build(buildOptions(source, temporaryFolder(), { accept, workers: 0 }), { ...SILENT, measured });
    return tasks.sort();
  };
  const pointsOf = (units: number): string[] => Array.from({ length: units }, (_, i) => `POINT(${i / 100} 0)`);
  const [few, many] = [pointsOf(30), pointsOf(1000)];
  const fewTasks = await tasksOf(few);
  assert.deepEqual(await tasksOf(many), fewTasks);
  assert.ok(fewTasks.every((tasks) => !tasks.startsWith('validity')));
  const withOne = [...fewTasks, 'validity 1'].sort();
  assert.deepEqual(await tasksOf([square(0, 1), ...few]), withOne);
  assert.deepEqual(await tasksOf([...many, square(0, 1)]), withOne);
});

test('before it reads more than 20,000 units of a level a build with tiles says that these can take longer than all else', async () => {
  const written = (units: number): string => {
    const rows = Array.from({ length: units }, (_, i) => [[`A${i}`], null] as const);
    return writeDataset(join(temporaryFolder(), 'many.gpkg'), 'GPKG', [layerOf('ADM_0', ['GID_0'], rows)]);
  };
  const notesOf = async (source: string, tiles: number | undefined): Promise<string[]> => {
    const notes: string[] = [];
    const report = { ...SILENT, note: (text: string) => void notes.push(text) };
    await describe(buildOptions(source, temporaryFolder(), { tiles }), openPool(0), report);
    return notes;
  };
  const many = written(20_001);
  const note =
    '20,001 units: their tiles can take longer than all else; --no-tiles builds without, --tiles 7 to a zoom less';
  assert.deepEqual(await notesOf(many, 8), [note]);
  assert.deepEqual(await notesOf(many, undefined), []);
  assert.deepEqual(await notesOf(written(20_000), 8), []);
});

test('reading a large level and making its index ask for memory, small levels for none', async (t) => {
  const run = t.mock.method(TaskQueue.prototype, 'run');
  const units = (count: number) => Array.from({ length: count }, (_, i) => [[`A${i}`], null] as const);
  const [large, small] = [units(7000), units(10).map(([[gid]]) => [[gid, `${gid}.1`], null] as const)];
  const layers = [layerOf('ADM_0', ['GID_0'], large), layerOf('ADM_1', ['GID_0', 'GID_1'], small)];
  const source = writeDataset(join(temporaryFolder(), 'large.gpkg'), 'GPKG', layers);
  const accept = ['empty-geometries'] as const;
  await build(buildOptions(source, temporaryFolder(), { accept }), SILENT);
  const asked = run.mock.calls
    .map(({ arguments: [{ rank, bytes }] }) => ({ rank, bytes }))
    .filter(({ bytes }) => bytes > 0);
  assert.deepEqual(
    asked.map(({ rank }) => rank),
    [RANKS.read, RANKS.files],
  );
  assert.ok(asked.every(({ bytes }) => bytes >= 20e6 && bytes <= 200e6));
});

test('tiles of a large level ask for memory at every zoom, of a small one at none', async (t) => {
  const run = t.mock.method(TaskQueue.prototype, 'run');
  const large = Array.from({ length: 10_500 }, (_, i) => [[`A${i}`], i === 0 ? square(0, 1) : null] as const);
  const small = [[['A0', 'A0.1'], square(0, 1)] as const];
  const layers = [layerOf('ADM_0', ['GID_0'], large), layerOf('ADM_1', ['GID_0', 'GID_1'], small)];
  const source = writeDataset(join(temporaryFolder(), 'tiles.gpkg'), 'GPKG', layers);
  const options = { accept: ['empty-geometries'], tiles: 2, geometries: ['full'], storedPages: 'none' } as const;
  await build(buildOptions(source, temporaryFolder(), options), SILENT);
  const asked = run.mock.calls.map(({ arguments: [{ rank, bytes }] }) => ({ rank, bytes }));
  assert.equal(
    asked.filter(({ rank, bytes }) => rank === RANKS.tiles && bytes > 0).length,
    4,
    'three zooms, and the index',
  );
});

test('a unit that takes more than 30 s is named, once, with its level, fid and GID', async (t) => {
  const noted = async (): Promise<string[]> => {
    const notes: string[] = [];
    const report = { ...SILENT, note: (text: string) => void notes.push(text) };
    await build(buildOptions(writeCountries(), temporaryFolder(), { tiles: 1, attribution: ['A'] }), report);
    return notes;
  };
  assert.deepEqual(await noted(), []);
  // A clock by which whatever is measured takes 12 seconds.
  let now = performance.now();
  t.mock.method(performance, 'now', () => {
    now += 12_000;
    return now;
  });
  const notes = await noted();
  const slow = / takes more than 30 s by itself; with fewer vertices it takes less$/;
  assert.ok(notes.length > 0 && notes.every((note) => slow.test(note)), notes.join('\n'));
  assert.equal(new Set(notes).size, notes.length);
  assert.ok(
    notes.includes('lv0: fid 1, GID AAA takes more than 30 s by itself; with fewer vertices it takes less'),
    notes.join('\n'),
  );
});

test('a phase lasts from its first task to its last; a failed task is not counted, and does not run on', async () => {
  const running: string[] = [];
  const phases = new Phases((all) => running.push(all.map(({ phase }) => phase).join()));
  const done = (largestBytes: number) => async () => ({
    result: largestBytes,
    cost: { cpuSeconds: 2, largestBytes, heldBytes: 0 },
  });
  assert.deepEqual(await Promise.all([phases.during('read', done(5)), phases.during('borders', done(9))]), [5, 9]);
  await phases.during('read', done(3));
  await assert.rejects(
    phases.during('borders', () => Promise.reject(new Error('disk'))),
    { message: 'disk' },
  );
  assert.deepEqual(
    phases.list().map(({ seconds: _, ...phase }) => phase),
    [
      { phase: 'read', tasks: 2, cpuSeconds: 4, largestBytes: 5 },
      { phase: 'borders', tasks: 1, cpuSeconds: 2, largestBytes: 9 },
    ],
  );
  assert.equal(running[1], 'read,borders');
  assert.equal(running.at(-1), '');
  const { result, cost } = await measured(async () => 1);
  assert.ok(result === 1 && cost.largestBytes > 1e7);
});

test('without a terminal progress is a line every ten seconds: the phases with their tasks, and what is not finished', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  let ms = 0;
  const report = reportTo({ isTTY: false, columns: 80, write: (line: string) => lines.push(line) }, () => ms);
  const tick = (passed: number): void => {
    ms += passed;
    t.mock.timers.tick(passed);
  };
  report.expect('features read', 2000);
  report.phases?.([{ phase: 'read', done: 1, expected: 6 }]);
  report.advance('features read', 1000);
  tick(9_000);
  assert.deepEqual(lines, []);
  tick(1_000);
  assert.deepEqual(lines.splice(0), ['read: 1 of 6 tasks, features read: 1,000 of 2,000\n']);
  report.advance('features read', 1000);
  report.phases?.([{ phase: 'tiles', done: 12, expected: 46 }]);
  for (let i = 0; i < 2; i++) tick(10_000);
  assert.deepEqual(lines.splice(0), ['tiles: 12 of 46 tasks\n', 'tiles: 12 of 46 tasks\n'], 'reading has ended');
  report.phases?.([]);
  report.end();
  tick(60_000);
  assert.deepEqual(lines, ['features read: 2,000 of 2,000\n'], 'at the end all counts, and nothing more');
});

test('work that lets no timer run shows its progress as it goes on', () => {
  const lines: string[] = [];
  let ms = 0;
  const report = reportTo({ isTTY: false, columns: 80, write: (line: string) => lines.push(line) }, () => ms);
  report.expect('units written', 3);
  for (ms of [4_000, 14_000, 15_000]) report.advance('units written', 1);
  report.end();
  assert.deepEqual(lines, ['units written: 2 of 3\n', 'units written: 3 of 3\n']);
});

test('the table of phases has a line for each', () => {
  const table = phaseTable([{ phase: 'read', tasks: 6, seconds: 61.26, cpuSeconds: 99.04, largestBytes: 1.3e9 }]);
  assert.match(table, /^phase .*\nread +6 +61\.3 +99 +1,300$/);
});

test('--json has the phases beside the description of the release', async () => {
  const out = join(temporaryFolder(), 'out');
  const options = '--release r1 --workers 0 --quiet --json --pages none --geometry full --no-cells --no-tiles'.split(
    ' ',
  );
  const { stdout } = await typed('generator', ['build', '--source', writeCountries(), '--out', out, ...options]);
  const { release, phases } = JSON.parse(stdout);
  assert.equal(release, 'r1');
  assert.ok(phases.some(({ phase }: Phase) => phase === 'read'));
});
