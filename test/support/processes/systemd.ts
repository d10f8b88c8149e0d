// A machine of its own that systemd has started, on this machine's kernel, network and programs: what it changes under
// /etc, /usr/local and /srv is gone when it ends. Nothing of this machine is started there.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { without } from './programs.ts';
import { OWN_MACHINE } from './slurm.ts';

const SYSTEMD = '/lib/systemd/systemd';

/** Why tests with systemd are skipped; false where it is installed and can be started. */
export const withoutSystemd: string | false =
  process.getuid?.() === 0
    ? without(
        `test -x ${SYSTEMD}`,
        'systemctl --version',
        'nsenter --version',
        'unshare --mount --pid --fork --cgroup true',
      )
    : 'needs root';

/** What the first process does before it becomes systemd. @param folder of the machine, with its group of processes */
function bootScript(folder: string, prepare: string): string {
  return `
mount --make-rprivate /
mount -t tmpfs tmpfs '${folder}/changes'
for top in etc usr/local srv; do
  mkdir -p "${folder}/changes/upper/$top" "${folder}/changes/work/$top"
  mount -t overlay overlay -o "lowerdir=/$top,upperdir=${folder}/changes/upper/$top,workdir=${folder}/changes/work/$top" "/$top"
done
mount -t tmpfs tmpfs /etc/systemd/system
for wanted in /lib/systemd/system/*.wants /var/log/journal; do [ ! -d "$wanted" ] || mount -t tmpfs tmpfs "$wanted"; done
${prepare}
for empty in /run /tmp /var/tmp; do mount -t tmpfs tmpfs "$empty"; done
umount --lazy /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
container=test exec ${SYSTEMD} --system --unit=multi-user.target --log-target=null
`;
}

/**
 * Starts a machine; it ends when the test ends.
 * @param prepare commands of a shell that run in it before systemd does
 * @returns runs commands in it, and resolves to what they print
 */
export async function bootSystemd(prepare: string): Promise<(script: string) => Promise<string>> {
  const run = promisify(execFile);
  const ends: (() => Promise<unknown>)[] = [];
  const folder = temporaryFolder(async () => {
    for (const end of ends.reverse()) await end();
  });
  const group = `${folder}/groups/boundaries-test-${process.pid}`;
  await run('sh', ['-ec', `cd '${folder}'; mkdir changes groups; mount -t cgroup2 cgroup2 groups; mkdir '${group}'`]);
  ends.push(() => run('sh', ['-ec', `find '${group}' -depth -type d -exec rmdir {} +; umount '${folder}/groups'`]));
  const script = `echo $$ > '${group}/cgroup.procs'; exec unshare ${OWN_MACHINE.join(' ')} --ipc --cgroup sh -ec "$0"`;
  const child = spawn('sh', ['-ec', script, bootScript(folder, prepare)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  ends.push(async () => {
    child.kill('SIGKILL');
    const isEmpty = (): boolean => readFileSync(join(group, 'cgroup.events'), 'utf8').includes('populated 0');
    await until(isEmpty, 'processes of the machine stay');
  });
  const firstProcess = async (): Promise<string> => {
    assert.ok(child.exitCode === null, errors);
    return (await run('pgrep', ['--parent', String(child.pid)]).catch(() => ({ stdout: '' }))).stdout.trim();
  };
  const inside = async (commands: string): Promise<string> => {
    const enter = ['--target', await firstProcess(), '--all', 'sh', '-ec', commands];
    return (await run('nsenter', enter)).stdout.trim();
  };
  await until(
    async () => (await inside('systemctl is-system-running --wait').catch(() => '')) === 'running',
    () => `systemd does not start: ${errors}`,
  );
  return inside;
}
