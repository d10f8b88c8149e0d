// The files of the explorer, a page to browse the data and try the API on: a fixed map of paths to files, read once at
// the start. They contain no data: the page requests it with the token that the user enters.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGE_CAPS } from '../../format/levels.ts';
import type { JsonObject } from '../../format/parse.ts';
import type { HeaderList } from '../http/answer.ts';
import type { LoadedRelease } from '../releases/load-release.ts';
import type { Asset, Assets } from './asset.ts';
import { makeAsset } from './asset.ts';
import { docsPage } from './docs-page.ts';
import { openapiDocument } from './openapi/document.ts';
import { openapiAsset } from './openapi-asset.ts';

const HTML = 'text/html; charset=utf-8';

/** Media types by file extension. Other files of the explorer's folder are not served. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/** Files of libraries, by their path under /explorer/. The package has those of MapLibre GL at this path. */
const LIBRARY_FILES: ReadonlyMap<string, string> = new Map([
  ['lib/maplibre-gl.mjs', 'maplibre-gl/dist/maplibre-gl.mjs'],
  ['lib/maplibre-gl-worker.mjs', 'maplibre-gl/dist/maplibre-gl-worker.mjs'],
  ['lib/topojson-client.js', 'topojson-client/dist/topojson-client.js'],
]);

/** No foreign or inline resources, in workers either. */
const CONTENT_POLICY: HeaderList = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

/** No embedding in frames, no Referer to other sites. */
const PAGE_HEADERS: HeaderList = [
  ...CONTENT_POLICY,
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Referrer-Policy',
  'no-referrer',
];

/**
 * Creates all public files, once.
 * @param publicUrl base URL of the service, if configured
 */
export function publicAssets(publicUrl: string | undefined, hasExplorer: boolean): Assets {
  const openapi = openapiAsset(publicUrl);
  return new Map([['/openapi.json', openapi], ...(hasExplorer ? explorerAssets(openapiDocument(publicUrl)) : [])]);
}

/**
 * All files of the explorer by path.
 * @param document the OpenAPI document, which /docs shows
 */
export function explorerAssets(document: JsonObject): Assets {
  const folder = fileURLToPath(new URL('../explorer', import.meta.url));
  const assets = new Map<string, Asset | ((release: LoadedRelease) => Asset)>([
    ['/', makeAsset(HTML, readFileSync(join(folder, 'index.html')), PAGE_HEADERS)],
    ['/docs', makeAsset(HTML, docsPage(document), PAGE_HEADERS)],
    ['/about.json', aboutAsset],
  ]);
  const add = (name: string, file: string): void => {
    const mediaType = MEDIA_TYPES.get(extname(name));
    // Workers have the policy of their own script.
    if (mediaType !== undefined)
      assets.set(`/explorer/${name}`, makeAsset(mediaType, readFileSync(file), CONTENT_POLICY));
  };
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile()) add(relative(folder, file).replaceAll(sep, '/'), file);
  }
  const require = createRequire(import.meta.url);
  for (const [name, module] of LIBRARY_FILES) if (!assets.has(`/explorer/${name}`)) add(name, require.resolve(module));
  return assets;
}

/** The public metadata of a release: its id, the credits to show with the data, and the columns of each level. */
function aboutAsset({ id, attribution, summaries }: LoadedRelease): Asset {
  const levels = summaries.map(({ level, gidColumns, nameColumn, typeColumn }) => ({
    level,
    gidColumns,
    nameColumn,
    typeColumn,
  }));
  return makeAsset('application/json', `${JSON.stringify({ release: id, attribution, caps: PAGE_CAPS, levels })}\n`);
}
