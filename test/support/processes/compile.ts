// The project compiled once for a test file that starts many processes: they start in half the time that tsx takes.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMPILER = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

/**
 * Compiles a module and what it imports, without checking types, into a folder that is removed when the test file ends.
 * @param file TypeScript file, by its path in the repository
 * @returns the path of the compiled module
 */
export function compile(file: string): string {
  const folder = temporaryFolder();
  const config = {
    extends: join(ROOT, '.package/tsconfig.json'),
    compilerOptions: { rootDir: ROOT, outDir: folder, declaration: false, noCheck: true, types: [] },
    files: [join(ROOT, file)],
    include: [],
  };
  const configFile = join(folder, 'tsconfig.json');
  writeFileSync(configFile, JSON.stringify(config));
  execFileSync(process.execPath, [COMPILER, '-p', configFile]);
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(ROOT, 'proxy/explorer'), join(folder, 'proxy/explorer'), { recursive: true });
  return join(folder, file.replace(/\.ts$/, '.js'));
}
