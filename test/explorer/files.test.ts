// What the service tells about itself without a token: the files of the explorer and of the map for other sites, its
// documentation and about.json, under which names, with which headers, and with nothing of the data.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { packageVersion } from '../../format/command-line/messages.ts';
import { LIGHT_CAPS, PAGE_CAPS } from '../../format/page-caps.ts';
import { readAbout } from '../../proxy/explorer/api/about.ts';
import { bundleExplorer, writeExplorer } from '../../proxy/site/explorer-bundle.ts';
import { explorerAssets } from '../../proxy/site/explorer-files.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { filesUnder } from '../support/files.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildCountries, buildLayers, ONE_OTHER } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const EXPLORER = 'proxy/explorer';
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const TITLE = 'Boundaries of <Aland> & Beland';
const DATE = '2026-11-22';
const LICENCE = 'CC-BY-4.0';
/** Compressed. */
const PAGE_MAX_BYTES = 50_000;
const TABLE_MAX_BYTES = 20_000;
const ATTRIBUTION = ['Tests & <i>friends</i>, https://example.org/data.', 'Second source (example.com)'];

const layers = countryLayers().map((layer, level) => {
  if (level !== 1) return layer;
  const features = layer.features.map((unit) => ({ ...unit, values: [...unit.values, 'Region'] }));
  return { ...layer, columns: [...layer.columns, 'ENGTYPE_1'], features };
});
const folder = await buildLayers(layers, {
  ...ONE_OTHER,
  date: DATE,
  licence: LICENCE,
  attribution: ATTRIBUTION,
});
const proxy = await startService(folder, { explorer: true });

const PATHS = [...explorerAssets({ audience: 'private' }).keys()];
const ANYONE = { authorization: undefined };
const [base = ''] = /explorer\/[\w-]{16}\//.exec(textOf(await send(proxy, '/', ANYONE))) ?? [];

async function referencesOf(page: string): Promise<string[]> {
  const html = textOf(await send(proxy, page, ANYONE));
  return [...html.matchAll(/(?:href|src)="(explorer\/[^"]*)"/g)].map(([, path = '']) => path);
}

test('the page knows of which levels boxes are compared with boxes: of those without cells', async () => {
  const boxes = await startService(await buildCountries(), { explorer: true });
  for (const [{ url }, expected] of [
    [boxes, true],
    [proxy, false],
  ] as const) {
    const { levels } = await readAbout(`${url}/`);
    const areBoxes = levels.map(({ hasBoxes }) => hasBoxes);
    assert.deepEqual(areBoxes, [expected, expected, expected, false, false, false]);
  }
});

test('every file is there in both codings, with a tag that is answered by 304, and cannot be embedded or posted to', async () => {
  for (const path of PATHS) {
    const answers = await Promise.all(
      ['gzip', 'identity'].map((coding) => send(proxy, path, { ...ANYONE, 'accept-encoding': coding })),
    );
    for (const { status, headers } of answers) {
      assert.equal(status, 200, path);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      // What is named by its digest is never asked for again.
      const isHashed = path.startsWith('/explorer/');
      const caching = isHashed ? 'public, max-age=31536000, immutable' : 'public, no-cache';
      assert.equal(headers['cache-control'], caching, path);
      assert.equal(headers.vary, 'Accept-Encoding');
      const again = await send(proxy, path, {
        ...ANYONE,
        'accept-encoding': headers['content-encoding'],
        'if-none-match': headers.etag,
      });
      assert.equal(again.status, 304, path);
      if (!headers['content-type']?.startsWith('text/html')) continue;
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
      assert.equal(headers['referrer-policy'], 'no-referrer');
    }
    const [gzip, plain] = answers;
    assert.ok(gzip && plain && textOf(gzip) === textOf(plain), path);
    assert.notEqual(gzip.headers.etag, plain.headers.etag);
    assert.equal((await send(proxy, path, {}, 'POST')).status, 405);
  }
});

