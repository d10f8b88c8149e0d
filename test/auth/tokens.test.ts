// Forged and odd tokens against the running server: every attack class of RFC 8725 and of the public vector suites for
// JSON web signatures, made here. Each gets 401 and the same words; none makes the proxy ask anybody.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { CompactEncrypt, FlattenedSign, GeneralSign } from 'jose';
import { jwksToKeySet } from '../../proxy/auth/key-set.ts';
import { fixedKeys } from '../../proxy/auth/rotating-keys.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { send } from '../support/http/http-client.ts';
import { AUDIENCE, ISSUER, startService } from '../support/http/in-process-proxy.ts';
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
const JWKS = JSON.stringify({
  keys: ALGORITHMS.map((kid) => ({ ...PAIRS[kid].publicKey.export({ format: 'jwk' }), kid })),
});
const proxy = await startService(folder, {
  issuers: new Map([[ISSUER, fixedKeys(jwksToKeySet(JWKS))]]),
  metadata: true,
});

// Whoever is asked for a key that a token brings along.
const visits: string[] = [];
const trap = createServer((req, res) => {
  visits.push(req.url ?? '');
  res.end(JWKS);
});
const TRAP_URL = `http://127.0.0.1:${await listen(trap)}`;

const NOW = Math.floor(Date.now() / 1000);
const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'tester', iat: NOW, exp: NOW + 600 };

function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

function signatureOf(alg: Algorithm, text: string): Buffer {
  const { privateKey } = PAIRS[alg];
  return sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

/** Really signed, whatever it says. */
function signed(alg: Algorithm, payload: unknown = CLAIMS, header: Record<string, unknown> = {}): string {
  const text = `${encode({ alg, kid: alg, ...header })}.${encode(payload)}`;
  return `${text}.${signatureOf(alg, text).toString('base64url')}`;
}

async function statusOf(token: string, service = proxy): Promise<number> {
  const answer = await send(service, '/api/v1/fc/lv0', { authorization: `Bearer ${token}` });
  const text = answer.body.toString();
  if (answer.status !== 200) assert.doesNotMatch(text, /Feature/);
  if (answer.status === 401)
    assert.match(
      String(answer.headers['www-authenticate']),
      /^Bearer realm="boundaries", error="invalid_token", error_de/,
    );
  return answer.status;
}

/** Asserts that each token gets 401. */
async function refusesAll(tokens: Readonly<Record<string, string>>): Promise<void> {
  for (const [what, token] of Object.entries(tokens)) {
    // Node refuses these bytes in a header by itself; proxies in front may not, and sockets do not: see edge-hostile.
    if (!/^[\x20-\x7e]*$/.test(token)) continue;
    assert.equal(await statusOf(token), 401, what);
  }
  assert.deepEqual(visits, []);
  assert.deepEqual(proxy.log, []);
}

/** The same attack with each algorithm. */
function each(make: (alg: Algorithm) => Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    ALGORITHMS.flatMap((alg) => Object.entries(make(alg)).map(([what, token]) => [`${alg}: ${what}`, token])),
  );
}

test('good tokens of each algorithm are let in', async () => {
  for (const alg of ALGORITHMS)
    for (const claims of [{}, { aud: ['x', AUDIENCE] }, { nbf: NOW - 5 }, { exp: NOW + 0.5 + 60 }, { sub: undefined }])
      assert.equal(await statusOf(signed(alg, { ...CLAIMS, ...claims })), 200, `${alg} ${JSON.stringify(claims)}`);
  for (const typ of ['JWT', 'at+jwt', 'application/at+jwt', undefined])
    assert.equal(await statusOf(signed('ES256', CLAIMS, { typ })), 200);
  assert.equal(await statusOf(signed('RS256', CLAIMS, { kid: undefined })), 200);
});

test('refuses tokens without a signature, in any spelling of none', async () => {
  const spellings = ['none', 'None', 'NONE', 'nOnE', 'none ', ' none', 'none\u0000', '', 'null', 'NonE', 'ＮＯＮＥ'];
  const tokens: Record<string, string> = {};
  for (const alg of [...spellings, null, undefined, 0, false, [], ['none'], {}, ['EdDSA']])
    for (const signature of ['', 'AA', signed('EdDSA').split('.')[2]])
      tokens[`${JSON.stringify(alg)} ${signature}`] = `${encode({ alg, kid: 'EdDSA' })}.${encode(CLAIMS)}.${signature}`;
  for (const alg of ALGORITHMS) {
    const [head, payload] = signed(alg).split('.');
    tokens[`${alg} without signature`] = `${head}.${payload}.`;
  }
  await refusesAll(tokens);
});

