// The proxy's command line as a user types it: what it prints, what it refuses and how it ends.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { durationToSeconds } from '../../proxy/config/option-values.ts';
import type { ServeOptions } from '../../proxy/config/options.ts';
import { SERVE_OPTIONS } from '../../proxy/config/options.ts';
import { optionsToSettings } from '../../proxy/config/settings.ts';
import { StartError } from '../../proxy/config/start-error.ts';
import { after } from '../support/after.ts';
import { listen } from '../support/http/listen.ts';
import { compile } from '../support/processes/compile.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = await worldOutput();

const MAIN = [compile('proxy/main.ts')];
/** As `npm start` starts it in a clone. */
const CLONE = ['--import', 'tsx', 'proxy/main.ts'];
/** The development key is kept in the home folder. */
const HOME = temporaryFolder();

function run(args: string[], main = MAIN) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...main, ...args], {
    encoding: 'utf8',
    env: { ...process.env, HOME },
  });
  return { status, stdout, stderr };
}

/** Starts `serve` on a free port and returns what it printed once it listens. */
async function serve(args: string[], env: Record<string, string> = {}): Promise<{ child: ChildProcess; text: string }> {
  const child = spawn(process.execPath, [...MAIN, 'serve', '--origin', folder, '--port', '0', ...args], {
    env: { ...process.env, HOME, ...env },
  });
  after(() => child.kill());
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      text += piece;
    });
  const isListening = (): boolean => {
    assert.equal(child.exitCode, null, text);
    return /at http:\S+\n|\$NEXT"\n/.test(text);
  };
  await until(isListening, () => `it does not listen: ${text}`);
  return { child, text };
}

test('serve --dev prints one link to the explorer, with the token where no server sees it', async () => {
  const { text } = await serve(['--dev']);
  const [, token = ''] = /^TOKEN=(.*)$/m.exec(text) ?? [];
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  const links = text.split('\n').filter((line) => line.includes('#'));
  assert.deepEqual(links, [`${/http:\/\/127\.0\.0\.1:\d+/.exec(text)}/#token=${token}`]);
  const without = await serve(['--dev', '--no-explorer']);
  assert.doesNotMatch(without.text, /#token|browser/);
});

test('serve --dev prints a token and three commands that work when pasted', async () => {
  const { text } = await serve(['--dev']);
  assert.match(text, /DEVELOPMENT KEY/);
  const lines = text.split('\n').filter((line) => /^(TOKEN=|curl |NEXT=)/.test(line));
  assert.equal(lines.length, 4);
  const [token, ...commands] = lines;
  const outputs = commands.map((command) =>
    spawnSync('sh', ['-c', `${token}\n${command}`], { encoding: 'utf8' })
      .stdout.split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  );
  const ids = (n: number): number[] => outputs[n]?.map(({ id }) => id) ?? [];
  assert.deepEqual(ids(0), [1, 2, 3]);
  assert.deepEqual(ids(2), [4, 5, 9]);
  assert.ok(outputs[1]?.length);
  assert.ok(outputs[1]?.every(({ properties }) => properties.GID_0 === outputs[1]?.[0].properties.GID_0));
});

test('serve exits with 0 on SIGTERM and SIGINT', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child } = await serve(['--dev']);
    child.kill(signal);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  }
});

test('token --dev prints a token and nothing else', () => {
  const { status, stdout, stderr } = run(['token', '--dev', '--expires', '15m', '--scope', 'a b', '--subject', 'me']);
  assert.deepEqual([status, stderr], [0, '']);
  const { iat = 0, exp, ...claims } = decodeJwt(stdout.trim());
  assert.deepEqual(claims, { iss: 'boundaries-development', aud: 'boundaries', sub: 'me', scope: 'a b' });
  assert.equal(exp, iat + 900);
});

test('a token of token --dev is valid for serve --dev', async () => {
  const { text } = await serve(['--dev']);
  const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\n/.exec(text) ?? [];
  const { stdout } = run(['token', '--dev']);
  const answer = await fetch(`${url}/api/v1/fc/lv0`, { headers: { authorization: `Bearer ${stdout.trim()}` } });
  assert.equal(answer.status, 200);
});

