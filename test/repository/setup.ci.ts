// The set-up in a folder of its own: what it does in each state of a clone, what it says, and what it leaves behind.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { claim, release } from '../../.setup/lock.js';
import { addressOf } from '../../.setup/port.js';
import { run } from '../../.setup/run.js';
import { SERVE_OPTIONS } from '../../proxy/config/options.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import {
  type CloneOptions,
  COMPILING,
  callsIn,
  DOWNLOAD,
  INSTALLED,
  makeClone,
  setUp,
  start,
} from './clone-to-set-up.ts';

const DONE: CloneOptions = { installed: INSTALLED, binding: true };
const { engines: ENGINES, scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const NPM_CI = /^npm ci --include=dev$/;

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
  [
    'shows what npm said where it fails',
    { npm: "console.error('the registry is gone'); process.exit(1);" },
    1,
    /set-up failed: npm ci .*the registry is gone/s,
    NPM_CI,
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

test('npm start on a port in use says so before anything is installed, and which port is free', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [, script = ''] = /^node \.setup\/(\S+)/.exec(scripts.start) ?? [];
  const clone = makeClone({ prebuilt: 'binding' });
  const refused = await setUp(clone, { script: [script, '--port', `${port}`] });
  server.close();
  assert.equal(refused.code, 1);
  const [, words = ''] =
    /^127\.0\.0\.1 port \d+: the port is already in use\n {2}what to do: stop .*, or .*: npm start -- (.*)\n$/.exec(
      refused.printed,
    ) ?? [];
  assert.deepEqual(callsIn(clone), [], refused.printed);
  const started = await setUp(clone, { script: [script, ...words.split(' ')] });
  assert.equal(started.code, 0, started.printed);
  assert.deepEqual(callsIn(clone), [
    'npm ci --include=dev',
    'node-pre-gyp install',
    'tsx generator/main.ts build --sample --unless-published',
    `tsx proxy/main.ts serve --dev ${words}`,
  ]);
});

test('npm start tries the port and the host that serve will use', () => {
  const { host, port } = SERVE_OPTIONS;
  assert.deepEqual(addressOf([], {}), { host: host.default, port: port.default });
  assert.deepEqual(addressOf(['--no-explorer', '--port=9000', '--host', '::1'], {}), { host: '::1', port: 9000 });
  const env = { BOUNDARIES_PORT: '9001', BOUNDARIES_HOST: 'localhost' };
  assert.deepEqual(addressOf(['--title', 'Mine'], env), { host: 'localhost', port: 9001 });
  for (const given of ['no', '99999', '']) assert.equal(addressOf(['--port', given], {}).port, 0, given);
  assert.equal(addressOf([], { BOUNDARIES_PORT: 'tcp://10.0.0.1:80' }).port, port.default);
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
    const lines = times.map((time) => `set-up: still compiling: ${time}`);
    assert.deepEqual(said(), lines);
  } finally {
    socket.end();
    server.close();
  }
  assert.equal((await running).ok, true);
  t.mock.timers.tick(60_000);
  assert.equal(said().length, 5, 'nothing when it has ended');
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
    return readFileSync(join(clone.folder, 'nodedir'), 'utf8');
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

test('two set-ups of one clone at once do the work once', async () => {
  const clone = makeClone({ prebuilt: 'binding' });
  const outcomes = await Promise.all([setUp(clone), setUp(clone)]);
  const codes = outcomes.map(({ code }) => code);
  assert.deepEqual(codes, [0, 0]);
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

test('of set-ups that find the lock of one that is gone, in any order of their steps one has it, then the next', () => {
  const lock = join(temporaryFolder(), 'clone.lock');
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const [first, second] = [process.pid, process.ppid].sort((a, b) => a - b);
  assert.ok(first !== undefined && second !== undefined);
  const orders: [number, number][] = [
    [first, second],
    [second, first],
  ];
  for (const early of [undefined, first, second]) {
    writeFileSync(`${lock}.${gone}`, '');
    // One has written its claim and has not looked at the others yet.
    if (early !== undefined) writeFileSync(`${lock}.${early}`, '');
    for (const [one, other] of orders) {
      const turns = [claim(lock, one), claim(lock, other)].map((others) => others.length === 0);
      assert.ok(!(turns[0] && turns[1]), `${early}`);
      for (let i = 0; i < 2 && !turns.includes(true); i++) turns.push(claim(lock, one).length === 0);
      assert.ok(turns.includes(true), `${early}: nobody goes on`);
      for (const pid of [one, other]) release(lock, pid);
      assert.deepEqual(claim(lock, other), []);
      assert.ok(!existsSync(`${lock}.${gone}`));
      release(lock, other);
    }
  }
});

test('npm run pack in a clone without packages says what to type', () => {
  const clone = temporaryFolder();
  cpSync('.package', join(clone, '.package'), { recursive: true });
  copyFileSync('package.json', join(clone, 'package.json'));
  const { status, stderr } = spawnSync('npm', ['run', '--silent', 'pack'], { cwd: clone, encoding: 'utf8' });
  assert.deepEqual(
    [status, stderr],
    [1, 'the packages of this clone are not installed\n  what to do: npm ci --include=dev\n'],
  );
});
