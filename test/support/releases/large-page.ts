// A page, a feature or a file of names of any size in a release, for tests of how much is sent and held.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { featureRecord, RECORD_BYTES } from '../../../format/feature-index.ts';
import { MEMBER_FRAME_BYTES, MEMBER_HEADER, memberEnd } from '../../../format/gzip-members.ts';
import {
  featureFilePath,
  indexPath,
  manifestPath,
  namesPath,
  pagePath,
  RELEASE_FILE,
  releasePath,
} from '../../../format/layout.ts';
import { DIGEST_CHARS, digestOf } from '../../../format/manifest.ts';
import { sha256 } from '../files.ts';

/** Puts a page of `bytes` in the place of the first one of fc/lv0, in the manifest and in release.json too. */
export function enlargePage(folder: string, bytes: number): { page: Buffer; file: string } {
  const release = join(folder, releasePath('r1'));
  const file = join(release, pagePath(0, 'fc', 'all', 0));
  const page = Buffer.alloc(bytes, Buffer.from('a page that nobody looks into while it is passed on '));
  writeFileSync(file, page);
  const manifestFile = join(release, manifestPath(0));
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  manifest.pages.fc.bytes[0] = page.length;
  manifest.pages.fc.digests = digestOf(page) + manifest.pages.fc.digests.slice(DIGEST_CHARS);
  const text = JSON.stringify(manifest);
  writeFileSync(manifestFile, text);
  reseal(release, 'manifest', text);
  return { page, file };
}

/** Puts a member of `bytes` in the place of the first feature of lv0, in the index and in release.json too. */
export function enlargeFeature(folder: string, bytes: number): { data: Buffer; file: string } {
  const release = join(folder, releasePath('r1'));
  const file = join(release, featureFilePath(0, 0));
  const indexFile = join(release, indexPath(0));
  const records = readFileSync(indexFile);
  const data = Buffer.alloc(bytes - MEMBER_FRAME_BYTES, Buffer.from('deflate data that nobody inflates '));
  // Its text could have any sum.
  const sum = { crc: 0x12345678, length: 4 * bytes };
  const member = Buffer.concat([MEMBER_HEADER, data, memberEnd(sum)]);
  const others = readFileSync(file).subarray(records.readUInt32LE(0));
  writeFileSync(file, Buffer.concat([member, others]));
  const index = Buffer.concat([featureRecord(member, sum), records.subarray(RECORD_BYTES)]);
  writeFileSync(indexFile, index);
  reseal(release, 'index', index);
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

function reseal(release: string, what: 'manifest' | 'index', content: string | Buffer): void {
  describe(release, what, sha256(content));
}

/** Changes what release.json says of level 0. */
function describe(release: string, member: string, value: unknown): void {
  const file = join(release, RELEASE_FILE);
  const summary = JSON.parse(readFileSync(file, 'utf8'));
  summary.levels[0][member] = value;
  writeFileSync(file, JSON.stringify(summary));
}
