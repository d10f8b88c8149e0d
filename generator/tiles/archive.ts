// Joins the tiles of a level's zooms into tiles.pmtiles, and writes tiles.digest beside it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TilesFile } from '../../format/checked-files.ts';
import { elementAt, f64At, u32At } from '../../format/element-at.ts';
import { tileDigestsPath, tilesPath } from '../../format/layout.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { PMTILES_BEGIN_BYTES_MAX, PMTILES_HEADER_BYTES, type TileDirectory } from '../../format/pmtiles.ts';
import {
  BORDERS_AFTER,
  TILE_BLOCK_RECORDS,
  TILE_DIGEST_BYTES,
  tileAttribution,
  tileDigestOf,
  vectorLayers,
} from '../../format/tiles.ts';
import { gzipMember } from '../../format/write/gzip.ts';
import { encodeDirectory, encodeHeader } from '../../format/write/pmtiles.ts';
import { encodeTileDigests, encodeTileRecord } from '../../format/write/tiles.ts';
import { checkedFile } from '../files/checksums.ts';
import { createOutputFile } from '../files/output-file.ts';
import { BuildError } from '../report/errors.ts';
import type { LevelStore } from '../store/level-store.ts';
import { firstZoom } from './first-zoom.ts';
import { latitudeOnMap } from './tile-arcs.ts';
import {
  contentsOf,
  readRecord,
  recordFile,
  TileRuns,
  type WriteTilesTask,
  withoutBorders,
  type ZoomRecord,
} from './write-tiles.ts';

/** The tiles of a level, zoom by zoom. Plain data: it is sent to a child process. */
export interface ArchiveTask {
  /** The tasks that made them, with borders, from zoom 0 on. */
  zooms: readonly WriteTilesTask[];
  /** Credits to show with the data. */
  attribution: readonly string[];
  /** West, south, east, north in degrees. */
  bounds: readonly number[];
}

/** Entries of a leaf directory, at least. */
const LEAF_ENTRIES = 4096;
/** The root directory and the digests of leaves are read whole, and kept in memory. */
const DIRECTORY_BYTES_MAX = 32 * 1024 * 1024;

/** The archive of a level. */
export interface Archive {
  /** What release.json says of it. */
  file: TilesFile;
  /** Bytes of its contents, before compression, that are names in languages. */
  languageBytes: number;
}

/** A zoom of the archive. */
interface Zoom {
  file: string;
  record: ZoomRecord;
}

/**
 * Writes the archive of a level.
 * @param out the release's folder, in which the level has one
 * @returns undefined if there are no tiles
 * @throws BuildError if its directory is too large
 */
export function writeArchive(out: string, level: Level, store: LevelStore, task: ArchiveTask): Archive | undefined {
  const { zooms, attribution, bounds } = task;
  // Zooms above the first one may be missing: they are not made when others say that they are too large.
  const records = zooms.map(({ file }) => readRecord(file));
  const maxzoom = zooms.length - 1;
  const languages = zooms.at(-1)?.languages.map(({ tag }) => tag) ?? [];
  const minzoom = firstZoom(records.map((record) => record?.largest));
  const parts = zooms.slice(minzoom).map(({ zoom, file }, i): Zoom => {
    const record = records[zoom];
    if (record === undefined) throw new Error(`level ${level}: the tiles of zoom ${zoom} are missing`);
    if (i >= BORDERS_AFTER) return { file, record };
    // Borders begin later; what has been made is of a level that begins further up.
    const without = store.file(`tiles-${zoom}-without-borders`);
    return { file: without, record: withoutBorders(elementAt(zooms, zoom), record, without) };
  });
  const deepest = elementAt(parts, maxzoom - minzoom).record;
  if (deepest.id.length === 0) return undefined;
  const { directory, contents, tiles } = joinZooms(parts);
  const { root, leaves, leafDigests } = dividedDirectory(directory, level);
  const metadata = gzipMember(
    Buffer.from(
      JSON.stringify({
        name: levelName(level),
        type: 'overlay',
        format: 'pbf',
        ...(attribution.length > 0 && { attribution: tileAttribution(attribution) }),
        vector_layers: vectorLayers(level, minzoom, maxzoom, languages),
      }),
    ),
  );
  const metadataAt = PMTILES_HEADER_BYTES + root.length;
  const leavesAt = metadataAt + metadata.length;
  const dataBytes = contents.reduce((sum, { length }) => sum + length, 0);
  const header = encodeHeader({
    rootLength: root.length,
    metadata: { offset: metadataAt, length: metadata.length },
    leaves: { offset: leavesAt, length: leaves.length },
    data: { offset: leavesAt + leaves.length, length: dataBytes },
    tiles,
    entries: directory.id.length,
    contents: contents.length,
    minzoom,
    maxzoom,
    // GDAL projects them, and reads nothing from an archive whose bounds lie beyond the map.
    bounds: bounds.map((edge, i) => (i % 2 === 0 ? edge : latitudeOnMap(edge))),
  });
  const begin = Buffer.concat([header, root, metadata]);
  const output = createOutputFile(join(out, tilesPath(level)));
  for (const bytes of [begin, leaves]) output.write(bytes);
  copyContents(parts, contents, output.write);
  const file: TilesFile = {
    ...output.close(),
    directory: checkedFile(begin),
    digests: writeDigests(join(out, tileDigestsPath(level)), contents, leafDigests),
    minzoom,
    maxzoom,
    ...(languages.length > 0 && { languages }),
    units: deepest.units,
  };
  return { file, languageBytes: contents.reduce((sum, content) => sum + content.languageBytes, 0) };
}

