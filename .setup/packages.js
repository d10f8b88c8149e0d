// The set-up's first half: what package-lock.json lists is what node_modules holds.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, SetupError, say } from './run.js';

/**
 * An entry of a lock file, as far as it matters here.
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, dev?: boolean, devOptional?: boolean }} Entry
 */

/**
 * Does npm's own note of what it has installed agree with the lock file? Packages for other platforms may be missing.
 * @param {string} root
 */
export function hasPackages(root) {
  const present = entriesIn(join(root, 'node_modules', '.package-lock.json'));
  const wanted = entriesIn(join(root, 'package-lock.json'));
  return Object.entries(wanted).every(([path, entry]) => {
    const found = present[path];
    if (found !== undefined) return found.version === entry.version && found.integrity === entry.integrity;
    return path === '' || entry.optional || entry.devOptional;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, Entry>} empty where there is no such file
 */
function entriesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * Installs them anew. No package's own install script runs: .npmrc says so.
 * @param {string} root
 */
export async function installPackages(root) {
  say('installing the packages of package-lock.json (npm ci)');
  // A clone runs its programs from source, for which it needs the packages of developers also in production.
  const { ok, tail } = await runNpm('installing packages', ['ci', '--include=dev'], root);
  if (!ok) throw new SetupError(`npm ci failed:\n\n${tail}`);
}

/**
 * @param {string} what is being done
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function runNpm(what, args, cwd) {
  // The npm that runs this script, where one does; on Windows npm is no program that can be started by its name.
  const cli = process.env['npm_execpath'];
  return cli?.endsWith('npm-cli.js')
    ? run(what, process.execPath, [cli, ...args], { cwd })
    : run(what, 'npm', args, { cwd });
}
