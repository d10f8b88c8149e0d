// The compose files of proxy/examples/container: what they say, and their services started without containers, with
// their own commands, ports and folders.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { parse } from 'yaml';
import { durationToSeconds } from '../../../proxy/config/option-values.ts';
import { SERVE_OPTIONS } from '../../../proxy/config/options.ts';
import { issuerKey } from '../../support/http/issuer.ts';
import { listen } from '../../support/http/listen.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { exampleWith, missing, startNginx } from '../../support/processes/nginx-varnish.ts';
import { printedBy, without } from '../../support/processes/programs.ts';
import { serve } from '../../support/processes/proxy-process.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildCountries, WHOLE } from '../../support/releases/build-release.ts';

const FOLDER = 'proxy/examples/container';
const PLAIN = ['compose.yaml'];
const WITH_KEYCLOAK = ['compose.yaml', 'compose.keycloak.yaml'];

/** What the tests read of a service. */
interface Service {
  image?: string;
  build?: { context: string; dockerfile: string; args?: Record<string, string> };
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  stop_grace_period?: string;
  user?: string;
  depends_on?: Record<string, { condition: string }>;
}

/** The services of these files: of one that several have, the members of the later file come first. */
function servicesIn(files: readonly string[]): Record<string, Service> {
  const services: Record<string, Service> = {};
  for (const file of files)
    for (const [name, own] of Object.entries<Service>(parse(readFileSync(`${FOLDER}/${file}`, 'utf8')).services)) {
      const before = services[name];
      services[name] = { ...before, ...own, environment: { ...before?.environment, ...own.environment } };
    }
  return services;
}

/** The folder or file of this machine that is at a path of a container. */
function mountedAt({ volumes = [] }: Service, path: string): { from: string; isReadOnly: boolean } {
  const [from = '', , mode] = volumes.map((volume) => volume.split(':')).find(([, to]) => to === path) ?? [];
  assert.notEqual(from, '', `nothing is mounted at ${path}`);
  return { from: resolve(FOLDER, from), isReadOnly: mode === 'ro' };
}

const key = issuerKey('one');

/** An issuer in the place of Keycloak: its keys at the address that the file says. */
async function keycloakInPlace(jwks: string): Promise<string> {
  const { pathname } = new URL(jwks);
  const server = createServer(({ url }, res) => {
    if (url === pathname) res.end(JSON.stringify({ keys: [key.jwk] }));
    else res.writeHead(404).end();
  });
  return `http://127.0.0.1:${await listen(server)}${pathname}`;
}

/**
 * Starts what the files say, without containers: the services' names are loopback here, and ports free ones.
 * @param out what output/ has
 */
async function start(files: readonly string[], out: string) {
  const { generator, host, proxy } = servicesIn(files);
  assert.ok(generator?.command && host && proxy?.command && proxy.environment);
  const output = resolve('output');
  assert.deepEqual(mountedAt(generator, '/output'), { from: output, isReadOnly: false });
  const words = generator.command.map((word) => (word === '/output' ? out : word));
  const built = await typed('generator', words);
  assert.equal(built.status, 0, built.stderr);

  // nginx has the folder and the file where its configuration and its image look for them.
  assert.deepEqual(mountedAt(host, '/srv/boundaries/output'), { from: output, isReadOnly: true });
  const { from: configuration } = mountedAt(host, '/etc/nginx/conf.d/default.conf');
  assert.equal(configuration, resolve('proxy/examples/nginx-origin.conf'));
  const port = await freePort();
  const changes = { 'listen 8081': `listen 127.0.0.1:${port}`, '/srv/boundaries/output': out };
  await startNginx(exampleWith('nginx-origin.conf', changes), port);

  const { BOUNDARIES_ORIGIN: origin = '', BOUNDARIES_JWKS: jwks, ...others } = proxy.environment;
  assert.equal(origin, 'http://host:8081');
  const environment = {
    ...others,
    BOUNDARIES_ORIGIN: `http://127.0.0.1:${port}`,
    ...(jwks !== undefined && { BOUNDARIES_JWKS: await keycloakInPlace(jwks) }),
  };
  const [command, ...options] = proxy.command;
  assert.equal(command, 'serve');
  return serve(options, environment);
}

