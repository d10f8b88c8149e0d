// The lock of an output folder: one writer at a time. The lock file names its holder; a lock is stale if its holder has
// ended or the machine has restarted since.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RELEASES_PATH } from '../../format/layout.ts';
import { BuildError } from '../report/errors.ts';

/** A held lock. */
export interface Lock {
  /** @throws BuildError if another process has taken the lock over */
  assertHeld(): void;
  release(): void;
}

const LOCK_FILE = '.lock';

/** Tokens of the locks that this process holds. */
const held = new Set<string>();

/** The holder of a lock: the content of the lock file. */
interface Holder {
  /** Distinguishes holders with the same process id. */
  token: string;
  host: string;
  pid: number;
  /** When the machine and the process started, from /proc; empty on systems without it. */
  boot: string;
  started: string;
}

/**
 * Takes the lock of an output folder.
 * @throws BuildError if a running process holds it
 */
export function takeLock(out: string): Lock {
  const folder = join(out, RELEASES_PATH);
  const file = join(folder, LOCK_FILE);
  mkdirSync(folder, { recursive: true });
  const mine: Holder = { token: randomUUID(), host: hostname(), pid: process.pid, ...lifeOf(process.pid) };
  const written = `${file}.${mine.token}`;
  writeFileSync(written, JSON.stringify(mine), { flag: 'wx' });
  try {
    // link(2) is atomic and fails if the lock exists: a lock file always has its content.
    while (!tryLink(written, file)) dropDeadLock(file, out);
    held.add(mine.token);
    rmSync(written);
    removeDeadHolders(folder);
  } catch (error) {
    rmSync(written, { force: true });
    releaseLock(file, mine);
    throw error;
  }
  return {
    assertHeld() {
      if (readHolder(file)?.token === mine.token) return;
      throw new BuildError(
        `${file}: another process has taken the lock`,
        'run the command again; two builds into one folder cannot run at once',
      );
    },
    release: () => releaseLock(file, mine),
  };
}

function releaseLock(file: string, mine: Holder): void {
  held.delete(mine.token);
  if (readHolder(file)?.token === mine.token) rmSync(file, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a stale lock. @throws BuildError if its holder is running */
function dropDeadLock(file: string, out: string): void {
  const holder = readHolder(file);
  if (holder === undefined) return;
  if (isAlive(holder)) {
    throw new BuildError(
      `${out}: process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`} is writing there`,
      `wait until it has ended; if it is not running any more, remove ${file}`,
    );
  }
  // Renamed first: of two processes that find the same stale lock, one moves it; a new lock moved by mistake is put back.
  const moved = `${file}.${randomUUID()}`;
  try {
    renameSync(file, moved);
  } catch {
    return;
  }
  if (readHolder(moved)?.token !== holder.token) tryLink(moved, file);
  rmSync(moved, { force: true });
}

/** Removes the files of processes that ended while they took the lock. */
function removeDeadHolders(folder: string): void {
  const left = readdirSync(folder).filter((name) => name.startsWith(`${LOCK_FILE}.`));
  for (const name of left) {
    const holder = readHolder(join(folder, name));
    // Taking a lock is synchronous: a file of this process is the leftover of an attempt that failed.
    if (holder === undefined || holder.pid === process.pid || !isAlive(holder))
      rmSync(join(folder, name), { force: true });
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Is the holder running? One on another machine cannot be checked and counts as running. */
function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  if (holder.pid === process.pid) return held.has(holder.token);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
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