test('options may come from the environment', async () => {
  const secret = 'a secret of at least thirty-two bytes';
  const env = {
    BOUNDARIES_SECRET: secret,
    BOUNDARIES_ISSUER: 'https://issuer.test',
    BOUNDARIES_AUDIENCE: 'boundaries',
  };
  const { text } = await serve([], env);
  assert.match(text, /serving release r1 at http:\/\/127\.0\.0\.1:\d+\n/);
  assert.doesNotMatch(text, /secret of/);
});

test('an error at the start says where, what is wrong and what to do; the exit code is 2 for an option, else 1', async () => {
  const taken = createServer();
  const port = String(await listen(taken));
  const empty = temporaryFolder();
  const faults: [number, string[], RegExp, string[]?][] = [
    [
      1,
      ['--origin', folder, '--port', port],
      /^127\.0\.0\.1 port \d+: the port is already in use\n {2}what to do: .*, e\.g\. npm start -- --port 9000\n$/,
      CLONE,
    ],
    [1, ['--origin', empty], /^\/.*: there is no release to serve\n {2}what to do: .*generator\/main\.ts build/, CLONE],
    [1, ['--origin', empty], /^\/.*: there is no release to serve\n {2}what to do: .*boundaries-generator build/],
    [
      2,
      ['--host', '0.0.0.0'],
      /^--dev with --host 0\.0\.0\.0: the development key works on loopback addresses only\n {2}what to do: /,
    ],
    [2, ['--issuer', 'i'], /^--dev with --issuer: development tokens exclude other issuers\n {2}what to do: /],
    [2, ['--prot', '1'], /^Unknown argument: prot\n {2}what to do: add --help/],
    [2, ['--port'], /^Not enough arguments following: port\n {2}what to do: /],
  ];
  for (const [code, args, message, main] of faults) {
    const { status, stdout, stderr } = run(['serve', '--dev', ...args], main);
    assert.deepEqual([status, stdout], [code, '']);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\bat .*:\d+:\d+/);
  }
});

