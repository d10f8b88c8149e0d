// A network of its own for a test file, whose packets are as small as real ones: on plain loopback the operating system
// takes one or two megabytes of a body at once, and hides what a real network shows.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { without } from './programs.ts';

const UNSHARE = ['--map-root-user', '--net'];
const NETWORK = 'ip link set lo mtu 1500 up';
const VARIABLE = 'OWN_NETWORK';

/** Is this the process of a test file that has such a network? */
export const hasOwnNetwork: boolean = process.env[VARIABLE] !== undefined;

/** Why it cannot be made; false where it can. */
export const withoutOwnNetwork: string | false = hasOwnNetwork
  ? false
  : without(`unshare ${UNSHARE.join(' ')} ${NETWORK}`);

/**
 * Runs a test file again, in a network of its own; fails if a test fails there.
 * @param module `import.meta.url` of the file
 */
export async function runInOwnNetwork(module: string): Promise<void> {
  const script = [NETWORK, 'exec "$@"'].join(' && ');
  const node = [process.execPath, ...process.execArgv, fileURLToPath(module)];
  const child = spawn('unshare', [...UNSHARE, 'sh', '-c', script, 'sh', ...node], {
    env: { ...process.env, [VARIABLE]: 'yes', NODE_TEST_CONTEXT: '' },
    stdio: 'inherit',
  });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
}