test('each file that a page refers to is there, of its type, under the digest', async () => {
  for (const page of ['/', '/docs'])
    for (const path of await referencesOf(page)) {
      const answer = await send(proxy, `/${path}`, ANYONE);
      assert.equal(answer.status, 200, path);
      assert.ok(path.startsWith(base), path);
      assert.equal(answer.headers['content-type'], TYPES[extname(path)], path);
    }
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
  const later = [...new Set(script.match(/(?<=\b(?:from|import\()")\.[^"]*/g))].sort();
  assert.deepEqual(later, ['../lib/maplibre-gl.mjs', '../share/picture.js', '../table/table.js']);
});

test('what the page loads later has no libraries of its own, and is small; so is the page', async () => {
  const sizeOf = (name: string): number => {
    const asset = assets.get(`/${base}${name}`);
    return asset !== undefined && 'gzip' in asset ? asset.gzip.length : assert.fail(`${name} is not served`);
  };
  const assets = explorerAssets({ audience: 'private' });
  for (const name of ['table/table.js', 'share/picture.js']) {
    const script = textOf(await send(proxy, `/${base}${name}`, ANYONE));
    const named = [...new Set(script.match(/(?<=\b(?:from|import\()")[^"]*/g))];
    assert.deepEqual(named, name === 'table/table.js' ? ['../page/page.js'] : [], name);
  }
  const sizes = ['page/page.js', 'page/page.css'].map(sizeOf);
  const index = assets.get('/');
  assert.ok(index !== undefined && 'gzip' in index);
  const page = sizes.reduce((sum, size) => sum + size, index.gzip.length);
  assert.ok(page <= PAGE_MAX_BYTES, `${page} bytes of the page`);
  const later = [...assets.keys()].filter((path) => /\/(table|share)\/[^/]+(?<!\.map)$/.test(path));
  const table = later.reduce((sum, path) => sum + sizeOf(path.slice(base.length + 1)), 0);
  assert.ok(table <= TABLE_MAX_BYTES, `${table} bytes for tables and pictures`);
});

test('the scripts that read a table have no means to send it', async () => {
  for (const name of ['table/table.js', 'table/worker.js', 'share/picture.js']) {
    const script = textOf(await send(proxy, `/${base}${name}`, ANYONE));
    assert.ok(script.length > 1000, name);
    const means =
      /\b(fetch|XMLHttpRequest|WebSocket|WebTransport|EventSource|sendBeacon|importScripts|localStorage|sessionStorage|indexedDB|caches|BroadcastChannel|cookie|history|location)\b/;
    assert.doesNotMatch(script, means, name);
  }
});

test('the sources are not served, nor what has another digest; the explorer can be left out', async () => {
  const sources = filesUnder(EXPLORER);
  assert.ok(sources.includes('page/page.ts') && sources.includes('tsconfig.json'));
  const others = [...sources, '', 'page/page.js', 'lib/', 'lib/maplibre-gl-dev.mjs', '../handler/handler.ts'];
  for (const name of others) assert.equal((await send(proxy, `/explorer/${name}`, ANYONE)).status, 404, name);
  const stale = `/${base}page/page.js`.replace(/[\w-]{16}/, '0123456789abcdef');
  assert.equal((await send(proxy, stale, ANYONE)).status, 404);
  assert.equal((await send(proxy, `/${base}page/page.ts`, ANYONE)).status, 404);
  const plain = await startService(folder);
  for (const path of PATHS) assert.equal((await send(plain, path)).status, 404, path);
  // What describes the service to anybody is no part of the explorer.
  for (const path of ['/openapi.json', '/about.json']) {
    const [own, other] = await Promise.all([plain, proxy].map((at) => send(at, path, ANYONE)));
    assert.deepEqual([own?.status, own?.body], [200, other?.body], path);
  }
});

test('the digest changes with a source, and is the same whether the files were bundled at the start or before', () => {
  const home = temporaryFolder();
  // The sources import packages, and what they share with programs.
  symlinkSync(resolve('node_modules'), join(home, 'node_modules'));
  const copy = join(home, EXPLORER);
  for (const folder of [EXPLORER, 'proxy/match/rules', 'proxy/tables', 'format'])
    cpSync(folder, join(home, folder), { recursive: true });
  const bundled = join(home, 'bundled');
  writeExplorer(bundled, bundleExplorer(copy, { sourceMaps: true }));
  const pathsOf = (from: string): string[] => [...explorerAssets({ audience: 'private' }, from).keys()].sort();
  const paths = pathsOf(copy);
  assert.ok(paths.some((path) => path.endsWith('/page/page.js')));
  assert.deepEqual(pathsOf(bundled), paths);
  appendFileSync(join(copy, 'styles', 'phone.css'), '.one-more { color: red; }');
  const changed = pathsOf(copy);
  assert.equal(changed.length, paths.length);
  const kept = changed.filter((path) => paths.includes(path));
  assert.deepEqual(kept, ['/', '/docs']);
});

test('pages, scripts and workers may load from the service alone, without eval, inline code and blobs', async () => {
  const paths = ['/', '/docs', `/${base}page/page.js`, `/${base}lib/maplibre-gl-worker.mjs`];
  for (const path of paths) {
    const policy = String((await send(proxy, path, ANYONE)).headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'; worker-src 'self'; /, path);
    assert.doesNotMatch(policy, /unsafe|https?:|data:|blob:|\*/, path);
  }
});

test('pages of the sites that are named may show /embed in a frame, and no other page; others do not have it', async () => {
  const embedOrigins = ['https://www.example.org', 'http://127.0.0.1:8000'];
  const embedding = await startService(folder, { explorer: true, isPublic: true, embedOrigins });
  const policyOf = async (at: typeof proxy, path: string): Promise<string> => {
    const { status, headers } = await send(at, path, ANYONE);
    assert.equal(status, 200, path);
    assert.equal(headers['x-frame-options'], undefined);
    return String(headers['content-security-policy']);
  };
  const policy = await policyOf(embedding, '/');
  assert.match(policy, /; frame-ancestors 'none'$/);
  assert.equal(await policyOf(embedding, '/docs'), policy);
  const allowed = `frame-ancestors ${embedOrigins.join(' ')}`;
  assert.equal(await policyOf(embedding, '/embed'), policy.replace("frame-ancestors 'none'", allowed));
  const html = textOf(await send(embedding, '/embed', ANYONE));
  const files = [...html.matchAll(/"(explorer\/[^"]*)"/g)].map(([, path = '']) => path);
  assert.ok(files.some((path) => path.endsWith('/embed/embed.js')));
  for (const path of files) assert.equal((await send(embedding, `/${path}`, ANYONE)).status, 200, path);
  const { headers } = await send(embedding, '/embed', ANYONE);
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['cache-control'], 'public, max-age=60, stale-while-revalidate=600');
  const told = async (at: typeof proxy) => JSON.parse(textOf(await send(at, '/about.json', ANYONE))).embedOrigins;
  assert.deepEqual(await told(embedding), embedOrigins);

  const open = await startService(folder, { explorer: true, isPublic: true });
  for (const other of [open, proxy]) {
    const [missing, unknown] = await Promise.all(['/embed', '/embeds'].map((path) => send(other, path, ANYONE)));
    assert.equal(missing?.status, 404);
    assert.equal(missing && textOf(missing), unknown && textOf(unknown));
    assert.equal(await told(other), undefined);
  }
});

test('with another policy a page has another tag, so that no cache goes on with the one before', async () => {
  const tags = await Promise.all(
    ['https://a.test', 'https://b.test'].map(async (site) => {
      const at = await startService(folder, { explorer: true, isPublic: true, embedOrigins: [site] });
      return (await send(at, '/embed', ANYONE)).headers.etag;
    }),
  );
  assert.notEqual(tags[0], tags[1]);
});

test('anyone may read the release, its date, licence, attribution, citation, geometries, caps and columns, and nothing of the data', async () => {
  const levels = (['COUNTRY', 'NAME_1', 'NAME_2'] as const).map((name, level) => ({
    level: `lv${level}`,
    bbox: 'exact',
    columns: {
      gid: `GID_${level}`,
      name,
      type: level === 1 ? 'ENGTYPE_1' : null,
      parents: ['GID_0', 'GID_1'].slice(0, level),
      names: {},
      codes: {},
    },
    caps: { geojsonl: PAGE_CAPS.geojsonl[level], fc: PAGE_CAPS.fc[level], low: LIGHT_CAPS.low },
    // Countries, of whose borders the regions have half; districts are drawn elsewhere.
    nesting: [0.5, 0, null][level],
    attribution: ATTRIBUTION,
  }));
  const { digest, citation, ...about } = JSON.parse(textOf(await send(proxy, '/about.json', ANYONE)));
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.ok(citation.endsWith(` SHA-256 of release.json: ${digest}.`), citation);
  assert.deepEqual(about, {
    version: packageVersion(),
    release: 'r1',
    date: DATE,
    attribution: ATTRIBUTION,
    license: LICENCE,
    geometries: ONE_OTHER.geometries,
    languages: [],
    precision: 7,
    tiles: false,
    changes: false,
    levels,
    cells: true,
    caps: PAGE_CAPS,
    lightCaps: LIGHT_CAPS,
  });
  for (const path of [...PATHS, '/openapi.json', '/about.json'])
    assert.doesNotMatch(textOf(await send(proxy, path, ANYONE)), /\bAAA\b|Aland|Beland/, path);
});

test('a service with a title is called so by its documentation, its OpenAPI documents and the landing page of OGC', async () => {
  const titled = await startService(folder, { explorer: true, title: TITLE });
  const documents = { '/openapi.json': 'info', '/api/v1/ogc/api': 'info', '/api/v1/ogc': undefined };
  for (const [path, member] of Object.entries(documents)) {
    const document = JSON.parse(textOf(await send(titled, path)));
    assert.equal((member === undefined ? document : document[member]).title, TITLE, path);
  }
  const docs = textOf(await send(titled, '/docs', ANYONE));
  assert.ok(docs.includes('<h1>Boundaries of &lt;Aland&gt; &amp; Beland</h1>'), docs.slice(0, 600));
  assert.ok(docs.includes('<title>Boundaries of &lt;Aland&gt; &amp; Beland: API documentation</title>'));
  const others = await Promise.all([...Object.keys(documents), '/docs'].map((path) => send(proxy, path)));
  for (const answer of others)
    assert.match(textOf(answer), /"title": ?"Administrative boundaries"|<h1>Administrative boundaries</);
});

test('the examples of /docs are at the public URL, otherwise where the service listens', () => {
  const docsOf = (service: { publicUrl?: string; listenUrl?: string }): string => {
    const docs = explorerAssets({ audience: 'private', ...service }).get('/docs');
    assert.ok(docs !== undefined && 'plain' in docs);
    return docs.plain.toString();
  };
  const listenUrl = 'http://127.0.0.1:9000';
  const atPort = docsOf({ listenUrl });
  assert.ok(atPort.includes(`${listenUrl}/api/v1/`) && !atPort.includes(':8080'));
  const atHome = docsOf({ listenUrl, publicUrl: 'https://boundaries.example.org' });
  assert.ok(atHome.includes('https://boundaries.example.org/api/v1/') && !/:9000|:8080/.test(atHome));
});
