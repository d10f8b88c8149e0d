// The GIDs of a column in typed arrays with a hash table: look-ups need no string for each GID, and the arrays move
// between threads without a copy. Used by level-tables.ts.
import { elementAt } from '../../format/element-at.ts';
import { FormatError } from '../../format/parse.ts';

/** The content of a table. */
export interface PackedGids {
  /** UTF-16 code units of all GIDs. */
  units: Uint16Array<ArrayBuffer>;
  /** Where each GID begins in `units`; one entry more for the end of the last. */
  begins: Uint32Array<ArrayBuffer>;
  /** Open addressing with linear probing: the index of a GID plus 1, 0 for a free slot. A power of two. */
  slots: Uint32Array<ArrayBuffer>;
}

/** FNV-1a with 32 bits. */
const HASH_OFFSET = 0x811c9dc5;
const HASH_PRIME = 0x01000193;

/**
 * Packs GIDs.
 * @param where names their place, for messages
 * @throws FormatError if a GID is listed twice
 */
export function packGids(gids: readonly string[], where: string): PackedGids {
  const begins = new Uint32Array(gids.length + 1);
  for (const [i, gid] of gids.entries()) begins[i + 1] = elementAt(begins, i) + gid.length;
  const units = new Uint16Array(elementAt(begins, gids.length));
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * gids.length + 1)));
  const packed = { units, begins, slots };
  for (const [i, gid] of gids.entries()) {
    const begin = elementAt(begins, i);
    for (let at = 0; at < gid.length; at++) units[begin + at] = gid.charCodeAt(at);
    const slot = slotOf(packed, gid);
    if (slots[slot] !== 0) throw new FormatError(where, `a GID is listed twice: ${JSON.stringify(gid)}`);
    slots[slot] = i + 1;
  }
  return packed;
}

/** The GIDs of a column, in the order of the manifest. */
export class GidTable {
  readonly #packed: PackedGids;

  constructor(packed: PackedGids) {
    this.#packed = packed;
  }

  /** Number of GIDs. */
  get length(): number {
    return this.#packed.begins.length - 1;
  }

  /** A GID by its index; undefined past the last. */
  at(index: number): string | undefined {
    const { units, begins } = this.#packed;
    if (index < 0 || index >= this.length) return undefined;
    const own = units.subarray(elementAt(begins, index), elementAt(begins, index + 1));
    return Array.from(own, (unit) => String.fromCharCode(unit)).join('');
  }

  /** The index of a GID; undefined if it is not in the column. */
  find(gid: string): number | undefined {
    const index = elementAt(this.#packed.slots, slotOf(this.#packed, gid)) - 1;
    return index === -1 ? undefined : index;
  }
}

/** The slot that has the GID, or the free one in which it belongs. */
function slotOf(packed: PackedGids, gid: string): number {
  const { slots } = packed;
  const mask = slots.length - 1;
  let slot = hashOf(gid) & mask;
  for (;;) {
    const index = elementAt(slots, slot) - 1;
    if (index === -1 || isAt(packed, index, gid)) return slot;
    slot = (slot + 1) & mask;
  }
}

function isAt({ units, begins }: PackedGids, index: number, gid: string): boolean {
  const begin = elementAt(begins, index);
  if (elementAt(begins, index + 1) - begin !== gid.length) return false;
  for (let at = 0; at < gid.length; at++) if (units[begin + at] !== gid.charCodeAt(at)) return false;
  return true;
}

function hashOf(text: string): number {
  let hash = HASH_OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_PRIME);
  // The low bits of FNV depend on the low bits of the text alone.
  return hash ^ (hash >>> 15);
}
