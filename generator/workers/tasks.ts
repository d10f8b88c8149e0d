// Every task of the child processes: a function of a module, called with one argument. Argument and result are plain
// data.
import { extname } from 'node:path';

/** A function, by the URL of its module and its name. The child loads a module at its first use. */
export interface Work {
  module: string;
  name: string;
  /** What it is counted as. */
  phase: string;
}

/** A call of a function, as it is sent to a child process. */
export interface Job extends Work {
  task: unknown;
}

/** The tasks, by the name of the function. */
export const TASKS = {
  describeDataset: work('source/level-sources', 'describeDataset', 'describe'),
  findOperations: work('source/crs-operations', 'findOperations', 'describe'),
  planDissolve: work('dissolve/dissolve-plan', 'planDissolve', 'dissolve'),
  writePart: work('dissolve/write-part', 'writePart', 'dissolve'),
  findParents: work('parents/find-parents', 'findParents', 'parents'),
  storeLevel: work('read/store-level', 'storeLevel', 'read'),
  nestingOf: work('topology/nesting', 'nestingOf', 'geometries'),
  simplifyLevels: work('simplify/store-geometries', 'simplifyLevels', 'geometries'),
  storePoints: work('simplify/store-geometries', 'storePoints', 'geometries'),
  prepareTiles: work('tiles/prepare-tiles', 'prepareTiles', 'tiles'),
  measureOverlaps: work('tiles/measure-overlaps', 'measureOverlaps', 'tiles'),
  writeZoomArcs: work('tiles/prepare-tiles', 'writeZoomArcs', 'tiles'),
  writeTiles: work('tiles/write-tiles', 'writeTiles', 'tiles'),
  advise: work('advice/advise', 'advise', 'check'),
  checkParents: work('quality/identifiers', 'checkParents', 'check'),
  checkValidity: work('write/check-validity', 'checkValidity', 'validity'),
  writeBorders: work('write/write-files', 'writeFiles', 'borders'),
  writeTable: work('write/write-files', 'writeFiles', 'parquet'),
  writeFiles: work('write/write-files', 'writeFiles', 'files'),
  finalizeLevel: work('write/finalize', 'finalizeLevel', 'indexes'),
  surveyLevel: work('estimate/survey-level', 'surveyLevel', 'read'),
  verifyFiles: work('verify/files', 'verifyFiles', 'verify'),
  hashShapes: work('changes/hash-shapes', 'hashShapes', 'hash'),
  measureShared: work('changes/unit-shapes', 'measureShared', 'measure'),
} satisfies Readonly<Record<string, Work>>;

/** When tasks begin that wait together (task-queue.ts): the longest that cannot be divided come first. */
export const RANKS = {
  read: 1,
  nesting: 2,
  arcs: 3,
  borders: 3,
  geometries: 4,
  table: 4,
  files: 5,
  tiles: 5,
} as const;

/** @param path of the module in generator/, without its ending: the program may be compiled */
function work(path: string, name: string, phase: string): Work {
  return { module: new URL(`../${path}${extname(import.meta.url)}`, import.meta.url).href, name, phase };
}

/** Does a job in this process. */
export async function perform({ module, name, task }: Job): Promise<unknown> {
  const loaded = await import(module);
  return loaded[name](task);
}
