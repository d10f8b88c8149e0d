// What compiling gdal-async needs from the system, and who installs it: apt where that is ours to do, else the user.
import { existsSync, readFileSync } from 'node:fs';
import { isOnPath, run, SetupError, say } from './run.js';

/**
 * Programs, any of which will do, and the Debian package that brings them.
 * @type {readonly { programs: readonly string[], debian: string }[]}
 */
const TOOLS = [
  { programs: ['gdal-config'], debian: 'libgdal-dev' },
  { programs: ['c++', 'g++', 'clang++'], debian: 'g++' },
  { programs: ['make', 'gmake'], debian: 'make' },
  { programs: ['python3', 'python'], debian: 'python3' },
];

/** Commands by a word in os-release's ID or ID_LIKE. */
const COMMANDS = [
  { system: 'fedora', command: 'sudo dnf install -y gdal-devel gcc-c++ make python3' },
  { system: 'suse', command: 'sudo zypper install -y gdal-devel gcc-c++ make python3' },
  { system: 'arch', command: 'sudo pacman -S --needed gdal base-devel python' },
  { system: 'alpine', command: 'apk add gdal-dev g++ make python3' },
];

const APT_OPTIONS = [
  '-q',
  '-o',
  'Acquire::http::Timeout=30',
  '-o',
  'Acquire::https::Timeout=30',
  '-o',
  'DPkg::Lock::Timeout=120',
];

/** The Debian packages of what is not there. */
export function missingTools() {
  return TOOLS.filter(({ programs }) => !programs.some(isOnPath)).map(({ debian }) => debian);
}

/** Is this Debian or one of its children, and are we allowed to install packages? */
export function canInstallTools() {
  return isDebian() && process.getuid?.() === 0 && isOnPath('apt-get');
}

function isDebian() {
  return /debian|ubuntu/.test(systemOf());
}

/** @throws {SetupError} with the end of apt's output */
export async function installTools() {
  const packages = missingTools();
  say(`installing ${packages.join(', ')} with apt, to compile gdal-async`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = await run('reading the lists of apt', 'apt-get', [...APT_OPTIONS, 'update'], { env });
  const args = [...APT_OPTIONS, 'install', '-y', '--no-install-recommends', ...packages];
  const install = await run(`installing ${packages.join(', ')}`, 'apt-get', args, { env });
  if (!install.ok) throw new SetupError(`apt-get failed:\n\n${update.tail}\n${install.tail}`);
}

/** What to type, for a user whom we cannot help further. */
export function toolsToInstall() {
  return [
    `gdal-async has no prebuilt binary that loads here (${process.platform} ${process.arch}, Node ${process.versions.node}); to compile it takes GDAL, a C++ compiler, make and Python`,
    `Install them, then run the same command again:\n\n  ${commandFor()}`,
  ].join('\n');
}

function commandFor() {
  if (process.platform === 'darwin') return 'xcode-select --install; brew install gdal';
  if (process.platform === 'win32') return 'wsl --install    (and go on in there: it is a Linux)';
  if (isDebian())
    return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missingTools().join(' ')}`;
  const known = COMMANDS.find(({ system }) => systemOf().includes(system));
  return known?.command ?? 'GDAL with its headers (gdal-config), g++, make, python3: as your system installs them';
}

/** The system's name and what it is like, as os-release tells; empty where it does not. */
function systemOf() {
  const file = '/etc/os-release';
  if (!existsSync(file)) return '';
  return [...readFileSync(file, 'utf8').matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].map(([, value]) => value).join(' ');
}
