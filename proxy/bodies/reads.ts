// Which ranges of feature files are read together for a body: pieces of a slice that lie near each other in a file.
import type { ByteRange } from '../origin/origin.ts';
import { bytesOf, type Piece } from './runs.ts';

/**
 * Ranges of a file are read together if the gap between them is at most this, or all gaps are not longer than the
 * ranges.
 */
const GAP_BYTES = 4 * 1024;
/**
 * Of a host, where each read is a request, ranges of a body are read together across larger gaps, of so many bytes each
 * and in all. Measured on 57,544 units, 100 of a box of one degree: 3.4 reads of 70 kB instead of 6.5 of 32 kB; with
 * gaps of 256 KiB 3.2 of 93 kB.
 */
const HOST_GAP_BYTES = { each: 64 * 1024, all: 1024 * 1024 } as const;

/** Pieces of a file that are read together, with the data of other positions between them. */
export interface Read extends Omit<Piece, 'at'> {
  pieces: Piece[];
  /** Bytes of the pieces. */
  wanted: number;
}

/** Where a piece or a read is in its file. */
export function rangeOf(read: Omit<Piece, 'at'>): ByteRange {
  return { offset: read.data.offsetAt(read.first), length: bytesOf(read) };
}

/** Plans the reading of a piece: with one before it in its file, or by itself. */
export function addPiece(reads: Read[], piece: Piece): void {
  const { data, path, first, end } = piece;
  const wanted = bytesOf(piece);
  // Runs have pieces in two files. Those of units that were searched may come in any order.
  const last = reads.at(-1);
  const before = last?.path === path ? last : reads.at(-2);
  const isNear =
    before?.path === path &&
    before.end <= first &&
    (data.bytes(before.end, first) <= GAP_BYTES || data.bytes(before.first, end) <= 2 * (before.wanted + wanted));
  if (!isNear) reads.push({ data, path, first, end, pieces: [piece], wanted });
  else {
    before.pieces.push(piece);
    before.end = end;
    before.wanted += wanted;
  }
}

/** The reads of a body, those near each other in a file together: the body may have their features in any order. */
export function joined(reads: readonly Read[]): Read[] {
  const most = Math.min(HOST_GAP_BYTES.each, HOST_GAP_BYTES.all / reads.length);
  const all: Read[] = [];
  for (const read of reads.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.first - b.first))) {
    const before = all.at(-1);
    const gap = before?.path === read.path ? read.data.bytes(Math.min(before.end, read.first), read.first) : undefined;
    if (before === undefined || gap === undefined || gap > most) {
      all.push({ ...read, pieces: [...read.pieces] });
      continue;
    }
    before.end = Math.max(before.end, read.end);
    before.pieces.push(...read.pieces);
    before.wanted += read.wanted;
  }
  return all;
}
