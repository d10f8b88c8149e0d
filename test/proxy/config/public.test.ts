// A public service: who its clients are (addresses, behind trusted hops only), what it says of itself, and that tokens
// do not matter to it. What it answers is tested with the contract (contract/setups.ts).
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ClientAddresses } from '../../../proxy/auth/client-addresses.ts';
import { SERVE_OPTIONS, type ServeOptions } from '../../../proxy/config/options.ts';
import { optionsToSettings } from '../../../proxy/config/settings.ts';
import { rangesToTrustedProxies } from '../../../proxy/config/trusted-proxies.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { refusal, send, textOf } from '../../support/http/http-client.ts';
import { AUTHORIZED, NO_TOKEN, type ServiceOptions, startService } from '../../support/http/in-process-proxy.ts';
import { serve } from '../../support/processes/proxy-process.ts';
import { buildCountries, buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const folder = await buildCountries();
const PATH = '/api/v1/fc/lv0';

/** Names the client of a request that comes from `peer` with these entries of X-Forwarded-For. */
function clientOf(peer: string, forwarded: string | undefined, trusted?: readonly string[]): string {
  const clients = new ClientAddresses(trusted && rangesToTrustedProxies(trusted));
  return clients.known({ headers: { 'x-forwarded-for': forwarded }, peer: { remoteAddress: peer } }).id;
}

test('the client is the address of the connection, of IPv6 its /64', () => {
  for (const [peer, client] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::5', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1:2:3:4%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:0:1::192.0.2.1', '2001:db8:0:1::/64'],
  ] as const)
    assert.equal(clientOf(peer, undefined), client);
});

test('X-Forwarded-For is believed of trusted hops only, from the last entry to the first that is not trusted', () => {
  const hops = ['10.0.0.0/8', 'fd00::/8'];
  for (const [peer, forwarded, client] of [
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.1, 10.2.0.1', '198.51.100.1'],
    ['::ffff:10.0.0.1', ' 198.51.100.1:4711 ', '198.51.100.1'],
    ['fd00::1', '[2001:db8:1:2::3]:443', '2001:db8:1:2::/64'],
    ['fd00::1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1, _hidden, 10.3.0.1', '10.3.0.1'],
    ['10.0.0.1', `${'1.1.1.1,'.repeat(500)}198.51.100.1`, '198.51.100.1'],
    // Only the end of a long one is read: of this one the first address, cut, would be another one.
    ['10.0.0.1', `198.51.100.1${',10.0.0.2'.repeat(50)}${',10.0.0.22'.repeat(4)}`, '10.0.0.2'],
    ['10.0.0.1', `198.51.100.1${',10.0.0.2'.repeat(1_700)}`, '10.0.0.2'],
  ] as const)
    assert.equal(clientOf(peer, forwarded, hops), client, forwarded);
  assert.equal(clientOf('10.0.0.1', '198.51.100.1'), '10.0.0.1');
});

function statusFrom(url: string, localAddress: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url + PATH, { localAddress, headers, agent: false }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}

test('limits go by the address: a forged X-Forwarded-For or a token gains nothing', async () => {
  const rules = { rate: { requests: 2, windowSeconds: 3600 }, concurrency: undefined };
  const options: ServiceOptions = { isPublic: true, rules };
  const { url } = await startService(folder, options);
  assert.deepEqual([await statusFrom(url, '127.0.0.1'), await statusFrom(url, '127.0.0.1')], [200, 200]);
  for (const headers of [{}, { 'x-forwarded-for': '198.51.100.1' }, AUTHORIZED, { authorization: 'Bearer x' }])
    assert.equal(await statusFrom(url, '127.0.0.1', headers), 429);
  assert.equal(await statusFrom(url, '127.0.0.2'), 200);

  const behind = await startService(folder, { ...options, trustProxy: ['127.0.0.1'] });
  const from = (address: string, localAddress = '127.0.0.1'): Promise<number> =>
    statusFrom(behind.url, localAddress, { 'x-forwarded-for': address });
  assert.deepEqual([await from('1.1.1.1'), await from('1.1.1.1, 1.1.1.1'), await from('1.1.1.1')], [200, 200, 429]);
  assert.equal(await from('1.1.1.2'), 200);
  // From a hop that is not trusted, each entry counts for nothing.
  const forged = await Promise.all([3, 4, 5].map((n) => from(`1.1.1.${n}`, '127.0.0.2')));
  assert.deepEqual(forged.sort(), [200, 200, 429]);
});

