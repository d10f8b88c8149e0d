// Forged and odd tokens against the running server: a table of changes to a good token, and what becomes of each. What
// is refused gets 401 and the same words, and none makes the proxy ask anybody.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { CompactEncrypt, FlattenedSign } from 'jose';
import { jwksToKeySet, secretToKeySet } from '../../proxy/auth/key-set.ts';
import { fixedKeys } from '../../proxy/auth/rotating-keys.ts';
import type { HttpRequest } from '../../proxy/http/request.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { refusal, send } from '../support/http/http-client.ts';
import { AUDIENCE, ISSUER, type RunningService, startService } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder);

const PAIRS = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
type Algorithm = keyof typeof PAIRS;
const ALGORITHMS: readonly Algorithm[] = ['EdDSA', 'ES256', 'RS256'];
const FOREIGN = generateKeyPairSync('ed25519');

/** Keys as an issuer publishes them. */
function jwksOf(keys: Readonly<Record<string, KeyObject>>, more: object = {}): string {
  return JSON.stringify({
    keys: Object.entries(keys).map(([kid, key]) => ({ ...key.export({ format: 'jwk' }), kid, ...more })),
  });
}

function serviceWith(jwks: string, keys = jwksToKeySet(jwks)): Promise<RunningService> {
  return startService(folder, { issuers: new Map([[ISSUER, fixedKeys(keys)]]) });
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
/** Signed with HMAC. */
function hmac(kid: string, secret: string | Buffer, bits = 256): string {
  const text = `${encode({ alg: `HS${bits}`, kid })}.${encode(CLAIMS)}`;
  return `${text}.${createHmac(`sha${bits}`, secret).update(text).digest('base64url')}`;
}

const good = signed('EdDSA');
const [head = '', payload = '', signature = ''] = good.split('.');
const bytes = Buffer.from(signature, 'base64url');
const flipped = Buffer.from(bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte)));
const es256 = signed('ES256').split('.').slice(0, 2).join('.');
const rsaText = (alg: string): string => `${encode({ alg, kid: 'RS256' })}.${encode(CLAIMS)}`;
const rsaSigned = (alg: string, hash: string, options = {}): string =>
  `${rsaText(alg)}.${sign(hash, Buffer.from(rsaText(alg)), { key: PAIRS.RS256.privateKey, ...options }).toString('base64url')}`;
const jwk = FOREIGN.publicKey.export({ format: 'jwk' });
const encrypt = (alg: string, key: Parameters<CompactEncrypt['encrypt']>[0]): Promise<string> =>
  new CompactEncrypt(Buffer.from(good))
    .setProtectedHeader({ alg, enc: 'A256GCM', cty: 'JWT', kid: 'RS256' })
    .encrypt(key);
const flattened = await new FlattenedSign(Buffer.from(JSON.stringify(CLAIMS)))
  .setProtectedHeader({ alg: 'EdDSA', kid: 'EdDSA' })
  .sign(PAIRS.EdDSA.privateKey);
/** A token with a claim of so many letters. */
const filled = (length: number): string => withClaims({ filling: 'a'.repeat(length) });

// Whoever is asked for a key that a token brings along.
const visits: string[] = [];
const trap = createServer((req, res) => {
  visits.push(req.url ?? '');
  res.end(JWKS);
});
const TRAP = `http://127.0.0.1:${await listen(trap)}`;

/** Good tokens but for one claim, or one member of the header. */
const claimed = (name: string, values: readonly unknown[]): string[] =>
  values.map((value) => withClaims({ [name]: value }));
const headed = (name: string, values: readonly unknown[]): string[] =>
  values.map((value) => withHeader({ [name]: value }));

/** Tokens by what was changed in them. */
type Table = Readonly<Record<string, readonly string[]>>;

const ACCEPTED: Table = {
  'each algorithm': ALGORITHMS.map((alg) => signed(alg)),
  'no kid where one key fits': ALGORITHMS.map((alg) => signed(alg, CLAIMS, { kid: undefined })),
  'the type of a JWT or an access token (RFC 9068)': headed('typ', ['JWT', 'jwt', 'at+jwt', 'application/AT+jwt']),
  'several audiences': claimed('aud', [['x', AUDIENCE]]),
  'no subject': claimed('sub', [undefined]),
  'an exp that is no whole number, an nbf that has passed': [
    ...claimed('exp', [NOW + 60.5]),
    ...claimed('nbf', [NOW - 5]),
  ],
  'long, below 8 KB': [filled(5_000)],
  'a key in the header that is not looked at': [...headed('jku', [`${TRAP}/jku`]), ...headed('jwk', [jwk])],
};

