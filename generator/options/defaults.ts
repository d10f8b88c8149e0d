// What a build does unless an option says otherwise. It loads nothing, so that documents can show it.
import { availableParallelism } from 'node:os';
import { GEOMETRIES, LEVELS } from '../../format/levels.ts';
import { defaultMemory } from '../workers/memory.ts';

/** What is built, unless an option says otherwise. */
export const DEFAULTS = {
  levels: LEVELS,
  precision: 7,
  storedPages: 'all',
  geometries: GEOMETRIES,
  cells: true,
  // A zoom more takes about as long as all before it, and maps show the deepest one larger.
  tiles: 8,
  neighbours: true,
  parquet: true,
  accept: [],
  attribution: [],
  workers: availableParallelism(),
  memory: defaultMemory(),
  spaceCheck: true,
  activate: true,
} as const;