test('X-Forwarded-Host and -Proto are believed of trusted hops: of a public service only with --forwarded-host', async () => {
  const forwarded = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https', forwarded: 'host=c.test' };
  const asked = `${PATH}?page-size=1`;
  const start = (options: ServiceOptions) => startService(folder, { ...options, assets: new Map() });
  for (const [options, base, said = forwarded] of [
    [{ isPublic: true }, 'http://a.test'],
    [{ isPublic: true, trustProxy: ['127.0.0.1'] }, 'http://a.test'],
    [{ isPublic: true, trustProxy: ['127.0.0.2'], forwardedHost: true }, 'http://a.test'],
    [{ isPublic: true, forwardedHost: true }, 'http://a.test'],
    [{ isPublic: true, trustProxy: ['127.0.0.1'], forwardedHost: true }, 'https://evil.test'],
    [{ trustProxy: ['10.0.0.0/8', '127.0.0.0/30'] }, 'https://evil.test'],
    [{ trustProxy: ['10.0.0.0/8', '::1', '127.0.0.2'] }, 'http://a.test'],
    [{ trustProxy: ['127.0.0.1'], publicUrl: 'https://p.test' }, 'https://p.test'],
    [{}, 'http://a.test'],
    [{ trustProxy: ['127.0.0.1'] }, 'http://b.test:8443', { 'x-forwarded-host': 'x.test, b.test:8443' }],
    [{ trustProxy: ['127.0.0.1'] }, 'http://a.test', { 'x-forwarded-proto': 'javascript' }],
  ] as const) {
    const { headers } = await send(await start(options), asked, { host: 'a.test', ...said });
    assert.ok(String(headers.link).startsWith(`<${base}${PATH}?`), `${JSON.stringify(options)}: ${headers.link}`);
  }
  const trusting = await start({ trustProxy: ['127.0.0.1'] });
  for (const host of ['a b', 'a"b', 'a>b', 'u@a', 'a/b', 'a:x', ''])
    assert.equal((await send(trusting, asked, { 'x-forwarded-host': host })).status, 400, host);
  const alone = { origin: folder, public: true, trustProxy: ['127.0.0.1'] };
  assert.equal((await optionsToSettings({ ...alone, forwardedHost: true }, assert.fail)).forwardedHost, true);
});

test('whatever Authorization says is ignored and never logged; a token in the query is refused as ever', async () => {
  const proxy = await startService(folder, { isPublic: true });
  const plain = await send(proxy, PATH, NO_TOKEN);
  for (const authorization of [AUTHORIZED.authorization, 'Bearer x', 'Basic x', `Bearer ${'a'.repeat(9000)}`, '']) {
    const answer = await send(proxy, PATH, { authorization });
    assert.deepEqual([answer.status, answer.headers.etag, answer.body], [200, plain.headers.etag, plain.body]);
    assert.equal(answer.headers.vary, 'Accept-Encoding');
  }
  assert.ok(
    proxy.requests.every(({ principal, tokenFault }) => principal?.id === '127.0.0.1' && tokenFault === undefined),
  );
  refusal(await send(proxy, `${PATH}?access_token=x`, NO_TOKEN), 400, 'token-in-query');
  refusal(await send(proxy, '/.well-known/oauth-protected-resource', NO_TOKEN), 404, 'not-found');
  assert.equal((await send(proxy, `${PATH}?page-size=0`, NO_TOKEN)).headers['cache-control'], 'no-store');
});

