// Makes dist/, which is what the package holds: the programs compiled, their types, and the explorer's files as they are.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files of the explorer's folder that nobody is served. */
const NOT_SERVED = ['tsconfig.json', 'screenshot.png'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', join(root, '.package')], { stdio: 'inherit' });
cpSync(join(root, 'proxy', 'explorer'), join(dist, 'proxy', 'explorer'), {
  recursive: true,
  filter: (file) => !NOT_SERVED.includes(basename(file)),
});
