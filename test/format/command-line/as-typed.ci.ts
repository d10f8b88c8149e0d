// Each command of both programs, started as a process: how it ends, and which stream has what. Everything else about
// commands is tested in process (support/processes/typed.ts).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { PROXY, serve } from '../../support/processes/proxy-process.ts';
import { GENERATOR } from '../../support/processes/run-generator.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** As it is started in a clone. */
const CLONE = ['--import', 'tsx', 'proxy/main.ts'];
const source = writeCountries();
const folder = temporaryFolder();
const out = join(folder, 'output');
const key = join(folder, 'signing.pem');
writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }));
/** The development key is kept in the home folder. */
const HOME = folder;

function run(words: readonly string[], cwd?: string) {
  const env = { ...process.env, HOME };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8', env, input: '' });
  return { status, stdout, stderr };
}

/** Types commands into a shell whose folder is `folder`, one after the other. */
function assertTyped(
  main: string,
  lines: readonly (readonly [line: string, status: number, out: RegExp, err: RegExp])[],
) {
  for (const [line, status, stdout, stderr] of lines) {
    const printed = run([main, ...line.split(' ')], folder);
    assert.equal(printed.status, status, `${line}\n${printed.stderr}`);
    assert.match(printed.stdout, stdout, line);
    assert.match(printed.stderr, stderr, line);
  }
}

const NOTHING = /^$/;
const PROGRESS = /files written: (\d+) of \1\n$/;
/** After ten seconds there is another line before it. */
const VERIFIED = /^features verified: /m;

test('each command of the generator prints its result on standard output, and progress or one error on the other', () => {
  const options = `--source ${source} --levels lv0,lv1 --workers 0`;
  assertTyped(GENERATOR, [
    [`build ${options} --release r1`, 0, /\nrelease r1 is current \(.* s\)\n$/, PROGRESS],
    [`build ${options} --release r2 --shard 0/1`, 0, /^shard 0\/1 of release r2 is written; /m, PROGRESS],
    ['seal r2', 0, /\nrelease r2 is current\n$/, NOTHING],
    ['verify --workers 0', 0, /^release r2: .*, 0 findings\n$/, VERIFIED],
    ['diff r1 r2 --quiet', 0, /^level +differ before +after +merged /, NOTHING],
    ['changes r1 r2 --dry-run', 0, /\nNothing was written\.\n$/, NOTHING],
    [
      `build ${options} --release r4 --changes`,
      0,
      /\nlevel +differ before +.*\nrelease r4 is current, in place of r2 /s,
      PROGRESS,
    ],
    ['changes r1 r2', 0, /^level +differ before +after +merged /, NOTHING],
    ['diff r1 r3', 1, NOTHING, /^.*: no such release\n {2}what to do: .+\n$/],
    ['list --json', 0, /^\[\n.*"release": "r1",.*\n\]\n$/s, NOTHING],
    ['activate r1', 0, /^release r1 is current\n$/, NOTHING],
    [`sign r1 --key ${key} --workers 0`, 0, /^release r1 is signed\n$/, VERIFIED],
    ['sample --out sample.gpkg', 0, /^sample\.gpkg: 11,820 units, /, /^units written: .* of 11,820\n$/s],
    ['nonsense', 2, NOTHING, /^nonsense: no such command\n {2}what to do: /],
  ]);
  truncateSync(join(out, 'releases/r2/lv0/index.bin'), 10);
  assertTyped(GENERATOR, [
    [
      'verify --release r2 --workers 0 --quiet',
      1,
      /^releases\/r2\/lv0\/index\.bin: .*\nrelease r2: .*\ncopy /s,
      NOTHING,
    ],
    ['prune --keep 1 --dry-run', 0, /^to remove: r4, r2\n\nNothing was removed\.\n$/, NOTHING],
    ['prune --keep 1 --grace 0s', 0, /^removed: r4, r2\n$/, NOTHING],
    [`build ${options} --release r5 --no-activate`, 0, /\nrelease r5 is published; /, PROGRESS],
    ['remove r5', 0, /^release r5 is removed\n$/, NOTHING],
  ]);
});

test('points and match append to standard output and report on the other; a start that fails prints one error', () => {
  const table = join(folder, 'places.csv');
  writeFileSync(table, 'lon,lat\n0.5,0.5\n,\n');
  const names = join(folder, 'names.csv');
  writeFileSync(names, 'country\nAland\nAtlantis\n');
  assertTyped(PROXY, [
    [
      `points ${table} --strict`,
      1,
      /^lon,lat,gid_0,name_0,.*\n0\.5,0\.5,AAA,Aland,.*\n,,.*\n$/,
      /^1 row without a point/,
    ],
    [
      `match ${names} --strict`,
      1,
      /^country,gid_0,name_0,match,.*\nAland,AAA,Aland,exact,,\nAtlantis,,,none,country,\n$/,
      /^"country" is lv0; .*\n1 row of no unit: line 3\n/,
    ],
    [
      'serve --origin none --public --port 0',
      1,
      NOTHING,
      /there is no release to serve\n {2}.*boundaries-generator build/,
    ],
    ['serve --prot 1', 2, NOTHING, /^--prot: no such option\n {2}what to do: did you mean --port/],
  ]);
});

