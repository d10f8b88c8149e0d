// Attacks that were published for other gateways and libraries, each by its name and with its link, against the running
// service. What one needs that this service does not have is said beside it. tokens.test.ts has the systematic table,
// and keys.test.ts the flood of unknown key ids (CVE-2026-48524).
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { CompactEncrypt, SignJWT } from 'jose';
import { jwksToKeySet } from '../../../proxy/keys/key-set.ts';
import { fixedKeys } from '../../../proxy/keys/rotating-keys.ts';
import { refusal, send, sendRaw } from '../../support/http/http-client.ts';
import { AUDIENCE, ISSUER, NO_TOKEN, startService } from '../../support/http/in-process-proxy.ts';
import { keysOf, POLICY, signedBy, startIssuer } from '../../support/http/issuer.ts';
import { listen } from '../../support/http/listen.ts';
import { buildCountries } from '../../support/releases/build-release.ts';

const PATH = '/api/v1/fc/lv0';
const PUBLIC = ['/healthz', '/readyz', '/openapi.json'];

const folder = await buildCountries();

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const RSA_JWK = { ...RSA.publicKey.export({ format: 'jwk' }), kid: 'rsa' };
const JWKS = JSON.stringify({ keys: [RSA_JWK, { ...EC.publicKey.export({ format: 'jwk' }), kid: 'ec' }] });
const FOREIGN = generateKeyPairSync('rsa', { modulusLength: 2048 });

const service = await startService(folder, { issuers: new Map([[ISSUER, fixedKeys(jwksToKeySet(JWKS))]]) });

const EXPIRY_SECONDS = Math.floor(Date.now() / 1000) + 600;
const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'attacker', exp: EXPIRY_SECONDS };

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function textOf(header: object): string {
  return `${encode(header)}.${encode(CLAIMS)}`;
}

/** Really signed with RSASSA-PKCS1-v1_5 and SHA-256, whatever the header says. */
function signed(header: object, key: KeyObject = RSA.privateKey): string {
  const text = textOf(header);
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

function hmac(header: object, secret: string | Buffer): string {
  const text = textOf(header);
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** Why a token was refused, as the operator learns it and the client does not; empty if it is accepted. */
async function faultOf(token: string): Promise<string> {
  const answer = await send(service, PATH, { authorization: `Bearer ${token}` });
  if (answer.status === 200) return '';
  refusal(answer, 401, 'token-invalid');
  return service.requests.at(-1)?.tokenFault ?? assert.fail('no fault');
}

async function assertRefused(fault: string, ...tokens: string[]): Promise<void> {
  for (const token of tokens) assert.equal(await faultOf(token), fault, token);
  assert.deepEqual(service.log, []);
}

test('what the attacks below change is accepted as long as it is not changed', async () => {
  assert.equal(await faultOf(signed({ alg: 'RS256', kid: 'rsa' })), '');
  const token = new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'ec' });
  assert.equal(await faultOf(await token.sign(EC.privateKey)), '');
});

// Gateways: which path is decided on.

// https://github.com/oauth2-proxy/oauth2-proxy/security/advisories/GHSA-7x63-xv5r-3p2x
test('CVE-2026-40575 (oauth2-proxy): a header that names another path decides nothing, nor does it from a trusted proxy', async () => {
  const behind = await startService(folder, { trustProxy: ['127.0.0.1'] });
  const names = ['x-forwarded-uri', 'x-forwarded-path', 'x-forwarded-prefix', 'x-original-url', 'x-rewrite-url'];
  for (const one of [service, behind])
    for (const name of names)
      for (const path of PUBLIC) refusal(await send(one, PATH, { ...NO_TOKEN, [name]: path }), 401, 'token-missing');
});

// https://github.com/oauth2-proxy/oauth2-proxy/security/advisories/GHSA-5hvv-m4w4-gf6v
test('CVE-2026-34457 (oauth2-proxy): the name of a health checker opens nothing', async () => {
  for (const agent of ['GoogleHC/1.0', 'kube-probe/1.34', 'ELB-HealthChecker/2.0', 'Consul Health Check']) {
    refusal(await send(service, PATH, { ...NO_TOKEN, 'user-agent': agent }), 401, 'token-missing');
    assert.equal((await send(service, '/healthz', { ...NO_TOKEN, 'user-agent': agent })).status, 200);
  }
});

