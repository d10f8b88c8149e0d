// The set-up in a folder of its own, with stand-ins for npm, apt and the compiler that note how they were called. Where
// the user's cache has Node 26 (`node .setup/other-node.js 26` installs it), also what it does on a Node too new for
// GDAL.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { programOf } from '../../.setup/other-node.js';
import { run } from '../../.setup/run.js';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const REPOSITORY = resolve();
const BINDING_FOLDER = `lib/binding/node-v${process.versions.modules}-${process.platform}-${process.arch}`;
const BINDING = join(dirname(createRequire(import.meta.url).resolve('gdal-async/package.json')), BINDING_FOLDER);

const PACKAGES = {
  '': { name: 'clone' },
  'node_modules/tool': { version: '1.0.0', integrity: 'sha512-one' },
  'node_modules/for-another-platform': { version: '1.0.0', optional: true },
};
const INSTALLED = { 'node_modules/tool': PACKAGES['node_modules/tool'] };
const DONE: CloneOptions = { installed: INSTALLED, binding: true };
const ENGINES = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')).engines;
const NPM_CI = /^npm ci --include=dev$/;
const DOWNLOAD = /^node-pre-gyp install$/;
const COMPILING = ['gdal-config', 'g++', 'make', 'python3'];

/** A clone to set up. */
interface Clone {
  root: string;
  /** What a program of the user's is found in; nothing else is on PATH. */
  programs: string;
  /** Where the binding belongs. */
  binding: string;
}

interface CloneOptions {
  engines?: string;
  /** npm's note of what is installed; none where left out. */
  installed?: object;
  /** What gdal-async's downloader and compiler leave behind. */
  prebuilt?: 'binding' | 'half' | 'nothing';
  compiled?: 'binding' | 'half' | 'nothing';
  programs?: readonly string[];
  /** Is the binding there already? */
  binding?: boolean;
}

/** How the set-up is started. */
interface Start {
  /** The Node that the user typed; this one where left out. */
  node?: string;
  env?: Record<string, string>;
}

/** What a run of the set-up came to. */
interface Outcome {
  code: number | null;
  printed: string;
  /** The lines that tell what is being done. */
  steps: string[];
}

function makeClone(options: CloneOptions = {}): Clone {
  const folder = temporaryFolder();
  const clone = { root: join(folder, 'clone'), programs: join(folder, 'programs'), binding: '' };
  const gdal = join(clone.root, 'node_modules', 'gdal-async');
  const preGyp = join(gdal, 'node_modules', '@mapbox', 'node-pre-gyp', 'bin');
  clone.binding = join(gdal, BINDING_FOLDER, 'gdal.node');
  for (const made of [clone.programs, preGyp]) mkdirSync(made, { recursive: true });
  cpSync(join(REPOSITORY, '.setup'), join(clone.root, '.setup'), { recursive: true });
  const engines = { node: options.engines ?? '>=20' };
  writeFileSync(join(clone.root, 'package.json'), JSON.stringify({ type: 'module', engines }));
  writeFileSync(join(clone.root, 'package-lock.json'), JSON.stringify({ packages: PACKAGES }));
  if (options.installed !== undefined) {
    const installed = JSON.stringify({ packages: options.installed });
    writeFileSync(join(clone.root, 'node_modules', '.package-lock.json'), installed);
  }
  if (options.binding) {
    mkdirSync(dirname(clone.binding), { recursive: true });
    copyFileSync(join(BINDING, 'gdal.node'), clone.binding);
  }
  writeFileSync(join(gdal, 'package.json'), '{}');
  const { prebuilt = 'nothing', compiled = 'nothing' } = options;
  const calls = JSON.stringify(join(folder, 'calls'));
  writeFileSync(
    join(preGyp, 'node-pre-gyp'),
    `const fs = require('node:fs');
     fs.appendFileSync(${calls}, 'node-pre-gyp ' + process.argv.slice(2).join(' ') + '\\n');
     fs.writeFileSync(${calls} + '.nodedir', String(process.env.npm_config_nodedir));
     const known = process.versions.modules === '${process.versions.modules}';
     const left = !known ? 'nothing' : process.argv.includes('--build-from-source') ? '${compiled}' : '${prebuilt}';
     if (left === 'nothing') {
       console.log('a.cpp: In function f:\\na.cpp:3:5: error: what went wrong\\nb.cpp:1:1: error: another\\nmake: it failed');
       process.exit(1);
     }
     fs.mkdirSync(${JSON.stringify(dirname(clone.binding))}, { recursive: true });
     if (left === 'half') fs.writeFileSync(${JSON.stringify(clone.binding)}, 'half of a binding');
     else fs.copyFileSync(${JSON.stringify(join(BINDING, 'gdal.node'))}, ${JSON.stringify(clone.binding)});`,
  );
  for (const name of options.programs ?? []) addProgram(clone, name, '');
  addProgram(
    clone,
    'npm',
    `setTimeout(() => fs.writeFileSync(
       ${JSON.stringify(join(clone.root, 'node_modules', '.package-lock.json'))},
       ${JSON.stringify(JSON.stringify({ packages: INSTALLED }))}), 300);`,
  );
  return clone;
}

