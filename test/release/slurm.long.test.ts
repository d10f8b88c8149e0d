// The example for Slurm, typed as its README says, on a real Slurm of one node. Its jobs are several programs that start
// and end one after another, beside what else the machine does.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seal } from '../../generator/sharded-build.ts';
import { writeTwoLevels } from '../support/datasets/large-dataset.ts';
import { contentOf } from '../support/files.ts';
import { startSlurm, withoutSlurm } from '../support/processes/slurm.ts';
import { copySlurmExample, EXAMPLE_RELEASE } from '../support/processes/slurm-example.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const JOBS_END_MS = 180_000;

test('a Slurm job array, one task of which is killed in the middle and requeued, and its seal job give the bytes of a plain build', {
  skip: withoutSlurm,
}, async () => {
  const parent = temporaryFolder();
  const [out, plain] = [join(parent, 'out'), join(parent, 'plain')];
  const source = writeTwoLevels(join(parent, 'many.gpkg'));
  await buildRelease(source, plain, { release: EXAMPLE_RELEASE });
  const { folder, stopped, env, typed, outputs } = copySlurmExample(parent, 'SLURM_ARRAY_TASK_ID=1');
  const slurm = await startSlurm(env);
  const array = (await slurm.run(`${typed(source, out)}\necho "$ARRAY"`, folder)).split('\n').at(-1);
  await until(
    () => existsSync(stopped),
    () => `shard 1 does not write: ${outputs()}`,
  );
  await assert.rejects(seal(out, EXAMPLE_RELEASE, true), { message: /1\/4 \(begun\)/ });

  // The task may run before Slurm's controller knows that it does.
  await until(
    async () => (await slurm.run('squeue --steps --noheader --format=%i', folder)).includes(`${array}_1.0`),
    'Slurm does not list the step of shard 1',
  );
  const states = async (): Promise<string> =>
    (await slurm.run("squeue --noheader --format='%T %r'", folder)).split('\n').sort().join();
  // Slurm may list the step and still say that the job is pending, or kill the step and say that it could not.
  let refusal = '';
  await until(
    async () => {
      const killed = slurm.run(`scancel --signal=KILL ${array}_1.0`, folder);
      refusal = await killed.then(() => '', String);
      return (await states()) === 'PENDING BeginTime,PENDING Dependency';
    },
    () => `task 1 is not killed and requeued: ${refusal} ${outputs()}`,
  );
  await assert.rejects(seal(out, EXAMPLE_RELEASE, true), { message: /shards not finished: 1\/4 \(begun\)$/ });
  // By itself Slurm starts a requeued task after two minutes.
  await slurm.run(`scontrol update JobId=${array}_1 StartTime=now`, folder);
  let queue = '';
  await until(
    async () => {
      queue = await slurm.run("squeue --noheader --format='%i %T %r'; sinfo --noheader --format='%N %T'", folder);
      return queue === 'localhost idle';
    },
    () => `jobs do not end: ${queue}\n${outputs()}`,
    JOBS_END_MS,
  );
  assert.match(await slurm.run(`scontrol show job ${array}_1`, folder), /Restarts=1 /);
  assert.ok(existsSync(join(out, 'current.json')), outputs());
  assert.deepEqual(contentOf(out), contentOf(plain));
});
