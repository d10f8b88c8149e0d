// The space that a build needs on the disk of its output folder, estimated from the source before anything is read, and
// what is free there. Used by the build and its shards.
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ReleaseShape } from '../../format/release.ts';
import { BuildError } from '../report/errors.ts';

/** What of a source decides how much is written. */
export interface SourceSize {
  /** Bytes of its files; 0 for one that is no file. */
  bytes: number;
  /** GDAL's names of the formats of its layers. */
  drivers: readonly string[];
  /** Are the files compressed? */
  isArchive: boolean;
  /** Units of all levels. */
  features: number;
}

/** Bytes that a position has as text, with the fifteen digits of doubles, beside the sixteen of two doubles. */
const TEXT_SHARE = 16 / 40;
const TEXT_DRIVERS: readonly string[] = ['GeoJSON', 'GeoJSONSeq', 'TopoJSON', 'GML', 'KML', 'LIBKML', 'CSV', 'SVG'];

/** What an archive of binary files holds, beside its own bytes. */
const UNPACKED = 1.5;

/**
 * Bytes for each byte of a binary source: a build that is refused would fail. Of 57,544 real units they are 0.66 for
 * feature files with the full geometry, 0.32 for each other one, 0.17 for cells, 2.3 for all pages and 0.7 for scratch,
 * which is rings, attributes and long texts; with more detail fewer, of other geometries by far.
 */
const SHARES = {
  scratch: 0.5,
  full: 0.45,
  other: 0.05,
  cells: 0.15,
  pages: { all: 1.5, unfiltered: 0.45, none: 0 },
} as const satisfies Record<string, number | Readonly<Record<ReleaseShape['storedPages'], number>>>;

/** Bytes that a unit without vertices needs at least: its attributes, deflated, and its places in the indexes. */
const UNIT_BYTES = 300;

/** The bytes that a build needs at least. @param shards among how many the release is divided */
export function neededSpace(
  { bytes, drivers, isArchive, features }: SourceSize,
  { geometries, cells, storedPages }: Pick<ReleaseShape, 'geometries' | 'cells' | 'storedPages'>,
  shards = 1,
): number {
  const isText = drivers.some((driver) => TEXT_DRIVERS.includes(driver));
  const binary = bytes * (isText ? TEXT_SHARE : 1) * (isArchive ? UNPACKED : 1);
  const release =
    SHARES.full + SHARES.other * (geometries.length - 1) + (cells ? SHARES.cells : 0) + SHARES.pages[storedPages];
  return Math.ceil(binary * (SHARES.scratch + release / shards) + (UNIT_BYTES * features) / shards);
}

/** Bytes that are free for this user where a folder is, or will be made. */
export async function freeSpace(folder: string): Promise<number> {
  let existing = resolve(folder);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = await statfs(existing);
  return bavail * bsize;
}

/** @throws BuildError that names the folder, what is needed and free there, and the options */
export function refuseLittleSpace(folder: string, needed: number, free: number): void {
  if (needed <= free) return;
  throw new BuildError(
    `${folder}: the build needs about ${gigabytes(needed)} GB there, ${gigabytes(free)} GB are free`,
    'free space, use --out on another disk, or store less: --pages unfiltered or none, --geometry, --no-cells; with --no-space-check it begins anyway',
  );
}

/** With one decimal, or as many as show a digit. */
function gigabytes(bytes: number): string {
  const number = bytes / 1e9;
  return number >= 0.1 ? number.toFixed(1) : number.toPrecision(1);
}
