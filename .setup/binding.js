// The set-up's second half: gdal-async's native part, downloaded or built against the GDAL of the system.
// Never the GDAL that comes with gdal-async in source: compiling that takes an hour.
import { existsSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { run, SetupError, say } from './run.js';

/** A download that brings nothing for so long is given up. */
const STALLED_MS = 15_000;

/** @param {string} root */
function packageFolder(root) {
  return join(root, 'node_modules', 'gdal-async');
}

/**
 * The file that gdal-async loads in this Node, on this machine.
 * @param {string} root
 */
function bindingFile(root) {
  const folder = `node-v${process.versions.modules}-${process.platform}-${process.arch}`;
  return join(packageFolder(root), 'lib', 'binding', folder, 'gdal.node');
}

/**
 * Is there a binding, with every library that it needs?
 * @param {string} root
 */
export function bindingLoads(root) {
  try {
    createRequire(import.meta.url)(bindingFile(root));
    return true;
  } catch {
    return false;
  }
}

/**
 * Fetches the binary that gdal-async's authors publish for this platform. A host that cannot be reached costs seconds.
 * @param {string} root
 * @returns {Promise<boolean>} is it there and does it load?
 */
export async function downloadBinding(root) {
  say("downloading gdal-async's prebuilt binary");
  removeBinding(root);
  const { ok } = await preGyp(root, ['install'], {
    progress: () => statSync(bindingFile(root), { throwIfNoEntry: false })?.size ?? 0,
    stalledMs: STALLED_MS,
  });
  if (ok && bindingLoads(root)) return true;
  removeBinding(root);
  return false;
}

/**
 * Compiles the binding against the system's GDAL.
 * @param {string} root
 * @throws {SetupError} with the end of the compiler's output
 */
export async function buildBinding(root) {
  say("that did not work; compiling gdal-async against the system's GDAL (a few minutes)");
  removeBinding(root);
  const { ok, tail } = await preGyp(root, [
    'install',
    '--build-from-source',
    '--shared_gdal=true',
    '--jobs=max',
    ...headers(),
  ]);
  rmSync(join(packageFolder(root), 'build'), { recursive: true, force: true });
  if (ok && bindingLoads(root)) return;
  removeBinding(root);
  throw new SetupError(`gdal-async could not be compiled against the system's GDAL:\n\n${tail}`);
}

/**
 * Half of a binding would be taken for a whole one.
 * @param {string} root
 */
function removeBinding(root) {
  rmSync(dirname(bindingFile(root)), { recursive: true, force: true });
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 * @param {{ progress?: () => number, stalledMs?: number }} [watch]
 */
function preGyp(root, args, watch = {}) {
  const program = join(packageFolder(root), 'node_modules', '@mapbox', 'node-pre-gyp', 'bin', 'node-pre-gyp');
  return run(process.execPath, [program, ...args], { cwd: packageFolder(root), env: environment(), ...watch });
}

/**
 * node-pre-gyp takes options from npm's, and looks for a proxy among those for plain HTTP only, though it fetches by
 * HTTPS.
 */
function environment() {
  const env = { ...process.env };
  for (const option of ['build_from_source', 'fallback_to_build', 'argv']) delete env[`npm_config_${option}`];
  const proxy = env['npm_config_https_proxy'] ?? env['HTTPS_PROXY'] ?? env['https_proxy'];
  return proxy ? { ...env, npm_config_proxy: proxy } : env;
}

/** Node's own headers, where they came with it; otherwise node-gyp downloads them. */
function headers() {
  const prefix = dirname(dirname(process.execPath));
  const known = process.env['npm_config_nodedir'] === undefined;
  return known && existsSync(join(prefix, 'include', 'node', 'node_version.h')) ? [`--nodedir=${prefix}`] : [];
}
