// Changes a page or an index of a finished release and seals the release again: every length, digest and checksum is
// right, so that only the content can give the change away.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CheckedFile } from '../../../format/checked-files.ts';
import { sumOf } from '../../../format/crc32.ts';
import { elementAt } from '../../../format/element-at.ts';
import { DIGEST_BYTES, type FeatureTable } from '../../../format/feature-table.ts';
import {
  CHECKSUMS_FILE,
  cellsPath,
  indexPath,
  manifestPath,
  namesPath,
  neighboursPath,
  neighboursTablePath,
  RELEASE_FILE,
  wordsPath,
} from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import type { LevelSummary } from '../../../format/level-json.ts';
import { type Geometry, LEVELS, type Level, levelName } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import { deflateText, MemberWriter } from '../../../format/write/gzip.ts';
import { encodeLevel } from '../../../format/write/level.ts';
import { releaseToJson } from '../../../format/write/texts.ts';
import { featureFilesOf, isFormat, plannedFiles } from '../../../generator/plan/plan.ts';
import { sha256, sha256Of } from '../files.ts';
import { pointAgain } from './point-to.ts';
import { readIndex, readRelease, readTables } from './read-index.ts';

/** A page's text. */
export function textOf(root: string, path: string): string {
  return gunzipSync(readFileSync(join(root, path))).toString();
}

/** A file of one gzip member with these texts, each deflated by itself. */
export function packPage(texts: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  const member = new MemberWriter((bytes) => parts.push(bytes));
  for (const text of texts.map((content) => Buffer.from(content)))
    member.add({ data: deflateText(text), ...sumOf(text) });
  member.end();
  return Buffer.concat(parts);
}

/** Puts `bytes` in a page's place. */
export function replacePage(root: string, path: string, bytes: Buffer): void {
  const level = LEVELS.find((candidate) => path.startsWith(`${levelName(candidate)}/`));
  if (level === undefined) throw new Error(`${path} is not in the folder of a level`);
  writeFileSync(join(root, path), bytes);
  resealLevel(root, level, (index) => {
    const page = [...plannedFiles(index)].find((candidate) => candidate.path === path);
    const table = page !== undefined && isFormat(page.kind) ? index.arrays.pages?.[page.kind] : undefined;
    if (page === undefined || table === undefined) throw new Error(`${path} is not a page`);
    table.bytes[page.number] = bytes.length;
    table.digest.set(hash('sha256', bytes, 'buffer').subarray(0, DIGEST_BYTES), page.number * DIGEST_BYTES);
    return index;
  });
}

/**
 * Changes a level's index, then release.json and checksums.txt to match.
 * @param change may change the tables of the other geometries, too
 */
export function resealLevel(
  root: string,
  level: Level,
  change: (index: LevelIndex, tables: Map<Geometry, FeatureTable>) => LevelIndex,
): void {
  const before = readIndex(root, level);
  const tables = readTables(root, before);
  const index = change(before, tables);
  const { pages } = index.arrays;
  const sizes = [...(pages?.geojsonl.bytes ?? []), ...(pages?.fc.bytes ?? [])];
  resealSummary(root, level, (known, release) => {
    const files = encodeLevel(release, index, tables);
    const geometries = Object.entries(known.geometries).map(([name, summary]) => {
      const geometry = index.geometries.find((own) => own === name) ?? 'full';
      const [table, bytes] = [tables.get(geometry), files.tables.get(geometry)];
      if (table === undefined || bytes === undefined) throw new Error(`level ${level} has no geometry ${name}`);
      const checked = writeChecked(root, indexPath(level, geometry), bytes);
      return [name, { ...summary, featureFiles: featureFilesOf(table), index: checked }];
    });
    return {
      geometries: Object.fromEntries(geometries),
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      featureFiles: featureFilesOf(index),
      manifest: writeChecked(root, manifestPath(level), Buffer.from(files.manifest)),
      index: writeChecked(root, indexPath(level), files.index),
    };
  });
}

function writeChecked(root: string, path: string, content: Buffer): CheckedFile {
  writeFileSync(join(root, path), content);
  return { bytes: content.length, sha256: sha256(content) };
}

/** Changes manifest.json, index.bin or words.bin of a level as bytes, then release.json and checksums.txt to match. */
export function replaceLevelFile(
  root: string,
  level: Level,
  which: 'manifest' | 'index' | 'words',
  change: (bytes: Buffer) => Buffer,
): void {
  const path = { manifest: manifestPath, index: indexPath, words: wordsPath }[which](level);
  const file = writeChecked(root, path, change(readFileSync(join(root, path))));
  resealSummary(root, level, () => ({ [which]: file }));
}

/** Changes what release.json says of a level, then checksums.txt to match. */
export function resealSummary(root: string, level: Level, change: (summary: LevelSummary, release: string) => object) {
  resealRelease(root, (release) => {
    const summary = elementAt(release.levels, level);
    return { ...release, levels: release.levels.with(level, { ...summary, ...change(summary, release.release) }) };
  });
}

/** Changes release.json, then checksums.txt to match. */
export function resealRelease(root: string, change: (release: Release) => Release): void {
  const release = change(readRelease(root));
  writeFileSync(join(root, RELEASE_FILE), releaseToJson(release));
  const file = join(root, CHECKSUMS_FILE);
  const sealed = (_: string, path: string): string => `${sha256Of(join(root, path))}  ${path}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^.{64} {2}(.*)$/gm, sealed));
  pointAgain(join(root, '../..'));
}

/** Changes the text of the names of a level, then release.json and checksums.txt to match. */
export function replaceWholeFile(root: string, level: Level, change: (text: string) => string): void {
  const path = namesPath(level);
  const text = change(textOf(root, path));
  const names = { ...writeChecked(root, path, packPage([text])), textBytes: Buffer.byteLength(text) };
  resealSummary(root, level, () => ({ names }));
}

/** Puts a directory of cells and their bytes in the place of those of a level. */
export function replaceCells(root: string, level: Level, directory: Buffer, cells: Buffer): void {
  const file = writeChecked(root, cellsPath(level), Buffer.concat([directory, cells]));
  const own = { bytes: directory.length, sha256: sha256(directory) };
  resealSummary(root, level, () => ({ cells: { ...file, directory: own } }));
}

/** Changes the neighbours of a level as bytes, or the text of their table, then what describes them to match. */
export function replaceNeighbours(
  root: string,
  level: Level,
  { bytes, table }: { bytes?: (own: Buffer) => Buffer; table?: (text: string) => string },
): void {
  const [path, tablePath] = [neighboursPath(level), neighboursTablePath(level)];
  const text = table?.(textOf(root, tablePath)) ?? textOf(root, tablePath);
  const packed = { ...writeChecked(root, tablePath, packPage([text])), textBytes: Buffer.byteLength(text) };
  const own = readFileSync(join(root, path));
  const neighbours = { ...writeChecked(root, path, bytes?.(own) ?? own), table: packed };
  resealSummary(root, level, () => ({ neighbours }));
}
