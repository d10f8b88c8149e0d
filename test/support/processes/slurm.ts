// A real Slurm of one node on loopback: munged, slurmctld and slurmd with a configuration and a key of their own, as the
// user who runs the tests.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { freePort } from './nginx-varnish.ts';

/** The daemons are there, where an unprivileged user does not search. */
const PATH = `${process.env['PATH']}:/usr/sbin`;

/** Why tests with Slurm are skipped; false where it is installed. */
export const withoutSlurm: string | false =
  spawnSync(
    'sh',
    ['-c', 'for program in munged munge slurmctld slurmd sbatch srun; do command -v $program || exit 1; done'],
    { env: { PATH } },
  ).status !== 0 && 'Slurm is not installed (Debian: slurm-wlm)';

/** A running Slurm. */
export interface Slurm {
  /** Runs a script in a folder, as a user types it; returns what it prints on standard output. */
  run(script: string, cwd: string): Promise<string>;
}

/**
 * Starts Slurm; it ends with its jobs when the test file ends.
 * @param env environment of the scripts, besides that of this process; jobs get it as well
 */
export async function startSlurm(env: Readonly<Record<string, string>>): Promise<Slurm> {
  const daemons: { name: string; child: ChildProcess; output: string }[] = [];
  // Registered before the folder's: the folder is removed after the daemons have ended.
  after(async () => {
    if (daemons.length === 3) {
      await run('scancel --state=PENDING,RUNNING --user="$(id -un)"', folder).catch(() => '');
      await until(async () => (await run('squeue --noheader', folder).catch(() => '')) === '', 'jobs do not end');
    }
    for (const { child } of daemons.reverse()) {
      if (child.exitCode !== null) continue;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
  });
  const folder = temporaryFolder();
  const config = join(folder, 'slurm.conf');
  const environment = { ...process.env, PATH, SLURM_CONF: config, ...env };
  const run = async (script: string, cwd: string): Promise<string> => {
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd, env: environment });
    return stdout.trim();
  };

  /** Starts a daemon in the foreground and waits until a command finds it. */
  async function start(name: string, args: string[], isReady: string): Promise<void> {
    const child = spawn(name, args, { env: { ...process.env, PATH, SLURM_CONF: config } });
    const daemon = { name, child, output: '' };
    daemons.push(daemon);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (daemon.output += text));
    await until(
      async () => {
        assert.equal(child.exitCode, null, `${name} has ended: ${daemon.output}`);
        return run(isReady, folder).then(
          () => true,
          () => false,
        );
      },
      () => `${name} is not ready: ${daemon.output}`,
    );
  }

  chmodSync(folder, 0o755);
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'key'), randomBytes(128), { mode: 0o600 });
  writeFileSync(config, configuration(folder, await freePort(), await freePort()));
  const file = (option: string, name: string): string => `--${option}=${join(folder, name)}`;
  const munge = [
    file('key-file', 'key'),
    file('socket', 'munge.socket'),
    file('pid-file', 'munged.pid'),
    file('log-file', 'munged.log'),
    file('seed-file', 'munged.seed'),
  ];
  // --force: the folder of temporary files is open to other users.
  await start('munged', ['--foreground', '--force', ...munge], `munge --no-input --socket=${folder}/munge.socket`);
  await start('slurmctld', ['-D', '-i'], 'scontrol ping');
  await start('slurmd', ['-D', '-N', 'localhost'], "sinfo --noheader --format=%T | grep --quiet '^idle$'");
  return { run };
}

/** slurm.conf: one node, no accounting, no cgroups; four processors, whatever the machine has. */
function configuration(folder: string, controlPort: number, nodePort: number): string {
  const user = userInfo().username;
  return `ClusterName=boundaries
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${controlPort}
SlurmdPort=${nodePort}
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=${folder}/munge.socket
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=bf_interval=1
KillWait=1
NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000
PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP
`;
}
