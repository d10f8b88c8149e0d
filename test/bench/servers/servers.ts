// Where the programs of a benchmark run: servers on one core, load generators on another, and with which Node. Servers
// are processes of their own: started, waited for, ended by id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hasProgram } from '../measure/measure.ts';

/** The cores, undefined if programs may run on any, and the Node of the servers. */
export interface Machine {
  serverCore: string | undefined;
  loadCore: string | undefined;
  /** The program that runs proxy and control. */
  node: string;
}

/** Chooses two cores that this process may use. @param node the Node of the servers */
export function chooseMachine(node: string = process.execPath): Machine {
  const [serverCore, loadCore] = hasProgram('taskset') ? allowedCores() : [];
  if (loadCore !== undefined) return { serverCore, loadCore, node };
  console.error('taskset or a second core is missing: server and load generator may share a core');
  return { serverCore: undefined, loadCore, node };
}

export function onCore(core: string | undefined, command: string, args: readonly string[]): [string, string[]] {
  return core === undefined ? [command, [...args]] : ['taskset', ['-c', core, command, ...args]];
}

/** Numbers of the cores, from lists such as 0-3,6; empty where the system does not tell. */
function allowedCores(): string[] {
  try {
    const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return list.split(',').flatMap((range) => {
      const [first = Number.NaN, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
    });
  } catch {
    return [];
  }
}

export interface Server {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts Node with these arguments on the core of servers; ready when it has printed its address. */
export async function startNode({ node, serverCore }: Machine, args: readonly string[]): Promise<Server> {
  const child = spawn(...onCore(serverCore, node, args), { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const url = await addressOf(child);
  return {
    url,
    pid: child.pid ?? 0,
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
