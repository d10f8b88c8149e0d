// A shard of a verification: the files of one kind and level whose number is `shard` modulo `shards`. It is verified in
// a child process, which reads the manifest by itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestPath, releasePath } from '../../../format/layout.ts';
import type { Level } from '../../../format/levels.ts';
import { type Manifest, manifestFromJson } from '../../../format/manifest.ts';
import { type Faults, newFaults } from '../../report/faults.ts';

/** Which files to verify. Plain data: it is sent to a child process. */
export interface ShardTask {
  out: string;
  release: string;
  level: Level;
  shard: number;
  shards: number;
  /** The SHA-256 in checksums.txt of each file of the shard, in order; empty if it has none. */
  checksums: readonly string[];
}

/** The opened files of a shard. */
export interface Shard {
  /** The release's folder. */
  root: string;
  manifest: Manifest;
  faults: Faults;
  /** Adds a problem of a file of the release. */
  fault(path: string, problem: string): void;
}

/** Opens a shard. The level's manifest is verified before. */
export function openShard({ out, release, level }: ShardTask): Shard {
  const folder = releasePath(release);
  const root = join(out, folder);
  const file = manifestPath(level);
  const faults = newFaults();
  return {
    root,
    manifest: manifestFromJson(readFileSync(join(root, file), 'utf8'), file),
    faults,
    fault: (path, problem) => faults.add(`${folder}/${path}`, problem),
  };
}
