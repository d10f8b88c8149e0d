// The project and its tests, compiled once. What is compiled starts in half the time that tsx takes: `npm test` runs
// all test files so, and a test file that is run by itself the processes that it starts.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleExplorer, writeExplorer } from '../../../proxy/site/explorer-bundle.ts';
import { sharedFolder } from '../cached-folder.ts';

/** Tests run in the root folder of the repository. */
const REPOSITORY = resolve();
const PROGRAMS = ['format', 'generator', 'proxy'];
const EXPLORER = 'proxy/explorer';
/** JavaScript, and what the explorer is bundled from: its sources and those that it shares. */
const COPIED = ['.package', '.setup', 'format', 'proxy'];
/** The folder that has the programs as the package has them: with the explorer bundled. */
const PACKAGE = 'package';

/**
 * The compiled module of a TypeScript file, which is named by its path in the repository; those of programs as in the
 * package.
 */
export function compile(file: string): string {
  const folder = file.startsWith('test/') ? compiledProject() : join(compiledProject(), PACKAGE);
  return join(folder, file.replace(/\.ts$/, '.js'));
}

/**
 * Compiles the project, without checking types, where that has not been done since it was changed.
 * @returns a folder with the compiled modules under the paths of their sources
 * @throws Error when the compiler fails
 */
export function compiledProject(): string {
  const isCompiled = import.meta.url.endsWith('.js');
  if (isCompiled) return fileURLToPath(new URL('../../..', import.meta.url));
  return sharedFolder(import.meta.url, ['.setup', ...PROGRAMS, 'test'], compileAll);
}

function compileAll(folder: string): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const config = {
    extends: join(REPOSITORY, '.package/tsconfig.json'),
    compilerOptions: {
      rootDir: REPOSITORY,
      outDir: folder,
      declaration: false,
      sourceMap: true,
      noCheck: true,
      types: [],
    },
    include: [...PROGRAMS, 'test'].map((path) => join(REPOSITORY, path)),
    exclude: ['explorer', 'examples'].map((path) => join(REPOSITORY, 'proxy', path)),
  };
  const configFile = join(folder, 'tsconfig.json');
  writeFileSync(configFile, JSON.stringify(config));
  execFileSync(process.execPath, [compiler, '-p', configFile]);
  const inPackage = join(folder, PACKAGE);
  for (const path of PROGRAMS) cpSync(join(folder, path), join(inPackage, path), { recursive: true });
  writeExplorer(join(inPackage, EXPLORER), bundleExplorer(resolve(EXPLORER), { sourceMaps: false }));
  for (const path of COPIED) cpSync(path, join(folder, path), { recursive: true });
  // The package itself has its modules in dist/.
  const description = readFileSync('package.json', 'utf8').replaceAll('./dist/', './');
  for (const root of [folder, inPackage]) {
    writeFileSync(join(root, 'package.json'), description);
    symlinkSync(realpathSync(join(REPOSITORY, 'node_modules')), join(root, 'node_modules'));
  }
}
