// The explorer as browsers get it: its scripts and style sheets in one file each. A proxy that runs from its sources
// makes the files when it starts, with esbuild, which runs the sources themselves; the package holds them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';

/**
 * What esbuild bundles, by the path in the explorer's folder. A bundle has the path of its entry, but for `.js`, so that
 * a module may name other files relative to its own address.
 */
const ENTRIES = ['page/page.ts', 'page/page.css', 'embed/embed.tsx', 'embed/embed.css', 'style.css', 'icon.svg'];

/**
 * Scripts that the page loads when they are needed. What they use of libraries they have from its script: with copies of
 * their own they would draw nothing that the page knows of.
 */
const LATER = ['share/picture.ts', 'table/table.tsx', 'table/worker.ts', 'table/table.css'];
const FROM_PAGE = ['preact', 'preact/hooks', 'preact/jsx-runtime', '@preact/signals'];

/** What a bundle asks for when it is needed. */
const EXTERNAL = ['*/lib/maplibre-gl.mjs', '*/share/picture.js', '*/table/table.js', '*/page/page.js'];

/** Files of the map library, which is minified already and finds its worker beside it. */
const MAP_LIBRARY = ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs'];

/** The pages. */
const [INDEX, EMBED] = ['index.html', 'embed/embed.html'] as const;

/** The pages, and what they refer to below explorer/, by path. */
export interface ExplorerFiles {
  index: string;
  /** The map for other sites. */
  embed: string;
  files: ReadonlyMap<string, Buffer>;
}

/**
 * Bundles the explorer.
 * @param folder its sources
 * @param options with source maps the browser's tools show the sources
 * @throws Error with file and line of what esbuild does not understand
 */
export function bundleExplorer(folder: string, { sourceMaps }: { sourceMaps: boolean }): ExplorerFiles {
  const require = createRequire(import.meta.url);
  const esbuild: typeof import('esbuild') = require('esbuild');
  const bundle = (entryPoints: string[], alias: Record<string, string>) =>
    esbuild.buildSync({
      absWorkingDir: folder,
      entryPoints,
      alias,
      outbase: folder,
      outdir: folder,
      write: false,
      bundle: true,
      external: EXTERNAL,
      loader: { '.svg': 'copy' },
      jsx: 'automatic',
      jsxImportSource: 'preact',
      format: 'esm',
      target: 'es2023',
      minify: true,
      sourcemap: sourceMaps ? 'linked' : false,
      logLevel: 'silent',
    }).outputFiles;
  const fromPage = Object.fromEntries(FROM_PAGE.map((name) => [name, '../page/page.js']));
  const outputs = [...bundle(ENTRIES, {}), ...bundle(LATER, fromPage)];
  const files = new Map(outputs.map(({ path, contents }) => [nameIn(folder, path), Buffer.from(contents)]));
  for (const name of MAP_LIBRARY) files.set(`lib/${name}`, readFileSync(require.resolve(`maplibre-gl/dist/${name}`)));
  return { ...readPages(folder), files };
}

/** Reads an explorer that is bundled. */
export function readExplorer(folder: string): ExplorerFiles {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) !== '');
  const files = new Map(names.map((name) => [name.replaceAll(sep, '/'), readFileSync(join(folder, name))]));
  return { ...readPages(folder), files };
}

/** Writes a bundled explorer. */
export function writeExplorer(folder: string, { index, embed, files }: ExplorerFiles): void {
  for (const [name, content] of [[INDEX, index] as const, [EMBED, embed] as const, ...files]) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

function readPages(folder: string): Omit<ExplorerFiles, 'files'> {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { index: read(INDEX), embed: read(EMBED) };
}

function nameIn(folder: string, file: string): string {
  return relative(folder, file).replaceAll(sep, '/');
}
