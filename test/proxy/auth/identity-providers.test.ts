// Tokens of the shape that Keycloak, Auth0, Entra ID and Cognito give them, with the options that the table of
// OPERATING.md has for each: what their defaults lead to, and what works once they are set.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { jwksToKeySet } from '../../../proxy/keys/key-set.ts';
import { fixedKeys } from '../../../proxy/keys/rotating-keys.ts';
import { send } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { buildCountries } from '../../support/releases/build-release.ts';

const folder = await buildCountries();

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KID = 'provider-key';
const NOW = Math.floor(Date.now() / 1000);
const CLIENT = '7f1f0d5c-5d1f-4b57-a1f5-1d9c3c0f5a10';

interface Provider {
  /** The row of the table. */
  name: string;
  issuer: string;
  audience: string;
  scope: string;
  /** The members of its published keys besides the key; not all say their algorithm. */
  published: object;
  header: Record<string, unknown>;
  /** What all its access tokens have. */
  claims: Record<string, unknown>;
  /** Changes to the claims, with what becomes of the token; undefined if it is accepted. */
  cases: readonly (readonly [title: string, changes: Record<string, unknown>, fault: string | undefined])[];
}

const PROVIDERS: readonly Provider[] = [
  {
    name: 'Keycloak',
    issuer: 'https://login.example.org/realms/maps',
    audience: 'boundaries',
    scope: 'boundaries:read',
    published: { alg: 'RS256', use: 'sig', x5t: 'AAAA' },
    header: { typ: 'JWT' },
    claims: {
      jti: '6f5b',
      typ: 'Bearer',
      azp: 'portal',
      acr: '1',
      realm_access: { roles: ['default-roles-maps'] },
      sub: '3c0f5a10-4b57-4a10-9d9c-a1f51d9c3c0f',
      scope: 'profile boundaries:read email',
    },
    cases: [
      ['as it is', { aud: 'account' }, 'audience'],
      ['with a mapper for the audience', { aud: ['boundaries', 'account'] }, undefined],
      ['without the scope among those of the client', { aud: 'boundaries', scope: 'profile email' }, 'scope'],
      ['without the scope basic, and so without sub', { aud: 'boundaries', sub: undefined }, undefined],
    ],
  },
  {
    name: 'Auth0',
    issuer: 'https://example.eu.auth0.com/',
    audience: 'https://boundaries.example.org',
    scope: 'boundaries:read',
    published: { alg: 'RS256', use: 'sig', x5t: 'AAAA', x5c: ['AAAA'] },
    header: { typ: 'JWT' },
    claims: { azp: 'portal', sub: 'portal@clients', gty: 'client-credentials', scope: 'boundaries:read' },
    cases: [
      ['asked for this API', { aud: 'https://boundaries.example.org' }, undefined],
      ['with openid', { aud: ['https://boundaries.example.org', 'https://example.eu.auth0.com/userinfo'] }, undefined],
      ['asked for another API', { aud: 'https://example.eu.auth0.com/api/v2/' }, 'audience'],
      ['with the issuer written without its slash', { iss: 'https://example.eu.auth0.com' }, 'issuer'],
    ],
  },
  {
    name: 'Entra ID',
    issuer: 'https://login.microsoftonline.com/TENANT/v2.0',
    audience: CLIENT,
    scope: 'Boundaries.Read',
    published: { use: 'sig', x5t: 'AAAA', issuer: 'https://login.microsoftonline.com/TENANT/v2.0' },
    header: { typ: 'JWT' },
    claims: { aud: CLIENT, azp: 'portal', oid: '1', sub: 'pairwise', tid: 'TENANT', ver: '2.0', uti: 'x', nbf: NOW },
    cases: [
      ['of version 2', { scp: 'Boundaries.Read User.Read' }, undefined],
      [
        'of version 1, as it is',
        { iss: 'https://sts.windows.net/TENANT/', aud: `api://${CLIENT}`, ver: '1.0', scp: 'Boundaries.Read' },
        'issuer',
      ],
      ['of an application, which has roles and no scp', { roles: ['Boundaries.Read'] }, 'scope'],
      ['for the graph', { aud: '00000003-0000-0000-c000-000000000000', scp: 'Boundaries.Read' }, 'audience'],
    ],
  },
  {
    name: 'Cognito',
    issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_EXAMPLE',
    audience: 'CLIENT',
    scope: 'boundaries/read',
    published: { alg: 'RS256', use: 'sig' },
    header: {},
    claims: { sub: 'portal', client_id: 'CLIENT', token_use: 'access', version: 2, scope: 'openid boundaries/read' },
    cases: [
      ['as it is', {}, 'audience'],
      ['with aud added by a trigger before the token is made', { aud: 'CLIENT' }, undefined],
    ],
  },
];

const ROWS = readFileSync('proxy/OPERATING.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '));

for (const provider of PROVIDERS) {
  const { name, issuer, audience, scope, published, header, claims, cases } = provider;
  test(`tokens of ${name} become what the table of identity providers says`, async () => {
    const row = ROWS.find((line) => line.startsWith(`| ${name} |`)) ?? assert.fail('no row');
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KID, ...published };
    const keys = fixedKeys(jwksToKeySet(JSON.stringify({ keys: [jwk] })));
    const service = await startService(folder, { issuers: new Map([[issuer, keys]]), audience, scope });
    for (const [title, changes, fault] of cases) {
      const all = { iss: issuer, iat: NOW, exp: NOW + 600, ...claims, ...changes };
      const token = await new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid: KID, ...header }).sign(privateKey);
      const { status } = await send(service, '/api/v1/fc/lv0', { authorization: `Bearer ${token}` });
      assert.equal(status, fault === undefined ? 200 : fault === 'scope' ? 403 : 401, title);
      assert.equal(service.requests.at(-1)?.tokenFault, fault, title);
      if (fault !== undefined) assert.ok(row.includes(`\`${fault}\``), `${name}: the row does not name ${fault}`);
    }
  });
}
