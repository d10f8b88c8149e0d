// A real Ceph of one monitor and one store in memory, with its S3 gateway on loopback: a server that checks signatures.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { freePort } from './nginx-varnish.ts';

/** Why tests with Ceph are skipped; false where it is installed. */
export const withoutCeph: string | false =
  spawnSync('sh', ['-c', 'for program in ceph ceph-mon ceph-osd radosgw; do command -v $program || exit 1; done'])
    .status !== 0 && 'Ceph is not installed (Debian: ceph-common, ceph-mon, ceph-osd, radosgw)';

/** The account of the gateway. */
export const CEPH_ACCOUNT = { accessKeyId: 'CEPHTEST', secretAccessKey: 'secret/of+the-test' };

/** Starts Ceph; it ends when the test file ends. Returns the endpoint of its gateway, which has no bucket. */
export async function startCeph(): Promise<string> {
  const daemons: ChildProcess[] = [];
  // Registered before the folder's: the folder is removed after the daemons have ended. What they hold is lost anyway.
  after(async () => {
    for (const child of daemons.reverse()) {
      if (child.exitCode !== null) continue;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
  });
  const folder = temporaryFolder();
  const [cluster, store] = [randomUUID(), randomUUID()];
  const [monitorPort, gatewayPort] = [await freePort(), await freePort()];
  // The second version of Ceph's protocol has no connections without keys.
  const monitor = `[v1:127.0.0.1:${monitorPort}]`;
  const config = join(folder, 'ceph.conf');
  mkdirSync(join(folder, 'osd'));
  writeFileSync(config, configuration(folder, cluster, monitor, gatewayPort));
  const run = async (program: string, ...args: string[]): Promise<string> =>
    (await promisify(execFile)(program, ['-c', config, ...args], { cwd: folder })).stdout;

  /** Starts a daemon in the foreground and waits until it is ready. */
  async function start(program: string, args: string[], isReady: () => Promise<boolean>): Promise<void> {
    const child = spawn(program, ['-c', config, ...args, '-f'], { cwd: folder });
    daemons.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    await until(
      async () => {
        assert.equal(child.exitCode, null, `${program} has ended: ${output}`);
        return isReady().catch(() => false);
      },
      () => `${program} is not ready: ${output}`,
    );
  }

  await run('monmaptool', '--create', '--addv', 'a', monitor, '--fsid', cluster, 'monmap');
  await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'monmap');
  await start('ceph-mon', ['-i', 'a'], async () => (await run('ceph', 'mon', 'stat')).includes('quorum'));
  await run('ceph', 'osd', 'new', store);
  // The store would do this as it starts, and sometimes does before it knows the cluster.
  await run('ceph', 'osd', 'crush', 'add', 'osd.0', '1', 'root=default', 'host=localhost');
  await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store);
  await start('ceph-osd', ['-i', '0'], async () => (await run('ceph', 'osd', 'stat')).includes('1 up'));
  const endpoint = `http://127.0.0.1:${gatewayPort}`;
  await start('radosgw', ['-n', 'client.rgw'], async () => (await fetch(endpoint)).ok);
  const { accessKeyId, secretAccessKey } = CEPH_ACCOUNT;
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`];
  await run('radosgw-admin', '-n', 'client.rgw', 'user', 'create', '--uid=tester', '--display-name=tester', ...keys);
  return endpoint;
}

/** ceph.conf: no authentication between the daemons, one copy of each object, kept in memory. */
function configuration(folder: string, cluster: string, monitor: string, gatewayPort: number): string {
  return `[global]
fsid = ${cluster}
mon host = ${monitor}
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd pool default pg num = 1
osd crush chooseleaf type = 0
osd objectstore = memstore
osd class update on start = false
osd crush update on start = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
mon data avail crit = 1
run dir = ${folder}
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
log file = /dev/null
mon cluster log file = /dev/null
mon data = ${folder}/mon
osd data = ${folder}/osd
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
`;
}
