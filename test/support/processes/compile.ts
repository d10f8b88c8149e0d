// The project compiled once for the tests that start processes: they start in half the time that tsx takes.
import { execFileSync } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleExplorer, writeExplorer } from '../../../proxy/site/explorer-bundle.ts';
import { sharedFolder } from '../cached-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMPILER = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

/** The programs that tests start. */
const PROGRAMS = [
  'proxy/main.ts',
  'generator/main.ts',
  'test/support/processes/collect-on-signal.ts',
  'test/support/processes/killed-build.ts',
  'test/support/processes/lock-holder.ts',
] as const;

/**
 * Compiles the project, without checking types, where that has not been done since it was changed.
 * @param file one of the programs, by its path in the repository
 * @returns the path of the compiled module
 */
export function compile(file: (typeof PROGRAMS)[number]): string {
  const folder = sharedFolder(import.meta.url, 'programs', compileAll);
  return join(folder, file.replace(/\.ts$/, '.js'));
}

function compileAll(folder: string): void {
  compileInto(folder, PROGRAMS);
}

/**
 * Compiles programs of the project and what they import, as the package has them, without checking types.
 * @param folder receives the compiled files
 * @param programs their paths in the repository
 * @returns the compiled module of a TypeScript file of the repository
 * @throws Error when the compiler fails
 */
export function compileInto(folder: string, programs: readonly string[]): (file: string) => string {
  const config = {
    extends: join(ROOT, '.package/tsconfig.json'),
    compilerOptions: { rootDir: ROOT, outDir: folder, declaration: false, noCheck: true, types: [] },
    files: programs.map((program) => join(ROOT, program)),
    include: [],
  };
  const configFile = join(folder, 'tsconfig.json');
  writeFileSync(configFile, JSON.stringify(config));
  execFileSync(process.execPath, [COMPILER, '-p', configFile]);
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const explorer = bundleExplorer(join(ROOT, 'proxy/explorer'), { sourceMaps: false });
  writeExplorer(join(folder, 'proxy/explorer'), explorer);
  return (file) => join(folder, file.replace(/\.ts$/, '.js'));
}
