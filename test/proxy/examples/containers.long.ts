// The images of both programs by the READMEs' own commands: built, a release made by one and served by the other, the
// health check, rights, and SIGTERM, also in the middle of a build. The first run compiles GDAL's binding.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { PROBE_PATHS } from '../../../proxy/operations/health.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { writeSynthetic } from '../../support/datasets/synthetic/synthetic.ts';
import { jsonLines } from '../../support/files.ts';
import { JWKS, token } from '../../support/http/in-process-proxy.ts';
import { prepareDocker, typeDocker, withoutContainers } from '../../support/processes/containers.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { codeIn } from '../../support/readme-code.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const REPOSITORY = resolve('.');
const skip = withoutContainers();

const BUILD_GENERATOR = codeIn('generator/examples/container/README.md', 'sh', 'docker build');
/** Of somebody whom the image does not know; the owner of the folder. */
const OWNER = 1234;
const RUN_GENERATOR = replaced(codeIn('generator/examples/container/README.md', 'sh', 'docker run'), {
  '"$(id -u):$(id -g)"': `${OWNER}:${OWNER}`,
});
/** The proxy is built and run by one block. */
const [BUILD_PROXY = '', RUN_PROXY = ''] = codeIn('proxy/examples/container/README.md', 'sh', 'docker build').split(
  /^(?=docker run)/m,
);
const AUTHORIZATION = `Bearer ${await token({ iss: 'https://login.example.org/' })}`;

const home = temporaryFolder();
if (skip === false) {
  chownSync(home, OWNER, OWNER);
  prepareDocker();
}

/** A command of a README with something put in its place; every text must stand in it. */
function replaced(command: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `${from} in ${text}`);
    return text.replace(from, to);
  }, command);
}

/** Types a command of docker that must succeed; what it printed. */
async function docker(command: string, cwd = home): Promise<string> {
  const { status, text } = await typeDocker(command, cwd);
  assert.equal(status, 0, text);
  return text.trimEnd();
}

/** Runs the proxy's image as its README does, on a free port, and waits until a probe is answered well. */
async function runProxy(
  name: string,
  folder: string,
  probe: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const port = await freePort();
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'keys'));
  writeFileSync(join(folder, 'keys', 'keys.json'), JWKS);
  const changes = { '8080:8080': `127.0.0.1:${port}:8080`, '--name boundaries': `--name ${name}`, ...more };
  await docker(replaced(RUN_PROXY, changes), folder);
  const url = `http://127.0.0.1:${port}`;
  const isUp = async (): Promise<boolean> => (await fetch(url + probe).catch(() => undefined))?.ok ?? false;
  await until(isUp, `${name} does not answer ${probe}`);
  return url;
}

test('both images build, and are as large as the READMEs say', { skip }, async () => {
  await docker(BUILD_PROXY, REPOSITORY);
  await docker(BUILD_GENERATOR, REPOSITORY);
  const sizeOf = async (image: string): Promise<number> =>
    Number(await docker(`docker image inspect --format '{{.Size}}' ${image}`));
  const base = await sizeOf('node:24-slim');
  for (const [readme, image] of [
    ['proxy/examples/container/README.md', 'boundaries-proxy'],
    ['generator/examples/container/README.md', 'boundaries-generator'],
  ] as const) {
    const text = readFileSync(join(REPOSITORY, readme), 'utf8');
    const [, said] = /(\d+) MB (?:larger|more) than Node's \(`node:24-slim`\)/.exec(text) ?? [];
    const added = ((await sizeOf(image)) - base) / 1e6;
    assert.ok(Math.abs(added / Number(said) - 1) < 0.2, `${image}: ${added} MB, and ${readme} says ${said}`);
  }
});

test("the generator's image has a driver for PostGIS", { skip }, async () => {
  const program =
    "console.log(require('/usr/local/lib/node_modules/gdal-async').drivers.get('PostgreSQL').description)";
  const printed = await docker(`docker run --rm --entrypoint node boundaries-generator -e "${program}"`);
  // Nor does the binding warn of files that it misses.
  assert.equal(printed, 'PostgreSQL');
});

