// A page, a feature or a file of names of any size in a release, for tests of how much is sent and held.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { joinCrcs, swapSeparator } from '../../../format/crc32.ts';
import { elementAt } from '../../../format/element-at.ts';
import { DIGEST_BYTES } from '../../../format/feature-table.ts';
import { MEMBER_FRAME_BYTES, MEMBER_HEADER, SEPARATORS } from '../../../format/gzip.ts';
import { featureFilePath, namesPath, pagePath, releasePath } from '../../../format/layout.ts';
import { sha256 } from '../files.ts';
import { readIndex } from './read-index.ts';
import { replacePage, resealLevel, resealRelease, summaryOf } from './reseal.ts';

/** Puts a page of `bytes` in the place of the first one of fc/lv0, in the index and in release.json too. */
export function enlargePage(folder: string, bytes: number): { page: Buffer; file: string } {
  const release = join(folder, releasePath('r1'));
  const path = pagePath(0, 'fc', 'all', 0);
  const page = Buffer.alloc(bytes, Buffer.from('a page that nobody looks into while it is passed on '));
  replacePage(release, path, page);
  return { page, file: join(release, path) };
}

/**
 * Puts a feature, of which a member has `bytes`, in the place of the first one of lv0, in the index and in release.json
 * too.
 */
export function enlargeFeature(folder: string, bytes: number): { data: Buffer; file: string } {
  const release = join(folder, releasePath('r1'));
  const file = join(release, featureFilePath(0, 0));
  const data = Buffer.alloc(bytes - MEMBER_FRAME_BYTES, Buffer.from('deflate data that nobody inflates '));
  data[data.length - 1] = SEPARATORS.geojsonl;
  const others = readFileSync(file).subarray(readIndex(release, 0).chained.offsetAt(1));
  writeFileSync(file, Buffer.concat([MEMBER_HEADER, data, others]));
  resealLevel(release, 0, (index) => {
    const { start, textStart, textCrc, textCrcFc, dataCrc, digest } = index.arrays;
    const sums = Array.from({ length: index.features }, (_, position) => ({
      dataBytes: index.chained.bytes(position, position + 1),
      dataCrc: index.chained.crc(position, position + 1),
      textBytes: index.textBytes(position, position + 1),
      textCrc: index.textCrc(position, position + 1),
    }));
    // Its text could have any sum.
    sums[0] = { dataBytes: data.length, dataCrc: crc32(data), textBytes: 4 * bytes, textCrc: 0x12345678 };
    for (const [position, own] of sums.entries()) {
      start[position + 1] = elementAt(start, position) + own.dataBytes;
      textStart[position + 1] = elementAt(textStart, position) + own.textBytes;
      dataCrc[position + 1] = joinCrcs(elementAt(dataCrc, position), own.dataCrc, own.dataBytes);
      const commaCrc = swapSeparator(own.textCrc);
      textCrcFc[position + 1] = joinCrcs(elementAt(textCrcFc, position), commaCrc, own.textBytes);
      textCrc[position + 1] = joinCrcs(elementAt(textCrc, position), own.textCrc, own.textBytes);
    }
    digest.set(hash('sha256', data, 'buffer').subarray(0, DIGEST_BYTES));
    return index;
  });
  return { data, file };
}

/** Puts `names`, one gzip member, in the place of the names of lv0, in release.json too. */
export function replaceNames(folder: string, names: Buffer, textBytes: number): string {
  const release = join(folder, releasePath('r1'));
  const file = join(release, namesPath(0));
  writeFileSync(file, names);
  resealRelease(release, (description) => {
    const summary = { ...summaryOf(description, 0), names: { bytes: names.length, textBytes, sha256: sha256(names) } };
    return { ...description, levels: description.levels.with(0, summary) };
  });
  return file;
}
