// Servers of the benchmark, each a process of its own: started, waited for, looked at, ended by id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Machine, onCore } from './machine.ts';

/** A running server. */
export interface Server {
  url: string;
  /** From its start to its being ready, in seconds. */
  startSeconds: number;
  /** Resident memory in MB: now, and the most it ever was; NaN where the system does not tell. */
  memory(): { now: number; most: number };
  /** Time on a processor since its start, user and system. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts Node with these arguments on the core of servers; ready when it has printed its address. */
export function startNode({ node, serverCore }: Machine, args: readonly string[]): Promise<Server> {
  return start(...onCore(serverCore, node, args));
}

async function start(command: string, args: readonly string[]): Promise<Server> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const url = await addressOf(child);
  return {
    url,
    startSeconds: (performance.now() - started) / 1000,
    memory: () => memoryOf(child.pid),
    cpuSeconds: () => cpuSecondsOf(child.pid),
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const onText = (text: string): void => {
      said += text;
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (url) resolve(url);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onText);
    child.once('exit', (code) => reject(new Error(`exited with ${code} before it listened: ${said}`)));
  });
}

function memoryOf(pid: number | undefined): { now: number; most: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [now, most] = ['VmRSS', 'VmHWM'].map(
      (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024,
    );
    return { now: now ?? Number.NaN, most: most ?? Number.NaN };
  } catch {
    return { now: Number.NaN, most: Number.NaN };
  }
}

/** The unit of times in /proc, which Linux fixes for programs. */
const TICKS_A_SECOND = 100;

function cpuSecondsOf(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // utime and stime are fields 14 and 15; the name before them, in brackets, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
