// The proxy as it is deployed: the compiled package, one process, tokens checked, no access log; and a client of it.
import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { type IssuerKey, issuerKey } from '../../support/http/issuer.ts';
import { compile } from '../../support/processes/compile.ts';
import { type Machine, type Server, startNode } from './servers.ts';

/** How to start the proxy, and what its clients send. */
export interface Service {
  /** How it checks tokens. */
  rules: { jwks: string; issuer: string; audience: string };
  /** Values of Authorization: a valid one, one whose signature is wrong, and one that has expired. */
  authorizations: Readonly<Record<'valid' | 'forged' | 'expired', string>>;
  /** A proxy of its own for each call, with nothing in its memory but the release's metadata. */
  start(origin: string): Promise<Server>;
  /** Of a valid request. */
  headers: Record<string, string>;
}

const ISSUER = 'https://bench.test/';
const AUDIENCE = 'boundaries';
const TOKEN_SECONDS = 36_000;
const CONNECTIONS = 16;

/** Makes a key, tokens and the options that fit, in a folder. */
export async function prepareService(folder: string, machine: Machine): Promise<Service> {
  const [key, other] = [issuerKey('bench'), issuerKey('bench')];
  const jwks = join(folder, 'jwks.json');
  writeFileSync(jwks, JSON.stringify({ keys: [key.jwk] }));
  const now = Math.floor(Date.now() / 1000);
  const bearer = async ({ kid, privateKey }: IssuerKey, issued: number): Promise<string> => {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'bench', iat: issued, exp: issued + TOKEN_SECONDS };
    return `Bearer ${await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey)}`;
  };
  const authorizations = {
    valid: await bearer(key, now),
    forged: await bearer(other, now),
    expired: await bearer(key, now - 2 * TOKEN_SECONDS),
  };
  const options = ['--port', '0', '--jwks', jwks, '--issuer', ISSUER, '--audience', AUDIENCE, '--no-access-log'];
  return {
    rules: { jwks, issuer: ISSUER, audience: AUDIENCE },
    authorizations,
    start: (origin) => startNode(machine, [compile('proxy/main.ts'), 'serve', '--origin', origin, ...options]),
    headers: { authorization: authorizations.valid, 'accept-encoding': 'gzip' },
  };
}

/** An answer as it arrives; nothing is inflated. */
export interface Received {
  status: number;
  /** Alternating names and values. */
  headers: string[];
  body: Buffer;
}

/** Asks for each path over a few kept connections. The answers, in the same order. @throws Error when one is not 200 */
export async function answersTo(
  url: string,
  paths: readonly string[],
  headers: Record<string, string>,
): Promise<Received[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const answers = await Promise.all(paths.map((path) => receive(url + path, headers, agent)));
    for (const [i, { status }] of answers.entries())
      if (status !== 200) throw new Error(`${url}${paths[i]}: ${status}`);
    return answers;
  } finally {
    agent.destroy();
  }
}

/** One answer. @throws Error when it ends early */
export function receive(url: string, headers: Record<string, string>, agent?: Agent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject).on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: withoutOwn(answer.rawHeaders),
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.on('error', reject);
  });
}

/** Headers that node:http writes by itself. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive'];

/** Headers without those. @param raw alternating names and values */
function withoutOwn(raw: readonly string[]): string[] {
  return raw.filter((_, i) => !OWN_HEADERS.includes((raw[i - (i % 2)] ?? '').toLowerCase()));
}
