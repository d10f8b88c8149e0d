// The project compiled for a benchmark, as the package has it: what is measured must not pay for the TypeScript loader.
import { copyFileSync, cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { secondsOf } from '../measure/measure.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMPILER = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

/** The programs of the project and of the benchmarks. */
const PROGRAMS = [
  'generator/main.ts',
  'proxy/main.ts',
  'test/bench/path/measured.ts',
  'test/bench/load/paced.ts',
  'test/bench/servers/limit.ts',
];

/**
 * Compiles the programs and what they import, without checking types.
 * @param folder receives the compiled files
 * @returns the compiled program of a TypeScript file of the repository
 */
export async function compilePrograms(folder: string): Promise<(file: string) => string> {
  const config = {
    extends: join(ROOT, '.package/tsconfig.json'),
    compilerOptions: { rootDir: ROOT, outDir: folder, declaration: false, noCheck: true, types: [] },
    files: PROGRAMS.map((file) => join(ROOT, file)),
    include: [],
  };
  const configFile = join(folder, 'tsconfig.json');
  writeFileSync(configFile, JSON.stringify(config));
  await secondsOf(process.execPath, [COMPILER, '-p', configFile]);
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(ROOT, 'proxy/explorer'), join(folder, 'proxy/explorer'), { recursive: true });
  return (file) => join(folder, file.replace(/\.ts$/, '.js'));
}