test('refuses a public key used as a secret, in every form that it is published in', async () => {
  const tokens: Record<string, string> = {};
  for (const kid of ALGORITHMS) {
    const { publicKey } = PAIRS[kid];
    const jwk = publicKey.export({ format: 'jwk' });
    const secrets = [
      publicKey.export({ format: 'pem', type: 'spki' }),
      String(publicKey.export({ format: 'pem', type: 'spki' })).trimEnd(),
      publicKey.export({ format: 'der', type: 'spki' }),
      JSON.stringify(jwk),
      String(jwk.x ?? jwk.n),
      Buffer.from(String(jwk.x ?? jwk.n), 'base64url'),
      JWKS,
      '',
    ];
    for (const [i, secret] of secrets.entries())
      for (const [alg, hash] of [
        ['HS256', 'sha256'],
        ['HS384', 'sha384'],
        ['HS512', 'sha512'],
      ] as const) {
        const text = `${encode({ alg, kid })}.${encode(CLAIMS)}`;
        tokens[`${alg} ${kid} ${i}`] = `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
      }
  }
  await refusesAll(tokens);
});

test('refuses another algorithm than the key is for, and ones that are not allowed', async () => {
  const rsa = PAIRS.RS256.privateKey;
  const rsaSigned = (alg: string, hash: string, options = {}): string => {
    const text = `${encode({ alg, kid: 'RS256' })}.${encode(CLAIMS)}`;
    return `${text}.${sign(hash, Buffer.from(text), { key: rsa, ...options }).toString('base64url')}`;
  };
  const pss = { padding: 6, saltLength: 32 };
  const tokens: Record<string, string> = {
    RS384: rsaSigned('RS384', 'sha384'),
    RS512: rsaSigned('RS512', 'sha512'),
    RS1: rsaSigned('RS1', 'sha1'),
    PS256: rsaSigned('PS256', 'sha256', pss),
    'PSS padding called RS256': rsaSigned('RS256', 'sha256', pss),
    'SHA-1 called RS256': rsaSigned('RS256', 'sha1'),
    'SHA-512 called RS256': rsaSigned('RS256', 'sha512'),
    'small letters': rsaSigned('rs256', 'sha256'),
  };
  for (const alg of ALGORITHMS)
    for (const kid of ALGORITHMS)
      for (const said of [...ALGORITHMS, 'ES384', 'ES256K', 'Ed448', 'ML-DSA-44', 'RSA-OAEP', 'dir', 'A256KW'])
        if (said !== alg || kid !== alg)
          tokens[`${alg} as ${said} of ${kid}`] = signed(alg, CLAIMS, { alg: said, kid });
  await refusesAll(tokens);
});

test('refuses keys that a token brings along, and asks nobody for them', async () => {
  const own = generateKeyPairSync('ed25519');
  const jwk = own.publicKey.export({ format: 'jwk' });
  const brought: Record<string, unknown>[] = [
    { jwk },
    { jwk: { ...jwk, kid: 'EdDSA' }, kid: 'EdDSA' },
    { jwk, kid: undefined },
    { jku: `${TRAP_URL}/jku` },
    { jku: `${TRAP_URL}/jku`, kid: 'mine' },
    { x5u: `${TRAP_URL}/x5u` },
    { x5c: [own.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')] },
    { x5t: 'AAAA', 'x5t#S256': 'AAAA' },
    { iss: `${TRAP_URL}/` },
    { url: `${TRAP_URL}/url` },
    { kid: `${TRAP_URL}/kid` },
    { jwk: PAIRS.EdDSA.publicKey.export({ format: 'jwk' }) },
    { jku: `file:///etc/passwd` },
  ];
  const tokens: Record<string, string> = {};
  for (const header of brought) {
    const text = `${encode({ alg: 'EdDSA', kid: 'EdDSA', ...header })}.${encode(CLAIMS)}`;
    tokens[JSON.stringify(header)] = `${text}.${sign(null, Buffer.from(text), own.privateKey).toString('base64url')}`;
  }
  await refusesAll(tokens);
  // A good signature does not make anybody look at what else the header says.
  for (const header of [{ jku: `${TRAP_URL}/jku` }, { x5u: `${TRAP_URL}/x5u` }, { jwk }])
    await statusOf(signed('EdDSA', CLAIMS, header));
  assert.deepEqual(visits, []);
});

test('refuses a missing, past or odd exp, and an nbf to come', async () => {
  const odd = [null, '', 'never', String(NOW + 600), [NOW + 600], { v: NOW + 600 }, true, -1, 0, NOW - 31, NOW - 1e6];
  await refusesAll(
    each((alg) => ({
      ...Object.fromEntries(odd.map((exp) => [`exp ${JSON.stringify(exp)}`, signed(alg, { ...CLAIMS, exp })])),
      'no exp': signed(alg, { ...CLAIMS, exp: undefined }),
      ...Object.fromEntries(
        ['1e999', '1e308', '253402300800', '1e999x'].map((exp) => [
          `exp as ${exp}`,
          signed(alg, JSON.stringify(CLAIMS).replace(/"exp":\d+/, `"exp":${exp}`)),
        ]),
      ),
      ...Object.fromEntries(
        [NOW + 60, String(NOW), null, [NOW], {}, 1e18].map((nbf) => [`nbf ${nbf}`, signed(alg, { ...CLAIMS, nbf })]),
      ),
    })),
  );
});

test('refuses a byte order mark before claims or header', async () => {
  await refusesAll(
    each((alg) => {
      const header = JSON.stringify({ alg, kid: alg });
      const bare = `${encode(`\ufeff${header}`)}.${encode(CLAIMS)}`;
      return {
        claims: signed(alg, `\ufeff${JSON.stringify(CLAIMS)}`),
        header: `${bare}.${signatureOf(alg, bare).toString('base64url')}`,
      };
    }),
  );
});

test('refuses tokens of other types than JWT and at+jwt', async () => {
  for (const typ of ['jwt', 'AT+JWT', 'application/jwt', 'application/at+JWT'])
    assert.equal(await statusOf(signed('ES256', CLAIMS, { typ })), 200, typ);
  const types = ['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'application/logout+jwt', 'text/jwt', 'JWT ', '', 'JWE'];
  const notTexts = [null, 1, true, {}, ['JWT']];
  await refusesAll(
    each((alg) =>
      Object.fromEntries(
        [...types, ...notTexts].map((typ) => [`typ ${JSON.stringify(typ)}`, signed(alg, CLAIMS, { typ })]),
      ),
    ),
  );
});

test('refuses issuers and audiences that only look right', async () => {
  const issuers = [
    `${ISSUER}/`,
    `${ISSUER}#`,
    `${ISSUER} `,
    ` ${ISSUER}`,
    ISSUER.toUpperCase(),
    ISSUER.replace('https', 'http'),
    ISSUER.replace('issuer', 'ıssuer'),
    ISSUER.replace('issuer', 'іssuer'),
    `${ISSUER}\u0000`,
    `${ISSUER}.evil.test`,
    ISSUER.replace('://', '://evil@'),
    [ISSUER],
    { 0: ISSUER },
    null,
    undefined,
    '',
    0,
    true,
  ];
  const audiences = [
    `${AUDIENCE}2`,
    AUDIENCE.toUpperCase(),
    ` ${AUDIENCE}`,
    `${AUDIENCE}\n`,
    AUDIENCE.slice(1),
    `other ${AUDIENCE}`,
    [],
    [[AUDIENCE]],
    [`${AUDIENCE}/`],
    { aud: AUDIENCE },
    null,
    undefined,
    '',
    '*',
    0,
  ];
  const tokens: Record<string, string> = {};
  for (const iss of issuers) tokens[`iss ${JSON.stringify(iss)}`] = signed('EdDSA', { ...CLAIMS, iss });
  for (const aud of audiences) tokens[`aud ${JSON.stringify(aud)}`] = signed('EdDSA', { ...CLAIMS, aud });
  await refusesAll(tokens);
});

test('refuses critical headers that are not understood, and unencoded payloads', async () => {
  const headers: Record<string, unknown>[] = [
    { crit: ['x'], x: 1 },
    { crit: ['exp'], exp: NOW + 600 },
    { crit: ['alg'] },
    { crit: [] },
    { crit: 'b64' },
    { crit: null },
    { crit: {} },
    { crit: [1] },
    { crit: ['b64'], b64: false },
    { crit: ['b64', 'x'], b64: true },
    { crit: ['b64'] },
    { crit: ['http://example.com/UNDEFINED'], 'http://example.com/UNDEFINED': true },
    { b64: false, crit: ['b64'] },
  ];
  await refusesAll(
    each((alg) => Object.fromEntries(headers.map((header) => [JSON.stringify(header), signed(alg, CLAIMS, header)]))),
  );
  const head = encode({ alg: 'EdDSA', kid: 'EdDSA', b64: false, crit: ['b64'] });
  const plain = JSON.stringify(CLAIMS).replaceAll('.', '%2e');
  const signature = signatureOf('EdDSA', `${head}.${plain}`).toString('base64url');
  await refusesAll({ unencoded: `${head}.${plain}.${signature}` });
});

test('refuses what is no signed token: encrypted, JSON serialisations, too few and too many parts, too long', async () => {
  const good = signed('EdDSA');
  const [head = '', payload = '', signature = ''] = good.split('.');
  const key = PAIRS.EdDSA.privateKey;
  const bytes = Buffer.from(JSON.stringify(CLAIMS));
  const flattened = await new FlattenedSign(bytes).setProtectedHeader({ alg: 'EdDSA', kid: 'EdDSA' }).sign(key);
  const general = new GeneralSign(bytes);
  general.addSignature(key).setProtectedHeader({ alg: 'EdDSA', kid: 'EdDSA' });
  const rsa = PAIRS.RS256.publicKey;
  const encrypt = (alg: string, to: Parameters<CompactEncrypt['encrypt']>[0]): Promise<string> =>
    new CompactEncrypt(bytes).setProtectedHeader({ alg, enc: 'A256GCM', kid: 'RS256' }).encrypt(to);
  const nested = await new CompactEncrypt(Buffer.from(good))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'JWT' })
    .encrypt(randomBytes(32));
  const filling = (length: number): string => signed('EdDSA', { ...CLAIMS, filling: 'a'.repeat(length) });
  await refusesAll({
    'encrypted to our key': await encrypt('RSA-OAEP-256', rsa),
    'encrypted directly': await encrypt('dir', randomBytes(32)),
    'signed and encrypted': nested,
    flattened: JSON.stringify(flattened),
    general: JSON.stringify(await general.sign()),
    'flattened, encoded': encode(JSON.stringify(flattened)),
    'one part': payload,
    'two parts': `${head}.${payload}`,
    'four parts': `${good}.`,
    'four parts, full': `${good}.${signature}`,
    'five parts': `${good}..`,
    'five parts, full': `${head}.${payload}.${signature}.${head}.${payload}`,
    'three empty parts': '..',
    dots: '.'.repeat(100),
    'a thousand dots': '.'.repeat(1000),
    'no header': `.${payload}.${signature}`,
    'no payload': `${head}..${signature}`,
    'one after another': `${good},${good}`,
    'in quotes': `"${good}"`,
    'over 8 KiB': filling(8 * 1024),
    '8 KiB of letters': 'a'.repeat(8 * 1024 + 1),
    '12 KiB': filling(12 * 1024 - 700),
  });
  assert.equal(await statusOf(filling(5_000)), 200);
});

