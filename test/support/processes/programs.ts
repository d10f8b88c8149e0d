// Programs that tests run, and that a machine need not have.
import assert from 'node:assert/strict';
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's folder of programs that the project has installed, or that were put there for it. */
export const INSTALLED = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'administrative-boundaries-service',
);

/** Why a test is skipped where one of these commands does not work; false where all do. */
export function without(...commands: string[]): string | false {
  const missing = commands.filter((command) => spawnSync('sh', ['-c', `${command} > /dev/null`]).status !== 0);
  return missing.length > 0 && `not available here: ${missing.join(', ')}`;
}

/** What a program has printed, and its exit code. */
export interface Ended {
  status: number | null;
  text: string;
}

/** Runs a program to its end, while this process goes on. */
export async function runProgram(program: string, args: string[], options: SpawnOptions = {}): Promise<Ended> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece) => {
      text += piece;
    });
  const [status] = await once(child, 'close');
  return { status, text };
}

/** Runs a program that must end well. @returns what it has printed */
export async function printedBy(program: string, args: string[], options: SpawnOptions = {}): Promise<string> {
  const { status, text } = await runProgram(program, args, options);
  assert.equal(status, 0, text);
  return text;
}