// https://github.com/oauth2-proxy/oauth2-proxy/security/advisories/GHSA-pxq7-h93f-9jrg
test('CVE-2026-41059 (oauth2-proxy): a fragment, encoded or not, and dots make no path public', async () => {
  const ask = (target: string) =>
    sendRaw(service, `GET ${target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
  for (const suffix of ['#/healthz', '%23/healthz', '/../../../healthz', '%3F/healthz'])
    assert.match(await ask(PATH + suffix), /^HTTP\/1\.1 401 /, suffix);
  // What begins like a public path is that path or none.
  const begun = ['#/..', '%23', '/..', '/%2e%2e'].map((more) => `/healthz${more}${PATH}`);
  for (const target of [...begun, `/${PATH}`, '/%61pi/v1/fc/lv0'])
    assert.match(await ask(target), /^HTTP\/1\.1 404 /, target);
});

// https://github.com/oauth2-proxy/oauth2-proxy/security/advisories/GHSA-7rh7-c77v-6434
test('CVE-2025-54576 (oauth2-proxy): a query that looks like a public path makes no path public', async () => {
  for (const query of ['/healthz', 'x=/healthz', 'x=/../openapi.json', 'page-size=1&/healthz', '?/readyz'])
    refusal(await send(service, `${PATH}?${query}`, NO_TOKEN), 401, 'token-missing');
});

// https://github.com/envoyproxy/envoy/security/advisories/GHSA-mp85-7mrq-r866
// A request is never let through without a token that was verified, so `allow_missing_or_failed` has no counterpart.
test('CVE-2025-64527 (Envoy): two tokens while the keys cannot be had are refused at once, and nothing ends', async () => {
  const [issuer, clock] = [await startIssuer(ISSUER), { ms: 0 }];
  const remote = await startService(folder, { issuers: new Map([[ISSUER, keysOf(issuer, clock)]]) });
  issuer.fault = (res) => res.destroy();
  const header = await signedBy(issuer);
  const line = `Authorization: ${header.authorization}\r\n`;
  const twice = `GET ${PATH} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${line}${line}\r\n`;
  const answers = await Promise.all(Array.from({ length: 20 }, () => sendRaw(remote, twice)));
  for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 400 .*"code":"duplicate-header"/s);
  assert.equal(issuer.fetches, 0);
  const failed = await Promise.all(Array.from({ length: 20 }, () => send(remote, PATH, header)));
  for (const answer of failed) refusal(answer, 503, 'keys-unavailable');
  issuer.fault = undefined;
  clock.ms += POLICY.cooldownMs;
  assert.equal((await send(remote, PATH, header)).status, 200);
});

// Which algorithm.

// https://auth0.com/blog/critical-vulnerabilities-in-json-web-token-libraries/
// https://nvd.nist.gov/vuln/detail/CVE-2022-23541
test('CVE-2015-9235, CVE-2022-23541 (jsonwebtoken): a public key is no secret, in any of its texts', async () => {
  const { publicKey } = RSA;
  const secrets = [
    publicKey.export({ format: 'pem', type: 'spki' }),
    publicKey.export({ format: 'pem', type: 'pkcs1' }),
    publicKey.export({ format: 'der', type: 'spki' }),
    String(publicKey.export({ format: 'pem', type: 'spki' })).trimEnd(),
  ];
  for (const kid of ['rsa', undefined])
    await assertRefused('algorithm', ...secrets.map((secret) => hmac({ alg: 'HS256', kid }, secret)));
});

// https://github.com/jpadilla/pyjwt/security/advisories/GHSA-xgmm-8j9v-c9wx
// Algorithms of secrets and of public keys cannot be configured together: --secret excludes --jwks.
test('CVE-2026-48526 (PyJWT): the JSON of a public key is no secret either', async () => {
  const secrets = [JSON.stringify(RSA_JWK), JSON.stringify(RSA.publicKey.export({ format: 'jwk' })), JWKS];
  await assertRefused('algorithm', ...secrets.map((secret) => hmac({ alg: 'HS256', kid: 'rsa' }, secret)));
});

// https://github.com/jpadilla/pyjwt/security/advisories/GHSA-jq35-7prp-9v3f
test('CVE-2026-48523 (PyJWT): a signature is that of the algorithm which the header names, not another of the same key', async () => {
  await assertRefused('algorithm', ...['RS384', 'RS512', 'PS256'].map((alg) => signed({ alg, kid: 'rsa' })));
  const text = textOf({ alg: 'RS256', kid: 'rsa' });
  const others = [sign('sha512', Buffer.from(text), RSA.privateKey), sign('sha1', Buffer.from(text), RSA.privateKey)];
  const padded = sign('sha256', Buffer.from(text), { key: RSA.privateKey, padding: 6, saltLength: 32 });
  await assertRefused('signature', ...[...others, padded].map((bytes) => `${text}.${bytes.toString('base64url')}`));
});

// https://github.com/beatt83/jose-swift/security/advisories/GHSA-88q6-jcjg-hvmw
test('GHSA-88q6-jcjg-hvmw (jose-swift): `none` is no algorithm, with a signature either', async () => {
  const end = signed({ alg: 'none', kid: 'rsa' }).split('.').at(-1);
  const texts = ['none', 'None', 'NONE', 'nOnE'].map((alg) => textOf({ alg, typ: 'JWT', kid: 'rsa' }));
  await assertRefused('malformed', ...texts.map((text) => `${text}.`));
  await assertRefused('algorithm', ...texts.map((text) => `${text}.${end}`));
});

// https://nvd.nist.gov/vuln/detail/CVE-2022-23540
test('CVE-2022-23540 (jsonwebtoken): a token that names no algorithm gets none by default', async () => {
  const header = { typ: 'JWT', kid: 'rsa' };
  const text = textOf(header);
  await assertRefused('malformed', `${text}.`, text, signed(header), signed({ alg: '', ...header }));
});

// https://github.com/web-token/jwt-framework/security/advisories/GHSA-jc38-x7x8-2xc8
// Only the compact form is read, which has no unprotected header: what is in one is not even seen.
test('GHSA-jc38-x7x8-2xc8 (web-token): an algorithm in an unprotected header is never used', async () => {
  const protectedHeaders = [{ alg: 'RS256', kid: 'rsa' }, { kid: 'rsa' }];
  for (const head of protectedHeaders) {
    const [encoded, payload, signature] = hmac(head, JSON.stringify(RSA_JWK)).split('.');
    const flattened = { payload, protected: encoded, header: { alg: 'HS256' }, signature };
    const general = { payload, signatures: [{ protected: encoded, header: { alg: 'HS256' }, signature }] };
    for (const form of [flattened, general]) await assertRefused('malformed', JSON.stringify(form), encode(form));
  }
});

// https://github.com/jpadilla/pyjwt/security/advisories/GHSA-752w-5fwx-jx9f
test('CVE-2026-32597 (PyJWT): a critical extension that is not understood makes a token invalid', async () => {
  const header = { alg: 'RS256', kid: 'rsa', crit: ['x-custom-policy'], 'x-custom-policy': 'require-mfa' };
  await assertRefused('algorithm', signed(header));
});

// Which key.

// https://nvd.nist.gov/vuln/detail/CVE-2018-0114
// https://app.opencve.io/cve/CVE-2026-34240
test('CVE-2018-0114 (node-jose), CVE-2026-34240 (jose for Dart): a key that the token brings along verifies nothing', async () => {
  const jwk = FOREIGN.publicKey.export({ format: 'jwk' });
  const x5c = [FOREIGN.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')];
  const headers = [{ jwk }, { jwk: { ...jwk, kid: 'rsa' }, kid: 'rsa' }, { x5c, kid: 'rsa' }];
  await assertRefused('signature', ...headers.map((more) => signed({ alg: 'RS256', ...more }, FOREIGN.privateKey)));
});

// https://github.com/advisories/GHSA-j77h-rr39-c552
test('CVE-2026-32301 (Centrifugo): no address in a token, of its header or its claims, is ever asked for keys', async () => {
  const visits: string[] = [];
  const jwk = { ...FOREIGN.publicKey.export({ format: 'jwk' }), kid: 'theirs' };
  const trap = createServer((req, res) => {
    visits.push(req.url ?? '');
    res.end(JSON.stringify({ keys: [jwk], jwks_uri: `${base}/keys` }));
  });
  const base = `http://127.0.0.1:${await listen(trap)}`;
  const key = FOREIGN.privateKey;
  const headers = [{ jku: `${base}/jku` }, { x5u: `${base}/x5u` }, { kid: `${base}/kid` }];
  await assertRefused('unknown-key', ...headers.map((more) => signed({ alg: 'RS256', kid: 'theirs', ...more }, key)));
  for (const claims of [{ iss: base }, { iss: `${ISSUER}/../${base}` }, { iss: `${base}/#${ISSUER}` }]) {
    const token = new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'theirs' });
    await assertRefused('issuer', await token.sign(key));
  }
  // A good token with them is good.
  assert.equal(await faultOf(signed({ alg: 'RS256', kid: 'rsa', jku: `${base}/jku`, jwk })), '');
  assert.deepEqual(visits, []);
});