/** A program that notes its call and runs `script`, in which `fs` is there. */
function addProgram(clone: Clone, name: string, script: string): void {
  const file = join(clone.programs, name);
  const calls = JSON.stringify(join(clone.programs, '..', 'calls'));
  writeFileSync(
    file,
    `#!${process.execPath}\nconst fs = require('node:fs');
     fs.appendFileSync(${calls}, '${name} ' + process.argv.slice(2).join(' ') + '\\n');\n${script}`,
  );
  chmodSync(file, 0o755);
}

function callsIn(clone: Clone): string[] {
  const file = join(clone.programs, '..', 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

function start(
  clone: Clone,
  { node = process.execPath, env: more = {} }: Start = {},
): { child: ChildProcess; outcome: Promise<Outcome> } {
  const folder = join(clone.programs, '..');
  const env = { PATH: clone.programs, TMPDIR: folder, XDG_CACHE_HOME: join(folder, 'cache'), ...more };
  const child = spawn(node, [join(clone.root, '.setup', 'setup.js')], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const outcome = once(child, 'close').then(([code]): Outcome => {
    return { code, printed, steps: printed.split('\n').filter((line) => line.startsWith('set-up: ')) };
  });
  return { child, outcome };
}

function setUp(clone: Clone, how?: Start): Promise<Outcome> {
  return start(clone, how).outcome;
}

/** What a clone is like, how its set-up ends, what is printed, and which programs are called. */
const CASES: [what: string, options: CloneOptions, code: number, printed: RegExp, ...calls: RegExp[]][] = [
  ['of a clone that is set up does nothing and says nothing', { ...DONE, engines: ENGINES.node }, 0, /^$/],
  [
    'names the versions of Node that it takes when it meets another',
    { engines: '^20.99.0 || >=99' },
    1,
    /this is Node [\d.]+, expected \^20\.99\.0 \|\| >=99/,
  ],
  [
    'installs packages where there are none',
    { binding: true },
    0,
    /^set-up: what is missing is installed once: the packages of package-lock\.json \(a minute\)\nset-up: installing the packages of package-lock\.json \(npm ci\)\n$/,
    NPM_CI,
  ],
  ...['{"version":"0.9.0","integrity":"sha512-one"}', '{"version":"1.0.0","integrity":"sha512-two"}', '{}'].map(
    (tool): (typeof CASES)[number] => [
      `installs packages anew where the tool is ${tool}, not that of the lock file`,
      { ...DONE, installed: { 'node_modules/tool': JSON.parse(tool) } },
      0,
      /installing the packages/,
      NPM_CI,
    ],
  ),
  [
    'takes the prebuilt binding where that loads',
    { installed: INSTALLED, prebuilt: 'binding', programs: COMPILING },
    0,
    /^set-up: .*\nset-up: downloading gdal-async's prebuilt binary\n$/,
    DOWNLOAD,
  ],
  ...(['nothing', 'half'] as const).map((prebuilt): (typeof CASES)[number] => [
    `compiles against the system's GDAL where the download leaves ${prebuilt}`,
    { installed: INSTALLED, prebuilt, compiled: 'binding', programs: COMPILING },
    0,
    /^(set-up: .*\n){3}$/,
    DOWNLOAD,
    // Without the second option, gdal-async compiles the GDAL that it brings along, for an hour.
    /^node-pre-gyp install --build-from-source --shared_gdal=true/,
  ]),
  [
    'compiles nothing without the GDAL of the system, and says what to type',
    { installed: INSTALLED, compiled: 'binding' },
    1,
    /Install them, then run the same command again:\n\n {2}\S.*gdal/i,
    DOWNLOAD,
  ],
];

for (const [what, options, expected, message, ...expectedCalls] of CASES)
  test(`the set-up ${what}${expected === 0 ? ', and nothing the next time' : ''}`, async () => {
    const clone = makeClone(options);
    const { code, printed } = await setUp(clone);
    assert.equal(code, expected);
    assert.match(printed, message);
    const calls = callsIn(clone);
    assert.equal(calls.length, expectedCalls.length, calls.join('\n'));
    for (const [i, call] of expectedCalls.entries()) assert.match(calls[i] ?? '', call);
    if (expected !== 0) return;
    assert.equal((await setUp(clone)).printed, '');
    assert.deepEqual(callsIn(clone), calls);
  });

test('npm start says at the beginning what will happen and about how long', async () => {
  const clone = makeClone({ prebuilt: 'binding' });
  const { steps } = await setUp(clone, { env: { npm_lifecycle_event: 'start' } });
  assert.match(
    steps[0] ?? '',
    /: the packages .*\(a minute\); then GDAL's binding \(.*\); then a sample .*\(a minute\)/,
  );
});

test('what takes long is said again every 15 seconds, with how long it has taken', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const printed = t.mock.method(console, 'error', () => {});
  const said = (): string[] =>
    printed.mock.calls.map(({ arguments: [line] }) => String(line)).filter((line) => line.startsWith('set-up'));
  const { port } = server.address() as AddressInfo;
  // It ends when its connection does.
  const running = run('compiling', process.execPath, ['-e', `require('node:net').connect(${port}, '127.0.0.1')`]);
  const [socket] = await once(server, 'connection');
  try {
    t.mock.timers.tick(14_999);
    assert.deepEqual(said(), []);
    for (const ms of [1, 15_000, 15_000, 15_000, 15_000]) t.mock.timers.tick(ms);
    const times = ['15 s', '30 s', '45 s', '1 min 0 s', '1 min 15 s'];
    assert.deepEqual(
      said(),
      times.map((time) => `set-up: still compiling: ${time}`),
    );
  } finally {
    socket.end();
    server.close();
  }
  assert.equal((await running).ok, true);
  t.mock.timers.tick(60_000);
  assert.equal(said().length, 5, 'nothing when it has ended');
});

test('the set-up shows what npm said where it fails', async () => {
  const clone = makeClone();
  addProgram(clone, 'npm', "console.error('the registry is gone'); process.exit(1);");
  const { code, printed } = await setUp(clone);
  assert.equal(code, 1);
  assert.match(printed, /set-up failed: npm ci .*the registry is gone/s);
});

for (const compiled of ['nothing', 'half'] as const) {
  test(`the set-up leaves no binding behind where compiling leaves ${compiled}`, async () => {
    const clone = makeClone({ installed: INSTALLED, compiled, programs: COMPILING });
    const { code, printed } = await setUp(clone);
    assert.equal(code, 1);
    const [, cause = '', log = ''] =
      /set-up failed: gdal-async does not compile .*?: (.*) \(.*: (.*)\)\n$/.exec(printed) ?? [];
    const output = readFileSync(log, 'utf8');
    assert.equal(cause, compiled === 'half' ? 'what was compiled does not load' : 'a.cpp:3:5: error: what went wrong');
    if (compiled === 'nothing') assert.equal(output.split('\n').length, 5);
    assert.equal(existsSync(clone.binding), false);
  });
}

test("the set-up compiles with the headers beside this Node, whatever npm's nodedir says", async () => {
  const folder = temporaryFolder();
  const header = process.versions.node
    .split('.')
    .map((number, i) => `#define NODE_${['MAJOR', 'MINOR', 'PATCH'][i]}_VERSION ${number}\n`);
  const putHeader = (place: string, text: string): void => {
    mkdirSync(join(folder, place, 'include', 'node'), { recursive: true });
    writeFileSync(join(folder, place, 'include', 'node', 'node_version.h'), text);
  };
  const node = join(folder, 'prefix', 'bin', 'node');
  mkdirSync(dirname(node), { recursive: true });
  copyFileSync(process.execPath, node);
  putHeader('another', header.join('').replace(/\d+\n$/, '999\n'));
  const nodedirOf = async (nodedir: string): Promise<string> => {
    const clone = makeClone({ installed: INSTALLED, compiled: 'binding', programs: COMPILING });
    assert.equal((await setUp(clone, { node, env: { npm_config_nodedir: join(folder, nodedir) } })).code, 0);
    return readFileSync(join(clone.programs, '..', 'calls.nodedir'), 'utf8');
  };
  assert.equal(await nodedirOf('another'), 'undefined');
  putHeader('set', header.join(''));
  assert.equal(await nodedirOf('set'), join(folder, 'set'));
  // Where npm's package `node` has them.
  const packaged = join('prefix', 'node_modules', `node-${process.platform}-${process.arch}`);
  putHeader(packaged, header.join(''));
  assert.equal(await nodedirOf('set'), join(folder, packaged));
  putHeader('prefix', header.join(''));
  assert.equal(await nodedirOf('another'), join(folder, 'prefix'));
});

const NEWER = programOf(26);
const hasNewer = existsSync(NEWER) && Number.parseInt(process.versions.node, 10) < 26;

test("on a Node too new for gdal-async the set-up goes on with npm's Node 24", { skip: !hasNewer }, async (t) => {
  const clone = makeClone({ installed: INSTALLED, prebuilt: 'binding', programs: COMPILING });
  const cache = join(clone.programs, '..', 'cache');
  // What npm installs is this Node.
  const name = NEWER.split('/').at(-3);
  addProgram(
    clone,
    'npm',
    `const folder = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules/${name}/bin';
     fs.mkdirSync(folder, { recursive: true });
     fs.symlinkSync(process.execPath, folder + '/node');`,
  );
  const script = [join(clone.root, '.setup', 'with-gdal.js'), '-p', 'process.version + process.env.PROXY_NODE'];
  const withGdal = (): string => execFileSync(NEWER, script, { encoding: 'utf8', stdio: 'pipe', env: {} });

  await t.test('says so in one line, compiles nothing, and says once that it installs', async () => {
    const { code, steps } = await setUp(clone, { node: NEWER });
    assert.equal(code, 0);
    assert.deepEqual(
      steps.map((step) =>
        /installed once|downloading|none for Node 26.*npm's Node 24|installing Node 24/.exec(step)?.[0].slice(0, 11),
      ),
      ['installed o', 'downloading', 'none for No', 'installing ', 'downloading'],
    );
    const [download = '', install = '', ...others] = callsIn(clone);
    assert.match(download, DOWNLOAD);
    assert.match(install, new RegExp(`^npm install --prefix ${cache}/.* ${name}@24$`));
    assert.equal(others.length, 1);
    assert.match(others[0] ?? '', DOWNLOAD);
  });
  await t.test('finds it again', async () => {
    assert.deepEqual(await setUp(clone, { node: NEWER }), { code: 0, printed: '', steps: [] });
    assert.equal((await setUp(clone)).printed, '');
  });
  await t.test('runs there what needs GDAL', () => {
    assert.equal(withGdal(), `${process.version}${NEWER}\n`);
  });
  await t.test('mends what is gone', async () => {
    for (const gone of [clone.binding, cache]) {
      rmSync(gone, { recursive: true });
      assert.equal((await setUp(clone, { node: NEWER })).code, 0);
      assert.equal(withGdal(), `${process.version}${NEWER}\n`);
    }
  });
  await t.test('begins anew where that fails too', async () => {
    rmSync(clone.binding);
    for (const tool of COMPILING) rmSync(join(clone.programs, tool));
    const preGyp = join(clone.root, 'node_modules', 'gdal-async', 'node_modules', '@mapbox', 'node-pre-gyp', 'bin');
    writeFileSync(join(preGyp, 'node-pre-gyp'), 'process.exit(1)');
    const { code, printed } = await setUp(clone, { node: NEWER });
    assert.equal(code, 1);
    assert.match(printed, /Install them, then run the same command again/);
    assert.match(withGdal(), /^v26.*undefined\n$/);
  });
});

const isDebian = existsSync('/etc/debian_version') && process.getuid?.() === 0;

test('the set-up installs with apt what compiling needs, as root on Debian', { skip: !isDebian }, async () => {
  const clone = makeClone({ installed: INSTALLED, compiled: 'binding', programs: ['g++', 'python3'] });
  const made = ['gdal-config', 'make'].map((name) => JSON.stringify(join(clone.programs, name)));
  addProgram(
    clone,
    'apt-get',
    `if (process.argv.includes('install')) for (const f of [${made}]) fs.writeFileSync(f, '');`,
  );
  const { code, steps } = await setUp(clone);
  assert.equal(code, 0);
  assert.equal(steps.length, 4);
  const [, update = '', install = '', compile = ''] = callsIn(clone);
  assert.match(update, /^apt-get .* update$/);
  assert.match(install, /^apt-get .* install -y --no-install-recommends libgdal-dev make$/);
  assert.match(compile, /--shared_gdal=true/);
});

test('two set-ups of one clone at once do the work once', async () => {
  const clone = makeClone({ prebuilt: 'binding' });
  const outcomes = await Promise.all([setUp(clone), setUp(clone)]);
  assert.deepEqual(
    outcomes.map(({ code }) => code),
    [0, 0],
  );
  assert.deepEqual(callsIn(clone), ['npm ci --include=dev', 'node-pre-gyp install']);
});

test('a set-up goes on where one before it was killed', async () => {
  const clone = makeClone({ prebuilt: 'binding' });
  const { child, outcome } = start(clone);
  await until(() => callsIn(clone).length > 0, 'the set-up calls no program');
  child.kill('SIGKILL');
  await outcome;
  assert.equal((await setUp(clone)).code, 0);
  assert.ok(existsSync(clone.binding));
});
