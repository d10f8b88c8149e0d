// Which sites may show the map at /embed: what the option takes, and what it refuses at the start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVE_OPTIONS, type ServeOptions } from '../../../proxy/config/options.ts';
import { optionsToSettings } from '../../../proxy/config/settings.ts';
import { StartError } from '../../../proxy/config/start-error.ts';
import { typed } from '../../support/processes/typed.ts';

const ALONE: ServeOptions = { origin: 'output', public: true };

async function originsOf(...embedOrigin: string[]): Promise<readonly string[]> {
  return (await optionsToSettings({ ...ALONE, embedOrigin }, assert.fail)).embedOrigins;
}

async function refusalOf(options: ServeOptions): Promise<StartError> {
  const error = await optionsToSettings(options, assert.fail).catch((error: unknown) => error);
  assert.ok(error instanceof StartError, `taken: ${JSON.stringify(options)}`);
  return error;
}

test('a site is taken as browsers write it, and once', async () => {
  assert.deepEqual(await originsOf(), []);
  for (const [given, taken] of [
    ['https://www.example.org', 'https://www.example.org'],
    ['https://WWW.Example.org/', 'https://www.example.org'],
    ['HTTPS://www.example.org:443', 'https://www.example.org'],
    ['https://www.example.org:8443', 'https://www.example.org:8443'],
    ['https://müller.example', 'https://xn--mller-kva.example'],
    ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
    [' https://a.example\r', 'https://a.example'],
  ] as const)
    assert.deepEqual(await originsOf(given), [taken], given);
  const several = ['https://b.example', 'https://a.example/', 'https://B.example'];
  assert.deepEqual(await originsOf(...several), ['https://b.example', 'https://a.example']);
});

test('what is no site is refused, with what to write and without its password', async () => {
  for (const given of [
    '',
    '*',
    'null',
    'www.example.org',
    '//www.example.org',
    'https://*.example.org',
    'https://*',
    'https:',
    'file:///srv/page.html',
    'ftp://www.example.org',
    'https://www.example.org/maps',
    'https://www.example.org/?',
    'https://www.example.org/?a=b',
    'https://www.example.org#a',
    'https://user:secret@www.example.org',
    'https://www.example.org.',
    'https://[::1]:8443',
    "https://a.example;script-src'self'",
    'https://a.example, https://b.example',
    'https://a.example https://b.example',
    "'self'",
  ]) {
    const { message, where, remedy } = await refusalOf({ ...ALONE, embedOrigin: [given] });
    assert.equal(message, 'not a usable URL', given);
    assert.match(where, /^--embed-origin/);
    assert.match(remedy, /^write scheme, host and, .*: https:\/\/www\.example\.org$/);
    assert.doesNotMatch(where + remedy, /secret/);
  }
});

test('the option is refused without --public, where nobody should give a token to a frame, and without the explorer', async () => {
  const embedOrigin = ['https://www.example.org'];
  const secret = { issuer: ['i'], audience: 'a', secret: 's'.repeat(40) };
  const closed = await refusalOf({ origin: 'output', ...secret, embedOrigin });
  assert.match(closed.message, /^only a public service has a map for other sites/);
  assert.deepEqual(
    [closed.where, closed.remedy],
    ['--embed-origin without --public', 'add --public, or omit --embed-origin'],
  );
  const bare = await refusalOf({ ...ALONE, explorer: false, embedOrigin });
  assert.equal(bare.where, '--embed-origin with --no-explorer');
});

test('the command line and the environment have it, one value a line, and --help says what it is for', async () => {
  const env = { BOUNDARIES_EMBED_ORIGIN: 'https://a.example\nhttps://b.example/maps' };
  const { status, stderr } = await typed('proxy', ['serve', '--public'], { env });
  assert.equal(status, 2);
  assert.match(stderr, /^--embed-origin https:\/\/b\.example\/maps: not a usable URL\n {2}what to do: write scheme/);
  const { stdout } = await typed('proxy', ['serve', '--help'], {});
  assert.match(stdout.replaceAll(/\s+/g, ' '), new RegExp(`--embed-origin ${SERVE_OPTIONS['embed-origin'].describe}`));
});
