// Work that a child process can do: a function of a module, called with one argument. Argument and result are plain data.
// The child loads a module when it first needs it, so that no process loads more than it uses.
import { extname } from 'node:path';

/** A function, by its module and name. */
export interface Work<Task, Result> {
  /** URL of the module. */
  module: string;
  name: string;
  /** Never there: it carries the types. */
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

/** Work with its argument, as it is sent to a child. */
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
