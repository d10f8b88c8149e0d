// The modules of the explorer one by one, for tests that import them in a browser: the proxy itself serves them
// bundled.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { type Asset, type Assets, makeAsset } from '../../../proxy/site/asset.ts';
import { publicAssets } from '../../../proxy/site/explorer-files.ts';
import { filesUnder } from '../files.ts';

const FOLDER = resolve('proxy/explorer');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
};

/** The public files of a proxy, and each module of the explorer under /explorer/, with the policy of the bundle. */
export function assetsWithModules(): Assets {
  const assets = publicAssets({ audience: 'private' }, true);
  const bundle = [...assets].find(([path]) => path.endsWith('/page/page.js'))?.[1];
  const { headers } = bundle as Asset;
  const require = createRequire(import.meta.url);
  const { buildSync }: typeof import('esbuild') = require('esbuild');
  const own = filesUnder(FOLDER)
    .filter((name) => extname(name) in TYPES)
    .map((name) => [name, readFileSync(join(FOLDER, name))] as const);
  const entryPoints = [join(FOLDER, 'lib/topojson-client.js')];
  const [topojson] = buildSync({ entryPoints, bundle: true, format: 'esm', write: false }).outputFiles;
  const libraries = ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs'].map(
    (name) => [`lib/${name}`, readFileSync(require.resolve(`maplibre-gl/dist/${name}`))] as const,
  );
  const files = new Map([...own, ...libraries, ['lib/topojson-client.js', Buffer.from(topojson?.contents ?? '')]]);
  const modules = [...files].map(
    ([name, content]) => [`/explorer/${name}`, makeAsset(TYPES[extname(name)] ?? '', content, headers)] as const,
  );
  return new Map([...assets, ...modules]);
}