const noNginx = missing('nginx');

test('with compose.yaml everybody gets the units at a point, from files that nginx hosts', {
  skip: noNginx,
}, async () => {
  const { url } = await start(PLAIN, await buildCountries(WHOLE));
  const answer = await fetch(`${url}/api/v1/at?point=0.5,0.5`);
  assert.match(await answer.text(), /"names":\["Aland","South","Søst"\]/);
});

test('with compose.keycloak.yaml a token for the audience of its realm is needed', { skip: noNginx }, async () => {
  const { proxy, keycloak } = servicesIn(WITH_KEYCLOAK);
  const {
    BOUNDARIES_ISSUER: issuer = '',
    BOUNDARIES_AUDIENCE: audience = '',
    BOUNDARIES_JWKS_HTTP: trusted,
  } = proxy?.environment ?? {};
  assert.equal(trusted, 'keycloak');
  assert.equal(new URL(issuer).origin, keycloak?.environment?.['KC_HOSTNAME']);
  const { from } = mountedAt(keycloak ?? {}, '/opt/keycloak/data/import/boundaries.json');
  const realm = JSON.parse(readFileSync(from, 'utf8'));
  assert.equal(issuer, `${new URL(issuer).origin}/realms/${realm.realm}`);
  const [client] = realm.clients;
  assert.equal(client.protocolMappers[0].config['included.custom.audience'], audience);
  const readme = readFileSync(`${FOLDER}/README.md`, 'utf8');
  assert.ok(readme.includes(`-d client_id=${client.clientId} -d client_secret=${client.secret}`));
  assert.ok(readme.includes(`${issuer}/protocol/openid-connect/token`));

  const { url } = await start(WITH_KEYCLOAK, await buildCountries());
  const signed = await new SignJWT({})
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid })
    .setIssuer(issuer)
    .setAudience([audience, 'account'])
    .setExpirationTime('1h')
    .sign(key.privateKey);
  const statusOf = async (headers: Record<string, string>) => (await fetch(`${url}/api/v1/fc/lv0`, { headers })).status;
  assert.equal(await statusOf({}), 401);
  assert.equal(await statusOf({ authorization: `Bearer ${signed}` }), 200);
});

test('the proxy has time to stop, ports are of this machine alone, and packages have the versions of the project', () => {
  const services = servicesIn(WITH_KEYCLOAK);
  const { stop_grace_period: period = '', depends_on: needs } = services['proxy'] ?? {};
  const seconds = [SERVE_OPTIONS['drain'], SERVE_OPTIONS['stop-timeout']].map((option) =>
    durationToSeconds(option.default, 'time', 0),
  );
  assert.ok(durationToSeconds(period, 'stop_grace_period') > seconds.reduce((sum, part) => sum + part, 0));
  assert.equal(needs?.['generator']?.condition, 'service_completed_successfully');
  for (const { ports = [] } of Object.values(services))
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:\d+:8080$/);
  for (const { build } of Object.values(services))
    if (build !== undefined) {
      assert.equal(resolve(FOLDER, build.context), resolve('.'));
      assert.match(readFileSync(build.dockerfile, 'utf8'), /^ENTRYPOINT /m);
    }
  const packages = services['generator']?.build?.args?.['PACKAGES']?.split(' ') ?? [];
  const { peerDependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const expected = Object.keys(peerDependencies)
    .filter((name) => /atlas|i18n/.test(name))
    .map((name) => `${name}@${devDependencies[name]}`);
  assert.deepEqual(packages, expected);
  assert.match(readFileSync('generator/examples/container/Dockerfile', 'utf8'), /^ARG PACKAGES=$/m);
});

test('Docker Compose takes the files', { skip: without('docker compose version') }, async () => {
  for (const files of [PLAIN, WITH_KEYCLOAK]) {
    const named = files.flatMap((file) => ['-f', `${FOLDER}/${file}`]);
    await printedBy('docker', ['compose', ...named, 'config', '--quiet']);
  }
});
