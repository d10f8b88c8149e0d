// Servers of the benchmark, each a process of its own: started, waited for, looked at, ended by id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** A running server. */
export interface Server {
  url: string;
  /** From its start to its being ready, in seconds. */
  startSeconds: number;
  /** Resident memory in MB: now, and the most it ever was; NaN where the system does not tell. */
  memory(): { now: number; most: number };
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a script of this repository with the TypeScript loader in use; ready when it has printed its address. */
export function startScript(script: string, args: readonly string[]): Promise<Server> {
  return start(process.execPath, [...process.execArgv, script, ...args]);
}

/** Starts Node, this one or another, with these arguments and nothing else; ready likewise. */
export function startProgram(args: readonly string[], node: string = process.execPath): Promise<Server> {
  return start(node, args);
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
