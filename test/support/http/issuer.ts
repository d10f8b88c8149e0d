// An issuer for tests: signs tokens, publishes its keys on a real HTTP server, counts who asks, and fails when told to.
import type { KeyObject } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { elementAt } from '../../../format/element-at.ts';
import { newKeyPair } from '../../../proxy/auth/key-pair.ts';
import { fetchKeySet } from '../../../proxy/keys/key-set.ts';
import { type KeyPolicy, RotatingKeys } from '../../../proxy/keys/rotating-keys.ts';
import { AUDIENCE } from './in-process-proxy.ts';
import { listen } from './listen.ts';

export interface IssuerKey {
  kid: string;
  privateKey: KeyObject;
  jwk: Record<string, unknown>;
}

export interface RunningIssuer {
  name: string;
  url: URL;
  server: Server;
  fetches: number;
  /** What is answered; the published keys where undefined. */
  fault: ((res: ServerResponse) => void) | undefined;
  published: IssuerKey[];
  log: string[];
}

/** Milliseconds that a test moves forward by hand. */
export interface Clock {
  ms: number;
}

export const POLICY: KeyPolicy = { cacheMs: 300_000, staleMs: 3_600_000, cooldownMs: 10_000 };

export function issuerKey(kid: string): IssuerKey {
  const { publicKey, privateKey } = newKeyPair();
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' } };
}

/** Starts an issuer that publishes one key, `one`; it stops when the test file ends. */
export async function startIssuer(name: string): Promise<RunningIssuer> {
  const server = createServer((_req, res) => {
    issuer.fetches++;
    if (issuer.fault) issuer.fault(res);
    else res.end(JSON.stringify({ keys: issuer.published.map(({ jwk }) => jwk) }));
  });
  const port = await listen(server);
  const url = new URL(`http://127.0.0.1:${port}/jwks`);
  const published = [issuerKey('one')];
  const issuer: RunningIssuer = { name, url, server, fetches: 0, fault: undefined, published, log: [] };
  return issuer;
}

/** The issuer's keys as the proxy follows them, on a clock of the test's. */
export function keysOf(issuer: RunningIssuer, clock: Clock): RotatingKeys {
  const location = { name: 'of the issuer', read: () => fetchKeySet(issuer.url, FETCH_MS) };
  const log = (line: string): number => issuer.log.push(line);
  return new RotatingKeys(location, POLICY, log, () => clock.ms);
}

/** Short, so that a test of an issuer that hangs is too; long enough for a busy machine. */
const FETCH_MS = 1_000;

/** Headers with a valid token of this issuer, by its first key or by another one. */
export async function signedBy(issuer: RunningIssuer, key = elementAt(issuer.published, 0)) {
  return { authorization: `Bearer ${await tokenOf(issuer, key)}` };
}

/** A valid token of this issuer, but for what `claims` change. */
export function tokenOf({ name }: Pick<RunningIssuer, 'name'>, key: IssuerKey, claims: object = {}): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return new SignJWT({ iss: name, aud: AUDIENCE, sub: 'tester', exp, ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid })
    .sign(key.privateKey);
}
