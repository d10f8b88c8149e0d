// What `verify` finds once a test has changed files of a release.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SILENT } from '../../generator/report/progress.ts';
import type { Finding } from '../../generator/verify/findings.ts';
import { type VerifyOptions, verify } from '../../generator/verify/verify.ts';
import { copyOf } from '../support/temporary-folder.ts';

const RELEASE = 'releases/r1';

/** What is found in a fresh copy of an output folder to which `change` is done. */
export async function findingsOf(
  from: string,
  change: (out: string) => void,
  options: Partial<VerifyOptions> = {},
): Promise<readonly Finding[]> {
  const out = copyOf(from);
  change(out);
  const { findings } = await verify({ out, workers: 0, ...options }, SILENT);
  rmSync(out, { recursive: true });
  return findings;
}

/** That of all files exactly these are named. @param what was changed */
export function assertNamed(findings: readonly Finding[], expected: readonly string[], what: string): void {
  const named = new Set(findings.map(({ path }) => path));
  assert.deepEqual([...named], [...expected].sort(), `${what}: ${JSON.stringify(findings)}`);
}

/** Changes a release whose folder is `root`. */
export type Change = (root: string) => void;

/** Problems by path below the release r1, once it is changed in a fresh copy of an output folder. */
export async function problemsOf(from: string, change: Change): Promise<Record<string, string[]>> {
  const problems: Record<string, string[]> = {};
  for (const { path, problem } of await findingsOf(from, (out) => change(join(out, RELEASE)))) {
    const named = path.replace(`${RELEASE}/`, '');
    problems[named] = [...(problems[named] ?? []), problem];
  }
  return problems;
}

/** That of all files of the release `named` alone is named, with the expected problem. */
export async function assertContradiction(from: string, change: Change, named: string, problem: RegExp): Promise<void> {
  const problems = await problemsOf(from, change);
  assert.deepEqual(Object.keys(problems), [named], `${problem} ${JSON.stringify(problems)}`);
  assert.match(problems[named]?.find((found) => problem.test(found)) ?? JSON.stringify(problems), problem);
}
