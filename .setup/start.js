// `npm start`: tries the port, sets the clone up, builds the sample where there is no release, and serves the release.
// Its arguments are those of `serve`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressOf, listenError, nextFreePort } from './port.js';

/** Exit code of a step that a signal ended. */
const ENDED = 1;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
process.exitCode = await start();

/** @returns {Promise<number>} the exit code of the step that failed, or of the service */
async function start() {
  const { host, port } = addressOf(args, process.env);
  const error = await listenError(host, port);
  if (error !== undefined) return refuse(host, port, error);
  const program = (/** @type {string} */ main) => ['--import', 'tsx', join(root, main)];
  return (
    (await run([join(root, '.setup', 'setup.js')])) ||
    (await run([...program('generator/main.ts'), 'build', '--sample', '--unless-published'])) ||
    (await run([...program('proxy/main.ts'), 'serve', '--dev', ...args]))
  );
}

/**
 * Says that the port cannot be had, and which one can.
 * @param {string} host
 * @param {number} port
 * @param {string} code of the error
 */
async function refuse(host, port, code) {
  const problem = code === 'EADDRINUSE' ? 'the port is already in use' : `the service cannot listen there (${code})`;
  const free = await nextFreePort(host, port);
  const other = free === undefined ? 'choose another --host' : `choose another port: npm start -- --port ${free}`;
  const remedy = code === 'EADDRINUSE' ? `stop the program that listens there, or ${other}` : other;
  console.error(`${host} port ${port}: ${problem}\n  what to do: ${remedy}`);
  return 1;
}

/**
 * Runs Node to its end. Ctrl+C reaches both processes; a signal to this one alone is passed on.
 * @param {readonly string[]} words
 * @returns {Promise<number>} the exit code
 */
async function run(words) {
  const child = spawn(process.execPath, words, { cwd: root, stdio: 'inherit' });
  const passOn = () => child.kill('SIGTERM');
  const wait = () => {};
  process.on('SIGTERM', passOn).on('SIGINT', wait);
  const [code] = await once(child, 'exit');
  process.off('SIGTERM', passOn).off('SIGINT', wait);
  return code ?? ENDED;
}