test('refuses hostile kids, headers and payloads', async () => {
  const kids: unknown[] = [
    '../../../../dev/null',
    '/dev/null',
    "' OR 1=1 --",
    '$(id)',
    '| id',
    '\u0000',
    'EdDSA\u0000',
    ' EdDSA',
    'eddsa',
    '__proto__',
    'constructor',
    'toString',
    'a'.repeat(4000),
    '',
    '0',
    '💥',
    null,
    0,
    1,
    true,
    {},
    [],
    ['EdDSA'],
    { toString: 'EdDSA' },
  ];
  const tokens: Record<string, string> = {};
  for (const kid of kids) tokens[`kid ${JSON.stringify(kid)}`.slice(0, 80)] = signed('EdDSA', CLAIMS, { kid });
  for (const header of ['null', '[]', '1', '""', 'true', '{', '', '{}', '{"alg":"EdDSA"}}']) {
    const text = `${encode(header)}.${encode(CLAIMS)}`;
    tokens[`header ${header}`] = `${text}.${signatureOf('EdDSA', text).toString('base64url')}`;
  }
  const payloads = [
    'null',
    '[]',
    '1',
    '"a"',
    'true',
    '{',
    '',
    ' ',
    '{}',
    '[{"iss":"https://issuer.test"}]',
    '\ufeff{}',
  ];
  for (const payload of payloads) tokens[`payload ${payload}`] = signed('EdDSA', payload);
  tokens['a polluting payload'] = signed(
    'EdDSA',
    '{"__proto__":{"iss":"https://issuer.test","aud":"boundaries","exp":9e9}}',
  );
  tokens['deep nesting'] = signed('EdDSA', `${'['.repeat(3000)}${']'.repeat(3000)}`);
  tokens['a deep header'] = `${encode(`{"alg":${'['.repeat(2000)}${']'.repeat(2000)}}`)}.${encode(CLAIMS)}.AAAA`;
  await refusesAll(tokens);
});

