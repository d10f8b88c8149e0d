// The generator's command line as an operator meets it when something in it is wrong.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { activateRelease, pruneReleases } from '../../generator/release/manage.ts';
import { BuildError } from '../../generator/report/errors.ts';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { compile } from '../support/processes/compile.ts';
import { without } from '../support/processes/programs.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
const out = await worldOutput({ pages: 'none' });
const source = join(out, 'world.gpkg');

/** The command that builds a source. */
function buildOf(source: string, out: string, workers: number): string[] {
  const options = `--quiet --release r1 --workers ${workers} --accept empty-geometries`.split(' ');
  return ['build', '--source', source, '--out', out, ...options];
}

/** A command that was ended must have ended after this time. */
const END_MS = 30_000;
const MAIN = compile('generator/main.ts');

function run(...args: string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
}

test('an error is one line that says what is wrong and one that says what to do; the exit code is 2 for the command line, else 1', () => {
  const kept = join(folder, 'kept.gpkg');
  writeFileSync(kept, '');
  const build = ['build', '--source', 'none.gpkg', '--release', 'r1', '--out', join(folder, 'none')];
  const cases: [number, string[], RegExp, RegExp][] = [
    [2, [], /^missing command$/, /--help/],
    [2, ['list', '--outt', folder], /^Unknown argument: outt$/, /--help/],
    [1, build, /^none\.gpkg: no such file or folder$/, /--source/],
    [1, ['activate', 'r2', '--out', out], /releases\/r2: no such release$/, /^ {2}what to do: use one of: r1$/],
    [1, ['diff', 'r1', 'r2', '--out', out], /releases\/r2: no such release$/, /use one of: r1$/],
    [1, ['sample', '--out', kept], /kept\.gpkg exists already$/, /remove it/],
    [1, ['build', '--sample', '--out', kept], /^ENOTDIR: .*kept\.gpkg|^EEXIST: .*kept\.gpkg/, /another --out/],
  ];
  for (const [code, args, message, remedy] of cases) {
    const { status, stdout, stderr } = run('--quiet', ...args);
    const [first = '', second = '', ...rest] = stderr.split('\n');
    assert.deepEqual([status, stdout, rest], [code, '', ['']], `${args.join(' ')}: ${stderr}`);
    assert.match(first, message);
    assert.match(second, /^ {2}what to do: /);
    assert.match(second, remedy);
  }
});

