// The set-up where it takes another Node or other programs: on a Node too new for GDAL, which the user's cache has
// (`node .setup/other-node.js 26` installs it), and as root on Debian.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { programOf } from '../../.setup/other-node.js';
import { without } from '../support/processes/programs.ts';
import { addProgram, COMPILING, callsIn, DOWNLOAD, INSTALLED, makeClone, setUp } from './clone-to-set-up.ts';

const NEWER = programOf(26);
const needsNewer = without(`test -x '${NEWER}'`, `test '${Number.parseInt(process.versions.node, 10)}' -lt 26`);

test("on a Node too new for gdal-async the set-up goes on with npm's Node 24", { skip: needsNewer }, async (t) => {
  const clone = makeClone({ installed: INSTALLED, prebuilt: 'binding', programs: COMPILING });
  const cache = join(clone.folder, 'cache');
  // What npm installs is this Node.
  const name = NEWER.split('/').at(-3);
  addProgram(
    clone,
    'npm',
    `const folder = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules/${name}/bin';
     fs.mkdirSync(folder, { recursive: true });
     fs.symlinkSync(process.execPath, folder + '/node');`,
  );
  const script = [join(clone.root, '.setup', 'with-gdal.js'), '-p', 'process.version + process.env.PROXY_NODE'];
  const withGdal = (): string => execFileSync(NEWER, script, { encoding: 'utf8', stdio: 'pipe', env: {} });

  await t.test('says so in one line, compiles nothing, and says once that it installs', async () => {
    const { code, steps } = await setUp(clone, { node: NEWER });
    assert.equal(code, 0);
    assert.deepEqual(
      steps.map((step) =>
        /installed once|downloading|none for Node 26.*npm's Node 24|installing Node 24/.exec(step)?.[0].slice(0, 11),
      ),
      ['installed o', 'downloading', 'none for No', 'installing ', 'downloading'],
    );
    const [download = '', install = '', ...others] = callsIn(clone);
    assert.match(download, DOWNLOAD);
    assert.match(install, new RegExp(`^npm install --prefix ${cache}/.* ${name}@24$`));
    assert.equal(others.length, 1);
    assert.match(others[0] ?? '', DOWNLOAD);
  });
  await t.test('finds it again', async () => {
    assert.deepEqual(await setUp(clone, { node: NEWER }), { code: 0, printed: '', steps: [] });
    assert.equal((await setUp(clone)).printed, '');
  });
  await t.test('runs there what needs GDAL', () => {
    assert.equal(withGdal(), `${process.version}${NEWER}\n`);
  });
  await t.test('mends what is gone', async () => {
    for (const gone of [clone.binding, cache]) {
      rmSync(gone, { recursive: true });
      assert.equal((await setUp(clone, { node: NEWER })).code, 0);
      assert.equal(withGdal(), `${process.version}${NEWER}\n`);
    }
  });
  await t.test('begins anew where that fails too', async () => {
    rmSync(clone.binding);
    for (const tool of COMPILING) rmSync(join(clone.programs, tool));
    const preGyp = join(clone.root, 'node_modules', 'gdal-async', 'node_modules', '@mapbox', 'node-pre-gyp', 'bin');
    writeFileSync(join(preGyp, 'node-pre-gyp'), 'process.exit(1)');
    const { code, printed } = await setUp(clone, { node: NEWER });
    assert.equal(code, 1);
    assert.match(printed, /Install them, then run the same command again/);
    assert.match(withGdal(), /^v26.*undefined\n$/);
  });
});

const needsDebian = without('test -e /etc/debian_version', 'test $(id -u) = 0');

test('the set-up installs with apt what compiling needs, as root on Debian', { skip: needsDebian }, async () => {
  const clone = makeClone({ installed: INSTALLED, compiled: 'binding', programs: ['g++', 'python3'] });
  const made = ['gdal-config', 'make'].map((name) => JSON.stringify(join(clone.programs, name)));
  addProgram(
    clone,
    'apt-get',
    `if (process.argv.includes('install')) for (const f of [${made}]) fs.writeFileSync(f, '');`,
  );
  const { code, steps } = await setUp(clone);
  assert.equal(code, 0);
  assert.equal(steps.length, 4);
  const [, update = '', install = '', compile = ''] = callsIn(clone);
  assert.match(update, /^apt-get .* update$/);
  assert.match(install, /^apt-get .* install -y --no-install-recommends libgdal-dev make$/);
  assert.match(compile, /--shared_gdal=true/);
});