// https://www.invicti.com/web-application-vulnerabilities/jwt-signature-bypass-via-kid-sql-injection
// https://jwt-arsenal.pages.dev/knowledge-base/kid-injection/
// A `kid` is compared with those of the key set; no file, query, command or address is made of it.
test('injection by `kid`: a path, a statement, a command or a property of objects names no key', async () => {
  const kids = [
    ...['../../../../dev/null', '/proc/sys/kernel/randomize_va_space', 'file:///dev/null', '|/usr/bin/id', '$(id)'],
    ...["' OR '1'='1", "x' UNION SELECT 'secret' -- ", 'rsa\u0000', 'RSA', '__proto__', 'constructor', '0'],
  ];
  await assertRefused('unknown-key', ...kids.map((kid) => signed({ alg: 'RS256', kid })));
  // The secrets of the published attacks: an empty file, and what the statement selects.
  for (const secret of ['', 'secret', '2\n'])
    await assertRefused('algorithm', ...kids.map((kid) => hmac({ alg: 'HS256', kid }, secret)));
});

// What a signature is.

// https://neilmadden.blog/2022/04/19/psychic-signatures-in-java/
test('CVE-2022-21449 (Java, psychic signatures): r and s are at least 1 and below the order of the curve', async () => {
  const text = textOf({ alg: 'ES256', kid: 'ec' });
  const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
  const [zero, one] = [Buffer.alloc(32), Buffer.alloc(32)];
  one.writeUInt8(1, 31);
  const pairs = [zero, one, order].flatMap((r) => [zero, order].map((s) => Buffer.concat([r, s])));
  const der = Buffer.from('3006020100020100', 'hex');
  await assertRefused('signature', ...[...pairs, der].map((bytes) => `${text}.${bytes.toString('base64url')}`));
});

