// A page, a feature or a file of names of any size in a release, for tests of how much is sent and held.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { MEMBER_FRAME_BYTES, SEPARATORS } from '../../../format/gzip.ts';
import { featureFilePath, namesPath, pagePath, releasePath } from '../../../format/layout.ts';
import type { Level } from '../../../format/levels.ts';
import { sha256 } from '../files.ts';
import { replacePage, resealSummary } from './reseal.ts';
import { replaceFeatures } from './reseal-features.ts';

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
 * too. After it the features of the level cannot be changed again: nobody inflates it.
 */
export function enlargeFeature(folder: string, bytes: number): { data: Buffer; file: string } {
  const release = join(folder, releasePath('r1'));
  const data = Buffer.alloc(bytes - MEMBER_FRAME_BYTES, Buffer.from('deflate data that nobody inflates '));
  data[data.length - 1] = SEPARATORS.geojsonl;
  // It could be any text.
  const text = Buffer.alloc(4 * bytes);
  replaceFeatures(release, 0, (features) => features.with(0, { data, text }));
  return { data, file: join(release, featureFilePath(0, 0)) };
}

/** Puts `names`, one gzip member, in the place of the names of a level, in release.json too. */
export function replaceNames(folder: string, names: Buffer, textBytes: number, level: Level = 0): string {
  const release = join(folder, releasePath('r1'));
  const file = join(release, namesPath(level));
  writeFileSync(file, names);
  resealSummary(release, level, () => ({ names: { bytes: names.length, textBytes, sha256: sha256(names) } }));
  return file;
}

/** Gives each unit of a level a name of so many characters. */
export function lengthenNames(folder: string, level: Level, characters: number): void {
  const file = join(folder, releasePath('r1'), namesPath(level));
  const [header = '', ...rows] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  const column = JSON.parse(header).indexOf('name');
  const long = rows.map((row) => JSON.stringify(JSON.parse(row).with(column, 'n'.repeat(characters))));
  const text = `${[header, ...long].join('\n')}\n`;
  replaceNames(folder, gzipSync(text), text.length, level);
}
