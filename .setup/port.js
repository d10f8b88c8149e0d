// Where `npm start` will serve, and whether it can, before anything is installed: with `node:` alone.
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';

/** The defaults of `serve`. */
const HOST = '127.0.0.1';
const PORT = 8080;
const PORTS = 65_536;

/** So many ports above the wanted one are tried. */
const TRIED = 100;
/** The lowest port that needs no privilege. */
const OPEN_PORT = 1024;

/**
 * Where `serve` listens with these arguments. A port that it would refuse is left to it: port 0 is any free one.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function addressOf(args, env) {
  const options = /** @type {const} */ ({ host: { type: 'string' }, port: { type: 'string' } });
  const { values } = parseArgs({ args, options, strict: false });
  const ofEnvironment = /^\d+$/.test(env['BOUNDARIES_PORT'] ?? '') ? env['BOUNDARIES_PORT'] : PORT;
  const { host = env['BOUNDARIES_HOST'] || HOST, port = ofEnvironment } = values;
  const isPort = /^\d{1,5}$/.test(String(port)) && Number(port) < PORTS;
  return { host: String(host), port: isPort ? Number(port) : 0 };
}

/**
 * Listens for a moment.
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | undefined>} the code of the error where that fails
 */
export function listenError(host, port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<number | undefined>} the first free port above it
 */
export async function nextFreePort(host, port) {
  const first = Math.max(port + 1, OPEN_PORT);
  for (let next = first; next < Math.min(first + TRIED, PORTS); next++)
    if ((await listenError(host, next)) === undefined) return next;
  return undefined;
}
