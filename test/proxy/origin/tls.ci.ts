// A static host behind TLS: a valid certificate is accepted; one that has expired, names another host, or is signed by
// an unknown authority is refused, when the proxy starts and while it runs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { send, textOf } from '../../support/http/http-client.ts';
import { AUDIENCE, AUTHORIZED, ISSUER, JWKS } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { without } from '../../support/processes/programs.ts';
import { serve } from '../../support/processes/proxy-process.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SKIP = without('openssl version');
const folder = temporaryFolder();
const out = join(folder, 'output');
await buildRelease(writeCountries(), out);
const jwks = join(folder, 'keys.json');
writeFileSync(jwks, JWKS);

function openssl(command: string): void {
  execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'pipe' });
}

/** Makes a certificate that the authority `ca` signs; its key and itself in PEM. */
function certificate(ca: string, name: string, { host = 'IP:127.0.0.1', days = '2' } = {}) {
  const request = (of: string): string => `req -newkey ed25519 -nodes -subj /CN=${of} -keyout ${of}.key`;
  if (!existsSync(join(folder, `${ca}.pem`))) openssl(`${request(ca)} -x509 -out ${ca}.pem`);
  openssl(`${request(name)} -out ${name}.csr`);
  writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${host}\n`);
  const signed = `-CA ${ca}.pem -CAkey ${ca}.key -CAcreateserial -extfile ${name}.ext`;
  openssl(`x509 -req -in ${name}.csr ${signed} -days ${days} -out ${name}.pem`);
  const read = (ending: string): string => readFileSync(join(folder, `${name}.${ending}`), 'utf8');
  return { key: read('key'), cert: read('pem') };
}

async function host(identity: { key: string; cert: string }): Promise<{ url: string; server: Server }> {
  const server = createServer(identity, (req, res) => {
    const file = join(out, req.url ?? '');
    if (!existsSync(file)) return res.writeHead(404).end();
    return res.end(readFileSync(file));
  });
  return { url: `https://127.0.0.1:${await listen(server)}`, server };
}

const OPTIONS = ['--issuer', ISSUER, '--audience', AUDIENCE, '--jwks', jwks];
const TRUST = { NODE_EXTRA_CA_CERTS: join(folder, 'trusted.pem') };

test('pages come over TLS from a host with a valid certificate', { skip: SKIP }, async () => {
  const { url } = await host(certificate('trusted', 'valid'));
  const running = await serve(['--origin', url, ...OPTIONS], TRUST);
  const page = await send(running, '/api/v1/fc/lv0', AUTHORIZED);
  assert.equal(page.status, 200);
  assert.equal(JSON.parse(textOf(page)).type, 'FeatureCollection');
});

for (const [what, ca, name, options, code] of [
  ['an expired certificate', 'trusted', 'expired', { days: '-1' }, /CERT_HAS_EXPIRED/],
  ["another host's certificate", 'trusted', 'other', { host: 'DNS:other.example' }, /ERR_TLS_CERT_ALTNAME_INVALID/],
  ['a certificate of an unknown authority', 'unknown', 'foreign', {}, /UNABLE_TO_VERIFY_LEAF_SIGNATURE/],
] as const) {
  test(`${what} is refused: the log has the reason, and clients get 503`, { skip: SKIP }, async () => {
    const { url } = await host(certificate(ca, name, options));
    const running = await serve(['--origin', url, ...OPTIONS], TRUST);
    await running.says(code);
    const page = await send(running, '/api/v1/fc/lv0', AUTHORIZED);
    assert.equal(page.status, 503);
    assert.doesNotMatch(page.body.toString(), /CERT|127\.0\.0\.1:/);
  });
}

test('a certificate that becomes invalid gives 502, and nothing of the page', { skip: SKIP }, async () => {
  const { url, server } = await host(certificate('trusted', 'first'));
  const running = await serve(['--origin', url, ...OPTIONS], TRUST);
  const { key, cert } = certificate('trusted', 'second', { host: 'DNS:other.example' });
  server.setSecureContext({ key, cert });
  server.closeAllConnections();
  const page = await send(running, '/api/v1/fc/lv1', AUTHORIZED);
  assert.equal(page.status, 502);
  assert.equal(page.headers['content-type'], 'application/problem+json');
  assert.doesNotMatch(page.body.toString(), /Feature|127\.0\.0\.1:|certificate/);
});
