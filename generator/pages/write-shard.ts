// Writes a part of a level's files: the feature files and the pages that begin at its positions.
// Runs in child processes; several write the same level concurrently, without communication.
import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { featureFilePath, pagePath } from '../../format/layout.ts';
import { FEATURES_PER_FILE, type Level, type StoredPages } from '../../format/levels.ts';
import type { WrittenFile } from '../release/output-file.ts';
import { openStore } from '../store/feature-store.ts';
import type { Part } from './divide-work.ts';
import { pageGroups, planLevel } from './plan.ts';
import { RecordsBuilder } from './records.ts';
import { writeFeatureFile } from './write-features.ts';
import { writePage } from './write-page.ts';

/** What to write and where. Plain data: it is sent to a child process. */
export interface WriteTask {
  level: Level;
  /** The level's store, filled. */
  store: string;
  storedPages: StoredPages;
  /** The release's folder. */
  out: string;
  /** Path of the file for the records of the written files. */
  records: string;
  part: Part;
}

/** The result of a task. */
export interface WriteResult {
  files: number;
}

/** Writes the part's files and their records. */
export function writeShard(task: WriteTask): WriteResult {
  const { level, out } = task;
  const { first, end } = task.part;
  const store = openStore(task.store);
  const plan = planLevel(level, store.index, task.storedPages);
  const perFile = FEATURES_PER_FILE[level];
  const records = new RecordsBuilder();
  const result: WriteResult = { files: 0 };
  const folders = new Set<string>();

  /** Makes the folder of a file, and returns its path on disk. */
  function place(path: string): string {
    const file = join(out, path);
    const folder = dirname(file);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    return file;
  }

  for (let number = Math.ceil(first / perFile); number * perFile < end; number++) {
    const start = number * perFile;
    const { records: features, ...written } = writeFeatureFile(
      place(featureFilePath(level, number)),
      start,
      Math.min(start + perFile, plan.features),
      store,
    );
    records.add('features', number, written);
    records.addFeatures(features);
    result.files++;
  }
  for (const group of pageGroups(plan, (position) => position >= first && position < end)) {
    let original: { file: string; written: WrittenFile } | undefined;
    for (const { format, number, listing, page, runs } of group) {
      const file = place(pagePath(level, format, listing.key, page));
      if (original) linkOrCopy(original.file, file);
      else original = { file, written: writePage(file, format, runs, store) };
      records.add(format, number, original.written);
      result.files++;
    }
  }
  store.close();
  records.write(task.records);
  return result;
}

/** Files never change once written, so identical pages are hard links if the file system supports them. */
function linkOrCopy(file: string, twin: string): void {
  try {
    linkSync(file, twin);
  } catch {
    // A repeated shard finds the files of its first run; they are removed, not overwritten, as other links share the bytes.
    rmSync(twin, { force: true });
    copyFileSync(file, twin);
  }
}
