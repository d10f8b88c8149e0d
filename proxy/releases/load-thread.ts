// A thread that verifies and parses the metadata of one large release, so that the event loop does not stall. Started by
// load-release.ts with the files of all levels; sends the tables of each level.
import { parentPort, workerData } from 'node:worker_threads';
import { FormatError } from '../../format/parse.ts';
import type { LevelFiles, LevelTables } from './level-tables.ts';
import { buffersOf, filesToTables } from './level-tables.ts';

/** A message of the thread: the tables of the next level, or the message of a FormatError. */
export type ThreadMessage = { tables: LevelTables } | { formatError: string };

const levels: readonly LevelFiles[] = workerData;
try {
  for (const files of levels) {
    const tables = filesToTables(files);
    parentPort?.postMessage({ tables } satisfies ThreadMessage, buffersOf(tables));
  }
} catch (error) {
  if (!(error instanceof FormatError)) throw error;
  parentPort?.postMessage({ formatError: error.message } satisfies ThreadMessage);
}
