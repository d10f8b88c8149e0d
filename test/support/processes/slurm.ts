// A real Slurm on loopback: munged, slurmctld and a slurmd for each node, with a configuration and a key of their own,
// as the user who runs the tests.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { endProcess } from './end-process.ts';
import { freePort } from './free-port.ts';

/** The daemons are there, where an unprivileged user does not search. */
const PATH = `${process.env['PATH']}:/usr/sbin`;

/** Why tests with Slurm are skipped; false where it is installed. */
export const withoutSlurm: string | false =
  spawnSync(
    'sh',
    ['-c', 'for program in munged munge slurmctld slurmd sbatch srun; do command -v $program || exit 1; done'],
    { env: { PATH } },
  ).status !== 0 && 'Slurm is not installed (Debian: slurm-wlm)';

export interface Slurm {
  /** Runs a script in a folder, as a user types it; returns what it prints on standard output. */
  run(script: string, cwd: string): Promise<string>;
  /** Ends all processes of a machine at once, as a power cut does. */
  cutPower(node: string): Promise<void>;
}

export interface SlurmNode {
  name: string;
  /**
   * A machine of its own, with its own host name, processes and mounts; what its shell does before slurmd starts. Needs
   * root. Without it the node is this machine.
   */
  boot?: string;
}

/**
 * Options of `unshare` for what is like a machine of its own: its first process ends with `unshare`, and all others end
 * with the first.
 */
export const OWN_MACHINE: readonly string[] = ['--mount', '--uts', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** "Controls how long a requeued job must wait before starting again" (slurm.conf, cred_expire), by default 120. */
const REQUEUE_SECONDS = 20;

const THIS_MACHINE: SlurmNode = { name: 'localhost' };

/**
 * Starts Slurm; it ends with its jobs when the test file ends.
 * @param env environment of the scripts, besides that of this process; jobs get it as well
 */
export async function startSlurm(
  env: Readonly<Record<string, string>>,
  nodes: readonly SlurmNode[] = [THIS_MACHINE],
): Promise<Slurm> {
  const daemons: { name: string; child: ChildProcess; output: string }[] = [];
  const folder = temporaryFolder(async () => {
    try {
      if (daemons.length === 2 + nodes.length) {
        const cancel = 'scancel --user="$(id -un)" || true; squeue --noheader';
        await until(async () => (await run(cancel, folder).catch(() => '')) === '', 'jobs do not end');
      }
    } finally {
      for (const { name, child } of daemons.reverse())
        await endProcess(child, name === 'unshare' ? 'SIGKILL' : 'SIGTERM');
    }
  });
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
  const hosts = join(folder, 'hosts');
  writeFileSync(hosts, `127.0.0.1 ${['localhost', ...nodes.map(({ name }) => name)].join(' ')}\n`);
  const lines: string[] = [];
  for (const { name } of nodes) {
    const address = `NodeHostname=${name} NodeAddr=127.0.0.1 Port=${await freePort()}`;
    lines.push(`NodeName=${name} ${address} CPUs=4 RealMemory=16000`);
  }
  writeFileSync(config, configuration(folder, await freePort(), lines));
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
  for (const { name, boot } of nodes) {
    const isIdle = `sinfo --noheader --nodes=${name} --format=%T | grep --quiet '^idle$'`;
    const slurmd = ['slurmd', '-D', '-N', name];
    if (boot === undefined) await start('slurmd', slurmd.slice(1), isIdle);
    else {
      const script = `hostname ${name}; mount --bind '${hosts}' /etc/hosts; ${boot}; exec "$@"`;
      await start('unshare', [...OWN_MACHINE, 'sh', '-ec', script, name, ...slurmd], isIdle);
    }
  }
  return {
    run,
    async cutPower(node) {
      const machine = daemons.find(({ child }) => child.spawnargs.includes(node));
      if (machine === undefined) throw new Error(`no machine is called ${node}`);
      await endProcess(machine.child, 'SIGKILL');
    },
  };
}

/** slurm.conf: no accounting, no cgroups; four processors a node, whatever the machine has. */
function configuration(folder: string, controlPort: number, nodes: readonly string[]): string {
  const user = userInfo().username;
  return `ClusterName=boundaries
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${controlPort}
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=${folder}/munge.socket,cred_expire=${REQUEUE_SECONDS}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool/%n
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/%n.pid
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
${nodes.join('\n')}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
}
