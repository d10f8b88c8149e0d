// What took the place of a unit that is gone: links of the empty listing of its GID, from gone.bin. Used by hints/.
import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { GONE_PATH, goneFromText, SUCCESSORS_MAX } from '../../../format/changes.ts';
import { elementAt } from '../../../format/element-at.ts';
import type { Level } from '../../../format/levels.ts';
import { FormatError } from '../../../format/parse.ts';
import type { CheckedFile } from '../../../format/release.ts';
import { Pieces } from '../../data/pieces.ts';
import { OriginError, type QueuedReads } from '../../origin/origin.ts';
import { filtersOf } from '../../query/parameter.ts';
import type { Listing } from '../pages/listing.ts';

/** Maximum bytes of gone.bin, and of its text: current.json, which says how long it is, is not signed. */
const MAX_BYTES = { file: 8 * 1024 * 1024, text: 64 * 1024 * 1024 } as const;
/** A GID is followed through so many others at most. */
const FOLLOWED_MAX = 100;

/** Successors by level and GID. */
type Gone = ReadonlyMap<string, readonly string[]>;

/** gone.bin of a service, one piece. Where it is missing or damaged, a listing has no links: it is right without. */
class GoneFile extends Pieces {
  override async load(piece: number, reads: QueuedReads, principal: string): Promise<Buffer> {
    try {
      return await super.load(piece, reads, principal);
    } catch (error) {
      if (error instanceof OriginError || error instanceof FormatError) return Buffer.of();
      throw error;
    }
  }
}

/**
 * What reads the successors of a service: for an empty listing up to five links to units of the current release;
 * undefined if gone.bin is not in memory.
 */
export function newSuccessorLinks(): (listing: Listing) => readonly string[] | undefined {
  /** By the SHA-256 of gone.bin: what is read of it, and where that is read. */
  const tables = new LRUCache<string, Gone>({ max: 2 });
  const files = new LRUCache<string, GoneFile>({ max: 2 });
  const fileOf = ({ bytes, sha256 }: CheckedFile): GoneFile => {
    const known = files.get(sha256);
    if (known !== undefined) return known;
    const hasBytes = (_: number, content: Uint8Array): boolean => hash('sha256', content, 'hex') === sha256;
    const file = new GoneFile(GONE_PATH, { rangeOf: () => ({ from: 0, to: bytes }), hasBytes });
    files.set(sha256, file);
    return file;
  };
  return ({ query, level, endpoint, representation, needs, releases }) => {
    const { gone } = releases.published;
    const own = filtersOf(query).find(({ column }) => column === endpoint.level);
    const column = elementAt(level.index.columns, endpoint.level);
    const isGone = own !== undefined && !representation.isPinned && column.find(own.gid) === -1;
    if (!isGone || gone === undefined || gone.bytes > MAX_BYTES.file) return [];
    let table = tables.get(gone.sha256);
    if (table === undefined) {
      const bytes = needs.piece(fileOf(gone), 0);
      if (bytes === undefined) return undefined;
      table = tableFrom(bytes);
      if (bytes.length > 0) tables.set(gone.sha256, table);
    }
    const gids = successorsOf(table, endpoint.level, own.gid, (gid) => column.find(gid) !== -1);
    const url = `${representation.base}${endpoint.path}?gid-${endpoint.level}=`;
    return gids.map((gid) => `<${url}${encodeURIComponent(gid)}>; rel="successor-version"`);
  };
}

function tableFrom(bytes: Buffer): Gone {
  if (bytes.length === 0) return new Map();
  try {
    const text = gunzipSync(bytes, { maxOutputLength: MAX_BYTES.text }).toString();
    const units = goneFromText(text, GONE_PATH);
    return new Map(units.map(({ level, gid, successors }) => [keyOf(level, gid), successors]));
  } catch {
    // As if it were damaged: it has the digest that current.json names, which is no word of who made it.
    return new Map();
  }
}

/** The units that there are now, followed from one that is gone to its successors, and from these if they are gone. */
export function successorsOf(gone: Gone, level: Level, gid: string, isThere: (gid: string) => boolean): string[] {
  const followed = [gid];
  const seen = new Set(followed);
  const found: string[] = [];
  for (const at of followed)
    for (const next of gone.get(keyOf(level, at)) ?? []) {
      if (seen.has(next) || seen.size > FOLLOWED_MAX || found.length === SUCCESSORS_MAX) continue;
      seen.add(next);
      (isThere(next) ? found : followed).push(next);
    }
  return found;
}

function keyOf(level: Level, gid: string): string {
  return `${level} ${gid}`;
}
