// The parents that the units of a level get by place: a file in the work folder, written before the level is read. And
// those that GML refers to.
import { elementAt } from '../../format/element-at.ts';
import { readSerialized } from '../files/serialized-file.ts';
import type { LayerSource, LevelSource } from '../source/level-source.ts';

/** The GIDs of each parent at the levels 0 to its own, and the parent of each unit, by its published fid. */
export interface PlacedParents {
  gids: (string | null)[][];
  parents: Map<number, number>;
}

/**
 * Returns a function that adds the GIDs of a unit's parent to the values of its layer's own fields. In GML, a reference
 * is to the id at its end: `AU.1` of `#AU.1`.
 */
export function newWithParents({
  place,
}: LevelSource): (values: readonly unknown[], fid: number, layer: LayerSource) => readonly unknown[] {
  if (place === undefined) return referredTo;
  // While parents are sought there is no file yet.
  const { gids, parents }: PlacedParents =
    place.file === '' ? { gids: [], parents: new Map() } : readSerialized(place.file);
  return (values, fid, layer) => {
    const parent = parents.get(fid);
    const own = parent === undefined ? [] : elementAt(gids, parent);
    return [...referredTo(values, fid, layer), ...layer.placed.map((n) => own[n] ?? null)];
  };
}

/** What stands before the id in a reference of GML: `#`, or the address of a file and `#`. */
const BEFORE_ID = /^([a-z]+:\/\/[^#]*)?#/i;

/** The values of a feature in GML with the ids that its GIDs refer to (xlink:href). */
function referredTo(values: readonly unknown[], _: number, { driver, gids }: LayerSource): readonly unknown[] {
  if (driver !== 'GML') return values;
  const fields = new Set(gids.flat());
  return values.map((value, at) =>
    typeof value === 'string' && fields.has(at) ? value.replace(BEFORE_ID, '') : value,
  );
}
