// Turns written pages into a release: manifests from the pages' records, then release.json, then the checksums.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKSUMS_FILE, manifestPath, pagePath, RELEASE_FILE } from '../format/layout.ts';
import { FORMATS, type Format, PAGE_CAPS } from '../format/levels.ts';
import { type Block, digestFrom, manifestToJson, pageCount } from '../format/manifest.ts';
import { type LevelSummary, type Release, releaseToJson } from '../format/release.ts';
import { writeDurably } from './durable.ts';
import { BuildError } from './failure.ts';
import type { LevelPlan } from './plan.ts';
import type { PageRecord } from './write.ts';

/** A level whose pages are all written. */
export interface WrittenLevel {
  plan: LevelPlan;
  /** The source layer; empty where there is none. */
  layer: string;
  /** The record files of all shards. */
  records: readonly string[];
}

/** A file's path relative to the release, and the SHA-256 of its bytes in hex. */
interface Checksum {
  path: string;
  sha256: string;
}

/**
 * Writes what stands above the pages.
 * @param out the release's folder
 * @throws BuildError where a page that was planned was not written
 */
export function sealRelease(out: string, about: Omit<Release, 'levels'>, levels: readonly WrittenLevel[]): Release {
  const checksums: Checksum[] = [];
  const put = (path: string, content: string): string => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeDurably(join(out, path), content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    checksums.push({ path, sha256 });
    return sha256;
  };
  const summaries = levels.map((level): LevelSummary => {
    const pages = recordsByPage(level);
    for (const checksum of pageChecksums(level.plan, pages)) checksums.push(checksum);
    const { plan } = level;
    const manifest = manifestToJson({
      release: about.release,
      level: plan.level,
      features: plan.features,
      fids: plan.fids,
      columns: plan.columns,
      pages: { geojsonl: pageTable(pages.geojsonl), fc: pageTable(pages.fc) },
      blocks: blocksOf(plan, pages.geojsonl),
    });
    return {
      level: plan.level,
      layer: level.layer,
      features: plan.features,
      listings: plan.listings.filter((listing) => listing.features > 0).length,
      pages: plan.pages,
      bytes: FORMATS.flatMap((format) => pages[format]).reduce((sum, record) => sum + record.bytes, 0),
      manifest: put(manifestPath(plan.level), manifest),
    };
  });
  const release = { ...about, levels: summaries };
  put(RELEASE_FILE, releaseToJson(release));
  writeDurably(join(out, CHECKSUMS_FILE), checksumsToText(checksums));
  return release;
}

function recordsByPage({ plan, records }: WrittenLevel): Record<Format, PageRecord[]> {
  const byPage: Record<Format, PageRecord[]> = { geojsonl: [], fc: [] };
  for (const file of records) {
    const written: PageRecord[] = JSON.parse(readFileSync(file, 'utf8'));
    for (const record of written) byPage[record.format][record.number] = record;
  }
  for (const format of FORMATS) {
    const written = byPage[format].filter(() => true).length;
    if (written !== plan.pages[format]) {
      throw new BuildError(
        `level ${plan.level}: ${written} ${format} pages were written, ${plan.pages[format]} were planned`,
        'build again',
      );
    }
  }
  return byPage;
}

function pageTable(records: readonly PageRecord[]): { bytes: number[]; digests: string } {
  return {
    bytes: records.map((record) => record.bytes),
    digests: records.map((record) => digestFrom(Buffer.from(record.sha256, 'hex'))).join(''),
  };
}

function blocksOf(plan: LevelPlan, records: readonly PageRecord[]): Block[][] {
  const pages = Math.ceil(plan.features / PAGE_CAPS.geojsonl[plan.level]);
  return records.slice(0, pages).map((record) => record.blocks ?? []);
}

function* pageChecksums(plan: LevelPlan, pages: Record<Format, PageRecord[]>): Generator<Checksum> {
  for (const format of FORMATS) {
    for (const listing of plan.listings) {
      for (let page = 0; page < pageCount(plan.level, format, listing.features); page++) {
        const record = pages[format][listing.firstPage[format] + page];
        yield { path: pagePath(plan.level, format, listing.key, page), sha256: record?.sha256 ?? '' };
      }
    }
  }
}

/** The form that `sha256sum -c` reads, ordered by path. */
function checksumsToText(checksums: readonly Checksum[]): string {
  const ordered = checksums.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return ordered.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}
