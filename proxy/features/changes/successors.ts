// Where a GID leads that the release does not have, as links of its empty listing: to what took the place of a unit that
// is gone, from gone.bin; or to the same GID in capital letters.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { GONE_MAX_BYTES, GONE_PATH, SUCCESSORS_MAX, unitsInGone } from '../../../format/changes.ts';
import type { CheckedFile } from '../../../format/checked-files.ts';
import { goneIn } from '../../../format/current-json.ts';
import { elementAt } from '../../../format/element-at.ts';
import { CURRENT_PATH } from '../../../format/layout.ts';
import type { Level } from '../../../format/levels.ts';
import { FormatError } from '../../../format/parse.ts';
import type { Releases } from '../../data/hosted-releases.ts';
import { Loaded } from '../../data/loaded.ts';
import { type LoadedLevel, readChecked } from '../../data/loaded-release.ts';
import { type Loads, withLoaded } from '../../data/loads.ts';
import { type Origin, OriginError } from '../../origin/origin.ts';
import { Filter, filtersOf, GEOMETRY, type Given, type Query } from '../../query/parameter.ts';
import { urlOf } from '../../query/parse.ts';
import { inTurns } from '../../work/in-turns.ts';
import type { Listing } from '../pages/listing.ts';
import { PAGE_SIZE } from '../pages/page-parameters.ts';
import { matching } from '../pages/resolve.ts';

/** A GID is followed through so many others at most. */
const FOLLOWED_MAX = 100;
/** Units that are read from the text in some hundred microseconds. */
const STEP_UNITS = 200;

const inflated = promisify(gunzip);

/** Successors by level and GID. */
type Gone = ReadonlyMap<string, readonly string[]>;

/** Where gone.bin is missing or damaged, or too large, a listing has no links: it is right without. */
const NONE: Gone = new Map();
const NO_GIDS: readonly string[] = [];

/** Looks up to five units of the current release up that took the place of one whose GID a level has no more. */
export type FindSuccessors = (
  gid: string,
  level: LoadedLevel,
  loads: Loads,
  releases: Releases,
) => readonly string[] | Promise<readonly string[]>;

/**
 * What reads the successors of a service. gone.bin is read once for all, by its SHA-256; one that is damaged again after
 * some seconds at the earliest.
 */
export function newSuccessors(): FindSuccessors {
  const tables = new Loaded<string, Gone>(() => performance.now());
  const tableOf = async (file: CheckedFile, loads: Loads): Promise<Gone> => {
    const { sha256 } = file;
    const known = tables.get(sha256);
    if (known !== undefined) return known;
    for (const [other] of tables.entries()) tables.free(other);
    const loading = tables.load(sha256, () => readGone(file, loads.reads.origin));
    return loads.after(loading).catch((error: unknown) => {
      if (error instanceof OriginError || error instanceof FormatError) return NONE;
      throw error;
    });
  };
  return (gid, { index }, loads, releases) => {
    const gone = goneIn(releases.members, CURRENT_PATH);
    const column = elementAt(index.columns, index.level);
    if (column.find(gid) !== -1 || gone === undefined || gone.bytes > GONE_MAX_BYTES.file) return NO_GIDS;
    return tableOf(gone, loads).then((table) =>
      successorsOf(table, index.level, gid, (other) => column.find(other) !== -1),
    );
  };
}

/** The links of an empty listing to what took the place of its unit. */
export function successorLinks(find: FindSuccessors, listing: Listing): readonly string[] | Promise<readonly string[]> {
  const { query, level, endpoint, representation, loads, releases } = listing;
  const own = filtersOf(query).find(({ column }) => column === endpoint.level);
  if (own === undefined || representation.isPinned) return NO_GIDS;
  const url = representation.base + endpoint.path;
  // Other filters are left out: what took its place may be elsewhere.
  const kept = query.given.filter(
    ({ parameter, value }) => value === own || parameter?.root === GEOMETRY || parameter?.root === PAGE_SIZE,
  );
  return withLoaded(find(own.gid, level, loads, releases), (gids) =>
    gids.map((text) => {
      const given = kept.map((one) => (one.value === own ? { ...one, text } : one));
      return successorLink(urlOf(url, { given }, undefined));
    }),
  );
}

/** A link to a unit that took the place of another one. */
export function successorLink(url: string): string {
  return `<${url}>; rel="successor-version"`;
}

/** The query with GIDs in capital letters, if there are such, and features that match. */
export function withCapitals({ level: { index }, query, sets }: Listing): Query[] {
  const capitals = (one: Given): Given => {
    if (!(one.value instanceof Filter)) return one;
    const { column, gid } = one.value;
    if (index.columns[column]?.find(gid) !== -1) return one;
    const text = gid.toUpperCase();
    return { ...one, text, value: new Filter(column, text) };
  };
  const given = query.given.map(capitals);
  const filters = filtersOf({ given });
  return filters.length > 0 && matching(index, filters, sets).count > 0 ? [{ given }] : [];
}

/**
 * Reads gone.bin, with other events between the turns.
 * @throws OriginError, FormatError if it is not what current.json names, which is no word of who made it
 */
async function readGone(file: CheckedFile, origin: Origin): Promise<Gone> {
  const bytes = await readChecked(origin, GONE_PATH, file);
  const text = await inflated(bytes, { maxOutputLength: GONE_MAX_BYTES.text }).catch((error: unknown) => {
    throw new FormatError(GONE_PATH, `cannot be inflated: ${error instanceof Error ? error.message : error}`);
  });
  return inTurns(decodingGone(text.toString()));
}

function* decodingGone(text: string): Generator<void, Gone> {
  const table = new Map<string, readonly string[]>();
  for (const { level, gid, successors } of unitsInGone(text, GONE_PATH)) {
    table.set(keyOf(level, gid), successors);
    if (table.size % STEP_UNITS === 0) yield;
  }
  return table;
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
