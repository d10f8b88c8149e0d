// Writes a shard of a level's pages: the page groups whose index is `shard` modulo `shards`, and a record of each page.
// Runs in a child process; any number of them write the same level side by side without speaking to each other.
import { copyFileSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pagePath } from '../format/layout.ts';
import type { Format, Level } from '../format/levels.ts';
import type { Block } from '../format/manifest.ts';
import { valuesOf } from '../format/runs.ts';
import { writePage } from './page.ts';
import { type Acceptable, type LevelPlan, type PlannedPage, pageGroups, planLevel } from './plan.ts';
import { openStore } from './store.ts';

/** What to write and where. Plain data: it is sent to the process that writes. */
export interface WriteTask {
  level: Level;
  /** The level's store, filled. */
  store: string;
  /** The release's folder. */
  out: string;
  /** Where the records of this shard go. */
  records: string;
  shard: number;
  shards: number;
  accept: readonly Acceptable[];
}

/** What is known of a page once it is written. */
export interface PageRecord {
  format: Format;
  /** Number in the format's canonical order. */
  number: number;
  bytes: number;
  /** Of the file, in hex. */
  sha256: string;
  /** Of unfiltered geojsonl pages. */
  blocks?: Block[];
}

/** What was written. */
export interface WriteResult {
  pages: number;
  bytes: number;
}

/** Writes the shard's pages and its records. */
export function writeShard(task: WriteTask): WriteResult {
  const store = openStore(task.store);
  const plan = planLevel(task.level, store.index, task.accept);
  const records: PageRecord[] = [];
  const folders = new Set<string>();

  function fileOf(page: PlannedPage): string {
    const file = join(task.out, pagePath(task.level, page.format, page.listing.key, page.page));
    const folder = dirname(file);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    return file;
  }

  for (const [i, group] of pageGroups(plan).entries()) {
    if (i % task.shards !== task.shard) continue;
    const file = fileOf(group.first);
    const { blocks, ...written } = writePage(file, group.first.format, entriesOf(plan, group.first), store);
    records.push({ ...recordOf(group.first, written), ...(isBlockPage(group.first) ? { blocks } : {}) });
    for (const twin of group.twins) {
      linkOrCopy(file, fileOf(twin));
      records.push(recordOf(twin, written));
    }
  }
  store.close();
  writeFileSync(task.records, JSON.stringify(records));
  return { pages: records.length, bytes: records.reduce((sum, record) => sum + record.bytes, 0) };
}

/** Files never change once written, so twins share their bytes on the disk where the file system can. */
function linkOrCopy(file: string, twin: string): void {
  try {
    linkSync(file, twin);
  } catch {
    // A shard that is run again finds what it wrote before; a file is never written over, as twins share its bytes.
    rmSync(twin, { force: true });
    copyFileSync(file, twin);
  }
}

/** Slices are cut from unfiltered geojsonl pages only, so only their blocks are kept in the manifest. */
function isBlockPage(page: PlannedPage): boolean {
  return page.format === 'geojsonl' && page.listing.key === 'all';
}

function recordOf(page: PlannedPage, written: { bytes: number; sha256: string }): PageRecord {
  return { format: page.format, number: page.number, bytes: written.bytes, sha256: written.sha256 };
}

function entriesOf(plan: LevelPlan, page: PlannedPage): Uint32Array {
  return Uint32Array.from(valuesOf(page.runs), (position) => plan.entries[position] ?? 0);
}
