// The proxy as it is deployed: the compiled package, one process, tokens checked, no access log; and a client of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, send } from '../../support/http/http-client.ts';
import { AUDIENCE } from '../../support/http/in-process-proxy.ts';
import { type IssuerKey, issuerKey, tokenOf } from '../../support/http/issuer.ts';
import { compile } from '../../support/processes/compile.ts';
import { type Machine, type Server, startNode } from './servers.ts';

/** How to start the proxy, and what its clients send. */
export interface Service {
  rules: { jwks: string; issuer: string; audience: string };
  /** Values of Authorization: a valid one, one whose signature is wrong, and one that has expired. */
  authorizations: Readonly<Record<'valid' | 'forged' | 'expired', string>>;
  /** A proxy of its own for each call, with nothing in its memory but the release's metadata. */
  start(origin: string): Promise<Server>;
  /** Of a valid request. */
  headers: Record<string, string>;
}

const ISSUER = 'https://bench.test/';
const TOKEN_SECONDS = 36_000;

/** Makes a key, tokens and the options that fit, in a folder. */
export async function prepareService(folder: string, machine: Machine): Promise<Service> {
  const [key, other] = [issuerKey('bench'), issuerKey('bench')];
  const jwks = join(folder, 'jwks.json');
  writeFileSync(jwks, JSON.stringify({ keys: [key.jwk] }));
  const now = Math.floor(Date.now() / 1000);
  const bearer = async (signer: IssuerKey, iat: number): Promise<string> =>
    `Bearer ${await tokenOf({ name: ISSUER }, signer, { iat, exp: iat + TOKEN_SECONDS })}`;
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

/** Asks for each path in turn. The answers, in the same order. @throws Error when one is not 200 */
export async function answersTo(url: string, paths: readonly string[], headers: Service['headers']): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const path of paths) {
    const answer = await send({ url }, path, headers);
    if (answer.status !== 200) throw new Error(`${url}${path}: ${answer.status}`);
    answers.push(answer);
  }
  return answers;
}

/** Headers that node:http writes by itself. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive'];

/** The headers of an answer without those. @returns alternating names and values */
export function headersOf({ rawHeaders: raw }: Answer): string[] {
  return raw.filter((_, i) => !OWN_HEADERS.includes((raw[i - (i % 2)] ?? '').toLowerCase()));
}
