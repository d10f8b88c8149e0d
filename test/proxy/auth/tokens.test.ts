// Forged and odd tokens against the running server: a table of changes to a good token, and what becomes of each. What
// is refused gets 401 and the same words.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { test } from 'node:test';
import type { KeySet } from '../../../proxy/auth/authenticate.ts';
import type { TokenFault } from '../../../proxy/auth/token-fault.ts';
import { jwksToKeySet, secretToKeySet } from '../../../proxy/keys/key-set.ts';
import { fixedKeys } from '../../../proxy/keys/rotating-keys.ts';
import { refusal, send } from '../../support/http/http-client.ts';
import {
  AUDIENCE,
  ISSUER,
  NO_TOKEN,
  type RunningService,
  type ServiceOptions,
  startService,
} from '../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../support/releases/build-release.ts';

const PATH = '/api/v1/fc/lv0';
const folder = await buildCountries();

const PAIRS = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
type Algorithm = keyof typeof PAIRS;
const ALGORITHMS: readonly Algorithm[] = ['EdDSA', 'ES256', 'RS256'];
const FOREIGN = generateKeyPairSync('ed25519');

function jwksOf(keys: Readonly<Record<string, KeyObject>>, more: object = {}): string {
  return JSON.stringify({
    keys: Object.entries(keys).map(([kid, key]) => ({ ...key.export({ format: 'jwk' }), kid, ...more })),
  });
}

function serviceWith(keys: string | KeySet, options: ServiceOptions = {}): Promise<RunningService> {
  const set = typeof keys === 'string' ? jwksToKeySet(keys) : keys;
  return startService(folder, { issuers: new Map([[ISSUER, fixedKeys(set)]]), ...options });
}

const JWKS = jwksOf({
  EdDSA: PAIRS.EdDSA.publicKey,
  ES256: PAIRS.ES256.publicKey,
  RS256: PAIRS.RS256.publicKey,
});
const proxy = await serviceWith(JWKS);

const NOW = Math.floor(Date.now() / 1000);
const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'tester', iat: NOW, exp: NOW + 600 };

