// The proxy's command line as a user types it: what it prints, what it refuses and how it ends. as-typed.ci.ts
// starts each command as a process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { durationToSeconds } from '../../../proxy/config/option-values.ts';
import type { ServeOptions } from '../../../proxy/config/options.ts';
import { optionsToSettings } from '../../../proxy/config/settings.ts';
import { StartError } from '../../../proxy/config/start-error.ts';
import { createServer as createProxy } from '../../../proxy/create-server.ts';
import { jwksToKeySet } from '../../../proxy/keys/key-set.ts';
import { jsonLines } from '../../support/files.ts';
import { listen } from '../../support/http/listen.ts';
import { serve } from '../../support/processes/proxy-process.ts';
import { type Typed, typed } from '../../support/processes/typed.ts';
import { worldOutput } from '../../support/releases/world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = await worldOutput();
function run(args: readonly string[], env: Record<string, string> = {}): Promise<Typed> {
  return typed('proxy', args, { env });
}

test('serve --dev prints a link with a token where no server sees it, and commands that work when pasted', async () => {
  const running = await serve(['--dev', '--origin', folder], { HOME: temporaryFolder() });
  const { url } = running;
  await running.says(/\$NEXT"\n/);
  const text = running.out();
  assert.match(text, /DEVELOPMENT KEY/);
  const [, token = ''] = /^TOKEN=([\w-]+\.[\w-]+\.[\w-]+)$/m.exec(text) ?? [];
  const links = text.split('\n').filter((line) => line.includes('#'));
  assert.deepEqual(links, [`${url}/#token=${token}`]);
  const commands = text.split('\n').filter((line) => /^(curl |NEXT=)/.test(line));
  assert.equal(commands.length, 3);
  const outputs = commands.map((command) =>
    jsonLines(spawnSync('sh', ['-c', `TOKEN=${token}\n${command}`], { encoding: 'utf8' }).stdout),
  );
  const ids = (n: number): number[] => outputs[n]?.map(({ id }) => id) ?? [];
  assert.deepEqual(ids(0), [1, 2, 3]);
  assert.deepEqual(ids(2), [4, 5, 9]);
  assert.ok(outputs[1]?.length);
  assert.ok(outputs[1]?.every(({ properties }) => properties.GID_0 === outputs[1]?.[0].properties.GID_0));
  assert.deepEqual(await running.stop(), [0, null]);
});

test('an error at the start says where, what is wrong and what to do; the exit code is 2 for an option, else 1', async () => {
  const port = String(await listen(createServer()));
  const empty = temporaryFolder();
  const faults: [number, string[], RegExp, Record<string, string>?][] = [
    [1, ['--public', '--origin', folder, '--port', port], /^127\.0\.0\.1 port \d+: the port is already in use$/],
    [1, ['--public', '--origin', empty, '--port', '0'], /^\/.*: there is no release to serve$/],
    [
      2,
      ['--dev', '--host', '0.0.0.0'],
      /^--dev with --host 0\.0\.0\.0: the development key works on loopback addresses only$/,
    ],
    [2, ['--dev', '--issuer', 'i'], /^--dev with --issuer: development tokens exclude other issuers$/],
    [2, [], /^--port: not a number$/, { BOUNDARIES_PORT: 'http' }],
    [2, ['--public'], /^--stop-timeout 5: invalid duration$/, { BOUNDARIES_STOP_TIMEOUT: '5' }],
    [2, [], /^BOUNDARIES_LOG_SUBJECT=1: neither true nor false$/, { BOUNDARIES_LOG_SUBJECT: '1' }],
  ];
  for (const [code, args, message, env] of faults) {
    const { status, stdout, stderr } = await run(['serve', ...args], env);
    assert.deepEqual([status, stdout], [code, '']);
    const [first = '', remedy, ...others] = stderr.split('\n');
    assert.match(first, message);
    assert.match(String(remedy), /^ {2}what to do: ./);
    assert.deepEqual(others, ['']);
  }
});

test('a folder of a release is told from that of the output, which the remedy names', async () => {
  const [release = ''] = readdirSync(join(folder, 'releases'));
  const { stderr } = await run(['serve', '--public', '--port', '0', '--origin', join(folder, 'releases', release)]);
  const [, named = ''] = /what to do: this is the folder of one release: .*--origin (\S+)\n$/.exec(stderr) ?? [];
  assert.equal(resolve(named), resolve(folder));
});

test('of a static host that has no release the log says what is missing, and that it is tried again', async () => {
  const host = createServer((_, response) => response.writeHead(404).end());
  const origin = `http://127.0.0.1:${await listen(host)}`;
  const lines: string[] = [];
  const { stop } = await createProxy({ origin, public: true, log: (line) => lines.push(line) });
  assert.match(lines.join('\n'), /: there is no release to serve: no current\.json below this address, .* again /);
  stop();
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
    [{ jwks: ['https://keys.test/jwks'], jwksCooldown: '6m' }, /^longer than --jwks-cache$/, /^--jwks-cooldown 6m$/],
    [{ jwks: ['https://keys.test/jwks'], jwksCache: '5s' }, /^longer than --jwks-cache$/, /^--jwks-cooldown 10s$/],
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

test('keys makes a key pair that is never replaced, and whose private half only its owner reads', async () => {
  const out = join(temporaryFolder(), 'keys');
  const [privateFile, publicFile] = [join(out, 'private.pem'), join(out, 'keys.json')];
  const { status, stdout, stderr } = await run(['keys', '--out', out]);
  assert.deepEqual([status, stderr], [0, '']);
  assert.ok(stdout.includes(privateFile) && stdout.includes(publicFile));
  assert.equal(statSync(privateFile).mode & 0o777, 0o600);
  const read = (): string[] => [privateFile, publicFile].map((file) => readFileSync(file, 'utf8'));
  const texts = read();
  const { keys } = JSON.parse(texts[1] ?? '');
  const [{ x, kid, ...rest }] = keys;
  assert.deepEqual([keys.length, typeof x, typeof kid], [1, 'string', 'string']);
  assert.deepEqual(rest, { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
  const remedy = 'what to do: name another folder with --out';
  const refusalOf = (file: string): string => `${file}: exists already, and its tokens are in use\n  ${remedy}\n`;
  assert.deepEqual(await run(['keys', '--out', out]), { status: 1, stdout: '', stderr: refusalOf(publicFile) });
  assert.deepEqual(read(), texts);
  // With the private one left, the other one is not written either.
  rmSync(publicFile);
  assert.deepEqual(await run(['keys', '--out', out]), { status: 1, stdout: '', stderr: refusalOf(privateFile) });
  assert.equal(readFileSync(privateFile, 'utf8'), texts[0]);
  assert.deepEqual(readdirSync(out), ['.gitignore', 'private.pem']);
});

test('keys --add makes another pair and adds its key to the set of the service, which then accepts tokens of both', async () => {
  const home = temporaryFolder();
  const [first, second] = [join(home, 'keys'), join(home, 'keys-2')];
  const set = join(first, 'keys.json');
  await run(['keys', '--out', first]);
  writeFileSync(set, JSON.stringify({ ...JSON.parse(readFileSync(set, 'utf8')), note: 'kept' }));
  const before = JSON.parse(readFileSync(set, 'utf8'));
  const { status, stdout } = await run(['keys', '--out', second, '--add', set]);
  assert.deepEqual([status, stdout.includes(`the new key alone: copy it to ${set}`)], [0, true]);
  const added = JSON.parse(readFileSync(join(second, 'keys.json'), 'utf8')).keys;
  assert.deepEqual(JSON.parse(readFileSync(set, 'utf8')), { ...before, keys: [...before.keys, ...added] });
  assert.equal(added.length, 1);
  // As the service reads it.
  assert.equal(jwksToKeySet(readFileSync(set, 'utf8')).size, 2);
  // What git does not see; in a folder that was there already, the private key.
  assert.equal(readFileSync(join(first, '.gitignore'), 'utf8'), '*\n');
  await run(['keys', '--out', home]);
  assert.equal(readFileSync(join(home, '.gitignore'), 'utf8'), '/private.pem\n');
  // What is no key set is refused, and nothing is made.
  for (const [bad, message] of [
    [join(first, 'private.pem'), /private\.pem: not a JSON Web Key Set\n/],
    [join(home, 'none.json'), /none\.json: there is no such file\n/],
  ] as const) {
    const refused = await run(['keys', '--out', join(home, 'keys-3'), '--add', bad]);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, message);
  }
  assert.equal(existsSync(join(home, 'keys-3')), false);
});

test('keys says why a folder cannot be made or written', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  for (const [out, code] of [
    [join(temporaryFolder(), 'x'.repeat(300)), 'ENAMETOOLONG'],
    [join(file, 'keys'), 'ENOTDIR'],
    // There mkdir of Node with `recursive` never ends.
    ...(existsSync('/proc/self') ? [['/proc/x/y', 'ENOENT'] as const] : []),
  ] as const) {
    const { status, stderr } = await run(['keys', '--out', out]);
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`: cannot be read or written \\(${code}\\)\n {2}what to do: `));
  }
  assert.equal((await run(['keys', '--out', join(temporaryFolder(), 'a', 'b')])).status, 0);
});

test('token is refused without a key, with two, and with what is no private key', async () => {
  const out = join(temporaryFolder(), 'keys');
  await run(['keys', '--out', out]);
  const all = ['--issuer', 'i', '--audience', 'a', '--subject', 's'];
  const withKey = ['--key', join(out, 'private.pem'), ...all];
  for (const [args, code, message] of [
    [[], 2, /^token: nothing to sign with, or for\n {2}what to do: give --key, /],
    [['--key', join(out, 'private.pem'), '--issuer', 'i', '--audience', 'a'], 2, /nothing to sign with, or for/],
    [['--dev', '--issuer', 'i'], 2, /^--dev with --issuer: development tokens exclude another key\n/],
    [['--key', join(out, 'keys.json'), ...all], 1, /keys\.json: not a private Ed25519 key\n/],
    [['--key', join(out, 'none.pem'), ...all], 1, /none\.pem: there is no such file\n/],
    [[...withKey, '--expires', 'later'], 2, /--expires later/],
    [[...withKey, '--expires', '999999999d'], 2, /--expires 999999999d: after the year 9999/],
    [['--dev', '--expires', '999999999d'], 2, /--expires 999999999d: after the year 9999/],
    [['--key', out, ...all], 1, /keys: cannot be read or written \(EISDIR\)\n {2}what to do: /],
  ] as const) {
    const { status, stdout, stderr } = await run(['token', ...args]);
    assert.deepEqual([status, stdout], [code, ''], stderr);
    assert.match(stderr, message);
  }
});

test('a duration has a number and a unit', () => {
  for (const [text, seconds] of Object.entries({ '90s': 90, '15m': 900, '24h': 86_400, '7d': 604_800 }))
    assert.equal(durationToSeconds(text, '--expires'), seconds);
  for (const odd of ['', '0s', '-1h', '1.5h', '24', 'h', 'tomorrow', '1y'])
    assert.throws(() => durationToSeconds(odd, '--expires'), StartError);
});
