// The parents that the units of a level get by place: a file in the work folder, written before the level is read. Used by
// everything that reads the layers of a level.
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { elementAt } from '../../format/element-at.ts';
import type { LayerSource, LevelSource } from '../source/level-source.ts';

/** The GIDs of each parent at the levels 0 to its own, and the parent of each unit, by its published fid. */
export interface PlacedParents {
  gids: (string | null)[][];
  parents: Map<number, number>;
}

/** Writes the file. */
export function writePlacedParents(file: string, placed: PlacedParents): void {
  writeFileSync(file, serialize(placed));
}

/** Returns a function that adds the GIDs of a unit's parent to the values of its layer's own fields. */
export function newWithParents({
  place,
}: LevelSource): (values: readonly unknown[], fid: number, layer: LayerSource) => readonly unknown[] {
  if (place === undefined) return (values) => values;
  // While parents are sought there is no file yet.
  const { gids, parents }: PlacedParents =
    place.file === '' ? { gids: [], parents: new Map() } : deserialize(readFileSync(place.file));
  return (values, fid, { placed }) => {
    const parent = parents.get(fid);
    const own = parent === undefined ? [] : elementAt(gids, parent);
    return [...values, ...placed.map((n) => own[n] ?? null)];
  };
}