test('an invalid option is named, without its secret', async () => {
  const given: ServeOptions = { origin: folder, port: 0, issuer: ['i'], audience: 'a' };
  const secret = 'a secret of at least thirty-two bytes';
  const remote = 'https://static.test/boundaries';
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const faults: [Partial<ServeOptions>, RegExp, RegExp][] = [
    [{}, /^no token issuer is configured$/, /^missing --jwks or --secret$/],
    [{ secret, issuer: undefined }, /^no token issuer is configured$/, /^missing --issuer$/],
    [{ secret, audience: undefined }, /^no token issuer is configured$/, /^missing --audience$/],
    [{ dev: true }, /exclude other issuers/, /^--dev with --issuer, --audience$/],
    [{ secret, jwks: ['a'] }, /two kinds of keys/, /^--jwks with --secret$/],
    [{ secret, issuer: ['i', 'j'] }, /issuers and key sets do not match/, /--issuer/],
    [{ jwks: ['a', 'b'] }, /issuers and key sets do not match/, /1 --issuer, 2 --jwks/],
    [{ jwks: ['a', 'b'], issuer: ['i', 'i'] }, /issuers and key sets do not match/, /--issuer/],
    [{ secret: 'short' }, /secret: 5 bytes, expected at least 32/, /--secret/],
    [{ secret, port: 70_000 }, /not a whole number in range/, /--port/],
    [{ secret, port: Number.NaN }, /not a whole number in range/, /--port/],
    [{ secret, metricsPort: -1 }, /not a whole number in range/, /--metrics-port/],
    [{ secret, metricsPort: Number.NaN }, /not a whole number in range/, /--metrics-port/],
    [{ secret, concurrency: 0.5 }, /not a whole number in range/, /--concurrency/],
    [{ secret, rateLimit: '20/d' }, /invalid rate/, /--rate-limit 20\/d/],
    [{ secret, publicUrl: 'ftp://x' }, /^not a usable URL$/, /--public-url/],
    [{ secret, publicUrl: 'https://x.test/?a=b' }, /^not a usable URL$/, /--public-url/],
    [{ secret, originHeader: ['X-Key: a'] }, /only a static host takes/, /--origin-header with --origin /],
    [{ secret, scope: 'a b' }, /invalid scope/, /--scope/],
    [{ secret, workers: 0 }, /not a whole number in range/, /--workers/],
    [{ secret, workers: 1.5 }, /not a whole number in range/, /--workers/],
    [{ secret, stopTimeout: 'soon' }, /invalid duration/, /--stop-timeout soon/],
    [{ secret, drain: '25d' }, /too long/, /--drain 25d/],
    [{ secret, trustProxy: ['10.0.0.0/33'] }, /invalid address or network/, /--trust-proxy/],
    [{ secret, trustProxy: ['localhost'] }, /invalid address or network/, /--trust-proxy/],
    [{ secret, origin: 'https://user:pass@x.test' }, /^not a usable URL$/, /--origin$/],
    [{ secret, origin: 'http://' }, /^not a usable URL$/, /--origin$/],
    [{ secret, origin: remote, originHeader: ['X-Key'] }, /not a usable request header/, /--origin-header$/],
    [{ secret, origin: remote, originHeader: ['X Key: a'] }, /not a usable request header/, /--origin-header$/],
    [{ secret, origin: remote, originHeader: ['X-Key: a\r\nb: c'] }, /not a usable request header/, /--origin-header$/],
    [{ secret, origin: remote, originHeader: ['Range: bytes=0-1'] }, /not a usable request header/, /--origin-header$/],
    [{ jwks: ['http://keys.test/jwks'] }, /^not a usable URL$/, /--jwks/],
    [{ jwks: ['https://user:pass@keys.test/jwks'] }, /^not a usable URL$/, /--jwks/],
    [{ jwks: ['https://keys.test/jwks'], jwksCache: '5' }, /invalid duration/, /--jwks-cache 5/],
    [{ jwks: [join(folder, 'none.json')] }, /cannot be read \(ENOENT\)/, /--jwks/],
    [{ jwks: [file('text.json', 'keys')] }, /is not JSON/, /--jwks/],
    [{ jwks: [file('empty.json', '{"keys":[]}')] }, /no usable key/, /--jwks/],
    [{ jwks: [file('private.json', '{"keys":[{"kty":"oct","k":"AAAA"}]}')] }, /is private/, /--jwks/],
  ];
  const silent = (): void => {};
  for (const [option, message, where] of faults)
    await assert.rejects(optionsToSettings({ ...given, ...option }, silent), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, message);
      assert.match(error.where, where);
      assert.doesNotMatch(`${error.message}${error.where}${error.remedy}`, /user:pass|secret of/);
      return error.remedy !== '';
    });
  const settings = await optionsToSettings({ ...given, secret, publicUrl: 'https://x.test/boundaries/' }, silent);
  assert.equal(settings.publicUrl, 'https://x.test/boundaries');
});

test('proxy/OPERATING.md lists every option with its default', () => {
  const readme = readFileSync('proxy/OPERATING.md', 'utf8');
  const rows = [...readme.matchAll(/^\| `--([a-z0-9-]+)` \| (?:`(.*)` )?\| .+ \|$/gm)];
  assert.deepEqual(
    rows.map(([, name, value]) => [name, value]),
    Object.entries(SERVE_OPTIONS).map(([name, option]) => [
      name,
      'default' in option ? String(option.default) : undefined,
    ]),
  );
});

