// Breaks one rule of the product after the other, and runs the test file that must notice it: a test that cannot fail
// is none. `npm run mutations` (weekly); with arguments the rules whose names contain one of them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { runProgram } from '../support/processes/programs.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

/** Rules that are tried at a time. */
const CONCURRENCY = 2;
/** What node's summary says of tests. */
const COUNTS = /^. (pass|fail|skipped) ([0-9]+)$/gm;

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const names = process.argv.slice(2);
const chosen = MUTATIONS.filter(({ rule }) => names.length === 0 || names.some((name) => rule.includes(name)));
const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
});
const sources = tracked.split('\0').filter((path) => path !== '');

const limit = pLimit(CONCURRENCY);
const results = await Promise.all(chosen.map((mutation) => limit(tryMutation, mutation)));
const unnoticed = results.filter((isNoticed) => !isNoticed).length;
console.log(`# ${chosen.length - unnoticed} of ${chosen.length} broken rules are noticed`);
if (unnoticed > 0) process.exitCode = 1;

/** Breaks a rule in a copy of the project. @returns has its test failed, and passed before? */
async function tryMutation(mutation: Mutation): Promise<boolean> {
  const { rule, test } = mutation;
  const copy = mkdtempSync(join(tmpdir(), 'boundaries-mutation-'));
  try {
    for (const path of sources) cpSync(path, join(copy, path));
    symlinkSync(realpathSync('node_modules'), join(copy, 'node_modules'));
    const sound = await runTest(copy, test);
    if (sound.status !== 0) return say(rule, `${test} fails without it:\n${sound.text}`);
    breakRule(copy, mutation);
    const broken = await runTest(copy, test);
    const { pass = 0, fail = 0, skipped = 0 } = broken.counts;
    if (broken.status === 0 || fail === 0)
      return say(rule, `not noticed by ${test} (${pass} pass, ${skipped} skipped)`);
    console.log(`noticed by ${fail} of ${pass + fail} tests of ${test}: ${rule}`);
    return true;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function say(rule: string, what: string): false {
  console.log(`FAILED ${rule}: ${what}`);
  return false;
}

/** @throws Error if the text stands in the file not exactly once: the table is out of date */
function breakRule(copy: string, { rule, file, from, to }: Mutation): void {
  const path = join(copy, file);
  const parts = readFileSync(path, 'utf8').split(from);
  if (parts.length !== 2) throw new Error(`${rule}: ${file} has ${parts.length - 1} times ${from}`);
  writeFileSync(path, parts.join(to));
}

async function runTest(cwd: string, test: string) {
  const args = [join('.setup', 'with-gdal.js'), '--import', 'tsx', '--test', '--test-reporter=spec', test];
  const { status, text } = await runProgram(process.execPath, args, { cwd });
  const counts = Object.fromEntries([...text.matchAll(COUNTS)].map(([, name, number]) => [name, Number(number)]));
  return { status, text, counts };
}
