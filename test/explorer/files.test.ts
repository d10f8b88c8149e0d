// The files of the explorer as they are served: which ones, under which names, with which headers, to anyone, and with
// nothing of the data.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { bundleExplorer, writeExplorer } from '../../proxy/site/explorer-bundle.ts';
import { explorerAssets } from '../../proxy/site/explorer-files.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { filesUnder } from '../support/files.ts';
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
  '.map': 'application/json',
};

const folder = temporaryFolder();
const layers = countryLayers().map(({ name, columns, features }, level) => ({
  name,
  columns: [...columns, ...(level === 1 ? ['ENGTYPE_1'] : [])],
  features: features.map((unit) => ({ ...unit, values: [...unit.values, ...(level === 1 ? ['Region'] : [])] })),
}));
await buildRelease(writeDataset(join(folder, 'countries.gpkg'), 'GPKG', layers), folder);
const proxy = await startService(folder, { explorer: true });

const ANYONE = { authorization: undefined };
/** The folder with the digest. */
const [base = ''] = /explorer\/[\w-]{16}\//.exec(textOf(await send(proxy, '/', ANYONE))) ?? [];

/** What a page refers to. */
async function referencesOf(page: string): Promise<string[]> {
  const html = textOf(await send(proxy, page, ANYONE));
  return [...html.matchAll(/(?:href|src)="(explorer\/[^"]*)"/g)].map(([, path = '']) => path);
}

test('each file that a page refers to is there, of its type, and never asked for again', async () => {
  for (const page of ['/', '/docs'])
    for (const path of await referencesOf(page)) {
      const answer = await send(proxy, `/${path}`, ANYONE);
      assert.equal(answer.status, 200, path);
      assert.ok(path.startsWith(base), path);
      assert.equal(answer.headers['content-type'], TYPES[extname(path)], path);
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable', path);
    }
  for (const page of ['/', '/docs', '/about.json'])
    assert.equal((await send(proxy, page, ANYONE)).headers['cache-control'], 'public, no-cache');
});

test('the page has one script of its own and one style sheet, the map library is as its makers have it', async () => {
  const names = (await referencesOf('/')).map((path) => path.slice(base.length));
  assert.deepEqual([...new Set(names)].sort(), [
    'icon.svg',
    'lib/maplibre-gl-worker.mjs',
    'lib/maplibre-gl.mjs',
    'page/page.css',
    'page/page.js',
  ]);
  const require = createRequire(import.meta.url);
  for (const name of ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs']) {
    const text = readFileSync(require.resolve(`maplibre-gl/dist/${name}`), 'utf8');
    assert.equal(textOf(await send(proxy, `/${base}lib/${name}`, ANYONE)), text, name);
  }
  const script = textOf(await send(proxy, `/${base}page/page.js`, ANYONE));
  assert.deepEqual([...new Set(script.match(/(?<=\b(?:from|import\()")\.[^"]*/g))], ['../lib/maplibre-gl.mjs']);
});

test('the sources are not served, nor what has another digest', async () => {
  const sources = filesUnder(EXPLORER);
  assert.ok(sources.includes('app.js') && sources.includes('tsconfig.json'));
  const others = [...sources, '', 'page/page.js', 'lib/', 'lib/maplibre-gl-dev.mjs', '../handler.ts'];
  for (const name of others) assert.equal((await send(proxy, `/explorer/${name}`, ANYONE)).status, 404, name);
  const stale = `/${base}page/page.js`.replace(/[\w-]{16}/, '0123456789abcdef');
  assert.equal((await send(proxy, stale, ANYONE)).status, 404);
  assert.equal((await send(proxy, `/${base}app.js`, ANYONE)).status, 404);
});

test('the digest changes with a source, and is the same whether the files were bundled at the start or before', () => {
  const home = temporaryFolder();
  // The sources import packages.
  symlinkSync(resolve('node_modules'), join(home, 'node_modules'));
  const copy = join(home, 'explorer');
  cpSync(EXPLORER, copy, { recursive: true });
  const bundled = join(home, 'bundled');
  writeExplorer(bundled, bundleExplorer(copy, { sourceMaps: true }));
  const pathsOf = (from: string): string[] => [...explorerAssets({ audience: 'private' }, from).keys()].sort();
  const paths = pathsOf(copy);
  assert.ok(paths.some((path) => path.endsWith('/page/page.js')));
  assert.deepEqual(pathsOf(bundled), paths);
  appendFileSync(join(copy, 'styles', 'phone.css'), '.one-more { color: red; }');
  const changed = pathsOf(copy);
  assert.equal(changed.length, paths.length);
  assert.deepEqual(
    changed.filter((path) => paths.includes(path)),
    ['/', '/about.json', '/docs'],
  );
});

test('pages, scripts and workers may load from the service alone, without eval, inline code and blobs', async () => {
  const paths = ['/', '/docs', `/${base}page/page.js`, `/${base}lib/maplibre-gl-worker.mjs`];
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
