// What the benchmarks share: figures over several rounds beside those of a control, and programs that they run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One figure a round, each beside the control's of the same round. */
export type Figures = { subject: number; control: number }[];

export function spread(values: readonly number[]): { median: number; least: number; greatest: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  return { median, least: sorted[0] ?? Number.NaN, greatest: sorted.at(-1) ?? Number.NaN };
}

/** The median of the ratios to the control. */
export function medianRatio(figures: Figures): number {
  return spread(figures.map(({ subject, control }) => subject / control)).median;
}

/** Prints medians, least and greatest figures of a thing and of its control, and their ratio. */
export function printRow(what: string, unit: string, control: string, figures: Figures): void {
  const shown = (of: (figure: Figures[number]) => number): string => {
    const { median, least, greatest } = spread(figures.map(of));
    return `${short(median)} (${short(least)} to ${short(greatest)})`;
  };
  console.log(`\n${what}`);
  console.log(`  measured  ${shown(({ subject }) => subject)} ${unit}`);
  console.log(`  control   ${shown((both) => both.control)} ${unit}: ${control}`);
  console.log(`  ratio     ${shown((both) => both.subject / both.control)} over ${figures.length} rounds`);
}

export function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

/** Runs a command to its end, with its messages shown. @returns what it printed @throws Error if it fails */
export async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}`);
  return output;
}

export function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** A folder for files of this run, which is removed when it ends. */
export function folderOfRun(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boundaries-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return folder;
}
