// The set-up's second half: gdal-async's native part, downloaded or built against the GDAL of the system.
// Never the GDAL that comes with gdal-async in source: compiling that takes an hour.
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
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
 * Where gdal-async looks for what it loads in this Node, on this machine.
 * @param {string} root
 */
export function bindingFolder(root) {
  const folder = `node-v${process.versions.modules}-${process.platform}-${process.arch}`;
  return join(packageFolder(root), 'lib', 'binding', folder);
}

/** @param {string} root */
export function bindingFile(root) {
  return join(bindingFolder(root), 'gdal.node');
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
  const { ok } = await preGyp('downloading', root, ['install'], {
    progress: () => statSync(bindingFile(root), { throwIfNoEntry: false })?.size ?? 0,
    stalledMs: STALLED_MS,
  });
  if (ok && bindingLoads(root)) return true;
  removeBinding(root);
  return false;
}

/**
 * Compiles the binding against the system's GDAL. What the compiler prints is kept in a file where it fails.
 * @param {string} root
 * @throws {SetupError} with the first error of the compiler, in one line
 */
export async function buildBinding(root) {
  const { node } = process.versions;
  say(`that did not work; compiling gdal-async against the system's GDAL for Node ${node} (a few minutes)`);
  removeBinding(root);
  const log = join(root, 'node_modules', '.cache', `gdal-async-node-${node}.log`);
  mkdirSync(dirname(log), { recursive: true });
  const { ok } = await preGyp(
    'compiling gdal-async',
    root,
    ['install', '--build-from-source', '--shared_gdal=true', '--jobs=max'],
    { log },
  );
  rmSync(join(packageFolder(root), 'build'), { recursive: true, force: true });
  if (ok && bindingLoads(root)) return rmSync(log);
  removeBinding(root);
  const cause = ok ? 'what was compiled does not load' : causeIn(log);
  throw new SetupError(`gdal-async does not compile with Node ${node}: ${cause} (all output: ${log})`);
}

/**
 * The line that says why compiling failed: the compiler's first error, else what node-gyp says, else the last one.
 * @param {string} log
 */
function causeIn(log) {
  const output = readFileSync(log, 'utf8').trimEnd();
  const [line = output.slice(output.lastIndexOf('\n') + 1)] =
    /^.*\berror: .*$/m.exec(output) ?? /(?<=^gyp ERR! stack ).*$/m.exec(output) ?? [];
  return line;
}

/**
 * Half of a binding would be taken for a whole one.
 * @param {string} root
 */
function removeBinding(root) {
  rmSync(bindingFolder(root), { recursive: true, force: true });
}

/**
 * @param {string} what is being done
 * @param {string} root
 * @param {readonly string[]} args
 * @param {{ progress?: () => number, stalledMs?: number, log?: string }} [options]
 */
function preGyp(what, root, args, options = {}) {
  const program = join(packageFolder(root), 'node_modules', '@mapbox', 'node-pre-gyp', 'bin', 'node-pre-gyp');
  return run(what, process.execPath, [program, ...args], { cwd: packageFolder(root), env: environment(), ...options });
}

/**
 * node-pre-gyp takes options from npm's, before those of its command line. It looks for a proxy among those for plain
 * HTTP only, though it fetches by HTTPS. npm's `nodedir` may name the headers of another Node.
 */
function environment() {
  const { npm_config_nodedir: given, ...env } = { ...process.env };
  for (const option of ['build_from_source', 'fallback_to_build', 'argv']) delete env[`npm_config_${option}`];
  const proxy = env['npm_config_https_proxy'] ?? env['HTTPS_PROXY'] ?? env['https_proxy'];
  if (proxy) env['npm_config_proxy'] = proxy;
  const nodedir = foldersOfHeaders(given).find(hasHeaders);
  // Without one, node-gyp downloads them.
  if (nodedir) env['npm_config_nodedir'] = nodedir;
  return env;
}

/**
 * Where this Node's headers may be: beside it, in the package from which npm's `node` has it, or where npm's setting
 * says.
 * @param {string | undefined} given
 */
function foldersOfHeaders(given) {
  const prefix = dirname(dirname(process.execPath));
  const platform = `node-${process.platform}-${process.arch}`;
  const packaged = [join(prefix, 'node_modules', platform), join(dirname(prefix), platform)];
  return [prefix, ...packaged, ...(given ? [given] : [])];
}

/**
 * Are the headers of just this Node in a folder?
 * @param {string} folder
 */
function hasHeaders(folder) {
  try {
    const header = readFileSync(join(folder, 'include', 'node', 'node_version.h'), 'utf8');
    const version = ['MAJOR', 'MINOR', 'PATCH'].map(
      (part) => new RegExp(`^#define NODE_${part}_VERSION (\\d+)$`, 'm').exec(header)?.[1],
    );
    return version.join('.') === process.versions.node;
  } catch {
    return false;
  }
}