const NO_ALGORITHMS = [...'none|None|NONE|nOnE|none '.split('|'), '', null, 0, [], {}];
const ODD_TIMES = [null, '', `${NOW + 600}`, [NOW + 600], {}, true];
const ODD_NAMES = [null, undefined, '', 0, []];
const ISSUERS = [`${ISSUER}/`, `${ISSUER} `, ISSUER.toUpperCase(), ISSUER.replace('https', 'http'), `${ISSUER}\u0000`];
const AUDIENCES = [`${AUDIENCE}2`, AUDIENCE.toUpperCase(), ` ${AUDIENCE}`, AUDIENCE.slice(1), `other ${AUDIENCE}`, '*'];
const KIDS = "../../../../dev/null|' OR 1=1 --|$(id)|EdDSA\0|eddsa|__proto__|toString|0|💥".split('|');
const NO_OBJECTS = ['null', '[]', '1', '""', '{', '', '{}'];
const DER = { format: 'der', type: 'spki' } as const;

const REFUSED: Table = {
  'alg none, in any case and whatever it is signed with': NO_ALGORITHMS.flatMap((alg) =>
    ['', 'AA', signature].map((end) => `${encode({ alg, kid: 'EdDSA' })}.${payload}.${end}`),
  ),
  'no signature': ALGORITHMS.map((alg) => signed(alg).replace(/[^.]*$/, '')),
  'HMAC with a public key': ALGORITHMS.flatMap((kid) => {
    const { publicKey } = PAIRS[kid];
    const texts = [
      publicKey.export({ format: 'pem', type: 'spki' }),
      JSON.stringify(publicKey.export({ format: 'jwk' })),
    ];
    return [...texts, publicKey.export(DER), JWKS, ''].map((secret) => hmac(kid, secret));
  }),
  'an algorithm that is not allowed': [
    ...[rsaSigned('RS512', 'sha512'), rsaSigned('PS256', 'sha256', { padding: 6, saltLength: 32 })],
    ...[rsaSigned('RS1', 'sha1'), rsaSigned('rs256', 'sha256'), rsaSigned('RS256', 'sha1')],
  ],
  'the algorithm of another key': ALGORITHMS.flatMap((alg) =>
    ALGORITHMS.filter((other) => other !== alg).flatMap((other) =>
      [{ alg: other }, { kid: other }, { alg: other, kid: other }].map((header) => signed(alg, CLAIMS, header)),
    ),
  ),
  'a key of somebody else': [
    ...[{ kid: undefined }, {}, { kid: 'other' }, { jwk }, { jwk: { ...jwk, kid: 'EdDSA' }, kid: undefined }],
    ...[{ jku: `${TRAP}/jku` }, { jku: 'file:///etc/passwd' }, { x5u: `${TRAP}/x5u` }, { kid: `${TRAP}/kid` }],
    { x5c: [FOREIGN.publicKey.export(DER).toString('base64')] },
  ].map((header) => signed('EdDSA', CLAIMS, header, FOREIGN.privateKey)),
  'an exp that is missing, past or odd': claimed('exp', [undefined, -1, 0, NOW - 31, ...ODD_TIMES]),
  'an endless exp': ['1e999', '1e308', '253402300800'].map((exp) =>
    signed('EdDSA', JSON.stringify(CLAIMS).replace(/"exp":\d+/, `"exp":${exp}`)),
  ),
  'an nbf to come, or odd': claimed('nbf', [NOW + 60, 1e18, ...ODD_TIMES]),
  'an issuer that looks right': claimed('iss', [
    ...[...ISSUERS, ISSUER.replace('issuer', 'іssuer'), `${ISSUER}.evil.test`, TRAP],
    ...[[ISSUER], { 0: ISSUER }, ...ODD_NAMES],
  ]),
  'an audience that looks right': claimed('aud', [...AUDIENCES, [[AUDIENCE]], { aud: AUDIENCE }, ...ODD_NAMES]),
  'another type of token': headed('typ', [
    'logout+jwt',
    'dpop+jwt',
    'text/jwt',
    'JWT ',
    'JWE',
    '',
    null,
    1,
    true,
    {},
    ['JWT'],
  ]),
  'a critical header that is not understood': [['x'], ['exp'], [], 'b64', null, {}, [1], ['b64', 'x']].map((crit) =>
    withHeader({ crit, x: 1, exp: 1, b64: true }),
  ),
  'b64 false': [
    withHeader({ crit: ['b64'], b64: false }),
    `${encode({ alg: 'EdDSA', kid: 'EdDSA', crit: ['b64'], b64: false })}.{"exp":1}.${signature}`,
  ],
  encrypted: [await encrypt('RSA-OAEP-256', PAIRS.RS256.publicKey), await encrypt('dir', randomBytes(32))],
  'as JSON': [JSON.stringify(flattened), encode(flattened)],
  'another number of parts': [payload, `${head}.${payload}`, `${good}.`, `${good}.${signature}`, `${good}..`, '..'],
  'empty parts, in quotes, twice': [
    `.${payload}.${signature}`,
    `${head}..${signature}`,
    `"${good}"`,
    `${good},${good}`,
  ],
  'over 8 KB': [filled(8 * 1024), 'a'.repeat(8 * 1024 + 1), '.'.repeat(9_000)],
  'a hostile kid': headed('kid', [...KIDS, '', 'a'.repeat(4000), null, 0, true, {}, [], ['EdDSA']]),
  'a header that is no object': [...NO_OBJECTS, '\ufeff{"alg":"EdDSA"}', '{"alg":"EdDSA"}}'].map(withHeader),
  'claims that are no object, in a prototype, or nested deeply': [
    ...[...NO_OBJECTS, `\ufeff${JSON.stringify(CLAIMS)}`, `{"__proto__":${JSON.stringify(CLAIMS)}}`],
    '['.repeat(3000) + ']'.repeat(3000),
  ].map((claims) => signed('EdDSA', claims)),
  'a signature that is damaged': [
    ...[flipped, bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(64)].map(
      (changed) => `${head}.${payload}.${changed.toString('base64url')}`,
    ),
    `${good.slice(0, -1)}*`,
    // Zeros fit every text where r and s are not checked (CVE-2022-21449).
    `${es256}.${Buffer.alloc(64).toString('base64url')}`,
    `${es256}.${sign('sha256', Buffer.from(es256), PAIRS.ES256.privateKey).toString('base64url')}`,
  ],
  'the signature of another token': [
    `${head}.${encode({ ...CLAIMS, sub: 'admin' })}.${signature}`,
    `${encode({ alg: 'EdDSA', kid: 'EdDSA', typ: 'JWT' })}.${payload}.${signature}`,
  ],
};

