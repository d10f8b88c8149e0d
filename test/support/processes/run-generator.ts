// Types a command of the generator, for tests of what it prints and how it exits.
import { spawnSync } from 'node:child_process';
import { compile } from './compile.ts';

/** The compiled program. */
export const GENERATOR = compile('generator/main.ts');

/** Runs a command to its end. @param cwd the folder to type it in */
export function runGenerator(args: readonly string[], cwd?: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GENERATOR, ...args], { encoding: 'utf8', cwd });
  return { status, stdout, stderr };
}
