// Verifies a shard of a level's pages: their bytes against the checksums and the manifest, their text against the
// manifest, their features against the same features on other pages. Runs in a child process.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CHECKSUMS_FILE, manifestPath, pagePath, releasePath } from '../format/layout.ts';
import { FORMATS, type Format, type Level, PAGE_CAPS } from '../format/levels.ts';
import { listingsOf, pageStart } from '../format/listing.ts';
import {
  type Block,
  DIGEST_CHARS,
  digestFrom,
  type Manifest,
  manifestFromJson,
  pageCount,
} from '../format/manifest.ts';
import { type Runs, sliceRuns } from '../format/runs.ts';
import { type Fault, newFaults, problemOf } from './faults.ts';
import { PageError } from './inflate.ts';
import { openPage, type PageFile, readBlocks, readStream } from './page-file.ts';
import { BLOCK_TEXT_BYTES } from './store.ts';
import { checkFeature, type Positions, positionsOf } from './verify-feature.ts';
import { newTextCheck, type OnFeature } from './verify-text.ts';

/** Which pages to verify. Plain data: it is sent to the process that verifies. */
export interface VerifyTask {
  out: string;
  release: string;
  level: Level;
  shard: number;
  shards: number;
  /** What checksums.txt has for each page of the shard, in its order; empty where it has nothing. */
  checksums: readonly string[];
  /** The unfiltered geojsonl pages are verified where this is missing, and all others against it where it is there. */
  sums?: FeatureSums;
}

/** What was found. */
export interface VerifyResult {
  pages: number;
  /** Of all page files. */
  bytes: number;
  faults: Fault[];
  /** Of the features on the unfiltered geojsonl pages of the shard that are sound. */
  sums: FeatureSums;
}

/** CRC-32 and length in bytes of each feature's text, by position; a length of 0 where they are not known. */
export type FeatureSums = Uint32Array;

/** A page that a manifest promises. */
export interface PromisedPage {
  format: Format;
  /** Number in the format's canonical order. */
  number: number;
  /** Relative to the release. */
  path: string;
  /** The positions it holds. */
  positions: Runs;
  /** Of an unfiltered geojsonl page. */
  blocks: readonly Block[] | undefined;
}

/** A several-feature block ends with the feature that brings it past one bound; a longer feature is a block by itself. */
const SHARED_BLOCK_TEXT_BYTES = 2 * BLOCK_TEXT_BYTES;

/** The pages of one shard: those whose number is `shard` modulo `shards`. */
export function* pagesOf(
  manifest: Manifest,
  unfiltered: boolean,
  shard: number,
  shards: number,
): Generator<PromisedPage> {
  const { level } = manifest;
  for (const format of FORMATS) {
    for (const { key, features, firstPage, runs } of listingsOf(level, manifest.features, manifest.columns)) {
      const hasBlocks = format === 'geojsonl' && key === 'all';
      if (hasBlocks !== unfiltered) continue;
      for (let page = 0; page < pageCount(level, format, features); page++) {
        const number = firstPage[format] + page;
        if (number % shards !== shard) continue;
        const positions = sliceRuns(runs, pageStart(level, format, page), PAGE_CAPS[format][level]);
        const blocks = hasBlocks ? manifest.blocks[page] : undefined;
        yield { format, number, path: pagePath(level, format, key, page), positions, blocks };
      }
    }
  }
}

/** Verifies every page of the shard. */
export async function verifyShard(task: VerifyTask): Promise<VerifyResult> {
  const { level, shard, shards, checksums } = task;
  const root = join(task.out, releasePath(task.release));
  const file = manifestPath(level);
  const manifest = manifestFromJson(readFileSync(join(root, file), 'utf8'), file);
  const positions = positionsOf(manifest);
  const faults = newFaults();
  const fault = (path: string, problem: string): void => faults.add(`${releasePath(task.release)}/${path}`, problem);
  const sums = new Uint32Array(manifest.features * 2);
  let pages = 0;
  let bytes = 0;
  for (const page of pagesOf(manifest, task.sums === undefined, shard, shards)) {
    const own: number[] = [];
    const check = newFeatureCheck(page, manifest, positions, task.sums, own);
    try {
      const { problem, ...read } = await readPage(join(root, page.path), page, check);
      if (problem !== undefined) fault(page.path, problem);
      const judged = judge(page, read, manifest, checksums[pages] ?? '');
      for (const { path, problem } of judged) fault(path, problem);
      if (problem === undefined && judged.length === 0) sums.set(own, (page.positions[0] ?? 0) * 2);
      bytes += read.bytes;
    } catch (error) {
      fault(page.path, problemOf(error));
    }
    pages++;
  }
  return { pages, bytes, faults: faults.list(), sums };
}

/** Reads a page to its end, whatever is wrong with what it holds. */
async function readPage(
  file: string,
  page: PromisedPage,
  onFeature: OnFeature,
): Promise<{ bytes: number; sha256: string; problem: string | undefined }> {
  const opened = openPage(file);
  let error: unknown;
  try {
    await checkText(opened, page, onFeature);
  } catch (thrown) {
    error = thrown;
  }
  const read = opened.close();
  return { ...read, problem: error === undefined ? undefined : problemOf(error) };
}

async function checkText(opened: PageFile, page: PromisedPage, onFeature: OnFeature): Promise<void> {
  const check = newTextCheck(page.format, page.positions, onFeature);
  if (page.blocks === undefined) {
    check.end(await readStream(opened, check.line));
    return;
  }
  readBlocks(opened, page.blocks, check.line);
  check.end(Buffer.of());
  const large = page.blocks.findIndex(({ features, text }) => features !== 1 && text >= SHARED_BLOCK_TEXT_BYTES);
  if (large === -1) return;
  const { features, text } = page.blocks[large] ?? { features: 0, text: 0 };
  const limit = `expected less than ${SHARED_BLOCK_TEXT_BYTES}`;
  throw new PageError(`block ${large + 1} holds ${features} features in ${text} bytes of text, ${limit}`);
}

/** @param own where the sums of the page's features are put, if it is the page that others are compared with */
function newFeatureCheck(
  page: PromisedPage,
  manifest: Manifest,
  positions: Positions,
  sums: FeatureSums | undefined,
  own: number[],
): OnFeature {
  return (line, position) => {
    const crc = crc32(line);
    const length = sums?.[position * 2 + 1] ?? 0;
    if (length === line.length && sums?.[position * 2] === crc) return;
    checkFeature(line, position, manifest, positions);
    if (length > 0)
      throw new PageError(`fid ${positions.fidAt(position)} is not as the unfiltered geojsonl page has it`);
    if (page.blocks !== undefined) own.push(crc, line.length);
  };
}

/** Three say what a page's bytes are: the page, checksums.txt and the manifest. The one that stands alone is at fault. */
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
