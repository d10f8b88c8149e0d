// The batch scripts for Slurm as Slurm runs them, with programs in the place of srun and scontrol that run what they are
// given, or write it down: two-nodes.long.ts has a cluster.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { currentFromJson } from '../../../format/current-json.ts';
import { CURRENT_PATH } from '../../../format/layout.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { type Ended, runProgram } from '../../support/processes/programs.ts';
import { GENERATOR } from '../../support/processes/run-generator.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const EXAMPLE = 'generator/examples/slurm';
const home = temporaryFolder();
const bin = join(home, 'bin');
const requeued = join(home, 'requeued');
mkdirSync(bin);

function program(name: string, lines: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
}
program('srun', 'case $1 in --cpus-per-task=*) shift ;; esac\nexec "$@"');
program('scontrol', `echo "$@" >> '${requeued}'`);
program('boundaries-generator', `exec '${process.execPath}' '${GENERATOR}' "$@" --quiet`);

function batch(script: string, variables: Readonly<Record<string, string>>, folder = bin): Promise<Ended> {
  const env = { ...process.env, ...variables, PATH: [folder, bin, process.env['PATH']].join(delimiter) };
  return runProgram('sh', [join(EXAMPLE, script)], { env });
}

const source = writeCountries();
const variables = (out: string) => ({
  SOURCE: source,
  OUT: out,
  RELEASE: 'r1',
  SHARDS: '2',
  SLURM_CPUS_PER_TASK: '1',
  SLURM_ARRAY_JOB_ID: '7',
});

test('the tasks of the array write the shards, and the job after them publishes the release', async () => {
  const out = join(home, 'output');
  for (const task of ['0', '1']) {
    const { status, text } = await batch('array.sbatch', { ...variables(out), SLURM_ARRAY_TASK_ID: task });
    assert.equal(status, 0, text);
  }
  const { status, text } = await batch('seal.sbatch', variables(out));
  assert.equal(status, 0, text);
  assert.equal(currentFromJson(readFileSync(join(out, CURRENT_PATH), 'utf8'), CURRENT_PATH).release, 'r1');
  assert.ok(!existsSync(requeued));
});

test('a task that is refused ends with its exit code; one that a signal ends is queued again, three times', async () => {
  const task = { ...variables(join(home, 'other')), SLURM_ARRAY_TASK_ID: '1' };
  const refused = await batch('array.sbatch', { ...task, SOURCE: join(home, 'none.gpkg') });
  assert.equal(refused.status, 1);
  assert.match(refused.text, /none\.gpkg/);
  const unsealed = await batch('seal.sbatch', task);
  assert.notEqual(unsealed.status, 0);
  assert.ok(!existsSync(requeued));
  const killed = join(home, 'killed');
  mkdirSync(killed);
  writeFileSync(join(killed, 'boundaries-generator'), '#!/bin/sh\nkill -KILL $$\n', { mode: 0o755 });
  assert.equal((await batch('array.sbatch', task, killed)).status, 137);
  assert.equal(readFileSync(requeued, 'utf8'), 'requeue 7_1\n');
  assert.equal((await batch('array.sbatch', { ...task, SLURM_RESTART_COUNT: '3' }, killed)).status, 137);
  assert.equal(readFileSync(requeued, 'utf8'), 'requeue 7_1\n');
});
