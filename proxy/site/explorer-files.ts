// The files of the explorer, a page to try the API on: a fixed map of paths to files, read once at the start. They
// contain no data: the page requests it with the token that the user enters.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PAGE_CAPS } from '../../format/levels.ts';
import type { JsonObject } from '../../format/parse.ts';
import type { HeaderList } from '../http/answer.ts';
import type { LoadedRelease } from '../releases/load-release.ts';
import type { Asset, Assets } from './asset.ts';
import { makeAsset } from './asset.ts';
import { docsPage } from './docs-page.ts';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Media types of the explorer's files, by their path under /explorer/. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['app.js', SCRIPT],
  ['map/map.js', SCRIPT],
  ['map/box.js', SCRIPT],
  ['map/colour.js', SCRIPT],
  ['panels/panels.js', SCRIPT],
  ['panels/form.js', SCRIPT],
  ['panels/breadcrumbs.js', SCRIPT],
  ['panels/copy.js', SCRIPT],
  ['panels/error-message.js', SCRIPT],
  ['panels/service-info.js', SCRIPT],
  ['request/client.js', SCRIPT],
  ['request/page-request.js', SCRIPT],
  ['request/unit.js', SCRIPT],
  ['style.css', STYLE],
  ['icon.svg', 'image/svg+xml'],
  ['land.geojson', 'application/geo+json'],
]);

/** The same for the map library. */
const LIBRARY_FILES: ReadonlyMap<string, string> = new Map([
  ['leaflet.js', SCRIPT],
  ['leaflet.css', STYLE],
]);

/** No foreign or inline resources, no embedding in frames, no Referer to other sites. */
const PAGE_HEADERS: HeaderList = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Referrer-Policy',
  'no-referrer',
];

/**
 * All files of the explorer by path.
 * @param document the OpenAPI document, which /docs shows
 */
export function explorerAssets(document: JsonObject): Assets {
  const require = createRequire(import.meta.url);
  const readOwn = (name: string): Buffer => readFileSync(new URL(`../explorer/${name}`, import.meta.url));
  const readLibrary = (name: string): Buffer => readFileSync(require.resolve(`leaflet/dist/${name}`));
  const toAssets = (files: ReadonlyMap<string, string>, read: (name: string) => Buffer): [string, Asset][] =>
    [...files].map(([name, mediaType]) => [`/explorer/${name}`, makeAsset(mediaType, read(name))]);
  return new Map<string, Asset | ((release: LoadedRelease) => Asset)>([
    ['/', makeAsset(HTML, readOwn('index.html'), PAGE_HEADERS)],
    ['/docs', makeAsset(HTML, docsPage(document), PAGE_HEADERS)],
    ['/about.json', aboutAsset],
    ...toAssets(FILES, readOwn),
    ...toAssets(LIBRARY_FILES, readLibrary),
  ]);
}

/** The public metadata of a release: its id, the credits to show with the data, and the columns of each level. */
function aboutAsset({ id, attribution, summaries }: LoadedRelease): Asset {
  const levels = summaries.map(({ level, gidColumns, nameColumn }) => ({
    level,
    gidColumns,
    nameColumn,
  }));
  return makeAsset('application/json', `${JSON.stringify({ release: id, attribution, caps: PAGE_CAPS, levels })}\n`);
}
