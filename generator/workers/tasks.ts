// Every task of the child processes: a function of a module, called with one argument. Argument and result are plain
// data.
import { extname } from 'node:path';

/** A function, by the URL of its module and its name. The child loads a module at its first use. */
export interface Work {
  module: string;
  name: string;
}

/** A call of a function, as it is sent to a child process. */
export interface Job extends Work {
  task: unknown;
}

/** The tasks, by the name of the function. */
export const TASKS = {
  describeDataset: work('source/level-sources', 'describeDataset'),
  planDissolve: work('prepare/dissolve-plan', 'planDissolve'),
  writePart: work('prepare/write-part', 'writePart'),
  findParents: work('prepare/find-parents', 'findParents'),
  storeLevel: work('read/store-level', 'storeLevel'),
  nestingShare: work('shapes/nesting', 'nestingShare'),
  simplifyLevels: work('shapes/store-geometries', 'simplifyLevels'),
  storeGeometries: work('shapes/store-geometries', 'storeGeometries'),
  checkParents: work('store/identifiers', 'checkParents'),
  writeFiles: work('write/write-files', 'writeFiles'),
  writeOverview: work('write/write-overview', 'writeOverview'),
  finalizeLevel: work('write/finalize', 'finalizeLevel'),
  readSizes: work('estimate/read-sizes', 'readSizes'),
  verifyFiles: work('check/files', 'verifyFiles'),
  compareLevel: work('check/compare-level', 'compareLevel'),
} satisfies Readonly<Record<string, Work>>;

/** @param path of the module in generator/, without its ending: the program may be compiled */
function work(path: string, name: string): Work {
  return { module: new URL(`../${path}${extname(import.meta.url)}`, import.meta.url).href, name };
}

/** Does a job in this process. */
export async function perform({ module, name, task }: Job): Promise<unknown> {
  const loaded = await import(module);
  return loaded[name](task);
}
