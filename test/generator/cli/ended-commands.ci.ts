// Commands that end before they are done: by a signal, in the middle of a call that does not return, by the system,
// which lets them write nothing, or by a reader that has read enough.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { after } from '../../support/after.ts';
import { writeTwoLevels } from '../../support/datasets/large-dataset.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { without } from '../../support/processes/programs.ts';
import { GENERATOR } from '../../support/processes/run-generator.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const folder = temporaryFolder();
const source = writeCountries();
const out = join(folder, 'out');
await buildRelease(source, out);

/** The first process that opens a file under BLOCKS says so, and goes no further while it is blocked. */
const BLOCK = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { openSync } = fs;
fs.openSync = (path, ...args) => {
  if (String(path).includes(process.env.BLOCKS)) {
    fs.writeFileSync(process.env.BLOCKED, '');
    while (fs.existsSync(process.env.BLOCKED)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  return openSync(path, ...args);
};
syncBuiltinESMExports();
`;
writeFileSync(join(folder, 'block.mjs'), BLOCK);

/** A command in the middle of a call. */
interface Blocked {
  command: ChildProcess;
  /** Its exit code and the signal that ended it. */
  exit: Promise<unknown[]>;
  text: string;
  /** Lets the call go on. */
  release(): void;
}

/** Starts a command, and waits until it opens a file whose path has `blocks`. @param working its TMPDIR */
async function blockedCommand(args: readonly string[], blocks: string, working: string): Promise<Blocked> {
  const marker = join(temporaryFolder(), 'blocked');
  const command = spawn(process.execPath, [GENERATOR, ...args, '--quiet'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      TMPDIR: working,
      NODE_OPTIONS: `--import ${join(folder, 'block.mjs')}`,
      BLOCKS: blocks,
      BLOCKED: marker,
    },
  });
  after(() => command.kill('SIGKILL'));
  const release = (): void => rmSync(marker, { force: true });
  const blocked: Blocked = { command, exit: once(command, 'close'), text: '', release };
  for (const stream of [command.stdout, command.stderr])
    stream.on('data', (piece) => {
      blocked.text += piece;
    });
  await until(
    () => existsSync(marker),
    () => `${args[0]} does not come there: ${blocked.text}`,
  );
  return blocked;
}

for (const [name, args, blocks, folders] of [
  ['build --dry-run', ['build', '--source', source, '--release', 'r2', '--dry-run', '--workers', '1'], 'estimate', 1],
  ['verify', ['verify', '--workers', '1'], 'features', 0],
] as const)
  test(`SIGTERM ends ${name} in the middle of a call, and no working files are left`, async () => {
    const working = join(folder, blocks);
    mkdirSync(working);
    const opened = blocks === 'estimate' ? working : '/lv0/features/';
    const { command, exit } = await blockedCommand([...args, '--out', out], opened, working);
    assert.equal(readdirSync(working).length, folders);
    command.kill('SIGTERM');
    assert.deepEqual(await exit, [143, null]);
    assert.deepEqual(readdirSync(working), []);
  });

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').map(Number).filter(Boolean);
}

test('a build that gets SIGINT, SIGTERM, SIGHUP or SIGKILL ends with its child processes, without a message', {
  skip: existsSync('/proc/self/task') ? false : 'needs /proc',
}, async () => {
  const interrupted = join(folder, 'interrupted');
  const releases = join(interrupted, 'releases');
  const stagingFolders = (): string[] => readdirSync(releases).filter((name) => name.endsWith('.staging'));
  for (const [signal, ...end] of [
    ['SIGINT', 130, null],
    ['SIGTERM', 143, null],
    ['SIGHUP', 129, null],
    ['SIGKILL', null, 'SIGKILL'],
  ] as const) {
    const args = ['build', '--source', source, '--out', interrupted, '--release', 'r1', '--workers', '2'];
    const blocked = await blockedCommand(args, '.staging/work/', folder);
    const workers = childrenOf(blocked.command.pid ?? 0);
    assert.equal(workers.length, 2);
    blocked.command.kill(signal);
    assert.deepEqual(await blocked.exit, end);
    assert.equal(blocked.text, '', signal);
    blocked.release();
    await until(() => workers.every((worker) => !existsSync(`/proc/${worker}`)), 'the child processes go on');
    assert.equal(stagingFolders().length, 1);
    // A lock that is left counts as held, where its holder cannot be looked up: in another container.
    assert.equal(existsSync(join(releases, '.lock')), signal === 'SIGKILL');
  }
  await buildRelease(source, interrupted);
  assert.deepEqual(stagingFolders(), []);
});

/** Commands in a mount namespace in which a folder, $0, can only be read. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"';
const NAMESPACE = ['--map-root-user', '--mount'];

test('an output folder that cannot be written to is an error with a remedy, in activate and prune', {
  skip: without(`unshare ${NAMESPACE.join(' ')} sh -c '${READ_ONLY}' .`),
}, () => {
  for (const command of ['activate r1', 'prune --keep 1']) {
    const script = `${READ_ONLY} && exec "$@" ${command} --out "$0"`;
    const args = [...NAMESPACE, 'sh', '-c', script, out, process.execPath, GENERATOR];
    const { status, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^EROFS: .*\/out\/releases\b.*\n {2}what to do: give this user write access .*\n$/);
  }
});

test('a write that fails in a child process names the output folder, where the error has no path', {
  skip: without('bash --version'),
}, () => {
  const many = writeTwoLevels(join(folder, 'many.gpkg'));
  // The largest file has 8 KiB; Node.js must not be killed by the signal for that.
  const script = `trap '' XFSZ; ulimit -f 8; exec "$@" --quiet build --release r1 --workers 1 --source "$0" --out limited`;
  const args = ['-c', script, many, process.execPath, GENERATOR];
  const { status, stderr } = spawnSync('bash', args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 1, stderr);
  assert.match(stderr, /^limited: EFBIG: .*\n {2}what to do: raise the limit of file sizes .*\n$/);
});

test('results that a reader stops to read end the command without a message', {
  skip: without('bash --version'),
}, () => {
  const args = ['-c', '"$@" | true', 'bash', process.execPath, GENERATOR, 'list', '--out', out];
  const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
  assert.deepEqual([stdout, stderr], ['', '']);
});
