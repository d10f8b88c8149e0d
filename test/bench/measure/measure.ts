// What the benchmarks share: figures over several rounds, their ratio to a control of the same round, and the table.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** One measured thing and what it is held against. */
export interface Row {
  what: string;
  control: string;
  unit: string;
  /** One figure a round, each beside the control's of the same round. */
  figures: readonly { subject: number; control: number }[];
  /** The ratio aimed at, e.g. `<= 1.0`. */
  target: string;
}

export type Figures = { subject: number; control: number }[];

/** Median, least and greatest. */
export function spread(values: readonly number[]): { median: number; least: number; greatest: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  return { median, least: sorted[0] ?? Number.NaN, greatest: sorted.at(-1) ?? Number.NaN };
}

/** The rows as aligned text, or as JSON for machines. */
export function printRows(rows: readonly Row[], asJson: boolean): void {
  const summed = rows.map((row) => ({
    what: row.what,
    control: row.control,
    unit: row.unit,
    subject: spread(row.figures.map((figure) => figure.subject)),
    against: spread(row.figures.map((figure) => figure.control)),
    ratio: spread(row.figures.map((figure) => figure.subject / figure.control)),
    rounds: row.figures.length,
    target: row.target,
  }));
  if (asJson) {
    console.log(JSON.stringify(summed, null, 2));
    return;
  }
  for (const row of summed) {
    const figure = ({ median, least, greatest }: ReturnType<typeof spread>): string =>
      `${short(median)} (${short(least)} to ${short(greatest)})`;
    console.log(`\n${row.what}`);
    console.log(`  measured  ${figure(row.subject)} ${row.unit}`);
    console.log(`  control   ${figure(row.against)} ${row.unit}: ${row.control}`);
    console.log(`  ratio     ${figure(row.ratio)} over ${row.rounds} rounds; target ${row.target}`);
  }
}

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

/** Runs a command to its end; its seconds from start to exit. Throws where it fails. */
export async function secondsOf(command: string, args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}: ${errors}`);
  return (performance.now() - started) / 1000;
}

/** Runs a command to its end, with its messages shown. @returns what it printed @throws Error if it fails */
export async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} exited with ${code}`);
  return output;
}

/** Is this program to be had? */
export function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}
