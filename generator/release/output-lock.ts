// The lock of an output folder: one writer at a time. The lock is a folder with a file that names its holder; it is
// stale if its holder has ended or the machine has restarted since.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../format/error-code.ts';
import { RELEASES_PATH } from '../../format/layout.ts';
import { BuildError, toBuildError } from '../report/errors.ts';
import { removeFolder } from './staging.ts';

/** A held lock. */
export interface Lock {
  /** @throws BuildError if another process has taken the lock over */
  assertHeld(): void;
  release(): void;
}

const LOCK_FOLDER = '.lock';
const HOLDER_FILE = 'holder.json';
/** Each try but the first follows the end of another process that held the lock. */
const TRIES_MAX = 100;

/** Tokens of the locks that this process holds. */
const held = new Set<string>();

/** Where process ids have one meaning. */
interface PidSpace {
  host: string;
  /** The PID namespace, from /proc: containers on one machine may have one host name. Empty on systems without it. */
  pidNamespace: string;
}

/** The holder of a lock: the content of its file. */
interface Holder extends PidSpace {
  /** Distinguishes holders with the same process id. */
  token: string;
  pid: number;
  /** When the machine and the process started, from /proc; empty on systems without it. */
  boot: string;
  started: string;
}

/** Does some work with the lock of an output folder. @throws BuildError if a running process holds it */
export async function withLock<T>(out: string, work: (lock: Lock) => Promise<T>): Promise<T> {
  try {
    const lock = takeLock(out);
    try {
      return await work(lock);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw toBuildError(error, out);
  }
}

/**
 * Takes the lock of an output folder.
 * @throws BuildError if a running process holds it
 */
export function takeLock(out: string): Lock {
  const folder = join(out, RELEASES_PATH);
  const lock = join(folder, LOCK_FOLDER);
  mkdirSync(folder, { recursive: true });
  const mine: Holder = { token: randomUUID(), pid: process.pid, ...thisPidSpace(), ...lifeOf(process.pid) };
  const candidate = `${lock}.${mine.token}`;
  // Also when a signal ends the process: from another container nobody could tell that it has ended.
  const release = (): void => {
    process.off('exit', release);
    releaseLock(lock, mine);
  };
  try {
    for (let tries = 1; !tryTake(lock, candidate, mine); tries++) {
      dropStaleLock(lock, out);
      if (tries === TRIES_MAX)
        throw new BuildError(
          `${lock}: does not name its holder`,
          'remove that folder if no other command is writing there',
        );
    }
    held.add(mine.token);
    process.once('exit', release);
    removeCandidates(folder);
  } catch (error) {
    removeFolder(candidate);
    release();
    throw error;
  }
  return {
    assertHeld() {
      if (readHolder(lock)?.token === mine.token) return;
      throw new BuildError(
        `${lock}: another process has taken the lock`,
        'run the command again; two builds into one folder cannot run at once',
      );
    },
    release,
  };
}

/**
 * rename(2) of a folder is atomic, fails if the target is a folder with a file in it, and needs no hard links, which
 * some file systems lack. So a lock always has its holder's file.
 */
function tryTake(lock: string, candidate: string, mine: Holder): boolean {
  return isFirst(() => {
    // Not `recursive`: of a file system that is read-only Node.js would say ENOENT.
    if (!existsSync(candidate)) mkdirSync(candidate);
    writeFileSync(join(candidate, HOLDER_FILE), JSON.stringify(mine));
    renameSync(candidate, lock);
  });
}

function releaseLock(lock: string, mine: Holder): void {
  held.delete(mine.token);
  if (readHolder(lock)?.token !== mine.token) return;
  // Renamed first: a folder without its file is no lock, so another process could take it before it is removed.
  const released = `${lock}.${mine.token}`;
  renameSync(lock, released);
  removeFolder(released);
}

/** Removes a stale lock. @throws BuildError if its holder is running */
function dropStaleLock(lock: string, out: string): void {
  const holder = readHolder(lock);
  if (holder === undefined) return;
  if (isAlive(holder)) {
    throw new BuildError(
      `${out}: process ${holder.pid}${pidSpaceToText(holder)} is writing there`,
      `wait until it has ended; if it is not running any more, remove the folder ${lock}`,
    );
  }
  // Renamed first: of two processes that find the same stale lock, one moves it; a new lock moved by mistake is put
  // back.
  const moved = `${lock}.${randomUUID()}`;
  if (!isFirst(() => renameSync(lock, moved))) return;
  if (readHolder(moved)?.token !== holder.token && isFirst(() => renameSync(moved, lock))) return;
  removeFolder(moved);
}

/**
 * Takes a step by which a folder takes its place; false if another one has it, or another process has removed the
 * folder.
 */
function isFirst(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY', 'ENOENT'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Removes what other processes prepared to take the lock; one that is running finds the lock taken. */
function removeCandidates(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(`${LOCK_FOLDER}.`)))
    removeFolder(join(folder, name));
}

/** The holder of a lock; undefined if there is no lock. @throws BuildError if its file is damaged */
function readHolder(lock: string): Holder | undefined {
  const file = join(lock, HOLDER_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new BuildError(
      `${file}: is damaged; the machine may have lost its power during a build`,
      `if no other command is writing there, remove the folder ${lock}`,
    );
  }
}

function thisPidSpace(): PidSpace {
  try {
    return { host: hostname(), pidNamespace: readlinkSync('/proc/self/ns/pid') };
  } catch {
    return { host: hostname(), pidNamespace: '' };
  }
}

/** Where a holder runs, if its process ids are not those of this process. */
function pidSpaceToText({ host, pidNamespace }: PidSpace): string {
  const here = thisPidSpace();
  if (host !== here.host) return ` on ${host}`;
  return pidNamespace === here.pidNamespace ? '' : ` in another container or PID namespace on ${host}`;
}

/** Is the holder running? One whose process ids mean something else here cannot be checked and counts as running. */
function isAlive(holder: Holder): boolean {
  if (pidSpaceToText(holder) !== '') return true;
  if (holder.pid === process.pid) return held.has(holder.token);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  const { boot, started } = lifeOf(holder.pid);
  return boot === holder.boot && started === holder.started;
}

/** When the machine and a process started: process ids are reused, these are not. */
function lifeOf(pid: number): { boot: string; started: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The 22nd field; the 2nd, the program's name in parentheses, may hold anything.
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    return { boot: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(), started };
  } catch {
    return { boot: '', started: '' };
  }
}
