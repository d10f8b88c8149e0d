// A file system that is not the local one: GlusterFS over loopback, one brick, mounted as often as a test likes. Each
// mount is a client of its own, as on several machines.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { freePort } from './free-port.ts';
import { without } from './programs.ts';

/** Why tests with GlusterFS are skipped; false where it is installed and can be mounted. */
export const withoutGluster: string | false =
  process.getuid?.() === 0 && existsSync('/dev/fuse')
    ? without('glusterfsd --version', 'unshare --mount true')
    : 'needs root and FUSE';

/**
 * Starts a server, and mounts its file system; both end when the test ends.
 * @returns where this process has it, and the command of a shell that mounts it at a path
 */
export async function startGluster() {
  const ends: (() => void)[] = [];
  const folder = temporaryFolder(() => {
    for (const end of ends.reverse()) end();
  });
  const [brick, log, path] = [join(folder, 'brick'), join(folder, 'log'), join(folder, 'shared')];
  for (const made of [brick, path]) mkdirSync(made);
  const port = await freePort();
  writeFileSync(join(folder, 'server.vol'), serverGraph(brick, port));
  writeFileSync(join(folder, 'client.vol'), clientGraph(port));
  const options = [`--volfile=${folder}/server.vol`, `--log-file=${log}`, `--pid-file=${folder}/pid`];
  const server = spawn('glusterfsd', ['--no-daemon', ...options], { stdio: 'ignore' });
  ends.push(() => server.kill('SIGKILL'));
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('Final graph'), 'GlusterFS does not start');
  const mountCommand = (at: string): string =>
    `glusterfs '--volfile=${folder}/client.vol' '--log-file=${log}-client' '${at}'`;
  execFileSync('sh', ['-c', mountCommand(path)]);
  ends.push(() => execFileSync('umount', ['--lazy', path]));
  const isMounted = (): boolean => readFileSync('/proc/self/mounts', 'utf8').includes(` ${path} fuse`);
  await until(isMounted, 'GlusterFS is not mounted');
  return { path, mountCommand };
}

function serverGraph(brick: string, port: number): string {
  return `volume posix
  type storage/posix
  option directory ${brick}
end-volume
volume locks
  type features/locks
  subvolumes posix
end-volume
volume brick
  type performance/io-threads
  subvolumes locks
end-volume
volume server
  type protocol/server
  option transport-type tcp
  option transport.socket.bind-address 127.0.0.1
  option transport.socket.listen-port ${port}
  option auth.addr.brick.allow 127.0.0.1
  subvolumes brick
end-volume
`;
}

/** What a mount does: as volumes have it by default, writes go on behind the caller. */
function clientGraph(port: number): string {
  return `volume client
  type protocol/client
  option transport-type tcp
  option remote-host 127.0.0.1
  option remote-port ${port}
  option remote-subvolume brick
end-volume
volume write-behind
  type performance/write-behind
  subvolumes client
end-volume
`;
}
