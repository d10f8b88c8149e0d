// What each phase of a build took, as programs and people get it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { build, describe } from '../../generator/build.ts';
import { phaseTable } from '../../generator/cli/tables.ts';
import { measured, type Phase, Phases } from '../../generator/report/phases.ts';
import { reportTo, SILENT } from '../../generator/report/progress.ts';
import { openPool } from '../../generator/workers/pool.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { layerOf, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { typed } from '../support/processes/typed.ts';
import { buildOptions, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a build says what each phase took, and names those that run', async () => {
  let phases: readonly Phase[] = [];
  const seen = new Set<string>();
  await build(buildOptions(writeCountries(), temporaryFolder(), WHOLE), {
    ...SILENT,
    phases: (running) => {
      for (const name of running) seen.add(name);
    },
    measured: (all) => {
      phases = all;
    },
  });
  const names = 'describe read borders geometries files validity check indexes publish'.split(' ');
  assert.deepEqual(phases.map(({ phase }) => phase).sort(), names.sort());
  assert.deepEqual([...seen].sort(), names);
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

test('a phase lasts from its first task to its last; a failed task is not counted, and does not run on', async () => {
  const running: string[] = [];
  const phases = new Phases((names) => running.push(names.join()));
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

test('progress names the phases, and the table has a line for each', () => {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const report = reportTo({ isTTY: false, columns: 80, write });
  report.phases?.(['read', 'borders']);
  report.expect('features read', 2);
  report.advance('features read', 1);
  assert.equal(text, '[read, borders] features read: 1 of 2\n');
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
