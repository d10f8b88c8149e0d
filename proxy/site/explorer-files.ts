// The explorer: a page on which the interface can be tried, served from here alone. A fixed map of paths to files, read
// once. It holds no data: whatever it shows it asks for with the token that its user types in.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PAGE_CAPS } from '../../format/levels.ts';
import type { JsonObject } from '../../format/parse.ts';
import type { HeaderList } from '../http/answer.ts';
import type { LoadedRelease } from '../origin/releases.ts';
import type { Asset, Assets } from './asset.ts';
import { makeAsset } from './asset.ts';
import { docsPage } from './docs-page.ts';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** By the name that it has under /explorer/. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['service-info.js', SCRIPT],
  ['app.js', SCRIPT],
  ['page-request.js', SCRIPT],
  ['box.js', SCRIPT],
  ['client.js', SCRIPT],
  ['colour.js', SCRIPT],
  ['copy.js', SCRIPT],
  ['form.js', SCRIPT],
  ['map.js', SCRIPT],
  ['error-message.js', SCRIPT],
  ['breadcrumbs.js', SCRIPT],
  ['unit.js', SCRIPT],
  ['panels.js', SCRIPT],
  ['style.css', STYLE],
  ['icon.svg', 'image/svg+xml'],
  ['land.geojson', 'application/geo+json'],
]);

/** The map library's, likewise. */
const LIBRARY_FILES: ReadonlyMap<string, string> = new Map([
  ['leaflet.js', SCRIPT],
  ['leaflet.css', STYLE],
]);

/** Nothing from elsewhere, nothing inline, in nobody's frame; and no address of ours in anybody's log. */
const PAGE_HEADERS: HeaderList = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Referrer-Policy',
  'no-referrer',
];

/**
 * Every path of the explorer.
 * @param document the document of the interface, which /docs shows
 */
export function explorerAssets(document: JsonObject): Assets {
  const require = createRequire(import.meta.url);
  const own = (name: string): Buffer => readFileSync(new URL(`../explorer/${name}`, import.meta.url));
  const library = (name: string): Buffer => readFileSync(require.resolve(`leaflet/dist/${name}`));
  const under = (files: ReadonlyMap<string, string>, read: (name: string) => Buffer): [string, Asset][] =>
    [...files].map(([name, type]) => [`/explorer/${name}`, makeAsset(type, read(name))]);
  return new Map<string, Asset | ((release: LoadedRelease) => Asset)>([
    ['/', makeAsset(HTML, own('index.html'), PAGE_HEADERS)],
    ['/docs', makeAsset(HTML, docsPage(document), PAGE_HEADERS)],
    ['/about.json', aboutAsset],
    ...under(FILES, own),
    ...under(LIBRARY_FILES, library),
  ]);
}

/** What anyone may know of a release: its id, and who must be named where it is shown. */
function aboutAsset({ id, attribution }: LoadedRelease): Asset {
  return makeAsset('application/json', `${JSON.stringify({ release: id, attribution, caps: PAGE_CAPS })}\n`);
}
