// The names and types of a level's units: a file beside the level's store. The task that reads the dataset writes it; the
// tasks that write the names and the overview read it.
import { elementAt } from '../../format/element-at.ts';
import { readSidecar, writeSidecar } from './sidecar.ts';

/** A unit's name and type; null if it has none. */
export interface NameAndType {
  name: string | null;
  type: string | null;
}

/** The name and type of the unit with a fid. */
export interface NamedFid extends NameAndType {
  fid: number;
}

/** Writes the table of the store at `store`. @param units in any order */
export function writeNameTable(store: string, units: readonly NamedFid[]): void {
  const ordered = units.toSorted((a, b) => a.fid - b.fid);
  // Lists of texts take less space than a list of objects.
  writeSidecar(store, 'names', [ordered.map(({ name }) => name), ordered.map(({ type }) => type)]);
}

/** Reads the table of a store; returns the name and type of the unit at a position. */
export function readNameTable(store: string): (position: number) => NameAndType {
  const [names, types] = readSidecar<[(string | null)[], (string | null)[]]>(store, 'names');
  return (position) => ({ name: elementAt(names, position), type: elementAt(types, position) });
}
