// How the set-up runs programs: one line to the user for each, their output only where they fail.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The set-up cannot go on. The message says what the user can do. */
export class SetupError extends Error {}

const TAIL_CHARS = 4000;
const POLL_MS = 1000;
/** What takes longer says so, each time after so long. */
const STILL_MS = 15_000;

/**
 * Tells the user what is being done.
 * @param {string} line
 */
export function say(line) {
  console.error(`set-up: ${line}`);
}

/**
 * Runs a program to its end. Every 15 seconds a line says that it is still running, and for how long.
 * @param {string} what is being done, for these lines
 * @param {string} program
 * @param {readonly string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {() => number} [options.progress] a number that grows while the program gets on; given with `stalledMs`
 * @param {string} [options.log] a file for all that it prints
 * @param {number} [options.stalledMs] the program is ended when `progress` has not changed for so long
 * @returns {Promise<{ ok: boolean, tail: string }>} did it exit with 0, and the end of what it printed
 */
export function run(what, program, args, { cwd, env, progress, stalledMs = 0, log } = {}) {
  if (log) writeFileSync(log, '');
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: env ?? process.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let tail = '';
    /** @param {Buffer} bytes */
    const keep = (bytes) => {
      tail = (tail + bytes).slice(-TAIL_CHARS);
      if (log) appendFileSync(log, bytes);
    };
    const started = Date.now();
    const still = setInterval(() => say(`still ${what}: ${durationOf(Date.now() - started)}`), STILL_MS);
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const watch =
      progress &&
      setInterval(
        watcher(progress, stalledMs, () => child.kill('SIGKILL')),
        POLL_MS,
      );
    /** @param {boolean} ok */
    const end = (ok) => {
      clearInterval(watch);
      clearInterval(still);
      resolve({ ok, tail: tail.trimEnd() });
    };
    child.on('error', (error) => {
      keep(Buffer.from(error.message));
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

/** @param {number} ms */
function durationOf(ms) {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * @param {() => number} progress
 * @param {number} stalledMs
 * @param {() => void} onStalled
 */
function watcher(progress, stalledMs, onStalled) {
  let last = progress();
  let since = Date.now();
  return () => {
    const now = progress();
    if (now !== last) since = Date.now();
    else if (Date.now() - since > stalledMs) onStalled();
    last = now;
  };
}

/**
 * Is there a program of this name?
 * @param {string} name
 */
export function isOnPath(name) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)));
}