test('keys makes a key pair that is never replaced, and whose private half only its owner reads', () => {
  const out = join(temporaryFolder(), 'keys');
  const [privateFile, publicFile] = [join(out, 'private.pem'), join(out, 'keys.json')];
  const { status, stdout, stderr } = run(['keys', '--out', out]);
  assert.deepEqual([status, stderr], [0, '']);
  assert.ok(stdout.includes(privateFile) && stdout.includes(publicFile));
  assert.equal(statSync(privateFile).mode & 0o777, 0o600);
  const texts = [privateFile, publicFile].map((file) => readFileSync(file, 'utf8'));
  const { keys } = JSON.parse(texts[1] ?? '');
  assert.deepEqual(
    keys.map(({ x, kid, ...rest }: Record<string, string>) => [typeof x, typeof kid, rest]),
    [['string', 'string', { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' }]],
  );
  const remedy = 'what to do: name another folder with --out';
  const refusalOf = (file: string): string => `${file}: exists already, and its tokens are in use\n  ${remedy}\n`;
  assert.deepEqual(run(['keys', '--out', out]), { status: 1, stdout: '', stderr: refusalOf(publicFile) });
  assert.deepEqual(
    [privateFile, publicFile].map((file) => readFileSync(file, 'utf8')),
    texts,
  );
  // With the private one left, the other one is not written either.
  rmSync(publicFile);
  assert.deepEqual(run(['keys', '--out', out]), { status: 1, stdout: '', stderr: refusalOf(privateFile) });
  assert.equal(readFileSync(privateFile, 'utf8'), texts[0]);
  assert.deepEqual(readdirSync(out), ['private.pem']);
});

test("the lines of README's 'Publish your own data' make a key pair, a service and a token that it accepts", async () => {
  const [, section = ''] = readFileSync('README.md', 'utf8').split('## Publish your own data');
  const lines = section
    .split('## What is where', 1)
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('npx tsx proxy/main.ts '))
    .map((line) => line.split(' ').slice(3));
  assert.deepEqual(
    lines.map(([command]) => command),
    ['keys', 'serve', 'token', 'serve'],
  );
  const out = join(temporaryFolder(), 'keys');
  const [keys = [], [, ...served] = [], token = [], [, ...open] = []] = lines.map(([command = '', ...words]) => [
    command,
    ...words.map((word) => word.replace(/^keys\b/, out)),
  ]);
  assert.equal(run(keys).status, 0);
  const { text } = await serve(served);
  const signed = run(token).stdout.trim();
  const { iat = 0, exp, ...claims } = decodeJwt(signed);
  assert.deepEqual(claims, { iss: 'my-service', aud: 'boundaries', sub: 'partner-a' });
  assert.equal(exp, iat + 90 * 86_400);
  const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\n/.exec(text) ?? [];
  const answer = await fetch(`${url}/api/v1/fc/lv0`, { headers: { authorization: `Bearer ${signed}` } });
  assert.equal(answer.status, 200);
  const [, openUrl] = /(http:\/\/127\.0\.0\.1:\d+)\n/.exec((await serve(open)).text) ?? [];
  assert.equal((await fetch(`${openUrl}/api/v1/fc/lv0`)).status, 200);
});

test('token is refused without a key, with two, and with what is no private key', () => {
  const out = join(temporaryFolder(), 'keys');
  run(['keys', '--out', out]);
  const all = ['--issuer', 'i', '--audience', 'a', '--subject', 's'];
  for (const [args, code, message] of [
    [[], 2, /^token: nothing to sign with, or for\n {2}what to do: give --key, /],
    [['--key', join(out, 'private.pem'), '--issuer', 'i', '--audience', 'a'], 2, /nothing to sign with, or for/],
    [['--dev', '--issuer', 'i'], 2, /^--dev with --issuer: development tokens exclude another key\n/],
    [['--key', join(out, 'keys.json'), ...all], 1, /keys\.json: not a private Ed25519 key\n/],
    [['--key', join(out, 'none.pem'), ...all], 1, /none\.pem: there is no such file\n/],
    [['--key', join(out, 'private.pem'), ...all, '--expires', 'later'], 2, /--expires later/],
  ] as const) {
    const { status, stdout, stderr } = run(['token', ...args]);
    assert.deepEqual([status, stdout], [code, ''], stderr);
    assert.match(stderr, message);
  }
});

test('a duration has a number and a unit', () => {
  assert.deepEqual(
    ['90s', '15m', '24h', '7d'].map((text) => durationToSeconds(text, '--expires')),
    [90, 900, 86_400, 604_800],
  );
  for (const odd of ['', '0s', '-1h', '1.5h', '24', 'h', 'tomorrow', '1y'])
    assert.throws(() => durationToSeconds(odd, '--expires'), StartError);
});