test('head ends points quietly', () => {
  const table = join(folder, 'long.csv');
  writeFileSync(table, `lon,lat\n${'0.5,0.5\n'.repeat(200_000)}`);
  const command = '"$0" "$1" points --origin "$2" "$3" | head -n 2';
  const args = ['-c', command, process.execPath, PROXY, out, table];
  const { status, stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^lon,lat,gid_0,.*\n0\.5,0\.5,AAA,.*\n$/);
});

test('token --dev prints a token and nothing else, which serve --dev accepts; serve says how to try it, and SIGINT ends it', async () => {
  const running = await serve(['--dev', '--origin', out, '--no-explorer'], { HOME });
  await running.says(/\$NEXT"\n/);
  assert.doesNotMatch(running.out(), /#token|browser/);
  const typed = [...'token --dev --expires 15m --subject me --scope'.split(' '), 'a b'];
  const { status, stdout, stderr } = run([PROXY, ...typed]);
  assert.deepEqual([status, stderr], [0, '']);
  const { iat = 0, exp, jti, ...claims } = decodeJwt(stdout.trim());
  assert.match(String(jti), /^[\da-f-]{36}$/);
  assert.deepEqual(claims, { iss: 'boundaries-development', aud: 'boundaries', sub: 'me', scope: 'a b' });
  assert.equal(exp, iat + 900);
  assert.equal(await statusOf(running.url, stdout), 200);
  assert.match(running.err(), /^\S+ loading release r1\n$/);
  assert.deepEqual(await running.stop('SIGINT'), [0, null]);
});

test('keys on a full disk prints one error and leaves nothing in the way of the next try', () => {
  const keys = join(folder, 'full');
  // No file can have a byte.
  const type = (shell: string) => spawnSync('sh', ['-c', shell, process.execPath, PROXY, 'keys', '--out', keys]);
  const { status, stderr } = type('ulimit -f 0; "$0" "$@" 2>&1 | cat >&2; exit 1');
  assert.equal(status, 1);
  assert.match(String(stderr), /^\S*keys\.json: cannot be read or written \(EFBIG\)\n {2}what to do: .*\n$/);
  assert.equal(type('"$0" "$@"').status, 0);
});

async function statusOf(url: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token.trim()}` };
  return (await fetch(`${url}/api/v1/fc/lv0`, { headers })).status;
}

test("the lines of README's 'Publish your own data' make a key pair, a service and a token that it accepts", async () => {
  const [, section = ''] = readFileSync('README.md', 'utf8').split('## Publish your own data');
  const lines = section
    .split('## How it works', 1)
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('npx tsx proxy/main.ts '))
    .map((line) => line.split(' ').slice(3));
  assert.equal(lines.map(([command]) => command).join(), 'serve,keys,serve,token,serve');
  const keyFolder = join(temporaryFolder(), 'keys');
  const [, keys = [], served = [], token = [], open = []] = lines.map(([command = '', ...words]) => [
    command,
    ...words.map((word) => word.replace(/^keys\b/, keyFolder).replace(/^us$/, out)),
  ]);
  const made = run([PROXY, ...keys]);
  assert.deepEqual([made.status, made.stderr], [0, '']);
  assert.match(made.stdout, /private\.pem: the private key, .*\n.*keys\.json: for --jwks\n$/);
  const { url } = await serve(served.slice(1));
  const signed = run([PROXY, ...token]).stdout;
  const { iat = 0, exp, jti, ...claims } = decodeJwt(signed);
  assert.match(String(jti), /^[\da-f-]{36}$/);
  assert.deepEqual(claims, { iss: 'my-service', aud: 'boundaries', sub: 'partner-a' });
  assert.equal(exp, iat + 90 * 86_400);
  assert.equal(await statusOf(url, signed), 200);
  assert.equal(await statusOf((await serve(open.slice(1))).url), 200);
});

test('in a clone the remedy is what is typed there', () => {
  const { stderr } = run([...CLONE, 'serve', '--public', '--origin', 'none', '--port', '0']);
  assert.match(stderr, /there is no release to serve\n {2}what to do: build one: npx tsx generator\/main\.ts build /);
});
