// Servers of the benchmark, each a process of its own: started, waited for, looked at, ended by id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Machine, onCore } from './machine.ts';

/** A running server. */
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