/** A content of the archive. */
interface Content {
  /** Of which zoom, and which of its contents. */
  zoom: number;
  number: number;
  offset: number;
  length: number;
  textBytes: number;
  languageBytes: number;
  digest: Uint8Array;
  crc: number;
}

/** The entries of all zooms; equal contents are one. */
function joinZooms(zooms: readonly Zoom[]) {
  const runs = new TileRuns();
  const contents: Content[] = [];
  /** Numbers in `contents`. */
  const known = new Map<string, number>();
  let [bytes, tiles] = [0, 0];
  for (const [zoom, { record }] of zooms.entries()) {
    const own = Array.from(record.length, (size, number) => {
      const digest = record.digest.subarray(TILE_DIGEST_BYTES * number, TILE_DIGEST_BYTES * (number + 1));
      const key = `${size} ${Buffer.from(digest).toString('hex')}`;
      const other = known.get(key);
      if (other !== undefined) return other;
      const [textBytes, languageBytes] = [u32At(record.textLength, number), u32At(record.languageLength, number)];
      known.set(key, contents.length);
      const found = { zoom, number, offset: bytes, length: size, textBytes, languageBytes, digest };
      bytes += size;
      return contents.push({ ...found, crc: u32At(record.crc, number) }) - 1;
    });
    for (let i = 0; i < record.id.length; i++) {
      const count = u32At(record.run, i);
      tiles += count;
      runs.add(f64At(record.id, i), count, elementAt(own, u32At(record.content, i)));
    }
  }
  const { id, run, content } = runs.values();
  const length = content.map((number) => elementAt(contents, number).length);
  const offset = Float64Array.from(content, (number) => elementAt(contents, number).offset);
  const directory = { id, run, length, offset };
  return { directory, contents, tiles };
}

/** The root directory, with the entries themselves if there is room for them. */
function dividedDirectory(directory: TileDirectory, level: Level) {
  const entries = directory.id.length;
  const room = PMTILES_BEGIN_BYTES_MAX - PMTILES_HEADER_BYTES;
  if (entries <= LEAF_ENTRIES) {
    const root = gzipMember(encodeDirectory(directory));
    if (root.length <= room) return { root, leaves: Buffer.alloc(0), leafDigests: Buffer.alloc(0) };
  }
  for (let size = LEAF_ENTRIES; ; size *= 2) {
    const firsts = Array.from({ length: Math.ceil(entries / size) }, (_, i) => i * size);
    const leaves = firsts.map((first) =>
      gzipMember(encodeDirectory(directory, first, Math.min(entries, first + size))),
    );
    const lengths = Uint32Array.from(leaves, ({ length }) => length);
    const offsets = new Float64Array(leaves.length);
    for (let i = 1; i < leaves.length; i++) offsets[i] = f64At(offsets, i - 1) + u32At(lengths, i - 1);
    const id = Float64Array.from(firsts, (first) => f64At(directory.id, first));
    const root = gzipMember(encodeDirectory({ id, run: new Uint32Array(id.length), length: lengths, offset: offsets }));
    if (root.length > room) continue;
    const all = Buffer.concat(leaves);
    if (root.length + all.length > DIRECTORY_BYTES_MAX)
      throw new BuildError(
        `level ${level}: the directory of its tiles has ${root.length + all.length} bytes, at most ${DIRECTORY_BYTES_MAX} are possible`,
        'use --tiles with a smaller zoom',
      );
    return { root, leaves: all, leafDigests: Buffer.concat(leaves.map(tileDigestOf)) };
  }
}

/** Copies contents in the order of their first tiles, which is that of their zooms. */
function copyContents(zooms: readonly Zoom[], contents: readonly Content[], write: (bytes: Buffer) => void): void {
  let at = 0;
  for (const [zoom, { file, record }] of zooms.entries()) {
    let number = 0;
    for (const bytes of contentsOf(file, record)) {
      const content = contents[at];
      if (content?.zoom === zoom && content.number === number) {
        write(bytes);
        at++;
      }
      number++;
    }
    for (const done of [file, recordFile(file)]) rmSync(done, { force: true });
  }
}

function writeDigests(file: string, contents: readonly Content[], leaves: Buffer): TilesFile['digests'] {
  const count = Math.ceil(contents.length / TILE_BLOCK_RECORDS);
  const blocks = Array.from({ length: count }, (_, i) =>
    Buffer.concat(
      contents
        .slice(i * TILE_BLOCK_RECORDS, (i + 1) * TILE_BLOCK_RECORDS)
        .map(({ offset, digest, crc, textBytes }) => encodeTileRecord(offset, digest, crc, textBytes)),
    ),
  );
  const firsts = Float64Array.from(blocks, (block) => block.readDoubleLE(0));
  const head = encodeTileDigests({ leaves, firsts, blocks: Buffer.concat(blocks.map(tileDigestOf)) });
  const output = createOutputFile(file);
  for (const bytes of [head, ...blocks]) output.write(bytes);
  return { ...output.close(), head: checkedFile(head) };
}
