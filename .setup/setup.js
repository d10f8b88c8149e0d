// Makes a fresh clone runnable: the packages of the lock file, then a gdal-async that loads. Called by `npm start` and
// `npm test`, with nothing there but Node; where all is in place it prints nothing and takes a fifth of a second.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bindingLoads, buildBinding, downloadBinding } from './binding.js';
import { claim, release } from './lock.js';
import { forgetNode, GDAL_LINE, installNode, notedNode, noteNode } from './other-node.js';
import { hasPackages, installPackages } from './packages.js';
import { SetupError, say } from './run.js';
import { canInstallTools, installTools, missingTools, toolsToInstall } from './tools.js';

const POLL_MS = 500;

/** The variable by which the set-up for another Node knows that the user was told what will happen. */
const TOLD = 'SET_UP_TOLD';

/** Is this Node too new for gdal-async to compile with it? */
const isNewer = Number.parseInt(process.versions.node, 10) > GDAL_LINE;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  checkNode();
  if (!isSetUp()) await alone(setUp);
  const other = notedNode(root);
  if (other !== undefined) setUpWith(other);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`\nset-up failed: ${error.message}`);
  process.exitCode = 1;
}

function isSetUp() {
  return hasPackages(root) && (bindingLoads(root) || notedNode(root) !== undefined);
}

async function setUp() {
  // Another set-up may have done it meanwhile.
  if (isSetUp()) return;
  if (process.env[TOLD] === undefined) say(`what is missing is installed once: ${stepsAhead().join('; then ')}`);
  if (!hasPackages(root)) await installPackages(root);
  if (isSetUp() || (await downloadBinding(root))) return;
  if (!isNewer) return compileBinding();
  const { node } = process.versions;
  say(`there is none for Node ${node}: what needs GDAL runs on npm's Node ${GDAL_LINE}, and the proxy on this one`);
  noteNode(root, await installNode(GDAL_LINE));
}

/** What will happen, and about how long it takes. */
function stepsAhead() {
  const steps = hasPackages(root) ? [] : ['the packages of package-lock.json (a minute)'];
  const otherwise = isNewer ? `a minute for npm's Node ${GDAL_LINE}` : 'some minutes of compiling';
  if (!bindingLoads(root))
    steps.push(`GDAL's binding (seconds where its prebuilt binary loads, otherwise ${otherwise})`);
  if (process.env['npm_lifecycle_event'] === 'start') steps.push('a sample release is built (a minute) and served');
  return steps;
}

async function compileBinding() {
  if (missingTools().length > 0 && canInstallTools()) await installTools();
  if (missingTools().length > 0) throw new SetupError(toolsToInstall());
  await buildBinding(root);
}

/**
 * The set-up for another Node, which has a binding of its own.
 * @param {string} program
 */
function setUpWith(program) {
  const { status } = spawnSync(program, [fileURLToPath(import.meta.url)], {
    stdio: 'inherit',
    env: { ...process.env, [TOLD]: 'yes' },
  });
  if (status === 0) return;
  // The next call begins anew: the user may have installed what was missing.
  forgetNode(root);
  process.exitCode = 1;
}

function checkNode() {
  const range = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node;
  if (isInRange(process.versions.node, range)) return;
  throw new SetupError(`this is Node ${process.versions.node}, expected ${range}; see https://nodejs.org`);
}

/**
 * Is the version in a range of the form `^20.19.0 || >=24`?
 * @param {string} version
 * @param {string} range
 */
function isInRange(version, range) {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return range.split('||').some((part) => {
    const [, operator, least = ''] = /^\s*(\^|>=)([\d.]+)\s*$/.exec(part) ?? [];
    const [leastMajor = 0, leastMinor = 0, leastPatch = 0] = least.split('.').map(Number);
    if (major !== leastMajor) return operator === '>=' && major > leastMajor;
    return operator !== undefined && (minor > leastMinor || (minor === leastMinor && patch >= leastPatch));
  });
}

/**
 * Runs `task` while no other set-up of this clone runs. The lock stands outside node_modules, which `npm ci` empties.
 * @param {() => Promise<void>} task
 */
async function alone(task) {
  const lock = join(tmpdir(), `set-up-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`);
  let told = false;
  for (let others = claim(lock); others.length > 0; others = claim(lock)) {
    if (!told) say(`waiting for another set-up of this clone (process ${others.join(', ')}; its lock is ${lock}.*)`);
    told = true;
    await sleep(POLL_MS);
  }
  try {
    await task();
  } finally {
    release(lock);
  }
}
