// Verifies a shard of a level's pages: their bytes against checksums.txt and the manifest, their text against the
// features of the feature files. Runs in a child process.
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FeatureIndex } from '../../../format/feature-index.ts';
import { CHECKSUMS_FILE, manifestPath, pagePath } from '../../../format/layout.ts';
import { FORMATS, type Format, PAGE_CAPS } from '../../../format/levels.ts';
import { listingTable, pageStart } from '../../../format/listing.ts';
import { DIGEST_CHARS, digestFrom, type Manifest, pageCount } from '../../../format/manifest.ts';
import { type Runs, sliceRuns, valuesOf } from '../../../format/runs.ts';
import { readFeatureIndex } from '../../reader/feature-reader.ts';
import { FileError } from '../../reader/inflate.ts';
import { openInputFile } from '../../reader/input-file.ts';
import { readLines } from '../../reader/read-page.ts';
import { type Fault, problemOf } from '../../report/faults.ts';
import { checkFeature, type Positions, positionsOf } from './feature.ts';
import { newTextCheck, type OnFeature } from './page-text.ts';
import { openShard, type ShardTask } from './shard.ts';

/** Which pages to verify. Plain data: it is sent to a child process. */
export interface VerifyPagesTask extends ShardTask {
  /**
   * The positions of intact members, as flat [start, count] pairs in any order: pages must hold the texts whose sums the
   * index has for them.
   */
  sound: readonly number[];
}

/** The result. */
export interface VerifyPagesResult {
  pages: number;
  /** Bytes of the files. */
  bytes: number;
  faults: Fault[];
}

/** A stored page of a manifest. */
export interface PromisedPage {
  format: Format;
  /** Number in the format's canonical order. */
  number: number;
  /** Relative to the release. */
  path: string;
  /** The positions it holds. */
  positions: Runs;
}

/** The stored pages of one shard: those whose number is `shard` modulo `shards`. */
export function* pagesOf(manifest: Manifest, shard: number, shards: number): Generator<PromisedPage> {
  const { level, features, columns } = manifest;
  const listings = listingTable(level, features, columns);
  for (const format of FORMATS) {
    const stored = manifest.pages[format].bytes.length;
    for (let i = 0; i < listings.count; i++) {
      const listing = listings.at(i);
      if (listing === undefined || listing.firstPage[format] >= stored) break;
      for (let page = 0; page < pageCount(level, format, listing.features); page++) {
        const number = listing.firstPage[format] + page;
        if (number % shards !== shard) continue;
        const positions = sliceRuns(listing.runs, pageStart(level, format, page), PAGE_CAPS[format][level]);
        yield { format, number, path: pagePath(level, format, listing.key, page), positions };
      }
    }
  }
}

/** Verifies every page of the shard. */
export async function verifyPages(task: VerifyPagesTask): Promise<VerifyPagesResult> {
  const { root, manifest, faults, fault } = openShard(task);
  const checkLine = newFeatureCheck(root, manifest, task.sound);
  let pages = 0;
  let bytes = 0;
  for (const page of pagesOf(manifest, task.shard, task.shards)) {
    try {
      const { problem, ...read } = await readPage(join(root, page.path), page, checkLine);
      if (problem !== undefined) fault(page.path, problem);
      for (const judged of judge(page, read, manifest, task.checksums[pages] ?? '')) fault(judged.path, judged.problem);
      bytes += read.bytes;
    } catch (error) {
      fault(page.path, problemOf(error));
    }
    pages++;
  }
  return { pages, bytes, faults: faults.list() };
}

/** Reads a page to its end, even if its content is damaged. */
async function readPage(
  file: string,
  page: PromisedPage,
  onFeature: OnFeature,
): Promise<{ bytes: number; sha256: string; problem: string | undefined }> {
  const opened = openInputFile(file);
  const check = newTextCheck(page.format, page.positions, onFeature);
  let error: unknown;
  try {
    check.end(await readLines(opened, check.line));
  } catch (thrown) {
    error = thrown;
  }
  const read = opened.close();
  return { ...read, problem: error === undefined ? undefined : problemOf(error) };
}

/** Compares a feature's text with the record of its member, or with the manifest if the member is damaged. */
function newFeatureCheck(root: string, manifest: Manifest, sound: readonly number[]): OnFeature {
  const isSound = new Uint8Array(manifest.features);
  for (const position of valuesOf(sound)) isSound[position] = 1;
  // Without an intact member the index itself may be damaged.
  const index: FeatureIndex | undefined = sound.length === 0 ? undefined : readFeatureIndex(root, manifest);
  let positions: Positions | undefined;
  return (line, position) => {
    const record = isSound[position] === 1 ? index : undefined;
    if (record?.textBytesAt(position) === line.length && record.crcAt(position) === crc32(line)) return;
    positions ??= positionsOf(manifest);
    const fid = positions.fidAt(position);
    try {
      checkFeature(line, position, manifest, positions);
    } catch (error) {
      throw new FileError(`fid ${fid}: ${problemOf(error)}`);
    }
    if (record) throw new FileError(`fid ${fid} is not as its feature file has it`);
  };
}

/** Of the page, checksums.txt and the manifest, the one that differs from the other two is damaged. */
function judge(
  page: PromisedPage,
  got: { bytes: number; sha256: string },
  manifest: Manifest,
  checksum: string,
): Fault[] {
  const table = manifest.pages[page.format];
  const bytes = table.bytes[page.number];
  const digest = table.digests.slice(page.number * DIGEST_CHARS, (page.number + 1) * DIGEST_CHARS);
  const gotDigest = digestFrom(Buffer.from(got.sha256, 'hex'));
  const asManifest = got.bytes === bytes && gotDigest === digest;
  const asChecksums = got.sha256 === checksum;
  if (asManifest && (asChecksums || checksum === '')) return [];
  if (asManifest) {
    const problem = `has ${checksum} for ${page.path}, which is ${got.sha256}, as the manifest has it`;
    return [{ path: CHECKSUMS_FILE, problem }];
  }
  if (asChecksums) {
    const problem = `has ${bytes} bytes and digest ${digest} for ${page.path}, which is ${got.bytes} bytes and ${gotDigest}`;
    return [{ path: manifestPath(manifest.level), problem }];
  }
  const problem =
    got.bytes === bytes
      ? `its SHA-256 is ${got.sha256}, expected ${checksum || `one that begins with ${digest} in base64url`}`
      : `is ${got.bytes} bytes long, expected ${bytes}`;
  return [{ path: page.path, problem }];
}
