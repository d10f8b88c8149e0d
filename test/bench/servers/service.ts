// The proxy as it is deployed: the compiled package, one process, tokens checked, no access log; and a client of it.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { compilePrograms } from './compiled.ts';
import { type Server, startProgram } from './servers.ts';

export type Coding = 'gzip' | 'identity';

/** How to start the proxy, and what its clients send. */
export interface Service {
  /** The compiled program of a TypeScript file; see compiled.ts. */
  program(file: string): string;
  jwks: string;
  issuer: string;
  audience: string;
  /** Values of Authorization: a valid one, one whose signature is wrong, and one that has expired. */
  authorizations: Readonly<Record<'valid' | 'forged' | 'expired', string>>;
  /** A proxy of its own for each call, on this Node or another, with nothing in its memory but the release's metadata. */
  start(origin: string, node?: string): Promise<Server>;
  headers(coding: Coding): Record<string, string>;
}

const ISSUER = 'https://bench.test/';
const AUDIENCE = 'boundaries';
const TOKEN_SECONDS = 36_000;
const CONNECTIONS = 16;

/** Compiles the programs and makes a key, tokens and the options that fit. */
export async function prepareService(folder: string): Promise<Service> {
  const compiled = join(folder, 'compiled');
  mkdirSync(compiled);
  const program = await compilePrograms(compiled);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwks = join(folder, 'jwks.json');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'EdDSA' };
  writeFileSync(jwks, JSON.stringify({ keys: [jwk] }));
  const now = Math.floor(Date.now() / 1000);
  const bearer = async (key: KeyObject, issued: number): Promise<string> => {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'bench', iat: issued, exp: issued + TOKEN_SECONDS };
    return `Bearer ${await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid: 'bench' }).sign(key)}`;
  };
  const authorizations = {
    valid: await bearer(privateKey, now),
    forged: await bearer(generateKeyPairSync('ed25519').privateKey, now),
    expired: await bearer(privateKey, now - 2 * TOKEN_SECONDS),
  };
  const options = ['--port', '0', '--jwks', jwks, '--issuer', ISSUER, '--audience', AUDIENCE, '--no-access-log'];
  return {
    program,
    jwks,
    issuer: ISSUER,
    audience: AUDIENCE,
    authorizations,
    start: (origin, node) => startProgram([program('proxy/main.ts'), 'serve', '--origin', origin, ...options], node),
    headers: (coding) => ({ authorization: authorizations.valid, 'accept-encoding': coding }),
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
