// The index of a feature store: fid, GIDs, offset and size of each feature of a level, in order of position. Flat
// arrays, because a level may have hundreds of thousands of features and every task reads the index.
import { createHash } from 'node:crypto';
import { elementAt, numberAt, u8At } from '../../format/element-at.ts';
import type { GidColumn } from '../../format/gid-column.ts';
import { gidColumn } from '../../format/write/gid-column.ts';
import type { GeometryQuality } from '../geojson/geometry.ts';
import type { Box } from '../rings/bbox.ts';

/** Where the features of a store are; every array has one entry per position. */
export interface OffsetIndex {
  features: number;
  /** Ascending. */
  fids: Float64Array;
  /** Offset of the feature's bytes in the store; of features that are not all stored, as if they were. */
  offsets: Float64Array;
  /** Length of the feature's bytes in the store: text, or deflate data. */
  bytes: Float64Array;
  /** Length in bytes of the text of a feature that is stored as deflate data; 0 for one that is stored as text. */
  deflatedText: Float64Array;
  /** CRC-32 of the text of each feature. */
  crcs: Uint32Array;
}

/** The index of the features as they are published. */
export interface StoreIndex extends OffsetIndex {
  /** GID columns 0 .. level. */
  columns: readonly GidColumn[];
  /** West, south, east and north of each feature, as the index of a level has them. */
  boxes: Int32Array;
  /** The boxes of the parts of units that have several, as the index of a level has them. */
  parts: Int32Array;
  /** The kind of each feature's geometry (`GEOMETRY_KINDS`). */
  kinds: Uint8Array;
}

const NO_BOXES = new Int32Array(0);

/** The kind of a geometry as it is published, by which nobody has to read its text. */
export const GEOMETRY_KINDS = { none: 0, polygon: 1, multiPolygon: 2, other: 3 } as const;
/** Is added if none of its rings has an area. */
const COLLAPSED = 4;

/** The byte for a geometry. */
export function geometryByte({ isEmpty, isPolygonal, isMulti, isCollapsed }: GeometryQuality): number {
  if (isEmpty) return GEOMETRY_KINDS.none;
  const kind = isPolygonal ? (isMulti ? GEOMETRY_KINDS.multiPolygon : GEOMETRY_KINDS.polygon) : GEOMETRY_KINDS.other;
  return kind + (isCollapsed ? COLLAPSED : 0);
}

/** Has none of the rings of the unit at a position an area? */
export function isCollapsed(kinds: Uint8Array, position: number): boolean {
  return u8At(kinds, position) >= COLLAPSED;
}

/** One of `GEOMETRY_KINDS`. @param byte of the geometry */
export function kindOfGeometry(byte: number): number {
  return byte % COLLAPSED;
}

/** Is the geometry at a position of one of `GEOMETRY_KINDS`? */
export function isOfKind(kinds: Uint8Array, position: number, kind: keyof typeof GEOMETRY_KINDS): boolean {
  return kindOfGeometry(u8At(kinds, position)) === GEOMETRY_KINDS[kind];
}

/**
 * The SHA-256 of an index in hex: equal for equal indexes. The serialised form of V8 does not serve for this: its bytes
 * depend on how V8 holds the arrays at that moment.
 */
export function indexDigest(index: OffsetIndex & Partial<StoreIndex>): string {
  const { columns = [], fids, boxes = NO_BOXES, parts = NO_BOXES, offsets, bytes, deflatedText, crcs } = index;
  const hash = createHash('sha256');
  const add = (values: Float64Array | Int32Array | Uint32Array | Uint8Array): void => {
    hash.update(`${values.length} `).update(values);
  };
  for (const { name, arrays } of columns) {
    add(Buffer.from(name));
    for (const values of [arrays.start, arrays.text, arrays.run, arrays.first, arrays.rank, arrays.count]) add(values);
  }
  for (const values of [fids, boxes, parts, offsets, bytes, deflatedText, crcs]) add(values);
  return hash.digest('hex');
}