function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** Really signed, whatever it says. */
function signed(alg: Algorithm, claims: unknown = CLAIMS, header: unknown = {}, key = PAIRS[alg].privateKey): string {
  const said = typeof header === 'string' ? header : { alg, kid: alg, ...(header as object) };
  const text = `${encode(said)}.${encode(claims)}`;
  const hash = alg === 'EdDSA' ? null : 'sha256';
  return `${text}.${sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const withClaims = (changes: object): string => signed('EdDSA', { ...CLAIMS, ...changes });
const withHeader = (changes: unknown): string => signed('EdDSA', CLAIMS, changes);
const good = signed('EdDSA');
const [head = '', payload = '', signature = ''] = good.split('.');
const bytes = Buffer.from(signature, 'base64url');
const flipped = Buffer.from(bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte)));
const es256 = signed('ES256').split('.').slice(0, 2).join('.');
const filled = (length: number): string => withClaims({ filling: 'a'.repeat(length) });

const withSignature = (changed: Uint8Array): string =>
  `${head}.${payload}.${Buffer.from(changed).toString('base64url')}`;
const foreign = (header: object): string => signed('EdDSA', CLAIMS, header, FOREIGN.privateKey);
const criticalOf = (crit: readonly string[]): string => withHeader({ crit, x: 1, exp: 1, b64: true });
const endingAt = (exp: string): string => signed('EdDSA', JSON.stringify(CLAIMS).replace(/"exp":\d+/, `"exp":${exp}`));

/** Good tokens but for one claim, or one member of the header. */
const claimed = (name: string, values: readonly unknown[]): string[] =>
  values.map((value) => withClaims({ [name]: value }));
const headed = (name: string, values: readonly unknown[]): string[] =>
  values.map((value) => withHeader({ [name]: value }));

const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  'each algorithm': ALGORITHMS.map((alg) => signed(alg)),
  'no kid where one key fits': ALGORITHMS.map((alg) => signed(alg, CLAIMS, { kid: undefined })),
  'the type of a JWT or an access token (RFC 9068)': headed('typ', ['JWT', 'jwt', 'at+jwt', 'application/AT+jwt']),
  'several audiences': claimed('aud', [['x', AUDIENCE]]),
  'no subject': claimed('sub', [undefined]),
  'an exp that is no whole number': claimed('exp', [NOW + 60.5]),
  'an nbf that has passed': claimed('nbf', [NOW - 5]),
  'long, below 8 KB': [filled(5_000)],
};

const OTHERS = ALGORITHMS.flatMap((alg) =>
  ALGORITHMS.filter((other) => other !== alg).map((other) => [alg, other] as const),
);
const ODD_NAMES = [null, undefined, '', 0, []];
const OTHER_ISSUERS = [`${ISSUER}.evil.test`, [ISSUER], { 0: ISSUER }, ...ODD_NAMES];
const KIDS = ['other', 'eddsa', '', 'a'.repeat(4000), null, 0, true, {}, [], ['EdDSA']];
const HEADER = { alg: 'EdDSA', kid: 'EdDSA' };
const SIGNATURES = [flipped, bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(64)];
const der = sign('sha256', Buffer.from(es256), PAIRS.ES256.privateKey);
const ISSUERS = [`${ISSUER}/`, `${ISSUER} `, ISSUER.toUpperCase(), ISSUER.replace('https', 'http'), `${ISSUER}\u0000`];
const AUDIENCES = [`${AUDIENCE}2`, AUDIENCE.toUpperCase(), ` ${AUDIENCE}`, AUDIENCE.slice(1), `other ${AUDIENCE}`, '*'];
const TYPES = ['logout+jwt', 'dpop+jwt', 'text/jwt', 'JWT ', 'JWE', '', null, 1, true, {}, ['JWT']];
const NO_OBJECTS = ['null', '[]', '1', '""', '{', ''];

/**
 * What becomes of tokens by what was changed in them: the fault, which the operator learns, is one of OPERATING.md.
 * known-attacks.test.ts has others, by the names of the attacks.
 */
const REFUSED: readonly (readonly [what: string, fault: TokenFault, tokens: readonly string[]])[] = [
  ['over 8 KB', 'too-long', [filled(8 * 1024), 'a'.repeat(8 * 1024 + 1), '.'.repeat(9_000)]],
  ['other parts', 'malformed', [payload, `${head}.${payload}`, `${good}.`, `${good}.${signature}`, `${good}..`, '..']],
  ['empty parts', 'malformed', [`.${payload}.${signature}`, `${head}..${signature}`]],
  ['in quotes, or twice', 'malformed', [`"${good}"`, `${good},${good}`]],
  ['an odd header', 'malformed', [...NO_OBJECTS, '{}', '\ufeff{"alg":"EdDSA"}', '{"alg":"EdDSA"}}'].map(withHeader)],
  ['odd claims', 'malformed', [...NO_OBJECTS, '['.repeat(3000)].map((claims) => signed('EdDSA', claims))],
  ['a byte order mark', 'malformed', [signed('EdDSA', `\ufeff${JSON.stringify(CLAIMS)}`)]],
  ['an alg that is no name', 'malformed', headed('alg', [null, 0, [], {}])],
  ['an odd crit', 'malformed', headed('crit', [[], 'b64', null, {}, [1]])],
  ['b64 false', 'malformed', [withHeader({ crit: ['b64'], b64: false })]],
  ['no exp, or an odd one', 'expiry', claimed('exp', [undefined, `${NOW + 600}`, [NOW + 600], {}])],
  ['an endless exp', 'expiry', ['1e999', '1e308', '253402300800'].map(endingAt)],
  ['claims in a prototype', 'expiry', [signed('EdDSA', `{"__proto__":${JSON.stringify(CLAIMS)}}`)]],
  ['an exp that is past, or counts as none', 'expired', claimed('exp', [-1, 0, NOW - 31, null, '', true])],
  ['a past exp and a wrong key', 'expired', [signed('EdDSA', { ...CLAIMS, exp: NOW - 31 }, {}, FOREIGN.privateKey)]],
  ['an issuer that looks right', 'issuer', claimed('iss', [...ISSUERS, ISSUER.replace('issuer', 'іssuer')])],
  ['another or an odd issuer', 'issuer', claimed('iss', OTHER_ISSUERS)],
  ['a critical member that is not understood', 'algorithm', [['x'], ['exp'], ['b64', 'x']].map(criticalOf)],
  ['no such key', 'unknown-key', headed('kid', KIDS)],
  ['the algorithm of another key', 'unknown-key', OTHERS.map(([alg, other]) => signed(alg, CLAIMS, { alg: other }))],
  ['the name of another key', 'unknown-key', OTHERS.map(([alg, other]) => signed(alg, CLAIMS, { kid: other }))],
  ['both of another key', 'signature', OTHERS.map(([alg, other]) => signed(alg, CLAIMS, { alg: other, kid: other }))],
  ['a key of somebody else', 'signature', [{}, { kid: undefined }].map(foreign)],
  ['a damaged signature', 'signature', SIGNATURES.map(withSignature)],
  ['a signature in DER', 'signature', [`${es256}.${der.toString('base64url')}`]],
  ['the signature of another token', 'signature', [`${head}.${encode({ ...CLAIMS, sub: 'admin' })}.${signature}`]],
  ['that of another header', 'signature', [`${encode({ ...HEADER, typ: 'JWT' })}.${payload}.${signature}`]],
  ['an audience that looks right', 'audience', claimed('aud', [...AUDIENCES, [[AUDIENCE]], { aud: AUDIENCE }])],
  ['no audience, or an odd one', 'audience', claimed('aud', ODD_NAMES)],
  ['an nbf to come', 'not-yet-valid', claimed('nbf', [NOW + 60, 1e18])],
  ['an odd nbf', 'claim', claimed('nbf', [null, '', `${NOW}`, [NOW], {}, true])],
  ['another type of token', 'type', headed('typ', TYPES)],
];

async function assertAccepts(token: string, service = proxy): Promise<void> {
  const answer = await send(service, PATH, { authorization: `Bearer ${token}` });
  assert.equal(answer.status, 200, token);
}

/** What the client learns. */
async function assertRefuses(token: string, service = proxy): Promise<string> {
  const answer = await send(service, PATH, { authorization: `Bearer ${token}` });
  const challenge = String(answer.headers['www-authenticate']);
  assert.match(challenge, /^Bearer realm="boundaries", error="invalid_token", error_de/);
  const words = refusal(answer, 401, 'token-invalid');
  assert.match(words, /^The token is expired, damaged, or not meant for this service/);
  return `${words} ${challenge}`;
}

test('accepts good tokens, whatever is different and allowed; where there is none, that is the fault', async () => {
  for (const tokens of Object.values(ACCEPTED)) for (const token of tokens) await assertAccepts(token);
  refusal(await send(proxy, PATH, NO_TOKEN), 401, 'token-missing');
  assert.equal(proxy.requests.at(-1)?.tokenFault, 'missing');
  assert.deepEqual(proxy.log, []);
});

const told = new Set<string>();
for (const [what, fault, tokens] of REFUSED)
  test(`refuses ${what}: ${fault}`, async () => {
    for (const token of tokens) {
      told.add(await assertRefuses(token));
      assert.equal(proxy.requests.at(-1)?.tokenFault, fault, token);
    }
    // The operator learns why, the client does not.
    assert.equal(told.size, 1);
    assert.deepEqual(proxy.log, []);
  });

test('weak, broken and foreign keys are no keys, and beside one a good one works, also without a kid', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const rsa = PAIRS.RS256.publicKey.export({ format: 'jwk' });
  for (const key of [
    weak.publicKey.export({ format: 'jwk' }),
    { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' },
    { kty: 'RSA', n: 'AA', e: 'AA' },
    { kty: 'OKP', crv: 'Ed25519', x: 'AA' },
    generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
    { kty: 'odd' },
    // RSA with a small or even exponent.
    ...[1, 2, 3, 17, 65_535, 65_536, 65_538].map((exponent) => ({ ...rsa, e: exponentOf(exponent) })),
  ])
    assert.throws(() => jwksToKeySet(JSON.stringify({ keys: [key] })), /no usable key/, JSON.stringify(key));
  for (const exponent of [65_537, 4_294_967_297])
    jwksToKeySet(JSON.stringify({ keys: [{ ...rsa, e: exponentOf(exponent) }] }));
  const both = await serviceWith(jwksOf({ weak: weak.publicKey, RS256: PAIRS.RS256.publicKey }));
  for (const kid of ['RS256', undefined]) await assertAccepts(signed('RS256', CLAIMS, { kid }), both);
  await assertRefuses(signed('RS256', CLAIMS, { kid: 'weak' }, weak.privateKey), both);
});

/** As a JWK has it: its bytes, without leading zeros. */
function exponentOf(number: number): string {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}

test('HS256 works with a configured secret, and no other algorithm then does', async () => {
  const secret = randomBytes(64).toString('hex');
  const hmac = (key: string, bits = 256): string => {
    const text = `${encode({ alg: `HS${bits}`, kid: 'x' })}.${encode(CLAIMS)}`;
    return `${text}.${createHmac(`sha${bits}`, key).update(text).digest('base64url')}`;
  };
  const service = await serviceWith(secretToKeySet(secret));
  await assertAccepts(hmac(secret), service);
  for (const token of [hmac(secret, 512), hmac('guessed'), good]) await assertRefuses(token, service);
});

test('Ed25519 is accepted under its own name and as EdDSA, whichever the key is listed with (RFC 9864)', async () => {
  for (const alg of ['EdDSA', 'Ed25519', undefined]) {
    const service = await serviceWith(jwksOf({ EdDSA: PAIRS.EdDSA.publicKey }, { alg }));
    for (const said of ['EdDSA', 'Ed25519']) await assertAccepts(withHeader({ alg: said }), service);
  }
});

test('a token without kid is tried with each key of its type, at most four', async () => {
  const pairs = Array.from({ length: 5 }, () => generateKeyPairSync('ed25519'));
  const service = await serviceWith(jwksOf(Object.fromEntries(pairs.map(({ publicKey }, i) => [`${i}`, publicKey]))));
  const tokens = pairs.map(({ privateKey }) => signed('EdDSA', CLAIMS, { kid: undefined }, privateKey));
  for (const token of tokens.slice(0, 4)) await assertAccepts(token, service);
  for (const token of [...tokens.slice(4), withHeader({ kid: undefined })]) await assertRefuses(token, service);
});

test('the metadata of RFC 9728 names the issuer and, with --public-url and --scope, what these say', async () => {
  const METADATA = '/.well-known/oauth-protected-resource';
  const plain = await startService(folder, { metadata: true });
  const metadata = await send(plain, METADATA, NO_TOKEN);
  assert.equal(metadata.headers['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(metadata.body.toString()), {
    resource: plain.url,
    authorization_servers: [ISSUER],
    bearer_methods_supported: ['header'],
    resource_name: 'Administrative boundaries',
  });
  const known = await startService(folder, { publicUrl: 'https://x.test/maps', scope: 'read', metadata: true });
  for (const path of [METADATA, `${METADATA}/maps`]) {
    const { resource, scopes_supported } = JSON.parse((await send(known, path, NO_TOKEN)).body.toString());
    assert.deepEqual([resource, scopes_supported], ['https://x.test/maps', ['read']]);
  }
  assert.equal((await send(known, `${METADATA}/other`, NO_TOKEN)).status, 404);
  assert.equal((await send(await startService(folder), METADATA, NO_TOKEN)).status, 404);
});
