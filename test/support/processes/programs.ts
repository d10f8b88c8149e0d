// Programs that tests use and that a machine need not have.
import { spawnSync } from 'node:child_process';

/** Why a test is skipped where one of these commands does not work; false where all do. */
export function without(...commands: string[]): string | false {
  const missing = commands.filter((command) => spawnSync('sh', ['-c', `${command} > /dev/null`]).status !== 0);
  return missing.length > 0 && `not available here: ${missing.join(', ')}`;
}
