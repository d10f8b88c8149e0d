// What the files of `npm test` may take: CPU time, divided by that of a control of the same run (cpu-time.ts), so that
// it is about the same number on any machine. Kept in test/budget.json.
import { readFileSync, writeFileSync } from 'node:fs';
import type { EndedFile } from './run-together.ts';

const FILE = 'test/budget.json';
/** A run may take so much more than the budget: machines differ, and so do two runs. */
const TOLERANCE = 1.2;
/** A file that takes so much more than its part is named. */
const NAMED_FROM = 1.5;
/** ... if it takes at least so many controls. */
const NAMED_MIN = 20;

/** Numbers are multiples of the control. */
export interface Budget {
  /** Of all processes, from a cache that is empty. */
  run: number;
  files: Readonly<Record<string, number>>;
}

export function readBudget(): Budget {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** What a run took, as a budget. @param cpu seconds of all its processes */
export function budgetOf(ended: readonly EndedFile[], cpu: number, control: number): Budget {
  const files = ended.map(({ name, cpu: own }): [string, number] => [name, Math.round(own / control)]);
  return { run: Math.round(cpu / control), files: Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

export function writeBudget(budget: Budget): void {
  writeFileSync(FILE, `${JSON.stringify(budget, null, 2)}\n`);
}

/**
 * Compares a run with the budget.
 * @returns lines to print
 */
export function beyondBudget(taken: Budget, budget: Budget): { lines: string[]; isBeyond: boolean } {
  const percent = Math.round((100 * taken.run) / budget.run);
  const isBeyond = taken.run > TOLERANCE * budget.run;
  const lines = [`# ${percent} % of the budget (${taken.run} of ${budget.run} times the control)`];
  for (const [name, own] of Object.entries(taken.files)) {
    const allowed = budget.files[name];
    if (own < NAMED_MIN || own < NAMED_FROM * (allowed ?? 0)) continue;
    lines.push(`#   ${name} takes ${own}, ${allowed === undefined ? 'and is new' : `its part is ${allowed}`}`);
  }
  if (isBeyond) lines.push('FAILED the run takes more than its budget: CONTRIBUTING.md says what a new test may cost');
  return { lines, isBeyond };
}