test('a config file is JSON in a regular file, whose options are named and typed as on the command line', () => {
  const config = join(folder, 'config.json');
  const script = join(folder, 'config.js');
  const ran = join(folder, 'ran');
  writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(ran)}, ''); module.exports = {};`);
  const pipe = join(folder, 'pipe.json');
  execFileSync('mkfifo', [pipe]);
  const refused = (file: string, expected: RegExp): void => {
    const args = ['--config', file, '--sample', '--out', join(folder, 'none'), '--workers', '0', '--quiet'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'build', ...args], {
      encoding: 'utf8',
      timeout: END_MS,
    });
    const [first = '', second = '', ...rest] = stderr.split('\n');
    assert.deepEqual([status, stdout, rest], [2, '', ['']], stderr);
    assert.ok(first.startsWith(`--config ${file}: `), first);
    assert.match(first, expected);
    assert.match(second, /^ {2}what to do: /);
  };
  const cases: [string, RegExp][] = [
    ['{"release": 2026}', /: release is 2026, expected text$/],
    ['{"release": null}', /: release is null, expected text$/],
    ['{"release": {"id": "r1"}}', /: release is \{"id":"r1"\}, expected text$/],
    ['{"release": ["r1"]}', /: release is \["r1"\], expected text$/],
    ['{"precision": "7"}', /: precision is "7", expected a number$/],
    ['{"keep-fids": "yes"}', /: keep-fids is "yes", expected true or false$/],
    ['{"attribution": ["a", 1]}', /: attribution is \["a",1\], expected a list of texts$/],
    ['{"layer": []}', /: layer is \[\], expected a list of texts$/],
    ['{"layer": {"lv0": "a"}}', /: layer is \{"lv0":"a"\}, expected a list of texts$/],
    ['{"relase": "r1"}', /: relase: unknown option$/],
    ['{"config": "other.json"}', /: config: unknown option$/],
    ['{"__proto__": {"release": "r1"}}', /: __proto__: unknown option$/],
    ['{"": 1}', /: : unknown option$/],
    ['{"release.id": "r1"}', /: release\.id: unknown option/],
    ['{"_": ["list"]}', /: _: unknown option$/],
    ['null', /: is not a JSON object$/],
    ['[]', /: is not a JSON object$/],
    ['', /: is not JSON$/],
    ["{'release': 1}", /: is not JSON$/],
  ];
  for (const [text, expected] of cases) {
    writeFileSync(config, text);
    refused(config, expected);
  }
  refused(script, /: is not JSON$/);
  assert.ok(!existsSync(ran));
  refused(pipe, /: not a regular file$/);
  refused(folder, /: not a regular file$/);
  refused(join(folder, 'none.json'), /: cannot be read \(ENOENT\)$/);
});

test('a file in the place of the output folder is an error with a remedy, in build, activate and prune', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const failing of [
    () => buildRelease(source, file),
    () => activateRelease(file, 'r1'),
    () => pruneReleases(file, 1),
  ])
    await assert.rejects(failing, (error) => {
      assert.ok(error instanceof BuildError, String(error));
      assert.match(error.message, /ENOTDIR|EEXIST/);
      assert.ok(error.message.includes(file), error.message);
      return /another --out/.test(error.remedy);
    });
});

/** chattr(1) needs root and a file system with that attribute. */
function immutable(path: string, isImmutable: boolean): boolean {
  return spawnSync('chattr', [isImmutable ? '+i' : '-i', path]).status === 0;
}

test('an output folder that cannot be written to is an error with a remedy, in activate and prune', async (t) => {
  const releases = join(out, 'releases');
  if (!immutable(releases, true)) {
    t.skip('chattr +i is not possible here');
    return;
  }
  try {
    for (const failing of [() => activateRelease(out, 'r1'), () => pruneReleases(out, 1)])
      await assert.rejects(failing, (error) => {
        assert.ok(error instanceof BuildError, String(error));
        assert.ok(error.message.includes(releases), error.message);
        return /write access/.test(error.remedy);
      });
  } finally {
    immutable(releases, false);
  }
});

test('a write that fails in a child process names the output folder, where the error has no path', {
  skip: without('bash --version'),
}, () => {
  const limited = join(folder, 'limited');
  // The largest file has 8 KiB; Node.js must not be killed by the signal for that.
  const script = `trap '' XFSZ; ulimit -f 8; exec "$@"`;
  const args = [process.execPath, MAIN, ...buildOf(source, limited, 1)];
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', ...args], { encoding: 'utf8' });
  assert.equal(status, 1, stderr);
  assert.match(stderr, /^\S+\/limited: EFBIG: .*\n {2}what to do: raise the limit of file sizes .*\n$/);
});

test('results that a reader stops to read end the command without a message', {
  skip: without('bash --version'),
}, () => {
  const args = ['-c', '"$@" | true', 'bash', process.execPath, MAIN, 'list', '--out', out];
  const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
  assert.deepEqual([stdout, stderr], ['', '']);
});

/** Ids of the child processes of a process. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').map(Number).filter(Boolean);
}

test('a build that gets SIGINT, SIGTERM, SIGHUP or SIGKILL ends with its child processes, without a message', {
  skip: existsSync('/proc/self/task') ? false : 'needs /proc',
}, async () => {
  const big = join(folder, 'big.gpkg');
  writeSynthetic(big, 4_000);
  const interrupted = join(folder, 'interrupted');
  const releases = join(interrupted, 'releases');
  const stagingFolders = (): string[] => (existsSync(releases) ? readdirSync(releases).filter(isStaging) : []);
  const isAtWorkIn = (name: string): boolean =>
    existsSync(join(releases, name, 'work')) && readdirSync(join(releases, name, 'work')).length > 0;
  for (const [signal, ...end] of [
    ['SIGINT', 130, null],
    ['SIGTERM', 143, null],
    ['SIGHUP', 129, null],
    ['SIGKILL', null, 'SIGKILL'],
  ] as const) {
    const args = [MAIN, ...buildOf(big, interrupted, 2)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        text += piece;
      });
    const { pid = 0 } = child;
    const left = stagingFolders();
    const isAtWork = (): boolean =>
      stagingFolders().some((name) => !left.includes(name) && isAtWorkIn(name)) && childrenOf(pid).length === 2;
    await until(isAtWork, () => `no build: ${text}`);
    const workers = childrenOf(pid);
    child.kill(signal);
    assert.deepEqual(await once(child, 'close', { signal: AbortSignal.timeout(END_MS) }), end);
    assert.equal(text, '', signal);
    await until(() => workers.every((worker) => !existsSync(`/proc/${worker}`)), 'the child processes go on');
    assert.equal(stagingFolders().length, 1);
    // A lock that is left counts as held, where its holder cannot be looked up: in another container.
    assert.equal(existsSync(join(releases, '.lock')), signal === 'SIGKILL');
  }
  await buildRelease(source, interrupted, { accept: ['empty-geometries'] });
  assert.deepEqual(stagingFolders(), []);
});

function isStaging(name: string): boolean {
  return name.endsWith('.staging');
}
