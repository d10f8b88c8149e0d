// The metadata of a level as typed arrays, which move between threads without a copy. Made by load-thread.ts or
// load-release.ts from manifest and feature index; look-ups use the `LoadedLevel` around them.
import { hash } from 'node:crypto';
import { FeatureIndex } from '../../format/feature-index.ts';
import type { Format, Level } from '../../format/levels.ts';
import type { ListingTable } from '../../format/listing.ts';
import { listingTable } from '../../format/listing.ts';
import type { Manifest } from '../../format/manifest.ts';
import { manifestFromJson } from '../../format/manifest.ts';
import { FormatError } from '../../format/parse.ts';
import type { Runs, RunTable } from '../../format/runs.ts';
import { runTableFrom } from '../../format/runs.ts';
import type { PackedGids } from './gid-table.ts';
import { GidTable, packGids } from './gid-table.ts';

/** A file of a level's metadata as it was read, and the SHA-256 in hex that release.json has for it. */
export interface MetadataFile {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  sha256: string;
}

/** The metadata of a level as it was read. */
export interface LevelFiles {
  release: string;
  level: Level;
  manifest: MetadataFile;
  index: MetadataFile;
}

/** The verified metadata of a level. */
export interface LevelTables {
  release: string;
  level: Level;
  features: number;
  featuresPerFile: number;
  fids: Float64Array<ArrayBuffer>;
  columns: ({ gids: PackedGids } & Pick<RunTable, 'begins' | 'runs'>)[];
  pages: Record<Format, { bytes: Float64Array<ArrayBuffer>; digests: string }>;
  index: Pick<MetadataFile, 'path' | 'bytes'>;
}

/** A GID column. */
export interface LoadedColumn {
  gids: GidTable;
  /** For each GID, the positions that it covers. */
  covers: RunTable;
}

/** What requests need of a manifest; see `Manifest`. */
export interface LoadedManifest extends Pick<Manifest, 'release' | 'level' | 'features'> {
  fids: Runs;
  columns: readonly LoadedColumn[];
  pages: Readonly<Record<Format, { bytes: ArrayLike<number>; digests: string }>>;
}

/** The metadata of a level, prepared for look-ups. */
export interface LoadedLevel {
  manifest: LoadedManifest;
  index: FeatureIndex;
  listings: ListingTable;
}

/**
 * Verifies and parses the files of a level.
 * @throws FormatError
 */
export function filesToTables({ release, level, manifest: file, index }: LevelFiles): LevelTables {
  for (const metadata of [file, index]) verify(metadata);
  const { columns, fids, pages, ...manifest } = manifestFromJson(Buffer.from(file.bytes.buffer).toString(), file.path);
  if (manifest.release !== release || manifest.level !== level)
    throw new FormatError(
      file.path,
      `belongs to release ${manifest.release} level ${manifest.level}, expected ${release} level ${level}`,
    );
  const pageTable = (format: Format) => ({
    bytes: Float64Array.from(pages[format].bytes),
    digests: pages[format].digests,
  });
  return {
    release,
    level,
    features: manifest.features,
    featuresPerFile: manifest.featuresPerFile,
    fids: Float64Array.from(fids),
    columns: columns.map(({ gids, covers: { begins, runs } }, i) => ({
      gids: packGids(gids, `${file.path} columns[${i}]`),
      begins,
      runs,
    })),
    pages: { geojsonl: pageTable('geojsonl'), fc: pageTable('fc') },
    index: { path: index.path, bytes: index.bytes },
  };
}

/** The memory of the tables, to be moved to another thread. */
export function buffersOf({ fids, columns, pages, index }: LevelTables): ArrayBuffer[] {
  const arrays = [
    fids,
    pages.geojsonl.bytes,
    pages.fc.bytes,
    index.bytes,
    ...columns.flatMap(({ gids, begins, runs }) => [gids.units, gids.begins, gids.slots, begins, runs]),
  ];
  return arrays.map(({ buffer }) => buffer);
}

/**
 * The level with these tables.
 * @throws FormatError if the feature index does not fit the manifest
 */
export function tablesToLevel(tables: LevelTables): LoadedLevel {
  const { release, level, features, featuresPerFile, pages, index } = tables;
  const columns = tables.columns.map(({ gids, begins, runs }) => ({
    gids: new GidTable(gids),
    covers: runTableFrom(begins, runs),
  }));
  return {
    manifest: { release, level, features, fids: Array.from(tables.fids), columns, pages },
    index: new FeatureIndex(Buffer.from(index.bytes.buffer), features, featuresPerFile, index.path),
    listings: listingTable(level, features, columns),
  };
}

function verify({ path, bytes, sha256: expected }: MetadataFile): void {
  const sha256 = hash('sha256', bytes, 'hex');
  if (sha256 !== expected) throw new FormatError(path, `SHA-256 is ${sha256}, expected ${expected}`);
}
