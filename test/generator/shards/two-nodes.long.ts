// Two machines, each with a mount of a file system over the network: a job array of Slurm of which one machine loses
// its power, the lock that such a machine leaves, and what is on the disk of the server when a build has ended.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEFAULTS } from '../../../generator/options/defaults.ts';
import { activateRelease } from '../../../generator/release/manage.ts';
import { writeTwoLevels } from '../../support/datasets/large-dataset.ts';
import { countryRow } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf, filesUnder } from '../../support/files.ts';
import { compile } from '../../support/processes/compile.ts';
import { interceptFiles } from '../../support/processes/faulty-fs.ts';
import { startGluster, withoutGluster } from '../../support/processes/glusterfs.ts';
import { OWN_MACHINE, startSlurm, withoutSlurm } from '../../support/processes/slurm.ts';
import { copySlurmExample, EXAMPLE_RELEASE } from '../../support/processes/slurm-example.ts';
import { buildRelease, buildUnchecked, WHOLE } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

/** Between two questions to Slurm: each starts a shell and some clients. */
const PAUSE_MS = 500;

test('a job array on two machines, one of which loses its power in the middle, and its seal job give the bytes of a plain build', {
  skip: withoutSlurm || withoutGluster,
}, async () => {
  const { path: place, mountCommand } = await startGluster();
  const [local, out, shared] = [temporaryFolder(), join(place, 'output'), join(place, 'many.gpkg')];
  const plain = join(local, 'plain');
  const source = writeTwoLevels(join(local, 'many.gpkg'));
  cpSync(source, shared);
  await buildRelease(source, plain, { ...WHOLE, tiles: DEFAULTS.tiles, release: EXAMPLE_RELEASE });
  const { folder, stopped, env, typed, outputs } = copySlurmExample(place, 'SLURMD_NODENAME=n2');
  const boot = mountCommand(place);
  const slurm = await startSlurm(env, [
    { name: 'n1', boot },
    { name: 'n2', boot },
  ]);
  await slurm.run(typed(shared, out), folder);
  await until(
    () => existsSync(stopped),
    () => `no task on the second machine writes: ${outputs()}`,
    PAUSE_MS,
  );
  await slurm.cutPower('n2');
  await slurm.run('scontrol update NodeName=n2 State=DOWN Reason=power', folder);
  await until(
    async () => (await slurm.run('squeue --noheader', folder)) === '',
    () => `jobs do not end: ${outputs()}`,
    PAUSE_MS,
  );
  assert.ok(existsSync(join(out, 'current.json')), outputs());
  assert.deepEqual(contentOf(out), contentOf(plain));
});

test('the lock of a machine that lost its power counts as held, on every machine, until it is removed', {
  skip: withoutGluster,
}, async () => {
  const { path, mountCommand } = await startGluster();
  await buildRelease(writeDataset(join(temporaryFolder(), 'row.gpkg'), 'GPKG', [countryRow(2)]), path);
  const script = `hostname n1; ${mountCommand(path)}; exec "$@"`;
  const holder = [process.execPath, compile('test/support/processes/lock-holder.ts'), path];
  const machine = spawn('unshare', [...OWN_MACHINE, 'sh', '-ec', script, 'sh', ...holder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  assert.equal(String((await once(machine.stdout, 'data'))[0]), 'held');
  const refused = { message: /process \d+ on n1 is writing there/, remedy: /remove the folder .*\.lock$/ };
  await assert.rejects(activateRelease(path, 'r1'), refused);
  machine.kill('SIGKILL');
  await once(machine, 'exit');
  await assert.rejects(activateRelease(path, 'r1'), refused);
  rmSync(join(path, 'releases/.lock'), { recursive: true });
  await activateRelease(path, 'r1');
});

test('a build on a file system in user space, which a sync of all of it does not reach, syncs every file', {
  skip: withoutGluster,
}, async () => {
  const { path } = await startGluster();
  const source = writeDataset(join(temporaryFolder(), 'row.gpkg'), 'GPKG', [countryRow(2)]);
  const stop = interceptFiles(() => {});
  await buildUnchecked(source, path).catch((error) => {
    stop();
    throw error;
  });
  const opened = stop().filter((name) => name === 'open').length;
  const files = filesUnder(join(path, 'releases')).length;
  assert.ok(opened >= files, `${opened} of ${files} files`);
});
