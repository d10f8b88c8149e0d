// Reads the tables and the names of a level of a release in a folder, for tests and benchmarks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FeatureTable } from '../../../format/feature-table.ts';
import { indexPath, manifestPath, namesPath, RELEASE_FILE } from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import type { Geometry, Level } from '../../../format/levels.ts';
import { decodeLevel, decodeTable } from '../../../format/manifest.ts';
import { type Release, releaseFromJson } from '../../../format/release-json.ts';

/** What release.json says. @param root the release's folder */
export function readRelease(root: string): Release {
  return releaseFromJson(readFileSync(join(root, RELEASE_FILE), 'utf8'), RELEASE_FILE);
}

/** The index of a level. @param root the release's folder */
export function readIndex(root: string, level: Level): LevelIndex {
  const { release, levels } = readRelease(root);
  const files = { manifest: manifestPath(level), index: indexPath(level) };
  return decodeLevel(
    { manifest: readFileSync(join(root, files.manifest), 'utf8'), index: readFileSync(join(root, files.index)) },
    { release, level, features: levels[level]?.features ?? Number.NaN },
    files,
  );
}

/** The lines of a level's names, the header first. @param root the release's folder */
export function readNames(root: string, level: Level): unknown[][] {
  const text = gunzipSync(readFileSync(join(root, namesPath(level)))).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function readTable(root: string, index: LevelIndex, geometry: Geometry): FeatureTable {
  const files = { manifest: manifestPath(index.level), table: indexPath(index.level, geometry) };
  const manifest = readFileSync(join(root, files.manifest), 'utf8');
  return decodeTable({ manifest, table: readFileSync(join(root, files.table)) }, geometry, index, files);
}

/** The tables of the geometries besides the full one. */
export function readTables(root: string, index: LevelIndex): Map<Geometry, FeatureTable> {
  return new Map(index.geometries.map((geometry) => [geometry, readTable(root, index, geometry)]));
}
