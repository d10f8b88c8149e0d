// A lock between processes of this machine: each has a claim, a file with its id in the name. None can take that of
// another one for its own, also where several find the claim of a process that is gone.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Claims a lock.
 * @param {string} lock the path with which claims begin
 * @param {number} [pid] whose claim it is
 * @returns {number[]} the processes to wait for, before it is claimed again; none where it is this one's now
 */
export function claim(lock, pid = process.pid) {
  // First the claim, then the look at the others: of two that claim it at once, at least one sees the other.
  writeFileSync(claimOf(lock, pid), '');
  const others = claimsOn(lock).filter((other) => other !== pid);
  const living = others.filter(isAlive);
  // Otherwise a later process with the id of one that is gone would be waited for.
  for (const other of others) if (!living.includes(other)) release(lock, other);
  // Of those that wait one keeps its claim.
  if (living.some((other) => other < pid)) release(lock, pid);
  return living;
}

/**
 * @param {string} lock
 * @param {number} [pid]
 */
export function release(lock, pid = process.pid) {
  rmSync(claimOf(lock, pid), { force: true });
}

/**
 * @param {string} lock
 * @param {number} pid
 */
function claimOf(lock, pid) {
  return `${lock}.${pid}`;
}

/**
 * The ids of the processes with a claim.
 * @param {string} lock
 */
function claimsOn(lock) {
  const start = `${basename(lock)}.`;
  const names = readdirSync(dirname(lock)).filter((name) => name.startsWith(start));
  return names.map((name) => Number(name.slice(start.length))).filter((pid) => pid > 0);
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
