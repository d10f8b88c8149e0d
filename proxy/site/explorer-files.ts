// The files of the explorer, a page to browse the data and try the API on: a fixed map of paths to files, read once at
// the start. They contain no data: the page requests it with the token that the user enters.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HeaderList } from '../bodies/answer.ts';
import type { ToldService } from './about.ts';
import { type Asset, type Assets, IMMUTABLE, makeAsset } from './asset.ts';
import { docsPage, escapeHtml } from './docs-page.ts';
import { bundleExplorer, type ExplorerFiles, readExplorer } from './explorer-bundle.ts';
import type { DescribedService } from './openapi/document.ts';
import { describingAssets } from './openapi-asset.ts';

const EXPLORER = fileURLToPath(new URL('../explorer', import.meta.url));
/** What the page begins with: there it learns that nobody needs a token, or who gives them. */
const PAGE_START = '<html lang="en"';
const PUBLIC_PAGE_START = `${PAGE_START} data-audience="public"`;
const HTML = 'text/html; charset=utf-8';

/** Media types by file extension. Other files are not served. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.map', 'application/json'],
]);

/** 96 bits of SHA-256 in base64url. */
const DIGEST_CHARS = 16;

/** No foreign or inline resources, in workers either, and no frames of others. */
const CONTENT_POLICY = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
] as const;

/** No Referer to other sites. */
const PAGE_HEADERS = ['Cross-Origin-Opener-Policy', 'same-origin', 'Referrer-Policy', 'no-referrer'] as const;

/** A service whose explorer says who gives tokens. */
export interface ExploredService extends DescribedService, ToldService {
  /** The issuers of tokens, but for that of development. */
  issuers?: readonly string[] | undefined;
  /** Who gives tokens, in the words of the service. */
  signInHelp?: string | undefined;
  /** Where the examples of /docs find it, if it has no public URL. */
  listenUrl?: string | undefined;
}

/** Creates all public files, once. */
export function publicAssets(service: ExploredService, hasExplorer: boolean): Assets {
  return new Map([...describingAssets(service), ...(hasExplorer ? explorerAssets(service) : [])]);
}

/**
 * All files of the explorer by path. Scripts, styles and pictures are in a folder whose name has the digest of all of
 * them: what they name beside them is of the same version, and caches keep them without asking again.
 * @param sources the explorer's folder: its sources in a clone, bundled in the package
 */
export function explorerAssets(
  { title, publicUrl, audience, issuers = [], signInHelp = '', listenUrl, embedOrigins = [] }: ExploredService,
  sources: string = EXPLORER,
): ReadonlyMap<string, Asset> {
  const { index, embed, files } = explorerFiles(sources);
  const parts = [...files].flatMap(([name, content]) => {
    const mediaType = MEDIA_TYPES.get(extname(name));
    // Workers have the policy of their own script.
    return mediaType === undefined ? [] : [[name, makeAsset(mediaType, content, CONTENT_POLICY, IMMUTABLE)] as const];
  });
  const folder = `explorer/${digestOf(parts)}`;
  const page = (html: string, policy: HeaderList = CONTENT_POLICY): Asset =>
    makeAsset(HTML, html.replaceAll('"explorer/', `"${folder}/`), [...policy, ...PAGE_HEADERS]);
  return new Map<string, Asset>([
    [
      '/',
      page(
        index.replace(PAGE_START, () => (audience === 'public' ? PUBLIC_PAGE_START : startWith(issuers, signInHelp))),
      ),
    ],
    ['/docs', page(docsPage({ title, publicUrl: publicUrl ?? listenUrl, audience }))],
    ...(embedOrigins.length > 0 ? [['/embed', page(embed, policyIn(embedOrigins))] as const] : []),
    ...parts.map(([name, asset]) => [`/${folder}/${name}`, asset] as const),
  ]);
}

/** The policy of a page that these sites may show in a frame. */
function policyIn(origins: readonly string[]): HeaderList {
  return CONTENT_POLICY.map((text) => text.replace("frame-ancestors 'none'", `frame-ancestors ${origins.join(' ')}`));
}

/** The start of the page of a service that wants tokens: it says who gives them, where that is known. */
function startWith(issuers: readonly string[], signInHelp: string): string {
  const given = Object.entries({ issuers: issuers.join('\n'), 'sign-in-help': signInHelp });
  const known = given.filter(([, text]) => text !== '');
  return [PAGE_START, ...known.map(([name, text]) => `data-${name}="${escapeHtml(text)}"`)].join(' ');
}

function explorerFiles(folder: string): ExplorerFiles {
  const hasSources = existsSync(join(folder, 'page', 'page.ts'));
  return hasSources ? bundleExplorer(folder, { sourceMaps: true }) : readExplorer(folder);
}

/** A digest of all that caches keep. */
function digestOf(parts: readonly (readonly [name: string, asset: Asset])[]): string {
  const lines = parts.map(([name, { tag }]) => `${name} ${tag}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('base64url').slice(0, DIGEST_CHARS);
}
