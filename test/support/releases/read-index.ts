// Reads the index of a level of a release in a folder, for tests and benchmarks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexPath, manifestPath, RELEASE_FILE } from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import type { Level } from '../../../format/levels.ts';
import { decodeLevel } from '../../../format/manifest.ts';
import { releaseFromJson } from '../../../format/release.ts';

/** The index of a level. @param root the release's folder */
export function readIndex(root: string, level: Level): LevelIndex {
  const { release, levels } = releaseFromJson(readFileSync(join(root, RELEASE_FILE), 'utf8'), RELEASE_FILE);
  const files = { manifest: manifestPath(level), index: indexPath(level) };
  return decodeLevel(
    { manifest: readFileSync(join(root, files.manifest), 'utf8'), index: readFileSync(join(root, files.index)) },
    { release, level, features: levels[level]?.features ?? Number.NaN },
    files,
  );
}
