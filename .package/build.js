// Makes dist/, which is what the package holds: the programs compiled, their types, the explorer and the reader
// bundled.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleReader } from './bundle-reader.js';

/** The libraries in the explorer's files, by the name of their licence. */
const LICENCES = {
  'maplibre-gl': 'LICENSE.txt',
  preact: 'LICENSE',
  '@preact/signals': 'LICENSE',
  '@preact/signals-core': 'LICENSE',
};

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);
const compiler = join(dirname(installed('typescript/package.json')), 'bin', 'tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', join(root, '.package')], { stdio: 'inherit' });

const { bundleExplorer, writeExplorer } = await import(
  pathToFileURL(join(dist, 'proxy', 'site', 'explorer-bundle.js')).href
);
const explorer = join(dist, 'proxy', 'explorer');
writeExplorer(explorer, bundleExplorer(join(root, 'proxy', 'explorer'), { sourceMaps: false }));
for (const [name, licence] of Object.entries(LICENCES))
  cpSync(join(root, 'node_modules', name, licence), join(explorer, 'lib', `${name.replace(/^@.*\//, '')}.LICENSE.txt`));

await bundleReader(root, join(dist, 'points.js'));

/**
 * The path of a file of a package.
 * @param {string} name
 */
function installed(name) {
  try {
    return require.resolve(name);
  } catch {
    console.error('the packages of this clone are not installed\n  what to do: npm ci --include=dev');
    process.exit(1);
  }
}
