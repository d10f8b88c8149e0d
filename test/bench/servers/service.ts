// The proxy as it is deployed: the compiled package, one process, tokens checked, no access log; and a client of it.
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { secondsOf } from '../measure/measure.ts';
import { type Server, startProgram } from './servers.ts';

export type Coding = 'gzip' | 'identity';

/** How to start the proxy, and what its clients send. */
export interface Service {
  /** A proxy of its own for each call, on this Node or another, with nothing in its memory but the release's metadata. */
  start(origin: string, node?: string): Promise<Server>;
  headers(coding: Coding): Record<string, string>;
}

const ISSUER = 'https://bench.test/';
const AUDIENCE = 'boundaries';
const TOKEN_SECONDS = 36_000;
const CONNECTIONS = 16;

/** Compiles the package and makes a key, a token and the options that fit. */
export async function prepareService(folder: string): Promise<Service> {
  await secondsOf(process.execPath, ['.package/build.js']);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwks = join(folder, 'jwks.json');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'EdDSA' };
  writeFileSync(jwks, JSON.stringify({ keys: [jwk] }));
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'bench', iat: now, exp: now + TOKEN_SECONDS };
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid: 'bench' }).sign(privateKey);
  const options = ['--port', '0', '--jwks', jwks, '--issuer', ISSUER, '--audience', AUDIENCE, '--no-access-log'];
  return {
    start: (origin, node) => startProgram(['dist/proxy/main.js', 'serve', '--origin', origin, ...options], node),
    headers: (coding) => ({ authorization: `Bearer ${token}`, 'accept-encoding': coding }),
  };
}

/**
 * Asks for each path over a few kept connections. The bytes of the bodies on the wire, in the same order.
 * @throws Error when an answer is not 200
 */
export async function bodySizes(
  url: string,
  paths: readonly string[],
  headers: Record<string, string>,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    return await Promise.all(paths.map((path) => download(url + path, headers, agent)));
  } finally {
    agent.destroy();
  }
}

/** The bytes of one answer as they arrive; nothing is inflated. @throws Error when it is not 200, or ends early */
export function download(url: string, headers: Record<string, string>, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
      let bytes = 0;
      answer.on('data', (piece: Buffer) => (bytes += piece.length));
      answer.on('end', () => resolve(bytes)).on('error', reject);
    });
    request.on('error', (error) => {
      // The server may close a kept connection just when it is used again.
      if (request.reusedSocket && 'code' in error && error.code === 'ECONNRESET')
        download(url, headers, agent).then(resolve, reject);
      else reject(error);
    });
  });
}
