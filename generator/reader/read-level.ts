// Reads the files of a level: its index, and single features of its feature files. Used by `verify` and `diff`.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FeatureTable } from '../../format/feature-table.ts';
import { featureFilePath, indexPath, manifestPath } from '../../format/layout.ts';
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

/** The same from the content of its files. The number of features is that of the manifest, whatever release.json says. */
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
  /** A feature's deflate data. @throws FileError if its file ends before */
  dataAt(position: number): Buffer;
  /** A feature's text: its JSON and a line feed. @throws FileError if it is damaged */
  textAt(position: number): Buffer;
  close(): void;
}

/**
 * Opens the feature files of a level, one at a time. Its functions throw the operating system's error if a file cannot be
 * read.
 */
export function openFeatures(root: string, index: LevelIndex): FeatureReader {
  let opened: { file: number; handle: number } | undefined;

  function close(): void {
    if (opened !== undefined) closeSync(opened.handle);
    opened = undefined;
  }

  function dataAt(position: number): Buffer {
    const file = index.fileOf(position);
    if (opened?.file !== file) {
      close();
      opened = { file, handle: openSync(join(root, featureFilePath(index.level, file)), 'r') };
    }
    return dataIn(opened.handle, index, position);
  }

  return { dataAt, textAt: (position) => textFrom(dataAt(position), index, position), close };
}

/** The deflate data of the feature at a position, from its file. @throws FileError if the file ends before */
export function dataIn(handle: number, index: FeatureTable, position: number): Buffer {
  const [offset, bytes] = [index.offsetAt(position), index.dataBytes(position, position + 1)];
  const data = readAt(handle, offset, bytes);
  if (data.length < bytes) throw new FileError(`its file ends after ${offset + data.length} bytes`);
  return data;
}

/** The text of a feature, from its deflate data. @throws FileError if it is not the one that the index describes */
export function textFrom(data: Buffer, index: FeatureTable, position: number): Buffer {
  const text = inflateFeature(data, index.textBytes(position, position + 1));
  if (text.length !== index.textBytes(position, position + 1) || crc32(text) !== index.textCrc(position, position + 1))
    throw new FileError('its text is not the one that the index describes');
  return text;
}
