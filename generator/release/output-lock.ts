// One writer at a time for an output folder. The lock is a file that says who holds it; one whose holder is dead, or
// that is from before the machine last started, counts for nothing.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RELEASES_PATH } from '../../format/layout.ts';
import { BuildError } from '../report/errors.ts';

/** A lock that is held. */
export interface Lock {
  /** @throws BuildError where another process has taken the lock away */
  assertHeld(): void;
  release(): void;
}

const LOCK_FILE = '.lock';

/** Tokens of the locks that this process holds. */
const held = new Set<string>();

/** Who holds the lock. */
interface Holder {
  /** Distinguishes two holders that are the same process id. */
  token: string;
  host: string;
  pid: number;
  /** When the machine and the process started, as the system tells; empty where it does not. */
  boot: string;
  started: string;
}

/**
 * Takes the lock of an output folder.
 * @throws BuildError where a living process holds it
 */
export function takeLock(out: string): Lock {
  const folder = join(out, RELEASES_PATH);
  const file = join(folder, LOCK_FILE);
  mkdirSync(folder, { recursive: true });
  const mine: Holder = { token: randomUUID(), host: hostname(), pid: process.pid, ...lifeOf(process.pid) };
  const written = `${file}.${mine.token}`;
  writeFileSync(written, JSON.stringify(mine), { flag: 'wx' });
  try {
    // A link appears whole and only where there is none: never a lock without its holder in it.
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
      throw new BuildError(`${file}: another process has taken the lock`, 'run the command again');
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

/** Removes a lock whose holder is dead; throws where it lives. */
function dropDeadLock(file: string, out: string): void {
  const holder = readHolder(file);
  if (holder === undefined) return;
  if (isAlive(holder)) {
    throw new BuildError(
      `${out}: process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`} is writing there`,
      `wait until it has ended; if it runs no more, remove ${file}`,
    );
  }
  // Renamed first: of two processes that find the same dead lock, one moves it, and a new lock is put back.
  const moved = `${file}.${randomUUID()}`;
  try {
    renameSync(file, moved);
  } catch {
    return;
  }
  if (readHolder(moved)?.token !== holder.token) tryLink(moved, file);
  rmSync(moved, { force: true });
}

/** What processes that died while they took the lock have left. */
function removeDeadHolders(folder: string): void {
  const left = readdirSync(folder).filter((name) => name.startsWith(`${LOCK_FILE}.`));
  for (const name of left) {
    const holder = readHolder(join(folder, name));
    // Taking a lock is one stretch of synchronous code: what this process left, it left when that failed.
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

/** A holder on another machine cannot be looked at: it counts as alive. */
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

/** When the machine and a process started; process ids are used again, these are not. */
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
