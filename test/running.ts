// A running proxy for tests: a real server on a free port over a release folder, and tokens it accepts.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { SignJWT } from 'jose';
import { authenticator, keysFromJwks } from '../proxy/auth.ts';
import { Catalogue } from '../proxy/catalogue.ts';
import { directoryOrigin, type Origin } from '../proxy/origin.ts';
import { createProxy, stopServer } from '../proxy/server.ts';

export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'boundaries';

const KEY = generateKeyPairSync('ed25519');
const JWKS = JSON.stringify({ keys: [{ ...KEY.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'EdDSA' }] });

/** What a test may choose about its service. */
export interface ServiceOptions {
  scope?: string;
  publicUrl?: string;
  origin?: Origin;
}

/** A running service. */
export interface RunningService {
  /** `http://127.0.0.1:port` */
  url: string;
  catalogue: Catalogue;
  /** Lines that it logged. */
  log: string[];
}

/** Starts a proxy for the output folder `out`; it stops when the test file ends. */
export async function startService(out: string, options: ServiceOptions = {}): Promise<RunningService> {
  const origin = options.origin ?? directoryOrigin(out);
  const catalogue = new Catalogue(origin);
  await catalogue.refresh();
  const keys = keysFromJwks(JWKS, 'test keys');
  const rules = { keys, issuer: ISSUER, audience: AUDIENCE, scope: options.scope, now: () => new Date() };
  const log: string[] = [];
  const service = { authenticate: authenticator(rules), catalogue, origin, publicUrl: options.publicUrl };
  const server = createProxy(service, (line) => log.push(line));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  after(() => stopServer(server));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, catalogue, log };
}

/** A valid token, but for what `claims` change; undefined leaves a claim out. */
export function token(claims: Record<string, unknown> = {}, key: KeyObject = KEY.privateKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: ISSUER, aud: AUDIENCE, sub: 'tester', iat: now, exp: now + 3600, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: 'EdDSA', kid: 'one' }).sign(key);
}

/** Headers with a valid token. */
export const AUTHORIZED: { authorization: string } = { authorization: `Bearer ${await token()}` };