test('OpenAPI, /docs and /readyz of a public service know no tokens', async () => {
  const [open, closed] = await Promise.all(
    [true, false].map((isPublic) => startService(folder, { isPublic, explorer: true })),
  );
  assert.ok(open && closed);
  assert.equal(textOf(await send(open, '/readyz', NO_TOKEN)), 'ok, public\n');
  assert.equal(textOf(await send(closed, '/readyz', NO_TOKEN)), 'ok\n');
  const document = JSON.parse(textOf(await send(open, '/openapi.json', NO_TOKEN)));
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  const whole = JSON.stringify(document);
  for (const text of ['securitySchemes', 'bearerFormat', '"token-missing":{', '"scope-missing":{', 'responses/401'])
    assert.ok(!whole.includes(text), text);
  const ogc = JSON.parse(textOf(await send(open, '/api/v1/ogc/api', NO_TOKEN)));
  // Without the member, linters take it for forgotten.
  assert.deepEqual([document.security, ogc.security], [[], []]);
  assert.ok(!('403' in document.paths['/api/v1/fc/{level}'].get.responses) && !JSON.stringify(ogc).includes('bearer'));
  // One example shows that two Authorization headers are refused.
  assert.equal(whole.match(/\$TOKEN/g)?.length, 2);
  const docs = await Promise.all([open, closed].map(async (at) => textOf(await send(at, '/docs', NO_TOKEN))));
  for (const word of ['<h2>Token</h2>', '$TOKEN', 'token-missing', 'same token'])
    assert.equal(docs.map((text) => text.includes(word)).join(), 'false,true', word);
  assert.match(textOf(await send(open, '/', NO_TOKEN)), /^<!doctype html>\n<html lang="en" data-audience="public"/);
});

test('serve --public says when the licence of the data forbids redistribution', async () => {
  const line = /the licence of the data forbids redistribution \((\S+)\): serve it with tokens, not with --public\n/;
  const gadm = temporaryFolder();
  const url = 'https://gadm.org/license.html';
  await buildRelease(writeCountries(), gadm, { attribution: [`GADM, ${url} (no redistribution)`] });
  const said = await serve(['--public', '--origin', gadm]);
  assert.equal(await said.says(line), url);
  assert.equal((await send(said, PATH, NO_TOKEN)).status, 200);
  const other = await serve(['--public', '--origin', folder]);
  // It would be said after that it serves.
  await other.stop();
  assert.doesNotMatch(other.err(), /licence/);
});

test('serve --public says so at the start, in its log and its metrics, and logs no token', async () => {
  const process = await serve(['--public', '--origin', folder, '--metrics-port', '0']);
  assert.match(process.err(), /serving release \S+ to everybody, without tokens, at http/);
  const secret = 'Bearer very-secret';
  assert.equal((await send(process, PATH, { authorization: secret })).status, 200);
  const metrics = await fetch(`${await process.says(/metrics at (http:\S+)\n/)}`);
  assert.match(await metrics.text(), /^boundaries_public 1$/m);
  await until(
    () => process.out().includes(PATH),
    () => process.out(),
  );
  assert.doesNotMatch(process.out() + process.err(), /very-secret/);
});

test('--public is refused together with every option of tokens', async () => {
  const values: ServeOptions = {
    ...{ dev: true, issuer: ['i'], audience: 'a', jwks: ['k'], jwksHttp: ['k'], secret: 's'.repeat(40), scope: 'read' },
    ...{ jwksCache: '1m', jwksStale: '1m', jwksCooldown: '1m', logSubject: true, signInHelp: 'x' },
  };
  const alone = { origin: folder, public: true };
  for (const [name, value] of Object.entries(values)) {
    const where = `--public with --${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const refused = optionsToSettings({ ...alone, [name]: value }, assert.fail);
    await assert.rejects(refused, { name: 'StartError', where });
  }
  // The command line gives options their defaults.
  const defaults = Object.entries(SERVE_OPTIONS).flatMap(([name, option]) =>
    'default' in option ? [[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()), option.default]] : [],
  );
  const settings = await optionsToSettings({ ...Object.fromEntries(defaults), ...alone }, assert.fail);
  assert.equal(settings.tokenRules, undefined);
});
