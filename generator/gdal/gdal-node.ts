// Which Node has GDAL. Where gdal-async has no binding for this one, the set-up of a clone notes another one, on which
// the generator then runs (.setup/other-node.js). In an installed package nothing is ever noted.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The newest line of Node for which gdal-async was seen to work. */
export const GDAL_LINE = 24;

/** The binary of the noted Node; undefined where this one has the binding, or none is noted. */
export function notedNode(): string | undefined {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('gdal-async/package.json'));
    const abi = `node-v${process.versions.modules}-${process.platform}-${process.arch}`;
    const binding = join(folder, 'lib', 'binding', abi);
    if (existsSync(join(binding, 'gdal.node'))) return undefined;
    const program = readFileSync(join(binding, 'other-node'), 'utf8');
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/** Runs this program on another Node, in place of this process where the platform can, and ends. */
export function runOn(program: string): never {
  const [, ...args] = process.argv;
  const all = [...process.execArgv, ...args];
  if (process.platform !== 'win32') process.execve?.(program, [program, ...all]);
  process.exit(spawnSync(program, all, { stdio: 'inherit' }).status ?? 1);
}