test('refuses damaged signatures: every bit of the first and last bytes, lengths, encodings, special values', async () => {
  const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
  const zero = Buffer.alloc(32);
  const one = Buffer.alloc(32);
  one[31] = 1;
  await refusesAll(
    each((alg) => {
      const [head = '', payload = '', signature = ''] = signed(alg).split('.');
      const bytes = Buffer.from(signature, 'base64url');
      const with_ = (changed: Buffer): string => `${head}.${payload}.${changed.toString('base64url')}`;
      const tokens: Record<string, string> = {
        'cut by one byte': with_(bytes.subarray(0, -1)),
        'cut in half': with_(bytes.subarray(0, bytes.length / 2)),
        'one byte more': with_(Buffer.concat([bytes, Buffer.alloc(1)])),
        'a zero before': with_(Buffer.concat([Buffer.alloc(1), bytes])),
        'all zero': with_(Buffer.alloc(bytes.length)),
        'all ones': with_(Buffer.alloc(bytes.length, 0xff)),
        'of another header': `${encode({ alg, kid: alg, typ: 'x' })}.${payload}.${signature}`,
        'of another payload': `${head}.${encode({ ...CLAIMS, sub: 'admin' })}.${signature}`,
        'halves swapped': with_(Buffer.concat([bytes.subarray(bytes.length / 2), bytes.subarray(0, bytes.length / 2)])),
        'with a space inside': `${head}.${payload}.${signature.slice(0, 10)} ${signature.slice(10)}`,
        'with a star': `${head}.${payload}.${signature.slice(0, -1)}*`,
      };
      for (const at of [0, 31, bytes.length - 1])
        for (let bit = 0; bit < 8; bit++) {
          const flipped = Buffer.from(bytes);
          flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
          tokens[`byte ${at} bit ${bit}`] = with_(flipped);
        }
      if (alg === 'ES256') {
        const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32)];
        const der = sign('sha256', Buffer.from(`${head}.${payload}`), PAIRS.ES256.privateKey);
        const pairs = {
          '0,0': [zero, zero],
          '0,s': [zero, s],
          'r,0': [r, zero],
          'n,n': [order, order],
          '1,1': [one, one],
        };
        for (const [what, pair] of Object.entries({
          ...pairs,
          'n,s': [order, s],
          'r,n': [r, order],
          '0,1': [zero, one],
        }))
          tokens[what] = with_(Buffer.concat(pair));
        tokens['as DER'] = with_(der);
      }
      if (alg === 'EdDSA') {
        // s + L: the same signature for a verifier that does not reduce (RFC 8032 section 5.1.7).
        const L = 2n ** 252n + 27742317777372353535851937790883648493n;
        const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + L;
        const raised = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
        tokens['s + L'] = with_(Buffer.concat([bytes.subarray(0, 32), raised]));
      }
      return tokens;
    }),
  );
});

