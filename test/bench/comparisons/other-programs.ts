// What a comparison needs and the project does not: packages of npm, and the sample as a file, kept in a folder.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { run } from '../requests/measured-release.ts';

/** A package, installed first where it is not there. @returns what it exports */
export function installed<Module>(cache: string, name: string, version: string): Module {
  const folder = resolve(cache, 'packages', `${name.replace('/', '+')}-${version}`);
  if (!existsSync(join(folder, 'node_modules', name))) {
    mkdirSync(folder, { recursive: true });
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${version}`]);
  }
  return createRequire(join(folder, 'package.json'))(name);
}

/** The file of the sample, built first where it is not there. */
export async function sampleSource(cache: string): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const source = join(cache, 'sample.gpkg');
  if (!existsSync(source)) await run('generator/main.ts', 'sample', '--out', source);
  return source;
}
