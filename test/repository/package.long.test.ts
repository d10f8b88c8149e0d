// The package as its users get it: packed, installed into an empty folder without GDAL, and run.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { SignJWT } from 'jose';
import { after } from '../support/after.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { filesUnder } from '../support/files.ts';
import { AUDIENCE, ISSUER } from '../support/http/in-process-proxy.ts';
import { freePort } from '../support/processes/nginx-varnish.ts';
import { bootSystemd, withoutSystemd } from '../support/processes/systemd.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildRelease, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const REPOSITORY = resolve();
const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const PACKAGE = 'administrative-boundaries-service';
const SECRET = 'a secret of at least thirty-two bytes';
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

function run(program: string, args: string[]) {
  const { status, stdout, stderr } = spawnSync(join(home, 'node_modules', '.bin', program), args, {
    cwd: home,
    encoding: 'utf8',
    env: { ...process.env, HOME: home },
  });
  return { status, stdout, stderr };
}

function tokenOf(): Promise<string> {
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 60 })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(SECRET));
}

test('installs the programs and what they need, and nothing of the developers or of GDAL', () => {
  const installed = readdirSync(join(home, 'node_modules'));
  for (const name of [PACKAGE, 'jose', 'topojson-client', 'yargs']) assert.ok(installed.includes(name), name);
  for (const name of Object.keys(devDependencies)) assert.ok(!existsSync(join(home, 'node_modules', name)), name);
  const held = readdirSync(join(home, 'node_modules', PACKAGE));
  assert.deepEqual(held.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']);
});

test('holds the explorer as it is served, with the licences of the libraries in it', () => {
  const explorer = join(home, 'node_modules', PACKAGE, 'dist', 'proxy', 'explorer');
  assert.deepEqual(filesUnder(explorer), [
    'icon.svg',
    'index.html',
    'lib/maplibre-gl-worker.mjs',
    'lib/maplibre-gl.LICENSE.txt',
    'lib/maplibre-gl.mjs',
    'lib/topojson-client.LICENSE.txt',
    'page/page.css',
    'page/page.js',
    'style.css',
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
  const issued = ['--secret', SECRET, '--issuer', ISSUER, '--audience', AUDIENCE];
  const child: ChildProcess = spawn(
    join(home, 'node_modules', '.bin', 'boundaries-proxy'),
    ['serve', '--origin', out, '--port', '0', ...issued],
    { cwd: home, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  after(() => child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stderr?.on('data', (piece) => {
      printed += piece;
      const [, found] = /serving release r1 at (http:\S+)\n/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(printed)));
  });
  const headers = { authorization: `Bearer ${await tokenOf()}` };
  const page = await fetch(`${url}/api/v1/geojsonl/lv2?gid-0=AAA`, { headers });
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
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('as the systemd service of proxy/examples it has no rights, is started again after a crash, and stops when told to', {
  skip: withoutSystemd,
}, async () => {
  const port = await freePort();
  const [tarball = ''] = readdirSync(home).filter((name) => name.endsWith('.tgz'));
  const options = { PORT: port, ISSUER, AUDIENCE, SECRET };
  const lines = Object.entries(options).map(([name, value]) => `BOUNDARIES_${name}="${value}"\n`);
  writeFileSync(join(home, 'boundaries-proxy.env'), lines.join(''));
  const [install = '', start = ''] = codeIn('proxy/examples/systemd/README.md', 'sh', 'systemctl enable')
    .replace('npm run pack\n', '')
    .replace('./administrative-boundaries-service-*.tgz', `'${join(home, tarball)}' ${QUIET.join(' ')} > /dev/null`)
    .replace('cp -r output', `cp -r '${out}'`)
    .split(/^(?=systemctl)/m);
  const machine = await bootSystemd(`
cp '${process.execPath}' /usr/local/bin/node
cd '${REPOSITORY}'
${install}
cp '${home}/boundaries-proxy.env' /etc/boundaries-proxy.env`);
  await machine(start);
  const headers = { authorization: `Bearer ${await tokenOf()}` };
  const isServed = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/api/v1/fc/lv0`, { headers }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(isServed, 'the service does not answer');
  const show = (property: string): Promise<string> =>
    machine(`systemctl show --value --property=${property} boundaries-proxy`);
  const first = await show('MainPID');
  const status = await machine(`cat /proc/${first}/status`);
  assert.match(status, /^Uid:\t(?!0\t)/m);
  assert.match(status, /^NoNewPrivs:\t1$/m);
  assert.match(status, /^CapBnd:\t0+$/m);
  await machine(`kill -KILL ${first}`);
  await until(async () => (await isServed()) && (await show('MainPID')) !== first, 'it is not started again');
  assert.equal(await show('NRestarts'), '1');
  await machine('systemctl stop boundaries-proxy');
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
  const build = run('boundaries-generator', ['build', '--source', source, '--release', 'r2', '--out', out]);
  assert.equal(build.status, 1);
  assert.match(build.stderr, /needs gdal-async.*\n {2}what to do: npm install "gdal-async@\^\d/);
  const verify = run('boundaries-generator', ['verify', '--out', out, '--source', source]);
  assert.equal(verify.status, 1);
  assert.match(verify.stderr, /needs gdal-async.*\n {2}what to do: npm install "gdal-async@\^\d/);
  const sample = run('boundaries-generator', ['build', '--sample', '--out', out]);
  assert.equal(sample.status, 1);
  assert.match(sample.stderr, /the sample needs world-atlas.*\n {2}what to do: npm install "world-atlas@\^\d/);
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
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...common, ...options, join(home, name)], {
    cwd: home,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
}

test('the program in proxy/README.md compiles without skipLibCheck and serves a page', async () => {
  compile('server.mts', codeIn('proxy/README.md', 'ts', 'createServer('), ['--skipLibCheck', 'false']);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(home, 'keys.json'), JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
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
  const claims = { iss: 'https://login.example.org/', aud: 'boundaries', exp: Math.floor(Date.now() / 1000) + 60 };
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);
  const page = await fetch(`${url}/api/v1/fc/lv0`, { headers: { authorization: `Bearer ${token}` } });
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
  const { stdout } = spawnSync(process.execPath, [join(home, 'answer.mjs')], { cwd: home, encoding: 'utf8' });
  // There is no such host.
  assert.equal(stdout, '503\n');
});

test('the program in generator/README.md compiles without skipLibCheck and without GDAL, and builds where GDAL is', () => {
  compile('build.mts', codeIn('generator/README.md', 'ts', 'build('), ['--skipLibCheck', 'false']);
  const without = spawnSync(process.execPath, [join(home, 'build.mjs')], { cwd: home, encoding: 'utf8' });
  assert.match(without.stderr, /^reading and writing datasets needs gdal-async.*: npm install "gdal-async@/);
  // A file of the package imports the package by its own name.
  const inside = join(REPOSITORY, 'dist', 'readme-build.mjs');
  cpSync(join(home, 'build.mjs'), inside);
  after(() => rmSync(inside));
  const folder = temporaryFolder();
  cpSync(source, join(folder, 'levels.gpkg'));
  const built = spawnSync(process.execPath, [inside], { cwd: folder, encoding: 'utf8' });
  assert.deepEqual([built.stdout, built.stderr], ['[ 2, 3, 4, 0, 0, 0 ] 0\n', '']);
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
  const printed = spawnSync(process.execPath, [join(home, 'points.mjs')], { cwd: home, encoding: 'utf8' });
  assert.deepEqual([printed.stdout, printed.stderr], ["[ 'South' ]\n", '']);
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
    const printed = execFileSync(process.execPath, ['-e', script], { cwd: home, encoding: 'utf8' });
    assert.equal(printed, 'ERR_PACKAGE_PATH_NOT_EXPORTED\n', name);
  }
});
