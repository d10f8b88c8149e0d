// The layout of the output folder. Every path is relative, uses `/` and contains only unreserved URL characters
// (RFC 3986 section 2.3), so that the same text is a file path and a URL path.
import { createHash } from 'node:crypto';
import type { Format, Geometry, Level } from './levels.ts';
import { levelName, PAGE_ENDINGS } from './levels.ts';

/** The pointer: names the current release and the hosted ones. */
export const CURRENT_PATH = 'current.json';

/** Of more bytes it is neither written nor read: it lists some 500 releases. */
export const CURRENT_MAX_BYTES = 64 * 1024;
/** The folder of releases, one folder each. */
export const RELEASES_PATH = 'releases';
/** The description of a release, relative to its folder. */
export const RELEASE_FILE = 'release.json';
/** SHA-256 of every other file of a release, in the form of `sha256sum`; relative to its folder. */
export const CHECKSUMS_FILE = 'checksums.txt';
/** The digests of the blocks of all files, of a signed release (blocks.ts); relative to its folder. */
export const BLOCKS_FILE = 'blocks.bin';
/**
 * When a release was signed, the SHA-256 of its release.json, and how long its blocks.bin is; relative to its folder.
 */
export const SIGNED_FILE = 'signed.json';
/** What follows the name of a file in that of its signature. */
export const SIGNATURE_ENDING = '.sig';

/** The rule for release ids, for messages. */
export const RELEASE_ID_RULE = '1 to 64 of A-Z a-z 0-9 . _ - and beginning with a letter or digit';

/** Is the text a valid release id? */
export function isReleaseId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}

/** The folder of a release, relative to the output folder. */
export function releasePath(release: string): string {
  return `${RELEASES_PATH}/${release}`;
}

/** A level's manifest, relative to the release's folder. */
export function manifestPath(level: Level): string {
  return `${levelName(level)}/manifest.json`;
}

/** A level's index, or the table of another geometry, relative to the release's folder. */
export function indexPath(level: Level, geometry: Geometry = 'full'): string {
  return `${geometryPath(level, geometry)}/index.bin`;
}

/** The folder with the feature files of a geometry, relative to the release's folder. */
function geometryPath(level: Level, geometry: Geometry): string {
  return geometry === 'full' ? levelName(level) : `${levelName(level)}/${geometry}`;
}

/** A level's cells, relative to the release's folder. */
export function cellsPath(level: Level): string {
  return `${levelName(level)}/cells.bin`;
}

/** A level as a table, relative to the release's folder. */
export function unitsTablePath(level: Level): string {
  return `${levelName(level)}/units.parquet`;
}

/** The digests of the blocks of that table. */
export function tableDigestsPath(level: Level): string {
  return `${levelName(level)}/units.digest`;
}

/** A level's archive of vector tiles, relative to the release's folder. */
export function tilesPath(level: Level): string {
  return `${levelName(level)}/tiles.pmtiles`;
}

/** What the parts of that archive must be, relative to the release's folder. */
export function tileDigestsPath(level: Level): string {
  return `${levelName(level)}/tiles.digest`;
}

/** Which units of a level share a border, relative to the release's folder. */
export function neighboursPath(level: Level): string {
  return `${levelName(level)}/neighbours.bin`;
}

/** The same as a table for people and programs, relative to the release's folder. */
export function neighboursTablePath(level: Level): string {
  return `${levelName(level)}/neighbours.csv.gz`;
}

/** A level's names of units, relative to the release's folder. */
export function namesPath(level: Level): string {
  return `${levelName(level)}/names.jsonl.gz`;
}

/** The words of a level's names, relative to the release's folder. */
export function wordsPath(level: Level): string {
  return `${levelName(level)}/words.bin`;
}

/**
 * The file with the features of a feature file that are chained there, each alone; relative to the release's folder.
 */
export function alonePath(level: Level, file: number, geometry: Geometry = 'full'): string {
  return `${geometryPath(level, geometry)}/alone/${fileNumber(file)}.bin`;
}

/** A level's feature file (`file` counts from 0), relative to the release's folder. */
export function featureFilePath(level: Level, file: number, geometry: Geometry = 'full'): string {
  return `${geometryPath(level, geometry)}/features/${fileNumber(file)}.${PAGE_ENDINGS.geojsonl}`;
}

/** Which listing: all units of a level, or those under one parent (`column` < level). */
export type ListingKey = { column: number; gid: string } | 'all';

/** The file of one page (`page` counts from 0), relative to the release's folder. */
export function pagePath(level: Level, format: Format, listing: ListingKey, page: number): string {
  const name = `${fileNumber(page)}.${PAGE_ENDINGS[format]}`;
  return `${listingPath(level, format, listing)}/${name}`;
}

/** The folder of one listing's pages, relative to the release's folder. */
function listingPath(level: Level, format: Format, listing: ListingKey): string {
  const folder = listing === 'all' ? 'all' : `gid-${listing.column}/${gidToSegment(listing.gid)}`;
  return `${levelName(level)}/${format}/${folder}`;
}

function fileNumber(fromZero: number): string {
  return String(fromZero + 1).padStart(6, '0');
}

/** Longest encoded GID that is used unchanged; file systems limit a name to 255 bytes. */
const SEGMENT_MAX_CHARS = 120;

/**
 * A GID as one path segment. Upper-case letters, digits, `_`, `-` and inner `.` are kept; every other byte of the UTF-8
 * form becomes `~` and two hex digits. Different GIDs give different segments even if the file
 * system ignores case; none is empty, hidden, `.` or `..`. One that would be too long becomes `~h` and its SHA-256.
 */
export function gidToSegment(gid: string): string {
  if (gid.length <= SEGMENT_MAX_CHARS && /^[A-Z0-9_-](?:[A-Z0-9_.-]*[A-Z0-9_-])?$/.test(gid)) return gid;
  const bytes = Buffer.from(gid, 'utf8');
  let segment = '';
  bytes.forEach((byte, i) => {
    const char = String.fromCharCode(byte);
    const inner = i > 0 && i < bytes.length - 1;
    const plain = /[A-Z0-9_-]/.test(char) || (char === '.' && inner);
    segment += plain ? char : `~${byte.toString(16).padStart(2, '0')}`;
  });
  if (segment.length <= SEGMENT_MAX_CHARS) return segment;
  return `~h${createHash('sha256').update(bytes).digest('hex')}`;
}
