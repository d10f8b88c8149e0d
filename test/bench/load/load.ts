// Load on a server of this machine: as much as it takes, by wrk; or a fixed rate, by paced.ts. Both run on a core that
// the server does not use, where there is one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from '../measure/measure.ts';
import { type Machine, onCore } from '../servers/machine.ts';
import type { Paced, Plan } from './paced.ts';

/** Requests that go on where the last measurement ended, so that none comes again before all others. */
export class TargetCycle {
  readonly targets: readonly string[];
  /** For wrk: the targets, one a line. */
  readonly file: string;
  #next = 0;

  constructor(targets: readonly string[], file: string) {
    this.targets = targets;
    this.file = file;
    writeFileSync(file, `${targets.join('\n')}\n`);
  }

  /** The number of the next target. */
  get next(): number {
    return this.#next;
  }

  skip(requests: number): void {
    this.#next = (this.#next + requests) % this.targets.length;
  }

  /** The next targets, for so many requests. */
  take(requests: number): string[] {
    const taken: string[] = [];
    for (let i = 0; i < Math.min(requests, this.targets.length); i++)
      taken.push(this.targets[(this.#next + i) % this.targets.length] ?? '');
    this.skip(requests);
    return taken;
  }
}

/** What every load of a benchmark shares. */
export interface Loads {
  machine: Machine;
  headers: Readonly<Record<string, string>>;
  /** The compiled paced.ts. */
  paced: string;
  /** For files of this run. */
  folder: string;
}

const SCRIPT = fileURLToPath(new URL('load.lua', import.meta.url));
const CONNECTIONS = 16;
/** Above this, latency at a fixed rate is that of a busy machine. */
const STALLED_MAX = 0.01;

/** The most requests a second that a server answers. @throws Error when an answer fails */
export async function peakOf(loads: Loads, url: string, cycle: TargetCycle, seconds = 1): Promise<number> {
  const given = Object.entries(loads.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', SCRIPT, ...given, url];
  const [command, args] = onCore(loads.machine.loadCore, 'wrk', [...options, '--', cycle.file, String(cycle.next)]);
  const output = await outputOf(command, args);
  const figures = JSON.parse(/^\{"requests".*\}$/m.exec(output)?.[0] ?? '{}');
  if (!(figures.requests > 0) || figures.refused + figures.broken > 0) throw new Error(`${url}: wrk says ${output}`);
  cycle.skip(figures.requests + CONNECTIONS);
  return figures.requests / figures.seconds;
}

/** What to send at a fixed rate. */
export interface Pace {
  /** Requests a second. */
  rate: number;
  seconds: number;
}

/** Latencies at a fixed rate, counted from when each request was due. @throws Error when an answer fails */
export async function pacedLoad(loads: Loads, url: string, cycle: TargetCycle, pace: Pace): Promise<Paced> {
  const { machine, headers, paced, folder } = loads;
  const requests = Math.ceil(pace.rate * pace.seconds);
  const plan: Plan = {
    port: Number(new URL(url).port),
    headers,
    targets: cycle.take(requests),
    offset: 0,
    connections: CONNECTIONS,
    rate: pace.rate,
    requests,
  };
  const file = join(folder, 'paced.json');
  writeFileSync(file, JSON.stringify(plan));
  const [command, args] = onCore(machine.loadCore, process.execPath, [paced, file]);
  const measured: Paced = JSON.parse(await outputOf(command, args));
  if (measured.stalledShare > STALLED_MAX)
    console.error(
      `the load generator did not run for ${Math.round(100 * measured.stalledShare)} % of the time: use a quiet machine`,
    );
  return measured;
}
