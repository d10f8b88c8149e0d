// Another Node, for what this one cannot do: npm has every Node as a package. Where gdal-async has no binary for the
// Node that was typed and does not compile with it, what needs GDAL runs on npm's Node 24. As a program
// (`node .setup/other-node.js 22`) it installs a line of Node and prints where its binary is.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { bindingFile, bindingFolder } from './binding.js';
import { runNpm } from './packages.js';
import { SetupError, say } from './run.js';

/** The newest line of Node for which gdal-async has binaries and with which it compiles. */
export const GDAL_LINE = 24;

/**
 * The Node that runs what needs GDAL in place of this one, where one was noted. generator/gdal/gdal-node.ts reads the
 * same note.
 * @param {string} root
 * @returns {string | undefined} its binary
 */
export function notedNode(root) {
  const note = noteFile(root);
  if (existsSync(bindingFile(root)) || !existsSync(note)) return undefined;
  const program = readFileSync(note, 'utf8');
  return existsSync(program) ? program : undefined;
}

/**
 * Notes it for this Node. The note stands where this Node's binding belongs: it goes with the version of gdal-async
 * that needed it.
 * @param {string} root
 * @param {string} program
 */
export function noteNode(root, program) {
  mkdirSync(bindingFolder(root), { recursive: true });
  writeFileSync(noteFile(root), program);
}

/** @param {string} root */
export function forgetNode(root) {
  rmSync(noteFile(root), { force: true });
}

/** @param {string} root */
function noteFile(root) {
  return join(bindingFolder(root), 'other-node');
}

/**
 * npm's Node of a line, which all clones of the user share.
 * @param {number} line
 * @returns {string} its binary, which may not be there
 */
export function programOf(line) {
  return join(homeOf(line), programIn());
}

/**
 * Installs it, where it is not there.
 * @param {number} line
 * @returns {Promise<string>} its binary
 * @throws {SetupError}
 */
export async function installNode(line) {
  const home = homeOf(line);
  const program = programOf(line);
  if (isNode(program)) return program;
  say(`installing Node ${line} with npm in ${home}`);
  const staged = makeFolderBeside(home);
  try {
    const options = ['--prefix', staged, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { ok, tail } = await runNpm(
      `installing Node ${line}`,
      ['install', ...options, `${packageName()}@${line}`],
      staged,
    );
    if (!ok) throw new SetupError(`npm could not install Node ${line}:\n\n${tail}`);
    if (!isNode(join(staged, programIn()))) throw new SetupError(`npm's Node ${line} does not run on this machine`);
    // Another clone may have been quicker.
    if (!isNode(program)) {
      rmSync(home, { recursive: true, force: true });
      renameSync(staged, home);
    }
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
  return program;
}

/** @param {number} line */
function homeOf(line) {
  const windows = process.platform === 'win32' ? process.env['LOCALAPPDATA'] : undefined;
  const caches = process.env['XDG_CACHE_HOME'] || windows || join(homedir(), '.cache');
  return join(caches, 'administrative-boundaries-service', `node-${line}`);
}

function programIn() {
  return join('node_modules', packageName(), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** The package that npm's `node` installs by a script of its own, which not every npm runs. */
function packageName() {
  if (process.platform === 'win32') return `node-win-${process.arch}`;
  return `node${process.platform === 'darwin' && process.arch === 'arm64' ? '-bin' : ''}-${process.platform}-${process.arch}`;
}

/** @param {string} program */
function isNode(program) {
  return spawnSync(program, ['--version']).status === 0;
}

/** @param {string} home */
function makeFolderBeside(home) {
  try {
    mkdirSync(dirname(home), { recursive: true });
    return mkdtempSync(`${home}-`);
  } catch (error) {
    throw new SetupError(`${error instanceof Error ? error.message : error}; XDG_CACHE_HOME may name another folder`);
  }
}

if (import.meta.filename === process.argv[1]) console.log(await installNode(Number(process.argv[2])));
