// Options that several commands have.
import { availableParallelism } from 'node:os';

export const OUT = { type: 'string', requiresArg: true, default: 'output', describe: 'output folder' } as const;

export const ACTIVATE = {
  type: 'boolean',
  default: true,
  describe: 'make the release current; --no-activate to publish it only',
} as const;

export const WORKERS = {
  type: 'number',
  requiresArg: true,
  default: availableParallelism(),
  describe: 'number of child processes; 0 to run in this process',
} as const;

export const RELEASE = { type: 'string', demandOption: true, describe: 'release id' } as const;

/** Maximum value of WORKERS. */
export const WORKERS_MAX = 1024;
