// Reads the files of a level: its index, and single features of its feature files.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FeatureData, FeatureTable } from '../../format/feature-table.ts';
import { alonePath, featureFilePath, indexPath, manifestPath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import { decodeLevel, decodeTable } from '../../format/manifest.ts';
import { numberIn, objectFrom } from '../../format/parse.ts';
import { FileError } from './file-error.ts';
import { inflateFeature, readAt } from './inflate.ts';

/**
 * The index of a level.
 * @param root the release's folder
 * @throws FormatError if its files are not those of this level and release
 */
export function readLevel(root: string, release: string, level: Level): LevelIndex {
  const read = (path: string): Buffer => readFileSync(join(root, path));
  return levelFrom(read(manifestPath(level)), read(indexPath(level)), release, level);
}

/**
 * The same from the content of its files. The number of features is that of the manifest, whatever release.json says.
 */
export function levelFrom(manifest: Buffer, index: Buffer, release: string, level: Level, folder = ''): LevelIndex {
  const files = { manifest: join(folder, manifestPath(level)), index: join(folder, indexPath(level)) };
  const text = manifest.toString();
  const features = numberIn(objectFrom(text, files.manifest), 'features', files.manifest);
  return decodeLevel({ manifest: text, index }, { release, level, features }, files);
}

/** The table of another geometry of a level. @throws FormatError if its file is not that table */
export function readTable(root: string, index: LevelIndex, geometry: Geometry): FeatureTable {
  const files = { manifest: manifestPath(index.level), table: indexPath(index.level, geometry) };
  const manifest = readFileSync(join(root, files.manifest), 'utf8');
  return decodeTable({ manifest, table: readFileSync(join(root, files.table)) }, geometry, index, files);
}

/** The features of a level, by position. */
export interface FeatureReader {
  /** A feature's deflate data, alone. @throws FileError if its file ends before */
  dataAt(position: number): Buffer;
  /** A feature's text: its JSON and a line feed. @throws FileError if it is damaged */
  textAt(position: number): Buffer;
  /** The path of the file that has that data, relative to the release's folder. */
  pathOf(position: number): string;
  close(): void;
}

/**
 * Opens the files of a level with the features of one geometry, one of each folder at a time. Its functions throw the
 * operating system's error if a file cannot be read.
 * @param table of the geometry
 */
export function openFeatures(root: string, table: FeatureTable, geometry: Geometry = 'full'): FeatureReader {
  const opened = new Map<FeatureData, { file: number; handle: number }>();

  function close(): void {
    for (const { handle } of opened.values()) closeSync(handle);
    opened.clear();
  }

  function pathOf(position: number): string {
    const pathIn = table.aloneAt(position) === table.alone ? alonePath : featureFilePath;
    return pathIn(table.level, table.fileOf(position), geometry);
  }

  function dataAt(position: number): Buffer {
    const data = table.aloneAt(position);
    const file = table.fileOf(position);
    let open = opened.get(data);
    if (open?.file !== file) {
      if (open !== undefined) closeSync(open.handle);
      opened.delete(data);
      open = { file, handle: openSync(join(root, pathOf(position)), 'r') };
      opened.set(data, open);
    }
    return dataIn(open.handle, data, position);
  }

  return { dataAt, textAt: (position) => textFrom(dataAt(position), table, position), pathOf, close };
}

/** The deflate data of the feature at a position, from its file. @throws FileError if the file ends before */
export function dataIn(handle: number, features: FeatureData, position: number): Buffer {
  const [offset, bytes] = [features.offsetAt(position), features.bytes(position, position + 1)];
  const data = readAt(handle, offset, bytes);
  if (data.length < bytes) throw new FileError(`its file ends after ${offset + data.length} bytes`);
  return data;
}

/**
 * The text of a feature, from its deflate data.
 * @param before the text before it, if the data is chained
 * @throws FileError if it is not the one that the index describes
 */
export function textFrom(data: Buffer, table: FeatureTable, position: number, before?: Buffer): Buffer {
  const textBytes = table.textBytes(position, position + 1);
  const text = inflateFeature(data, textBytes, before);
  if (text.length !== textBytes || crc32(text) !== table.textCrc(position, position + 1))
    throw new FileError('its text is not the one that the index describes');
  return text;
}
