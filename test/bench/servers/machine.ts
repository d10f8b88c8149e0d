// Where the programs of a benchmark run: servers on one core, load generators on another; and with which Node.
import { readFileSync } from 'node:fs';
import { hasProgram } from '../measure/measure.ts';

/** The cores, undefined if programs may run on any, and the Node of the servers. */
export interface Machine {
  serverCore: string | undefined;
  loadCore: string | undefined;
  /** The program that runs proxy and control. */
  node: string;
}

/** Chooses two cores that this process may use. @param node the Node of the servers; this process's if left out */
export function chooseMachine(node: string | undefined): Machine {
  const cores = allowedCores();
  const [serverCore, loadCore] = hasProgram('taskset') ? cores : [];
  if (serverCore !== undefined && loadCore !== undefined)
    return { serverCore, loadCore, node: node ?? process.execPath };
  console.error('taskset or a second core is missing: server and load generator may share a core');
  return { serverCore: undefined, loadCore: undefined, node: node ?? process.execPath };
}

/** A command that runs on one core. */
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
