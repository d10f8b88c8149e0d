// The example for Slurm, typed as its README says, on a real Slurm of one node. Its jobs are several programs that
// start and end one after another, beside what else the machine does.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEFAULTS } from '../../generator/build.ts';
import { seal } from '../../generator/sharded-build.ts';
import { writeTwoLevels } from '../support/datasets/large-dataset.ts';
import { contentOf } from '../support/files.ts';
import { startSlurm, withoutSlurm } from '../support/processes/slurm.ts';
import { copySlurmExample, EXAMPLE_RELEASE } from '../support/processes/slurm-example.ts';
import { buildRelease, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** Between two questions to Slurm: each starts a shell and some clients. */
const PAUSE_MS = 500;
/** Prints the jobs and the nodes with their states. */
const QUEUE = "squeue --noheader --format='%i %T %r'; sinfo --noheader --format='%N %T'";

test('a Slurm job array, one task of which is killed in the middle and requeued, and its seal job give the bytes of a plain build', {
  skip: withoutSlurm,
}, async () => {
  const parent = temporaryFolder();
  const [out, plain] = [join(parent, 'out'), join(parent, 'plain')];
  const source = writeTwoLevels(join(parent, 'many.gpkg'));
  await buildRelease(source, plain, { ...WHOLE, tiles: DEFAULTS.tiles, release: EXAMPLE_RELEASE });
  const { folder, stopped, env, typed, outputs } = copySlurmExample(parent, 'SLURM_ARRAY_TASK_ID=1');
  const slurm = await startSlurm(env);
  const array = (await slurm.run(`${typed(source, out)}\necho "$ARRAY"`, folder)).split('\n').at(-1);
  const task = `${array}_1`;
  /** What Slurm answered where it refused to requeue the task. */
  let said = '';
  /** Asks Slurm until the answer is yes; otherwise says what it answered, its queue and what the jobs printed. */
  const untilSlurm = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    let queue = '';
    const ask = async (): Promise<boolean> => {
      if (await holds()) return true;
      queue = await slurm.run(QUEUE, folder);
      return false;
    };
    await until(ask, () => `${what}: ${said}\n${queue}\n${outputs()}`, PAUSE_MS);
  };
  await untilSlurm('shard 1 does not write', async () => existsSync(stopped));
  await assert.rejects(seal(out, EXAMPLE_RELEASE, true), { message: /1\/4 \(begun\)/ });

  // The task may run before Slurm's controller knows that it does. Held, it does not start again by itself.
  await untilSlurm('task 1 is not killed and requeued', async () => {
    said = await slurm.run(`scontrol requeuehold ${task}`, folder).then(() => '', String);
    const state = await slurm.run(`squeue --noheader --jobs=${task} --format='%T %r'`, folder);
    return /^PENDING (JobHeld|job requeued in held state)/.test(state);
  });
  await untilSlurm('the other tasks do not end', async () => {
    const states = (await slurm.run('squeue --noheader --format=%T', folder)).split('\n');
    return states.join() === 'PENDING,PENDING';
  });
  await assert.rejects(seal(out, EXAMPLE_RELEASE, true), { message: /shards not finished: 1\/4 \(begun\)$/ });
  await slurm.run(`scontrol release ${task}`, folder);
  await untilSlurm('jobs do not end', async () => (await slurm.run(QUEUE, folder)) === 'localhost idle');
  assert.match(await slurm.run(`scontrol show job ${task}`, folder), /Restarts=1 /);
  assert.ok(existsSync(join(out, 'current.json')), outputs());
  assert.deepEqual(contentOf(out), contentOf(plain));
});
