// Reads single features of a release from the feature files of a level.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FeatureIndex } from '../../format/feature-index.ts';
import { TRAILER_BYTES } from '../../format/gzip-members.ts';
import { featureFilePath, indexPath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import type { Manifest } from '../../format/manifest.ts';
import { FileError, inflateMember } from './inflate.ts';
import { readAt } from './input-file.ts';

/** The features of a level, by position. */
export interface FeatureReader {
  /**
   * A feature's text: its JSON and a line feed. Ascending positions are fastest.
   * @throws FileError if its member is damaged or differs from the index; the operating system's error if its file
   *   cannot be read
   */
  textAt(position: number): Buffer;
  close(): void;
}

/** Bytes of one read, unless a member is larger. */
const READ_BYTES = 1 << 18;

/**
 * Reads a level's feature index.
 * @param root the release's folder
 * @throws FormatError if its length does not match the number of features in the manifest
 */
export function readFeatureIndex(root: string, { level, features, featuresPerFile }: Manifest): FeatureIndex {
  const path = indexPath(level);
  return new FeatureIndex(readFileSync(join(root, path)), features, featuresPerFile, path);
}

/** Opens the feature files of a level, one at a time. Holds one handle and the bytes of one read. */
export function openFeatures(root: string, level: Level, index: FeatureIndex): FeatureReader {
  let opened: { file: number; handle: number } | undefined;
  let held: { file: number; offset: number; bytes: Buffer } = { file: -1, offset: 0, bytes: Buffer.of() };

  function handleOf(file: number): number {
    if (opened?.file === file) return opened.handle;
    close();
    opened = { file, handle: openSync(join(root, featureFilePath(level, file)), 'r') };
    return opened.handle;
  }

  function close(): void {
    if (opened !== undefined) closeSync(opened.handle);
    opened = undefined;
  }

  function memberAt(position: number): Buffer {
    const file = index.fileOf(position);
    const [offset, bytes] = [index.offsetAt(position), index.bytesAt(position)];
    const isHeld = file === held.file && offset >= held.offset && offset + bytes <= held.offset + held.bytes.length;
    if (!isHeld) {
      const left = index.bytesOf({ first: position, end: index.rangeOf(file).end });
      held = { file, offset, bytes: readAt(handleOf(file), offset, Math.max(bytes, Math.min(READ_BYTES, left))) };
    }
    const member = held.bytes.subarray(offset - held.offset, offset - held.offset + bytes);
    if (member.length < bytes) throw new FileError(`its file ends after ${offset + member.length} bytes`);
    return member;
  }

  return {
    textAt(position) {
      const member = memberAt(position);
      const text = inflateMember(member);
      const isIndexed =
        text.length === index.textBytesAt(position) &&
        member.readUInt32LE(member.length - TRAILER_BYTES) === index.crcAt(position);
      if (!isIndexed) throw new FileError('differs from its record in the index');
      return text;
    },
    close,
  };
}
