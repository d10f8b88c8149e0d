// The package as its users get it: packed, installed into an empty folder without GDAL, and run.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { after } from '../support/after.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { filesUnder } from '../support/files.ts';
import { AUDIENCE, AUTHORIZED, ISSUER, JWKS, token } from '../support/http/in-process-proxy.ts';
import { freePort } from '../support/processes/free-port.ts';
import { issuedOptions, serve } from '../support/processes/proxy-process.ts';
import { bootSystemd, withoutSystemd } from '../support/processes/systemd.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildRelease, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const REPOSITORY = resolve();
const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const PACKAGE = 'administrative-boundaries-service';
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

const source = writeCountries();
const out = temporaryFolder();
await buildRelease(source, out, WHOLE);
const home = temporaryFolder();

before(() => {
  execFileSync(process.execPath, [join(REPOSITORY, '.package', 'build.js')]);
  execFileSync('npm', ['pack', '--pack-destination', home, ...QUIET], { cwd: REPOSITORY });
  const [tarball = ''] = readdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', join(home, tarball), ...QUIET], { cwd: home });
});

function installed(program: string): string {
  return join(home, 'node_modules', '.bin', program);
}

function runIn(folder: string, program: string, args: string[]) {
  const env = { ...process.env, HOME: home };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

function run(program: string, args: string[]) {
  return runIn(home, installed(program), args);
}

function runModule(name: string) {
  return runIn(home, process.execPath, [name]);
}

test('installs the programs and what they need, and nothing of the developers or of GDAL', () => {
  const packages = readdirSync(join(home, 'node_modules'));
  for (const name of [PACKAGE, 'jose', 'topojson-client', 'yargs']) assert.ok(packages.includes(name), name);
  for (const name of Object.keys(devDependencies)) assert.ok(!existsSync(join(home, 'node_modules', name)), name);
  const held = readdirSync(join(home, 'node_modules', PACKAGE));
  assert.deepEqual(held.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']);
});

test('holds the explorer as it is served, with the licences of the libraries in it', () => {
  const explorer = join(home, 'node_modules', PACKAGE, 'dist', 'proxy', 'explorer');
  assert.deepEqual(filesUnder(explorer), [
    'embed/embed.css',
    'embed/embed.html',
    'embed/embed.js',
    'icon.svg',
    'index.html',
    'lib/maplibre-gl-worker.mjs',
    'lib/maplibre-gl.LICENSE.txt',
    'lib/maplibre-gl.mjs',
    'lib/preact.LICENSE.txt',
    'lib/signals-core.LICENSE.txt',
    'lib/signals.LICENSE.txt',
    'page/page.css',
    'page/page.js',
    'share/picture.js',
    'style.css',
    'table/table.css',
    'table/table.js',
    'table/worker.js',
  ]);
});

test('both programs show their help, under their own names', () => {
  for (const [program, command] of [
    ['boundaries-generator', 'build'],
    ['boundaries-proxy', 'serve'],
  ] as const) {
    const { status, stdout, stderr } = run(program, ['--help']);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, new RegExp(`${program} ${command}`));
    for (const option of ['--version', '-V']) assert.equal(run(program, [option]).stdout, `${version}\n`);
  }
});

test('serves a release and the explorer', async () => {
  const { url, stop } = await serve(issuedOptions(out), {}, { program: installed('boundaries-proxy') });
  const page = await fetch(`${url}/api/v1/geojsonl/lv2?gid-0=AAA`, { headers: AUTHORIZED });
  assert.equal((await page.text()).split('\n').length, 4);
  const [index] = await Promise.all(
    ['/', '/docs', '/openapi.json'].map(async (path) => {
      const answer = await fetch(url + path);
      assert.equal(answer.status, 200, path);
      return answer.text();
    }),
  );
  const files = [...(index ?? '').matchAll(/"(explorer\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(files.length > 3);
  for (const path of files) assert.equal((await fetch(`${url}/${path}`)).status, 200, path);
  assert.deepEqual(await stop(), [0, null]);
});

test('as the systemd service of proxy/examples it has no rights, is started again after a crash, and stops when told to', {
  skip: withoutSystemd,
}, async () => {
  const port = await freePort();
  const unit = `boundaries-proxy@${port}`;
  const [tarball = ''] = readdirSync(home).filter((name) => name.endsWith('.tgz'));
  const options = { ISSUER, AUDIENCE, JWKS: '/etc/boundaries-keys.json' };
  const lines = Object.entries(options).map(([name, value]) => `BOUNDARIES_${name}="${value}"\n`);
  writeFileSync(join(home, 'boundaries-proxy.env'), lines.join(''));
  writeFileSync(join(home, 'keys.json'), JWKS);
  const [install = '', start = ''] = codeIn('proxy/examples/systemd/README.md', 'sh', 'npm run pack')
    .replace('npm run pack\n', '')
    .replace('./administrative-boundaries-service-*.tgz', `'${join(home, tarball)}' ${QUIET.join(' ')} > /dev/null`)
    .replace('cp -r output', `cp -r '${out}'`)
    .replace('boundaries-proxy@8080', unit)
    .split(/^(?=systemctl)/m);
  const machine = await bootSystemd(`
cp '${process.execPath}' /usr/local/bin/node
cd '${REPOSITORY}'
${install}
cp '${home}/boundaries-proxy.env' /etc/boundaries-proxy.env
cp '${home}/keys.json' /etc/boundaries-keys.json`);
  await machine(start);
  const isServed = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/api/v1/fc/lv0`, { headers: AUTHORIZED }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(isServed, 'the service does not answer');
  const show = (property: string): Promise<string> => machine(`systemctl show --value --property=${property} ${unit}`);
  const first = await show('MainPID');
  const status = await machine(`cat /proc/${first}/status`);
  assert.match(status, /^Uid:\t(?!0\t)/m);
  assert.match(status, /^NoNewPrivs:\t1$/m);
  assert.match(status, /^CapBnd:\t0+$/m);
  await machine(`kill -KILL ${first}`);
  await until(async () => (await isServed()) && (await show('MainPID')) !== first, 'it is not started again');
  assert.equal(await show('NRestarts'), '1');
  await machine(`systemctl stop ${unit}`);
  assert.deepEqual([await show('Result'), await show('ExecMainStatus'), await isServed()], ['success', '0', false]);
});

test('development tokens need no clone', () => {
  const { status, stdout } = run('boundaries-proxy', ['token', '--dev']);
  assert.equal(status, 0);
  assert.equal(stdout.split('.').length, 3);
});

test('without GDAL releases can be listed and verified, and what needs it says what to install', () => {
  assert.match(run('boundaries-generator', ['list', '--out', out]).stdout, /\br1\b/);
  assert.match(run('boundaries-generator', ['verify', '--out', out]).stdout, /0 findings/);
  for (const [args, missing] of [
    [['build', '--source', source, '--release', 'r2'], 'gdal-async'],
    [['build', '--sample'], 'world-atlas'],
  ] as const) {
    const { status, stderr } = run('boundaries-generator', [...args, '--out', out]);
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`needs ${missing}.*\\n {2}what to do: npm install "${missing}@\\^\\d`));
  }
});

test('the compiled generator builds with child processes where GDAL is there', () => {
  const main = join(REPOSITORY, 'dist', 'generator', 'main.js');
  const args = [main, 'build', '--source', source, '--release', 'r3', '--out', temporaryFolder(), '--workers', '1'];
  assert.match(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }), /release r3 is current/);
});

