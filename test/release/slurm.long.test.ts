// The example for Slurm, typed as its README says, on a real Slurm of one node.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { seal } from '../../generator/sharded-build.ts';
import { manyUnitLayers } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { contentOf, filesUnder } from '../support/files.ts';
import { compile } from '../support/processes/compile.ts';
import { startSlurm, withoutSlurm } from '../support/processes/slurm.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const EXAMPLE = 'generator/examples/slurm';
const RELEASE = 'gadm-4.1';

/** Stops the process of shard 1 that writes its 20th piece of a file, in one run. */
const STOP_ONCE = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { writevSync } = fs;
let pieces = 0;
fs.writevSync = (...args) => {
  pieces++;
  if (pieces === 20 && process.env.SLURM_ARRAY_TASK_ID === '1' && !fs.existsSync(process.env.STOPPED)) {
    fs.writeFileSync(process.env.STOPPED, '');
    process.kill(process.pid, 'SIGSTOP');
  }
  return writevSync(...args);
};
syncBuiltinESMExports();
`;

test('a Slurm job array, one task of which is killed in the middle and requeued, and its seal job give the bytes of a plain build', {
  skip: withoutSlurm,
}, async () => {
  const folder = temporaryFolder();
  const [out, plain, bin, stopped] = ['out', 'plain', 'bin', 'stopped'].map((name) => join(folder, name));
  assert.ok(out && plain && bin && stopped);
  const source = writeDataset(join(folder, 'many.gpkg'), 'GPKG', manyUnitLayers());
  await buildRelease(source, plain, { release: RELEASE });
  mkdirSync(bin);
  writeFileSync(join(folder, 'stop-once.mjs'), STOP_ONCE);
  const program = `exec '${process.execPath}' --import '${folder}/stop-once.mjs' '${compile('generator/main.ts')}' "$@"`;
  writeFileSync(join(bin, 'boundaries-generator'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  const slurm = await startSlurm({ PATH: [bin, process.env['PATH'], '/usr/sbin'].join(delimiter), STOPPED: stopped });
  const example = join(folder, 'example');
  cpSync(EXAMPLE, example, { recursive: true });
  const outputs = (): string =>
    filesUnder(example)
      .filter((file) => file.endsWith('.out'))
      .map((file) => readFileSync(join(example, file), 'utf8'))
      .join('\n');

  const typed = elementAt(readFileSync(join(example, 'README.md'), 'utf8').split('```'), 1).replace(/^sh\n/, '');
  const ready = typed.replace('/shared/gadm_410-levels.gpkg', source).replace('/shared/output', out);
  const array = (await slurm.run(`${ready}\necho "$ARRAY"`, example)).split('\n').at(-1);
  await until(
    () => existsSync(stopped),
    () => `shard 1 does not write: ${outputs()}`,
  );
  await assert.rejects(seal(out, RELEASE, true), { message: /1\/4 \(begun\)/ });

  // The task may run before Slurm's controller knows that it does.
  await until(
    async () => (await slurm.run('squeue --steps --noheader --format=%i', folder)).includes(`${array}_1.0`),
    'Slurm does not list the step of shard 1',
  );
  await slurm.run(`scancel --signal=KILL ${array}_1.0`, folder);
  const states = async (): Promise<string> =>
    (await slurm.run("squeue --noheader --format='%T %r'", folder)).split('\n').sort().join();
  await until(
    async () => (await states()) === 'PENDING BeginTime,PENDING Dependency',
    () => `task 1 is not requeued: ${outputs()}`,
  );
  await assert.rejects(seal(out, RELEASE, true), { message: /shards not finished: 1\/4 \(begun\)$/ });
  // By itself Slurm starts a requeued task after two minutes.
  await slurm.run(`scontrol update JobId=${array}_1 StartTime=now`, folder);
  await until(
    async () => (await slurm.run('squeue --noheader', folder)) === '',
    () => `jobs do not end: ${outputs()}`,
  );
  assert.match(await slurm.run(`scontrol show job ${array}_1`, folder), /Restarts=1 /);
  assert.ok(existsSync(join(out, 'current.json')), outputs());
  assert.deepEqual(contentOf(out), contentOf(plain));
});
