// What the page and its worker say to each other of a table.
import type { Level } from '../../../format/levels.ts';
import type { Classified, Reading } from './classes.ts';
import type { Choice, MatchedTable } from './matching.ts';
import type { OpenTable } from './reading.ts';
import type { Values } from './values.ts';

/** To the worker: first the file, then how it is to be read, and the names that it wants. */
export type ToWorker =
  | { is: 'file'; file: File; levels: readonly Level[] }
  | { is: 'read'; choice: Choice | undefined; reading: Reading }
  | { is: 'names'; level: Level; names: Blob };

/** From the worker. */
export type FromWorker =
  | { is: 'step'; step: string }
  | { is: 'wanted'; level: Level }
  | { is: 'fault'; fault: string }
  | { is: 'table'; table: ReadTable };

/** A table that has been read and matched. */
export interface ReadTable
  extends Pick<OpenTable, 'header' | 'encoding' | 'rows'>,
    Pick<MatchedTable, 'level' | 'problems' | 'within' | 'units'>,
    Pick<Classified, 'kind' | 'sign' | 'classes' | 'read'> {
  separator: string;
  choice: Choice;
  reading: Reading;
  /** That have units. */
  levels: readonly Level[];
  /** Units that have a row. */
  found: number;
  /** Those on the map, and the class of each: more than `found` where several have one GID. */
  fids: Float64Array;
  of: Uint8Array;
  /** Of each of these the number of its value. */
  numbers: Uint32Array;
  values: Values;
}