test('keys of other owners sign nothing here, weak ones are no keys', async () => {
  const other = {
    EdDSA: generateKeyPairSync('ed25519'),
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  };
  const tokens: Record<string, string> = {};
  for (const alg of ALGORITHMS)
    for (const kid of [alg, undefined, 'other']) {
      const text = `${encode({ alg, kid })}.${encode(CLAIMS)}`;
      const key = { key: other[alg].privateKey, dsaEncoding: 'ieee-p1363' as const };
      tokens[`${alg} ${kid}`] =
        `${text}.${sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(text), key).toString('base64url')}`;
    }
  await refusesAll(tokens);
  const weakPair = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const weak = weakPair.publicKey.export({ format: 'jwk' });
  const rsa = PAIRS.RS256.publicKey.export({ format: 'jwk' });
  const offCurve = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' };
  for (const jwk of [
    weak,
    offCurve,
    { kty: 'EC', crv: 'P-256' },
    { kty: 'RSA', n: 'AA', e: 'AA' },
    { kty: 'OKP', crv: 'Ed25519', x: 'AA' },
  ])
    assert.throws(() => jwksToKeySet(JSON.stringify({ keys: [jwk] })), /no usable key/, JSON.stringify(jwk));
  // Beside a weak key the good one works, also for a token without a kid, which exactly one key must fit.
  const jwks = JSON.stringify({
    keys: [
      { ...weak, kid: 'weak' },
      { ...rsa, kid: 'RS256' },
    ],
  });
  const both = await startService(folder, { issuers: new Map([[ISSUER, fixedKeys(jwksToKeySet(jwks))]]) });
  for (const kid of ['RS256', undefined]) assert.equal(await statusOf(signed('RS256', CLAIMS, { kid }), both), 200);
  const text = `${encode({ alg: 'RS256', kid: 'weak' })}.${encode(CLAIMS)}`;
  const signature = sign('sha256', Buffer.from(text), weakPair.privateKey).toString('base64url');
  assert.equal(await statusOf(`${text}.${signature}`, both), 401);
  assert.deepEqual(both.log, []);
});