test("a release that one image builds is served by the other, with the READMEs' commands", { skip }, async () => {
  cpSync(writeCountries(), join(home, 'gadm_410-levels.gpkg'));
  assert.match(await docker(RUN_GENERATOR), /release gadm-4\.1 is current/);
  const url = await runProxy('boundaries', home, PROBE_PATHS.ready);
  const answer = await fetch(`${url}/api/v1/geojsonl/lv2`, { headers: { authorization: AUTHORIZATION } });
  assert.equal(answer.headers.get('boundaries-release'), 'gadm-4.1');
  const names = jsonLines(await answer.text()).map(({ properties }) => properties.NAME_2);
  assert.deepEqual(names, ['Næst', 'Søst', '東', 'Wüst "late"']);
  assert.equal((await fetch(`${url}/api/v1/geojsonl/lv2`)).status, 401);
  assert.equal((await fetch(url)).status, 200);
});

test('the proxy runs as node, without capabilities and new privileges, on files that it cannot change', {
  skip,
}, async () => {
  const program = `
    const fs = require('fs');
    const code = (file) => { try { fs.writeFileSync(file, ''); } catch ({ code }) { return code; } };
    const [, effective] = /CapEff:\\s*(\\S+)/.exec(fs.readFileSync('/proc/1/status', 'utf8'));
    const [, none] = /NoNewPrivs:\\s*(\\S+)/.exec(fs.readFileSync('/proc/1/status', 'utf8'));
    console.log(fs.statSync('/proc/1').uid, Number('0x' + effective), none, code('/home/node/a'), code('/output/a'));`;
  writeFileSync(join(home, 'look.cjs'), program);
  const printed = await docker('docker exec -i boundaries node - < look.cjs');
  assert.equal(printed, '1000 0 1 EROFS EROFS');
});

test('the health check tells a proxy with keys from one without', { skip }, async () => {
  await docker('docker healthcheck run boundaries');
  const folder = temporaryFolder();
  cpSync(join(home, 'output'), join(folder, 'output'), { recursive: true });
  await runProxy('keyless', folder, PROBE_PATHS.alive, { '/keys/keys.json': 'https://127.0.0.1:1/jwks' });
  assert.equal((await typeDocker('docker healthcheck run keyless', home)).status, 1);
});

test('docker stop ends the proxy, which has heard of it', { skip }, async () => {
  await docker('docker stop boundaries');
  // 137 after SIGKILL.
  assert.equal(await docker("docker inspect --format '{{.State.ExitCode}}' boundaries"), '0');
});

test('docker stop in the middle of a build: it ends at once, what is served stays, and the next one runs', {
  skip,
}, async () => {
  writeSynthetic(join(home, 'big.gpkg'), 10_000);
  const command = replaced(RUN_GENERATOR, {
    '--rm': '--rm --name build',
    'gadm_410-levels.gpkg': 'big.gpkg',
    'gadm-4.1': 'big',
    'duplicate-gids': 'duplicate-gids empty-geometries fewer-units',
  });
  const releases = join(home, 'output', 'releases');
  const current = readFileSync(join(home, 'output', 'current.json'), 'utf8');
  const isAtWork = (): boolean =>
    readdirSync(releases).some((name) => {
      const work = join(releases, name, 'work');
      return existsSync(work) && readdirSync(work).length > 0;
    });
  const building = typeDocker(command, home);
  await until(isAtWork, 'nothing is built');
  await docker('docker stop build');
  const { status, text } = await building;
  // 137 after SIGKILL, which comes after ten seconds.
  assert.equal(status, 143, text);
  assert.equal(readFileSync(join(home, 'output', 'current.json'), 'utf8'), current);
  assert.match(await docker(command), /release big is current/);
  assert.deepEqual(readdirSync(releases).sort(), ['big', 'gadm-4.1']);
});