/** What the operator learns of one token of each kind, in the order of OPERATING.md. */
const FAULTS: readonly (readonly [fault: string, token: string | undefined])[] = [
  ['missing', undefined],
  ['too-long', filled(8 * 1024)],
  ['malformed', `${good}.`],
  ['malformed', signed('EdDSA', '[]')],
  ['expiry', withClaims({ exp: undefined })],
  ['expiry', withClaims({ exp: `${NOW + 600}` })],
  ['expired', signed('EdDSA', { ...CLAIMS, exp: NOW - 31 }, {}, FOREIGN.privateKey)],
  ['issuer', withClaims({ iss: `${ISSUER}/` })],
  ['algorithm', rsaSigned('RS512', 'sha512')],
  ['algorithm', withHeader({ crit: ['x'], x: 1 })],
  ['unknown-key', withHeader({ kid: 'other' })],
  ['signature', signed('EdDSA', { ...CLAIMS, aud: 'other' }, {}, FOREIGN.privateKey)],
  ['audience', withClaims({ aud: 'other' })],
  ['audience', withClaims({ aud: undefined })],
  ['not-yet-valid', withClaims({ nbf: NOW + 60 })],
  ['claim', withClaims({ nbf: 'soon' })],
  ['type', withHeader({ typ: 'logout+jwt' })],
  ['scope', withClaims({ scope: 'write' })],
];

async function assertAccepts(token: string, service = proxy): Promise<void> {
  const answer = await send(service, '/api/v1/fc/lv0', { authorization: `Bearer ${token}` });
  assert.equal(answer.status, 200, token);
}

async function assertRefuses(token: string, service = proxy): Promise<void> {
  const answer = await send(service, '/api/v1/fc/lv0', { authorization: `Bearer ${token}` });
  refusal(answer, 401, 'token-invalid');
  assert.match(
    String(answer.headers['www-authenticate']),
    /^Bearer realm="boundaries", error="invalid_token", error_de/,
  );
}

for (const [what, tokens] of Object.entries(ACCEPTED))
  test(`accepts ${what}`, async () => {
    for (const token of tokens) await assertAccepts(token);
    assert.deepEqual([visits, proxy.log], [[], []]);
  });

