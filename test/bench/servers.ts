// Where the programs of a benchmark run: servers on one core, load generators on another; and the proxy as it is deployed,
// the compiled package, one process, tokens checked, no access log.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { compile } from '../support/processes/compile.ts';
import { issuedOptions, type Running, serve } from '../support/processes/proxy-process.ts';
import { hasProgram } from './measure.ts';

/** Two cores that this process may use; undefined where it may not choose. */
const [SERVER_CORE, LOAD_CORE] = hasProgram('taskset') ? allowedCores() : [];
if (LOAD_CORE === undefined) console.error('taskset or a second core is missing: server and client may share a core');

/** Numbers of the cores, from lists such as 0-3,6. */
function allowedCores(): string[] {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
  });
}

/** Moves a process, and what it starts from then on, to the core of servers. */
export function asServer(pid = 0): void {
  if (LOAD_CORE !== undefined) execFileSync('taskset', ['-acp', String(SERVER_CORE), String(pid)]);
}

/** A command that runs on the core of clients. */
export function asClient(command: string, args: readonly string[]): [string, string[]] {
  return LOAD_CORE === undefined ? [command, [...args]] : ['taskset', ['-c', LOAD_CORE, command, ...args]];
}

/** The compiled module of a file in a checkout, which compiles itself. */
export function compiledIn(checkout: string, file: string): string {
  if (checkout === '.') return compile(file);
  const lines = ["import { compile } from './test/support/processes/compile.ts';", `console.log(compile('${file}'));`];
  const args = ['--import', 'tsx', '--input-type=module', '--eval', lines.join('\n')];
  return execFileSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' }).trim();
}

/** The proxy of a checkout, with nothing in its memory but the release's metadata. */
export async function startProxy(out: string, checkout = '.'): Promise<Running> {
  const proxy = await serve(
    [...issuedOptions(out), '--no-access-log'],
    {},
    { program: compiledIn(checkout, 'proxy/main.ts') },
  );
  asServer(proxy.child.pid);
  return proxy;
}