// https://nvd.nist.gov/vuln/detail/CVE-2020-28042
test('CVE-2020-28042 (null signature): a token without its signature is no token', async () => {
  for (const text of [textOf({ alg: 'RS256', kid: 'rsa' }), textOf({ alg: 'ES256', kid: 'ec' })])
    await assertRefused('malformed', `${text}.`, text);
});

// Encrypted tokens are refused by their form, five parts, before anything is decrypted, derived or inflated: no key
// that decrypts is ever configured.

// https://github.com/advisories/GHSA-hhhv-q57g-882q (inflation)
// https://nvd.nist.gov/vuln/detail/CVE-2022-36083 (iterations)
test('CVE-2024-28176, CVE-2022-36083 (jose): an encrypted token that inflates, or asks for iterations, costs nothing', async () => {
  const parts = (header: object): string => `${encode(header)}.AAAA.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`;
  await assertRefused(
    'malformed',
    parts({ alg: 'RSA-OAEP-256', enc: 'A256GCM', zip: 'DEF', kid: 'rsa' }),
    parts({ alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', p2c: 2 ** 31 - 1, p2s: 'AAAAAAAAAAAAAAAAAAAAAA' }),
  );
});

// https://github.com/advisories/GHSA-pm7g-w2cf-q238
test('CVE-2026-29000 (pac4j): a token without a signature, encrypted for a public key, is refused', async () => {
  const plain = `${textOf({ alg: 'none' })}.`;
  const header = { alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'rsa' };
  const wrapped = new CompactEncrypt(Buffer.from(plain)).setProtectedHeader(header);
  await assertRefused('malformed', await wrapped.encrypt(RSA.publicKey));
});
