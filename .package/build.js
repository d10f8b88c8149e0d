// Makes dist/, which is what the package holds: the programs compiled, their types, and the explorer's files as they are.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the proxy serves of the explorer's folder. */
const SERVED = ['.html', '.js', '.css', '.svg'];

/** Files of the map library, which is no dependency of the package: with its sources it takes 30 times the space. */
const MAP_FILES = ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', join(root, '.package')], { stdio: 'inherit' });
const explorer = join(dist, 'proxy', 'explorer');
cpSync(join(root, 'proxy', 'explorer'), explorer, {
  recursive: true,
  filter: (file) => statSync(file).isDirectory() || SERVED.includes(extname(file)),
});

const library = join(explorer, 'lib');
const mapPackage = dirname(require.resolve('maplibre-gl/package.json'));
mkdirSync(library, { recursive: true });
for (const name of MAP_FILES) cpSync(join(mapPackage, 'dist', name), join(library, name));
cpSync(join(mapPackage, 'LICENSE.txt'), join(library, 'maplibre-gl.LICENSE.txt'));
