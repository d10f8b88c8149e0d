// The index of a feature store: what is known of each feature of a level besides its bytes, in order of position. Flat
// arrays, since a level may have hundreds of thousands of features and every task reads the index.
import type { TextSum } from '../../format/gzip-members.ts';

/** The GIDs of one column. */
export interface GidColumn {
  name: string;
  /** Every GID that occurs. */
  gids: readonly string[];
  /** For each position the index of its GID in `gids`; -1 where it has none. */
  owners: Int32Array;
}

/** What is known of the stored features: an entry for each position in every array. */
export interface StoreIndex {
  features: number;
  /** Ascending. */
  fids: Float64Array;
  /** GID columns 0 .. level. */
  columns: readonly GidColumn[];
  /** Where its bytes begin in the store. */
  offsets: Float64Array;
  /** How many they are: of text, or of deflate data. */
  bytes: Float64Array;
  /** Length in bytes of the text of a feature that is stored as deflate data; 0 for one that is stored as text. */
  deflatedText: Float64Array;
  /** CRC-32 of that text. */
  crcs: Uint32Array;
}

/** What is known of a feature when it is stored. */
export interface StoreEntry {
  fid: number;
  /** Its GID in each column, null where it has none. */
  gids: readonly (string | null)[];
  /** Bytes in the store. */
  bytes: number;
  /** The sum of its text, where it is stored as deflate data. */
  deflated: TextSum | undefined;
}

/** Collects the entries of an index in the order of the store. */
export interface IndexBuilder {
  add(entry: StoreEntry): void;
  /** The index, in order of fid. */
  finish(): StoreIndex;
}

/** Begins an index. @param columns names of the GID columns 0 .. level */
export function newIndexBuilder(columns: readonly string[]): IndexBuilder {
  const fids: number[] = [];
  const bytes: number[] = [];
  const deflatedText: number[] = [];
  const crcs: number[] = [];
  const known = columns.map((name) => ({ name, numbers: new Map<string, number>(), owners: [] as number[] }));
  return {
    add(entry) {
      fids.push(entry.fid);
      bytes.push(entry.bytes);
      deflatedText.push(entry.deflated?.length ?? 0);
      crcs.push(entry.deflated?.crc ?? 0);
      for (const [n, { numbers, owners }] of known.entries()) {
        const gid = entry.gids[n] ?? null;
        if (gid !== null && !numbers.has(gid)) numbers.set(gid, numbers.size);
        owners.push(gid === null ? -1 : (numbers.get(gid) ?? -1));
      }
    },
    finish() {
      const order = Uint32Array.from(fids.keys()).sort((a, b) => (fids[a] ?? 0) - (fids[b] ?? 0));
      const starts = new Float64Array(fids.length + 1);
      for (const [entry, length] of bytes.entries()) starts[entry + 1] = (starts[entry] ?? 0) + length;
      const ordered = (values: ArrayLike<number>) => Float64Array.from(order, (entry) => values[entry] ?? 0);
      return {
        features: fids.length,
        fids: ordered(fids),
        columns: known.map(({ name, numbers, owners }) => ({
          name,
          gids: [...numbers.keys()],
          owners: Int32Array.from(order, (entry) => owners[entry] ?? -1),
        })),
        offsets: ordered(starts),
        bytes: ordered(bytes),
        deflatedText: ordered(deflatedText),
        crcs: Uint32Array.from(order, (entry) => crcs[entry] ?? 0),
      };
    },
  };
}
