// The files of the explorer as they are served: which ones, with which headers, to anyone, and with nothing of the data.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, relative } from 'node:path';
import { test } from 'node:test';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const EXPLORER = 'proxy/explorer';
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const folder = temporaryFolder();
const layers = countryLayers().map(({ name, columns, features }, level) => ({
  name,
  columns: [...columns, ...(level === 1 ? ['ENGTYPE_1'] : [])],
  features: features.map((unit) => ({ ...unit, values: [...unit.values, ...(level === 1 ? ['Region'] : [])] })),
}));
await buildRelease(writeDataset(join(folder, 'countries.gpkg'), 'GPKG', layers), folder);
const proxy = await startService(folder, { explorer: true });

/** The files of the explorer's folder, relative to it. */
const own = readdirSync(EXPLORER, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(EXPLORER, join(entry.parentPath, entry.name)));

/** The files of libraries, by their path under /explorer/. */
const LIBRARIES: Readonly<Record<string, string>> = {
  'lib/maplibre-gl.mjs': 'maplibre-gl/dist/maplibre-gl.mjs',
  'lib/maplibre-gl-worker.mjs': 'maplibre-gl/dist/maplibre-gl-worker.mjs',
  'lib/topojson-client.js': 'topojson-client/dist/topojson-client.js',
};

const ANYONE = { authorization: undefined };

test('scripts, styles and pictures that the page uses are served as they are, to anyone', async () => {
  const require = createRequire(import.meta.url);
  const served = own.filter((name) => extname(name) in TYPES);
  assert.ok(served.length > 5);
  const files = [
    ...served.map((name) => [name, join(EXPLORER, name)] as const),
    ...Object.entries(LIBRARIES).map(([name, module]) => [name, require.resolve(module)] as const),
  ];
  for (const [name, file] of files)
    for (const coding of ['gzip', 'identity']) {
      const answer = await send(proxy, `/explorer/${name}`, { ...ANYONE, 'accept-encoding': coding });
      assert.equal(answer.status, 200, name);
      assert.equal(answer.headers['content-type'], TYPES[extname(name)], name);
      assert.equal(textOf(answer), readFileSync(file, 'utf8'), name);
    }
});

test('the other files of the folder are not served', async () => {
  const others = own.filter((name) => !(extname(name) in TYPES));
  assert.ok(others.includes('tsconfig.json'));
  for (const name of [...others, '', 'lib/', 'lib/maplibre-gl-dev.mjs', '../handler.ts'])
    assert.equal((await send(proxy, `/explorer/${name}`, ANYONE)).status, 404, name);
});

test('pages, scripts and workers may load from the service alone, without eval, inline code and blobs', async () => {
  const paths = ['/', '/docs', '/explorer/app.js', '/explorer/lib/maplibre-gl-worker.mjs'];
  for (const path of paths) {
    const policy = String((await send(proxy, path, ANYONE)).headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'; worker-src 'self'; /, path);
    assert.doesNotMatch(policy, /unsafe|https?:|data:|blob:|\*/, path);
  }
});

test('/about.json has the columns of each level: GIDs, names and types', async () => {
  const { levels } = JSON.parse(textOf(await send(proxy, '/about.json', ANYONE)));
  assert.deepEqual(levels.slice(0, 3), [
    { level: 0, gidColumns: ['GID_0'], nameColumn: 'COUNTRY', typeColumn: '' },
    { level: 1, gidColumns: ['GID_0', 'GID_1'], nameColumn: 'NAME_1', typeColumn: 'ENGTYPE_1' },
    { level: 2, gidColumns: ['GID_0', 'GID_1', 'GID_2'], nameColumn: 'NAME_2', typeColumn: '' },
  ]);
});

test('all content of /docs is in its one main landmark', async () => {
  const html = textOf(await send(proxy, '/docs', ANYONE));
  const [, before = '', main = '', after = ''] = /<body[^>]*>(.*)<main>(.*)<\/main>(.*)<\/body>/s.exec(html) ?? [];
  assert.deepEqual([before.trim(), after.trim()], ['', '']);
  assert.match(main, /<h1>.*<h2>.*<table>/s);
  assert.equal(main.split('main>').length, 1);
});
