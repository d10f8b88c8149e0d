// The names of a level's units: JSON Lines, an array for each unit, after a header line. The generator writes them,
// and the explorer searches them.

/** The header line. */
export const NAME_FIELDS = ['fid', 'gid', 'name', 'type', 'parent', 'children'] as const;

/** A unit's line, as an object. */
export interface NamedUnit {
  fid: number;
  /** Its GID; null if it has none. */
  gid: string | null;
  name: string | null;
  /** Its type, e.g. `Province`. */
  type: string | null;
  /** The GID that it has of the nearest level above that has units; null if it has none. */
  parent: string | null;
  /** Number of units of the nearest level below that has units, which have this unit's GID. */
  children: number;
}

/** The header line, with its line feed. */
export function namesHeader(): string {
  return `${JSON.stringify(NAME_FIELDS)}\n`;
}

/** A unit's line, with its line feed. */
export function namesLine({ fid, gid, name, type, parent, children }: NamedUnit): string {
  return `${JSON.stringify([fid, gid, name, type, parent, children])}\n`;
}
