// A page, a feature or a file of names of any size in a release, for tests of how much is sent and held.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { joinCrcs } from '../../../format/crc32.ts';
import { elementAt } from '../../../format/element-at.ts';
import { MEMBER_FRAME_BYTES, MEMBER_HEADER } from '../../../format/gzip.ts';
import {
  featureFilePath,
  indexPath,
  manifestPath,
  namesPath,
  pagePath,
  RELEASE_FILE,
  releasePath,
} from '../../../format/layout.ts';
import { DIGEST_BYTES, type LevelIndex } from '../../../format/level-index.ts';
import { encodeLevel } from '../../../format/manifest.ts';
import { sha256 } from '../files.ts';
import { pointAgain } from './point-to.ts';
import { readIndex } from './read-index.ts';

/** Puts a page of `bytes` in the place of the first one of fc/lv0, in the index and in release.json too. */
export function enlargePage(folder: string, bytes: number): { page: Buffer; file: string } {
  const release = join(folder, releasePath('r1'));
  const file = join(release, pagePath(0, 'fc', 'all', 0));
  const page = Buffer.alloc(bytes, Buffer.from('a page that nobody looks into while it is passed on '));
  writeFileSync(file, page);
  const index = readIndex(release, 0);
  const table = index.arrays.pages?.fc;
  if (table === undefined) throw new Error('a release without pages');
  table.bytes[0] = page.length;
  table.digest.set(digestOf(page));
  reseal(release, index);
  return { page, file };
}

/** Puts a feature, of which a member has `bytes`, in the place of the first one of lv0, in the index and in release.json too. */
export function enlargeFeature(folder: string, bytes: number): { data: Buffer; file: string } {
  const release = join(folder, releasePath('r1'));
  const file = join(release, featureFilePath(0, 0));
  const data = Buffer.alloc(bytes - MEMBER_FRAME_BYTES, Buffer.from('deflate data that nobody inflates '));
  const index = readIndex(release, 0);
  const { start, textStart, textCrc, dataCrc, digest } = index.arrays;
  const others = readFileSync(file).subarray(index.offsetAt(1));
  writeFileSync(file, Buffer.concat([MEMBER_HEADER, data, others]));
  const sums = Array.from({ length: index.features }, (_, position) => ({
    dataBytes: index.dataBytes(position, position + 1),
    dataCrc: index.dataCrc(position, position + 1),
    textBytes: index.textBytes(position, position + 1),
    textCrc: index.textCrc(position, position + 1),
  }));
  // Its text could have any sum.
  sums[0] = { dataBytes: data.length, dataCrc: crc32(data), textBytes: 4 * bytes, textCrc: 0x12345678 };
  for (const [position, own] of sums.entries()) {
    start[position + 1] = elementAt(start, position) + own.dataBytes;
    textStart[position + 1] = elementAt(textStart, position) + own.textBytes;
    dataCrc[position + 1] = joinCrcs(elementAt(dataCrc, position), own.dataCrc, own.dataBytes);
    textCrc[position + 1] = joinCrcs(elementAt(textCrc, position), own.textCrc, own.textBytes);
  }
  digest.set(digestOf(data));
  reseal(release, index);
  return { data, file };
}

/** Puts `names`, one gzip member, in the place of the names of lv0, in release.json too. */
export function replaceNames(folder: string, names: Buffer, textBytes: number): string {
  const release = join(folder, releasePath('r1'));
  const file = join(release, namesPath(0));
  writeFileSync(file, names);
  describe(release, 'names', { bytes: names.length, textBytes, sha256: sha256(names) });
  return file;
}

/** Writes the index of level 0 of a release anew. */
export function reseal(release: string, levelIndex: LevelIndex): void {
  const { manifest, index } = encodeLevel('r1', levelIndex);
  for (const [member, path, content] of [
    ['manifest', manifestPath(0), manifest],
    ['index', indexPath(0), index],
  ] as const) {
    writeFileSync(join(release, path), content);
    describe(release, member, { bytes: content.length, sha256: sha256(content) });
  }
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest().subarray(0, DIGEST_BYTES);
}

/** Changes what release.json says of level 0. */
function describe(release: string, member: string, value: unknown): void {
  const file = join(release, RELEASE_FILE);
  const summary = JSON.parse(readFileSync(file, 'utf8'));
  summary.levels[0][member] = value;
  writeFileSync(file, JSON.stringify(summary));
  pointAgain(join(release, '../..'));
}
