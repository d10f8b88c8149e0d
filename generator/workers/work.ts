// Work for a child process: a function of a module, called with one argument. Argument and result are plain data.
// The child loads a module at its first use, so that a process loads only what it needs.
import { extname } from 'node:path';

/** A function, by its module and name. */
export interface Work<Task, Result> {
  /** URL of the module. */
  module: string;
  name: string;
  /** Never set: it carries the types. */
  types?: (task: Task) => Result;
}

/** The function's argument and, without its promise, its result. */
type WorkOf<Call> = Call extends (task: infer Task) => infer Result ? Work<Task, Awaited<Result>> : never;

/**
 * Names a function of another module without loading it.
 * @param base `import.meta.url` of the caller
 * @param path of the module, relative to the caller, without its ending
 */
export function workIn<Module, Name extends keyof Module & string>(
  base: string,
  path: string,
  name: Name,
): WorkOf<Module[Name]>;
export function workIn(base: string, path: string, name: string): unknown {
  return { module: new URL(path + extname(base), base).href, name };
}

/** A call of a function, as it is sent to a child process. */
export interface Job {
  module: string;
  name: string;
  task: unknown;
}

/** Does a job in this process. */
export async function perform({ module, name, task }: Job): Promise<unknown> {
  const loaded = await import(module);
  return loaded[name](task);
}
