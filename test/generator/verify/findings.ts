// What `verify` finds once a test has changed files of a release.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SILENT } from '../../../generator/report/progress.ts';
import type { FileFinding } from '../../../generator/verify/file-findings.ts';
import { type VerifyOptions, verify } from '../../../generator/verify/verify.ts';
import { replacePage, textOf } from '../../support/releases/reseal.ts';
import { copyOf } from '../../support/temporary-folder.ts';

const RELEASE = 'releases/r1';

/** What is found in a fresh copy of an output folder to which `change` is done. */
export async function findingsOf(from: string, change: (out: string) => void, options: Partial<VerifyOptions> = {}) {
  const out = copyOf(from);
  change(out);
  const { findings } = await verify({ out, workers: 0, ...options }, SILENT);
  rmSync(out, { recursive: true });
  return findings;
}

/** That of all files exactly these are named. @param what was changed */
export function assertNamed(findings: readonly FileFinding[], expected: readonly string[], what: string): void {
  const named = new Set(findings.map(({ path }) => path));
  assert.deepEqual([...named], [...expected].sort(), `${what}: ${JSON.stringify(findings)}`);
}

/** That one of the findings has this problem. */
export function assertSome(findings: readonly FileFinding[], problem: RegExp): void {
  assert.ok(
    findings.some((finding) => problem.test(finding.problem)),
    `${problem}: ${JSON.stringify(findings)}`,
  );
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

/** A change of a text. */
export type TextChange = (text: string) => string;

/** A change of the bytes of a page with this text, and what is wrong then. */
export type PageCase = [change: (bytes: Buffer, text: string) => Buffer, problem: string];

/** Tries the cases with one page. @param index the file that is named */
export async function assertPages(from: string, path: string, index: string, cases: readonly PageCase[]) {
  for (const [change, problem] of cases) {
    const changePage: Change = (root) =>
      replacePage(root, path, change(readFileSync(join(root, path)), textOf(root, path)));
    await assertContradiction(from, changePage, index, new RegExp(`^${path}: ${problem}`));
  }
}
