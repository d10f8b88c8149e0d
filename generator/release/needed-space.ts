// How large a release will be, and the space that its build needs on the disk of its output folder, estimated from the
// source before anything is read; and what is free there.
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ReleaseContents } from '../../format/release-json.ts';
import { BuildError } from '../report/errors.ts';

/** What of a source decides how much is written. */
export interface SourceSize {
  /** Bytes of its files; 0 for one that is no file. */
  bytes: number;
  /** GDAL's names of the formats of its layers. */
  drivers: readonly string[];
  /** Are the files compressed? */
  isArchive: boolean;
  /** Units of each level, from level 0 on. */
  units: readonly number[];
}

/** Bytes that a position has as text, with the fifteen digits of doubles, beside the sixteen of two doubles. */
const TEXT_SHARE = 16 / 40;
const TEXT_DRIVERS: readonly string[] = ['GeoJSON', 'GeoJSONSeq', 'TopoJSON', 'GML', 'KML', 'LIBKML', 'CSV', 'SVG'];

/** What an archive of binary files holds, beside its own bytes. */
const UNPACKED = 1.5;

/**
 * Bytes for each byte of a binary source, and for each unit: a little less than two datasets took, the sample and
 * 57,544 real units, so that a build that is refused would fail. What is simplified does not grow with the detail of
 * the source: the smaller one of both counts.
 */
const SHARES = {
  full: { byte: 0.65, unit: Number.POSITIVE_INFINITY },
  medium: { byte: 0.55, unit: 800 },
  low: { byte: 0.55, unit: 560 },
  point: { byte: 0.3, unit: 400 },
  none: { byte: 0.3, unit: 350 },
  cells: { byte: 0.14, unit: Number.POSITIVE_INFINITY },
  neighbours: { byte: 0.05, unit: 55 },
  tiles: { byte: 2.2, unit: 1700 },
  /** Besides, of the tiles of upper levels, whose units are large. */
  largeTiles: { byte: 1.5, unit: 6000 },
} as const satisfies Record<string, Share>;

/** What tasks leave for one another: rings, attributes, long texts, indexes. */
const SCRATCH = { byte: 0.3, unit: 750 } as const;
/** Index, names and words of a unit; its part of the index of each other geometry. */
const INDEX_BYTES = { unit: 200, geometry: 35 } as const;
/** Pages of the unfiltered listing; of each other one that a unit is in, and so has two of; and the end of blocks. */
const PAGES = { byte: 0.6, moreByte: 0.32, unit: 80, moreUnit: 200 } as const;
/** What a table has for each byte of the feature files of its geometries. */
const TABLE_SHARE = 0.38;
/** What is linked is copied where the file system has no links. */
const COPIES = 1.2;
/** The zoom to which tiles take `SHARES.tiles`, and what each more takes. */
const TILES = { zoom: 8, more: 1.3 } as const;
/** Levels from 0 on whose units are large. */
const UPPER_LEVELS = 3;

/** For each byte of a binary source, and for each unit. */
interface Share {
  byte: number;
  unit: number;
}

/** Releases of five datasets had 0.99 to 1.83 of the bytes that the shares above make. */
const RANGE = { least: 0.9, most: 2 } as const;

/** The bytes of a build. */
export interface ExpectedBytes {
  /** Of the release. */
  release: { least: number; most: number };
  /** That it needs at least on the disk of its output folder, until it ends. */
  disk: number;
}

/**
 * The bytes of a build: for its check before it reads anything, and for the dry run.
 * @param shards among how many the release is divided
 */
export function expectedBytes(
  { bytes, drivers, isArchive, units }: SourceSize,
  { geometries, cells, neighbours, parquet, storedPages, tiles }: Omit<ReleaseContents, 'precision'>,
  { hasLinks }: Pick<Disk, 'hasLinks'>,
  shards = 1,
): ExpectedBytes {
  const isText = drivers.some((driver) => TEXT_DRIVERS.includes(driver));
  const binary = bytes * (isText ? TEXT_SHARE : 1) * (isArchive ? UNPACKED : 1);
  const count = sumOf(units);
  const least = ({ byte, unit }: Share, of = count): number => (of === 0 ? 0 : Math.min(byte * binary, unit * of));
  // A unit is in the listing of all units, and in that of each of its parents.
  const parents = count === 0 ? 0 : sumOf(units.map((own, level) => own * level)) / count;
  const unfiltered = PAGES.byte * binary + PAGES.unit * count;
  const filtered = parents * PAGES.moreByte * binary + PAGES.moreUnit * count;
  const pages = { none: 0, unfiltered, all: (unfiltered + filtered) * (hasLinks ? 1 : COPIES) }[storedPages];
  const upper = sumOf(units.slice(0, UPPER_LEVELS));
  const scale = tiles === undefined ? 0 : TILES.more ** (tiles - TILES.zoom);
  // Half of it is for arcs, which each shard cuts.
  const tileBytes = (scale * (least(SHARES.tiles) + least(SHARES.largeTiles, upper))) / 2;
  const drawn = geometries.filter((geometry) => geometry !== 'none');
  const release =
    sumOf(geometries.map((geometry) => least(SHARES[geometry]))) +
    count * (INDEX_BYTES.unit + INDEX_BYTES.geometry * (geometries.length - 1)) +
    (cells ? least(SHARES.cells) : 0) +
    (neighbours ? least(SHARES.neighbours) : 0) +
    (parquet ? TABLE_SHARE * sumOf(drawn.map((geometry) => least(SHARES[geometry]))) : 0) +
    pages +
    tileBytes;
  return {
    release: { least: Math.floor(RANGE.least * release), most: Math.ceil(RANGE.most * release) },
    disk: Math.ceil(SCRATCH.byte * binary + SCRATCH.unit * count + tileBytes + release / shards),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The disk of a folder. */
export interface Disk {
  /** Bytes that are free for this user. */
  free: number;
  /** Can a file have a second name? */
  hasLinks: boolean;
}

/** File systems without links, by their numbers (man 2 statfs): FAT and exFAT. */
const WITHOUT_LINKS: readonly number[] = [0x4d44, 0x2011bab0];

/** The disk on which a folder is, or will be made. */
export async function diskOf(folder: string): Promise<Disk> {
  let existing = resolve(folder);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize, type } = await statfs(existing);
  return { free: bavail * bsize, hasLinks: !WITHOUT_LINKS.includes(type) };
}

/** @throws BuildError that names the folder, what is needed and free there, and the options */
export function refuseLittleSpace(folder: string, needed: number, free: number): void {
  if (needed <= free) return;
  throw new BuildError(
    `${folder}: the build needs about ${gigabytes(needed)} GB there, ${gigabytes(free)} GB are free`,
    'free space, use --out on another disk, or store less: --pages unfiltered or none, --no-tiles, --geometry, --no-parquet, --no-cells; with --no-space-check it begins anyway',
  );
}

/** With one decimal, or as many as show a digit. */
function gigabytes(bytes: number): string {
  const number = bytes / 1e9;
  return number >= 0.1 ? number.toFixed(1) : number.toPrecision(1);
}