/** Compiles a TypeScript module in the folder of the package's user, against its installed types. */
function compile(name: string, program: string, options: string[]): void {
  writeFileSync(join(home, name), program);
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const types = ['--typeRoots', join(REPOSITORY, 'node_modules', '@types'), '--types', 'node'];
  const common = ['--strict', '--module', 'nodenext', '--target', 'es2023', ...types];
  const { status, stdout } = runIn(home, process.execPath, [compiler, ...common, ...options, name]);
  assert.equal(status, 0, stdout);
}

test('the program in proxy/README.md compiles without skipLibCheck and serves a page', async () => {
  compile('server.mts', codeIn('proxy/README.md', 'ts', 'createServer('), ['--skipLibCheck', 'false']);
  writeFileSync(join(home, 'keys.json'), JWKS);
  symlinkSync(out, join(home, 'output'));
  const port = await freePort();
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: home,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> => {
    assert.equal(child.exitCode, null, 'the program ended');
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok ?? false;
  };
  await until(isReady, 'the program serves nothing');
  const authorization = `Bearer ${await token({ iss: 'https://login.example.org/' })}`;
  const page = await fetch(`${url}/api/v1/fc/lv0`, { headers: { authorization } });
  assert.equal(page.headers.get('boundaries-release'), 'r1');
  assert.equal(JSON.parse(await page.text()).type, 'FeatureCollection');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('the handler in proxy/README.md compiles without skipLibCheck and answers', () => {
  const program = codeIn('proxy/README.md', 'ts', 'createFetchHandler');
  compile('handler.mts', program, ['--skipLibCheck', 'false']);
  const ended = `${program.replace('console.error', '() => {}')}\nconsole.log(response.status);`;
  writeFileSync(join(home, 'answer.mjs'), ended.replaceAll('static.example.org', '127.0.0.1:1'));
  // There is no such host.
  assert.equal(runModule('answer.mjs').stdout, '503\n');
});

test('the program in generator/README.md compiles without skipLibCheck and without GDAL, and builds where GDAL is', () => {
  compile('build.mts', codeIn('generator/README.md', 'ts', 'build('), ['--skipLibCheck', 'false']);
  assert.match(
    runModule('build.mjs').stderr,
    /^reading and writing datasets needs gdal-async.*: npm install "gdal-async@/,
  );
  // A file of the package imports the package by its own name.
  const inside = join(REPOSITORY, 'dist', 'readme-build.mjs');
  cpSync(join(home, 'build.mjs'), inside);
  after(() => rmSync(inside));
  const folder = temporaryFolder();
  cpSync(source, join(folder, 'levels.gpkg'));
  const built = runIn(folder, process.execPath, [inside]);
  assert.deepEqual(built, { status: 0, stdout: '[ 2, 3, 4, 0, 0, 0 ] 0\n', stderr: '' });
});

test('the package looks points up: by its program, and by one file without imports for pages', async () => {
  const table = join(home, 'places.csv');
  writeFileSync(table, 'lon,lat\n0.5,0.5\n');
  const { status, stdout } = run('boundaries-proxy', ['points', '--origin', out, '--levels', 'lv1', table]);
  assert.deepEqual([status, stdout], [0, 'lon,lat,gid_1,name_1\n0.5,0.5,AAA.2_1,South\n']);
  const release = join(out, 'releases', 'r1', 'lv1');
  const program = `import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { openLevel, type UnitName } from '${PACKAGE}/points';
const names: string = gunzipSync(readFileSync('${release}/names.jsonl.gz')).toString();
const found: UnitName[] = openLevel(readFileSync('${release}/cells.bin'), names).at(0.5, '0.5');
console.log(found.map(({ name }) => name));
`;
  compile('points.mts', program, ['--skipLibCheck', 'false']);
  assert.deepEqual(runModule('points.mjs'), { status: 0, stdout: "[ 'South' ]\n", stderr: '' });
  const text = readFileSync(join(home, 'node_modules', PACKAGE, 'dist', 'points.js'), 'utf8');
  assert.doesNotMatch(text, /^import /m);
});

test('the types of the modules refuse wrong options', () => {
  const program = `import { createServer, StartError, type ServerOptions } from '${PACKAGE}/proxy';
import { build } from '${PACKAGE}/generator';
import { createFetchHandler, r2Origin, type FetchOptions } from '${PACKAGE}/fetch';
export const handler: FetchOptions = { origin: r2Origin({ get: async () => null }), jwks: ['https://a.test/jwks'] };
export const create: typeof createFetchHandler = createFetchHandler;
// @ts-expect-error Required: a Worker has no folder.
export const nowhere: FetchOptions = { jwks: ['https://a.test/jwks'] };
export const options: ServerOptions = { dev: true, jwksCache: '1m' };
export const used: [typeof build, typeof createServer, typeof StartError] = [build, createServer, StartError];
// @ts-expect-error A list.
export const text: ServerOptions = { jwks: 'keys.json' };
// @ts-expect-error Not an option of a server: it is passed to listen.
export const port: ServerOptions = { port: 8080 };
// @ts-expect-error Options are required.
export const built = build({});
`;
  compile('use.mts', program, ['--noEmit', '--skipLibCheck']);
});

test('other modules are not exported', async () => {
  for (const name of ['format/levels', 'dist/proxy/server.js', 'dist/format/levels.js']) {
    const script = `import('${PACKAGE}/${name}').catch(({ code }) => console.log(code))`;
    assert.equal(runIn(home, process.execPath, ['-e', script]).stdout, 'ERR_PACKAGE_PATH_NOT_EXPORTED\n', name);
  }
});