test('the metadata of RFC 9728 names the issuer, and every refusal names the metadata', async () => {
  const anonymous = { authorization: undefined };
  const metadata = await send(proxy, '/.well-known/oauth-protected-resource', anonymous);
  assert.equal(metadata.headers['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(metadata.body.toString()), {
    resource: proxy.url,
    authorization_servers: [ISSUER],
    bearer_methods_supported: ['header'],
    resource_name: 'Administrative boundaries',
  });
  const none = await send(proxy, '/api/v1/fc/lv0', anonymous);
  const url = `${proxy.url}/.well-known/oauth-protected-resource`;
  assert.equal(none.headers['www-authenticate'], `Bearer realm="boundaries", resource_metadata="${url}"`);
  const bad = await send(proxy, '/api/v1/fc/lv0', { authorization: 'Bearer x' });
  assert.match(String(bad.headers['www-authenticate']), new RegExp(`, resource_metadata="${url}"$`));
  const known = await startService(folder, { publicUrl: 'https://x.test/maps', scope: 'read', metadata: true });
  const challenge = String((await send(known, '/api/v1/fc/lv0')).headers['www-authenticate']);
  const where = 'https://x.test/.well-known/oauth-protected-resource/maps';
  assert.equal(
    challenge,
    `Bearer realm="boundaries", error="insufficient_scope", scope="read", resource_metadata="${where}"`,
  );
  for (const path of ['/.well-known/oauth-protected-resource', new URL(where).pathname]) {
    const { resource, scopes_supported } = JSON.parse((await send(known, path, anonymous)).body.toString());
    assert.deepEqual([resource, scopes_supported], ['https://x.test/maps', ['read']]);
  }
  assert.equal((await send(known, '/.well-known/oauth-protected-resource/other', anonymous)).status, 404);
  const nameless = await startService(folder);
  assert.equal((await send(nameless, '/.well-known/oauth-protected-resource', anonymous)).status, 404);
});

test('Ed25519 is accepted under its own name and as EdDSA, whichever the key is listed with (RFC 9864)', async () => {
  const seconds = Math.floor(Date.now() / 1000);
  const { privateKey, publicKey } = PAIRS.EdDSA;
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const listed of ['EdDSA', 'Ed25519', undefined]) {
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', ...(listed && { alg: listed }) };
    const keys = jwksToKeySet(JSON.stringify({ keys: [jwk] }));
    const service = await startService(folder, { issuers: new Map([[ISSUER, fixedKeys(keys)]]) });
    for (const alg of ['EdDSA', 'Ed25519']) {
      const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: seconds + 60 };
      const signed = `${part({ alg, kid: 'one' })}.${part(claims)}`;
      const authorization = `Bearer ${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
      assert.equal((await send(service, '/api/v1/fc/lv0', { authorization })).status, 200, `${listed} ${alg}`);
    }
  }
});

test('a token without kid is tried with each key of its type, at most four', async () => {
  const pairs = Array.from({ length: 5 }, () => generateKeyPairSync('ed25519'));
  const jwks = { keys: pairs.map(({ publicKey }, i) => ({ ...publicKey.export({ format: 'jwk' }), kid: `${i}` })) };
  const keys = jwksToKeySet(JSON.stringify(jwks));
  const service = await startService(folder, { issuers: new Map([[ISSUER, fixedKeys(keys)]]) });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: Math.floor(Date.now() / 1000) + 60 };
  const signed = `${part({ alg: 'EdDSA' })}.${part(claims)}`;
  const statuses: number[] = [];
  for (const { privateKey } of [...pairs, PAIRS.EdDSA]) {
    const authorization = `Bearer ${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    statuses.push((await send(service, '/api/v1/fc/lv0', { authorization })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 401, 401]);
});
