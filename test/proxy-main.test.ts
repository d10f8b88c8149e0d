// The proxy's command line as a user types it: what it prints, what it refuses and how it ends.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeJwt } from 'jose';
import { secondsFrom } from '../proxy/config/duration.ts';
import type { ServeOptions } from '../proxy/config/settings.ts';
import { settingsFrom } from '../proxy/config/settings.ts';
import { StartError } from '../proxy/config/start-error.ts';
import { buildRelease, temporaryFolder } from './fixture.ts';
import { writeWorld } from './world.ts';

const folder = temporaryFolder();
await buildRelease(writeWorld(join(folder, 'world.gpkg')), folder);

const MAIN = ['--import', 'tsx', 'proxy/main.ts'];

function run(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...MAIN, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

/** Starts `serve` on a free port and returns what it printed once it listens. */
async function serve(args: string[], env: Record<string, string> = {}): Promise<{ child: ChildProcess; text: string }> {
  const child = spawn(process.execPath, [...MAIN, 'serve', '--origin', folder, '--port', '0', ...args], {
    env: { ...process.env, ...env },
  });
  after(() => child.kill());
  const text = await new Promise<string>((resolve, reject) => {
    let printed = '';
    const add = (piece: Buffer): void => {
      printed += piece;
      if (/at http:\S+\n|\$NEXT"\n/.test(printed)) resolve(printed);
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.once('exit', () => reject(new Error(printed)));
  });
  return { child, text };
}

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

test('serve ends by itself when it is told to stop', async () => {
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

test('a token of token --dev is good for serve --dev', async () => {
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

test('a fault at the start is told as what, where and what to do', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  const address = taken.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  const empty = temporaryFolder();
  const faults: [string[], RegExp][] = [
    [
      ['--origin', folder, '--port', port],
      /^The port is taken\n {2}where: 127\.0\.0\.1 port \d+\n {2}what to do: .*--port/,
    ],
    [['--origin', empty], /^There is no release to serve\n {2}where: .*\n {2}what to do: .*generator\/main\.ts build/],
    [['--host', '0.0.0.0'], /^The development key is for this machine only\n {2}where: .*0\.0\.0\.0\n {2}what to do: /],
  ];
  for (const [args, message] of faults) {
    const { status, stdout, stderr } = run(['serve', '--dev', ...args]);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\bat .*:\d+:\d+/);
  }
  taken.close();
});

test('an option that is not what it should be is named', async () => {
  const given: ServeOptions = {
    origin: folder,
    originHeader: undefined,
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    trustProxy: undefined,
    issuer: ['i'],
    jwks: undefined,
    jwksCache: '5m',
    jwksStale: '1h',
    jwksCooldown: '10s',
    secret: undefined,
    audience: 'a',
    scope: undefined,
    dev: undefined,
    explorer: true,
    workers: 1,
    stopTimeout: '30s',
    metricsPort: undefined,
  };
  const secret = 'a secret of at least thirty-two bytes';
  const remote = 'https://static.test/boundaries';
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const faults: [Partial<ServeOptions>, RegExp, RegExp][] = [
    [{}, /which tokens are valid/, /--jwks/],
    [{ secret, issuer: undefined }, /which tokens are valid/, /--issuer/],
    [{ secret, issuer: ['i', 'j'] }, /which keys are whose/, /--issuer/],
    [{ jwks: ['a', 'b'] }, /which keys are whose/, /1 --issuer, 2 --jwks/],
    [{ jwks: ['a', 'b'], issuer: ['i', 'i'] }, /which keys are whose/, /--issuer/],
    [{ secret: 'short' }, /secret: is 5 bytes, expected at least 32/, /--secret/],
    [{ secret, port: 70_000 }, /not a port number/, /--port/],
    [{ secret, port: Number.NaN }, /not a port number/, /--port/],
    [{ secret, metricsPort: -1 }, /not a port number/, /--metrics-port/],
    [{ secret, publicUrl: 'ftp://x' }, /Not a URL/, /--public-url/],
    [{ secret, publicUrl: 'https://x.test/?a=b' }, /Not a URL/, /--public-url/],
    [{ secret, scope: 'a b' }, /Not a scope/, /--scope/],
    [{ secret, workers: 0 }, /number of workers/, /--workers/],
    [{ secret, workers: 1.5 }, /number of workers/, /--workers/],
    [{ secret, stopTimeout: 'soon' }, /length of time/, /--stop-timeout soon/],
    [{ secret, trustProxy: ['10.0.0.0/33'] }, /address or network/, /--trust-proxy/],
    [{ secret, trustProxy: ['localhost'] }, /address or network/, /--trust-proxy/],
    [{ secret, origin: 'https://user:pass@x.test' }, /Not a URL/, /--origin$/],
    [{ secret, origin: 'http://' }, /Not a URL/, /--origin$/],
    [{ secret, origin: remote, originHeader: ['X-Key'] }, /Not a header/, /--origin-header$/],
    [{ secret, origin: remote, originHeader: ['X Key: a'] }, /Not a header/, /--origin-header$/],
    [{ secret, origin: remote, originHeader: ['X-Key: a\r\nb: c'] }, /Not a header/, /--origin-header$/],
    [{ secret, origin: remote, originHeader: ['Range: bytes=0-1'] }, /Not a header/, /--origin-header$/],
    [{ jwks: ['http://keys.test/jwks'] }, /keys can be had from/, /--jwks/],
    [{ jwks: ['https://user:pass@keys.test/jwks'] }, /keys can be had from/, /--jwks/],
    [{ jwks: ['https://keys.test/jwks'], jwksCache: '5' }, /length of time/, /--jwks-cache 5/],
    [{ jwks: [join(folder, 'none.json')] }, /cannot be read \(ENOENT\)/, /--jwks/],
    [{ jwks: [file('text.json', 'keys')] }, /is not JSON/, /--jwks/],
    [{ jwks: [file('empty.json', '{"keys":[]}')] }, /no usable key/, /--jwks/],
    [{ jwks: [file('private.json', '{"keys":[{"kty":"oct","k":"AAAA"}]}')] }, /is private/, /--jwks/],
  ];
  const silent = (): void => {};
  for (const [option, message, where] of faults)
    await assert.rejects(settingsFrom({ ...given, ...option }, silent), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, message);
      assert.match(error.where, where);
      assert.doesNotMatch(`${error.message}${error.where}${error.remedy}`, /user:pass|secret of/);
      return error.remedy !== '';
    });
  const settings = await settingsFrom({ ...given, secret, publicUrl: 'https://x.test/boundaries/' }, silent);
  assert.equal(settings.publicUrl, 'https://x.test/boundaries');
});

test('token without --dev is refused', () => {
  assert.equal(run(['token']).status, 1);
});

test('lengths of time have a number and a unit', () => {
  assert.deepEqual(
    ['90s', '15m', '24h', '7d'].map((text) => secondsFrom(text, '--expires')),
    [90, 900, 86_400, 604_800],
  );
  for (const odd of ['', '0s', '-1h', '1.5h', '24', 'h', 'tomorrow', '1y'])
    assert.throws(() => secondsFrom(odd, '--expires'), StartError);
});