/** Where a feature is. */
export interface OffsetEntry {
  fid: number;
  /** Bytes in the store. */
  bytes: number;
  /** Length in bytes of its text if it is stored as deflate data; 0 if it is stored as text. */
  deflatedText: number;
  /** CRC-32 of its text. */
  crc: number;
}

/** The index entry of a feature. */
export interface StoreEntry extends OffsetEntry {
  /** Its GID in each column, or null. */
  gids: readonly (string | null)[];
  box: Readonly<Box>;
  /** Those of its parts, if it has several. */
  parts: readonly Readonly<Box>[];
  /** The kind of its geometry (`GEOMETRY_KINDS`). */
  kind: number;
}

/** Collects the entries of an index in the order of the store. */
export interface IndexBuilder<Entry, Index> {
  add(entry: Entry): void;
  /** The index, in order of fid. */
  finish(): Index;
}

/** Begins the index of a store beside another. */
export function newOffsetsBuilder(): IndexBuilder<OffsetEntry, OffsetIndex> & { order(): Uint32Array } {
  const fids: number[] = [];
  const bytes: number[] = [];
  const deflatedText: number[] = [];
  const crcs: number[] = [];
  /** The number of the entry at each position. */
  const order = (): Uint32Array => Uint32Array.from(fids.keys()).sort((a, b) => numberAt(fids, a) - numberAt(fids, b));
  return {
    add(entry) {
      fids.push(entry.fid);
      bytes.push(entry.bytes);
      deflatedText.push(entry.deflatedText);
      crcs.push(entry.crc);
    },
    order,
    finish() {
      const own = order();
      const starts = new Float64Array(fids.length);
      let start = 0;
      for (const [entry, length] of bytes.entries()) {
        starts[entry] = start;
        start += length;
      }
      const ordered = (values: ArrayLike<number>) => Float64Array.from(own, (entry) => elementAt(values, entry));
      return {
        features: fids.length,
        fids: ordered(fids),
        offsets: ordered(starts),
        bytes: ordered(bytes),
        deflatedText: ordered(deflatedText),
        crcs: Uint32Array.from(own, (entry) => numberAt(crcs, entry)),
      };
    },
  };
}

/** Begins an index. @param columns names of the GID columns 0 .. level */
export function newIndexBuilder(columns: readonly string[]): IndexBuilder<StoreEntry, StoreIndex> {
  const offsets = newOffsetsBuilder();
  const boxes: number[] = [];
  const parts = new Map<number, readonly Readonly<Box>[]>();
  const kinds: number[] = [];
  const known = columns.map((name) => ({ name, numbers: new Map<string, number>(), owners: [] as number[] }));
  return {
    add(entry) {
      offsets.add(entry);
      boxes.push(...entry.box);
      if (entry.parts.length > 0) parts.set(kinds.length, entry.parts);
      kinds.push(entry.kind);
      for (const [n, { numbers, owners }] of known.entries()) {
        const gid = elementAt(entry.gids, n);
        const number = gid === null ? -1 : (numbers.get(gid) ?? numbers.size);
        if (gid !== null && number === numbers.size) numbers.set(gid, number);
        owners.push(number);
      }
    },
    finish() {
      const order = offsets.order();
      return {
        ...offsets.finish(),
        columns: known.map(({ name, numbers, owners }) => {
          const ordered = Int32Array.from(order, (entry) => numberAt(owners, entry));
          return gidColumn(name, [...numbers.keys()], ordered);
        }),
        boxes: Int32Array.from({ length: boxes.length }, (_, i) =>
          numberAt(boxes, 4 * elementAt(order, i >> 2) + (i & 3)),
        ),
        parts: Int32Array.from(
          [...order].flatMap((entry, position) => (parts.get(entry) ?? []).flatMap((box) => [position, ...box])),
        ),
        kinds: Uint8Array.from(order, (entry) => numberAt(kinds, entry)),
      };
    },
  };
}