for (const [what, tokens] of Object.entries(REFUSED))
  test(`refuses ${what}`, async () => {
    for (const token of tokens) await assertRefuses(token);
    assert.deepEqual([visits, proxy.log], [[], []]);
  });

test('the operator learns why a token was refused, the client does not', async () => {
  const requests: HttpRequest[] = [];
  const answers = new Set<string>();
  const service = await startService(folder, {
    issuers: new Map([[ISSUER, fixedKeys(jwksToKeySet(JWKS))]]),
    scope: 'read',
    observe: (_req, _res, request) => requests.push(request),
  });
  for (const [fault, token] of FAULTS) {
    const answer = await send(service, '/api/v1/fc/lv0', { authorization: token && `Bearer ${token}` });
    if (fault === 'missing') refusal(answer, 401, 'token-missing');
    else if (fault === 'scope') refusal(answer, 403, 'scope-missing');
    else answers.add(`${refusal(answer, 401, 'token-invalid')} ${answer.headers['www-authenticate']}`);
  }
  assert.equal(answers.size, 1);
  await send(service, '/api/v1/fc/lv0', { authorization: `Bearer ${withClaims({ scope: 'read' })}` });
  const faults = requests.map(({ tokenFault }) => tokenFault);
  assert.deepEqual(faults, [...FAULTS.map(([fault]) => fault), undefined]);
});

test('weak, broken and foreign keys are no keys, and beside one a good one works, also without a kid', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  for (const key of [
    weak.publicKey.export({ format: 'jwk' }),
    { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' },
    { kty: 'RSA', n: 'AA', e: 'AA' },
    { kty: 'OKP', crv: 'Ed25519', x: 'AA' },
    generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
    { kty: 'odd' },
  ])
    assert.throws(() => jwksToKeySet(JSON.stringify({ keys: [key] })), /no usable key/, JSON.stringify(key));
  const both = await serviceWith(jwksOf({ weak: weak.publicKey, RS256: PAIRS.RS256.publicKey }));
  for (const kid of ['RS256', undefined]) await assertAccepts(signed('RS256', CLAIMS, { kid }), both);
  await assertRefuses(signed('RS256', CLAIMS, { kid: 'weak' }, weak.privateKey), both);
});

test('HS256 works with a configured secret, and no other algorithm then does', async () => {
  const secret = randomBytes(64).toString('hex');
  const service = await serviceWith('', secretToKeySet(secret));
  await assertAccepts(hmac('x', secret), service);
  for (const token of [hmac('x', secret, 512), hmac('x', 'guessed'), good]) await assertRefuses(token, service);
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

test('the metadata of RFC 9728 names the issuer, and every refusal names the metadata', async () => {
  const anonymous = { authorization: undefined };
  const METADATA = '/.well-known/oauth-protected-resource';
  const plain = await startService(folder, { metadata: true });
  const metadata = await send(plain, METADATA, anonymous);
  assert.equal(metadata.headers['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(metadata.body.toString()), {
    resource: plain.url,
    authorization_servers: [ISSUER],
    bearer_methods_supported: ['header'],
    resource_name: 'Administrative boundaries',
  });
  const none = await send(plain, '/api/v1/fc/lv0', anonymous);
  const named = `resource_metadata="${plain.url}${METADATA}"`;
  assert.equal(none.headers['www-authenticate'], `Bearer realm="boundaries", ${named}`);
  const bad = await send(plain, '/api/v1/fc/lv0', { authorization: 'Bearer x' });
  assert.ok(bad.headers['www-authenticate']?.endsWith(`, ${named}`));
  const known = await startService(folder, { publicUrl: 'https://x.test/maps', scope: 'read', metadata: true });
  assert.equal(
    (await send(known, '/api/v1/fc/lv0')).headers['www-authenticate'],
    `Bearer realm="boundaries", error="insufficient_scope", scope="read", resource_metadata="https://x.test${METADATA}/maps"`,
  );
  for (const path of [METADATA, `${METADATA}/maps`]) {
    const { resource, scopes_supported } = JSON.parse((await send(known, path, anonymous)).body.toString());
    assert.deepEqual([resource, scopes_supported], ['https://x.test/maps', ['read']]);
  }
  assert.equal((await send(known, `${METADATA}/other`, anonymous)).status, 404);
  assert.equal((await send(await startService(folder), METADATA, anonymous)).status, 404);
});
