// The answers with features of a level: pages, and those of OGC API - Features; downloads are in files.ts. One way for
// all: which features, which bytes have them, which headers say so. No file is read before the content is sent. Used by
// rows.ts.
import { numberAt } from '../../format/element-at.ts';
import type { FeatureTable } from '../../format/feature-table.ts';
import { FRAME_DATA, storedBlock } from '../../format/gzip.ts';
import { pagePath } from '../../format/layout.ts';
import { LEVELS, levelName, PAGE_CAPS } from '../../format/levels.ts';
import type { Positions, Ranges } from '../../format/positions.ts';
import type { LevelSummary } from '../../format/release.ts';
import { type Answer, type Basis, type Body, type BodySource, type HeaderList, tagOf } from '../bodies/answer.ts';
import { Slice } from '../bodies/slice.ts';
import { StoredFile, TextOf } from '../bodies/stored-file.ts';
import type { LoadedLevel, LoadedRelease, LoadedTable } from '../data/load-release.ts';
import type { Releases } from '../data/releases.ts';
import { placesOf } from '../data/spatial-index.ts';
import { notReady, Problem } from '../http/problem.ts';
import type { HttpRequest, Principal } from '../http/request.ts';
import type { Client, Reads } from '../origin/origin.ts';
import type { FeaturesEndpoint, LevelEndpoint } from './endpoints.ts';
import { COLLECTIONS_PATH, LIMIT, START_AT } from './endpoints.ts';
import { type Audience, codedAnswer, type FixedHeaders, MATCHED, releaseAnswer } from './headers.ts';
import type { Link } from './ogc-collection.ts';
import { collectionOf } from './ogc-documents.ts';
import { badParameter, type Filter, geometryOf, type Params } from './parameters.ts';
import { COLUMN_RULE, unknownParameter, urlOf } from './query.ts';
import { type Resolution, resolve } from './resolve.ts';

/** Where answers come from. */
export interface Sources {
  /** Decided when the service is assembled. */
  audience: Audience;
  releases: Releases;
  /** Of the cells that requests for a point need. */
  reads: Reads;
  /** What the service is called, if that is configured. */
  title?: string | undefined;
  /** Are there the explorer and /docs? Not if it is left out. */
  hasExplorer?: boolean;
}

/** A request for features, and what it is answered from. */
export interface FeaturesRequest<Endpoint extends LevelEndpoint = FeaturesEndpoint> {
  endpoint: Endpoint;
  request: HttpRequest;
  params: Params;
  fixed: FixedHeaders;
  /** The features at each place that is asked for. */
  places: readonly Positions[];
  level: LoadedLevel;
  /** The feature files with the geometry that is asked for. */
  source: LoadedTable;
  basis: Basis;
}

/** What is known before a release is. */
export type AskedFeatures<Endpoint extends LevelEndpoint> = Pick<
  FeaturesRequest<Endpoint>,
  'endpoint' | 'request' | 'params' | 'fixed'
> &
  Pick<Basis, 'base' | 'coding'>;

/** What a request needs could not be brought into memory: its release may be gone. */
export class LoadError extends Error {
  readonly basis: Pick<Basis, 'release' | 'isPinned'>;

  constructor(basis: LoadError['basis'], cause: unknown) {
    super('not loaded', { cause });
    this.basis = basis;
  }
}

/**
 * The answer to a request for features: from what is in memory, or after that has been brought there.
 * @param respond makes it
 * @throws LoadError, Problem
 */
export function answerFeatures<Endpoint extends LevelEndpoint>(
  sources: Sources,
  asked: AskedFeatures<Endpoint>,
  respond: (request: FeaturesRequest<Endpoint>) => Answer,
): Answer | Promise<Answer> {
  const known = inMemory(sources, asked, undefined);
  return known === undefined ? bringIn(sources, asked).then(respond) : respond(known);
}

/** What has been loaded for a request, and is held until it is answered: it may have left memory by then. */
interface Held {
  /** Another one may be the current one by now. */
  release: LoadedRelease;
  level: LoadedLevel;
}

/**
 * The request with what it is answered from; undefined if something is not in memory.
 * @param held what has been loaded for it
 */
function inMemory<Endpoint extends LevelEndpoint>(
  { releases, reads }: Sources,
  asked: AskedFeatures<Endpoint>,
  held: Held | undefined,
): FeaturesRequest<Endpoint> | undefined {
  const { endpoint, request, params, fixed, base, coding } = asked;
  const named = params.release;
  const release = held?.release ?? (named ? releases.get(named, clientOf(request).client) : releases.requireCurrent());
  const level = held?.level ?? release?.get(endpoint.level);
  const source = release && level?.get(geometryOf(params, release.geometries));
  const places = release && level?.spatial.at(placesOf(release, params), reads);
  if (release === undefined || level === undefined || source === undefined || places === undefined) return undefined;
  const basis = { release, base, coding, isPinned: params.release !== undefined };
  return { endpoint, request, params, fixed, places, level, source, basis };
}

/** The same after what is missing has been brought into memory. */
async function bringIn<Endpoint extends LevelEndpoint>(
  sources: Sources,
  asked: AskedFeatures<Endpoint>,
): Promise<FeaturesRequest<Endpoint>> {
  const { endpoint, params, request } = asked;
  const { releases, reads } = sources;
  const { client } = clientOf(request);
  const named = params.release;
  const release = named === undefined ? releases.requireCurrent() : await releases.load(named, client);
  const load = async (): Promise<Held> => {
    const level = await release.load(endpoint.level);
    await level.load(geometryOf(params, release.geometries));
    await level.spatial.load(placesOf(release, params), reads, client);
    return { release, level };
  };
  const basis = { release, isPinned: named !== undefined };
  return onceLoaded(sources, request, basis, load(), (held) => inMemory(sources, asked, held));
}

/**
 * What a request is answered from, after it has been brought into memory.
 * @param loading brings it there
 * @param find undefined if a cell has left memory again
 * @throws LoadError, Problem
 */
export async function onceLoaded<Loaded, Found>(
  { reads }: Sources,
  request: HttpRequest,
  basis: LoadError['basis'],
  loading: Promise<Loaded>,
  find: (loaded: Loaded) => Found | undefined,
): Promise<Found> {
  const loaded = await loading.catch((error: unknown) => {
    throw new LoadError(basis, error);
  });
  // What many have waited for is not answered to all of them at once.
  await reads.turn(clientOf(request), request.peer);
  const found = find(loaded);
  if (found === undefined) throw notReady('Too much is being loaded at the moment. Try again.');
  return found;
}

/** The client of a request under /api/. */
export function clientOf({ client }: HttpRequest): Principal {
  if (client === undefined) throw new TypeError('a request without a token');
  return client;
}

/** The answer with a page. Reading its body throws OriginError if stored bytes do not match the index. */
export function answerPage(request: FeaturesRequest): Answer {
  const { endpoint, params, places, level, source, basis, fixed } = request;
  const { format, path } = endpoint;
  const resolution = resolve(level.index, format, params, places, source.geometry);
  const { positions, first, count } = resolution;
  const slice = new Slice([source], FRAME_DATA[format], format, positions.slice(first, count));
  const member = storedPage(request, resolution) ?? slice;
  const next = nextUrl(request, positions, first + count);
  return codedAnswer(fixed, basis, member, slice, path, matchedAnd(positions, next));
}

/** The stored page with exactly these features, if there is one. */
function storedPage(
  { endpoint, level }: FeaturesRequest,
  { listing, first, page }: Resolution,
): StoredFile | undefined {
  if (page === undefined) return undefined;
  const { index } = level;
  const { format } = endpoint;
  const path = pagePath(index.level, format, index.listingKey(listing), first / PAGE_CAPS[format][index.level]);
  return new StoredFile(`${level.folder}/${path}`, page.bytes, index.pageDigest(format, page.number));
}

/** The URL of the features from a rank on; undefined if there are none. */
function nextUrl({ endpoint, params, level, basis }: FeaturesRequest, positions: Positions, rank: number) {
  if (rank >= positions.count) return undefined;
  return urlOf(basis.base + endpoint.path, params, level.cursors.write(positions.at(rank)));
}

function matchedAnd({ count }: Positions, next: string | undefined): HeaderList {
  if (next === undefined) return [MATCHED, String(count)];
  return [MATCHED, String(count), 'Link', `<${next}>; rel="next"`];
}

/** A page of OGC API - Features ends when its features have this many stored bytes, though it has at least one. */
const ITEMS_MAX_BYTES = 2 * 1024 * 1024;

/**
 * The answer with a page of OGC API - Features, whose last bytes are its links. Reading its body throws OriginError.
 * @throws Problem not-found if the level is no collection; unknown-parameter
 */
export function answerItems(request: FeaturesRequest): Answer {
  const { endpoint, params, places, level, source, basis, fixed } = request;
  const filters = columnFilters(params, endpoint, collectionOf(basis.release, endpoint.level));
  const { positions, first } = resolve(level.index, 'fc', { ...params, filters }, places, source.geometry);
  const size = Math.min(params.pageSize === 0 ? LIMIT.default : params.pageSize, positions.count - first);
  const { ranges, count } = upTo(ITEMS_MAX_BYTES, positions.slice(first, size), source.table);
  const start = params.given.find(({ name }) => name === START_AT)?.text;
  const { path, mediaType: type } = endpoint;
  const next = nextUrl(request, positions, first + count);
  const links: Link[] = [
    { href: urlOf(basis.base + path, params, start), rel: 'self', type },
    ...(next === undefined ? [] : [{ href: next, rel: 'next', type }]),
    collectionLink(endpoint, basis),
  ];
  const end = `],${membersOf({ numberMatched: positions.count, numberReturned: count, links })}}\n`;
  const slice = new Slice([source], { ...FRAME_DATA.fc, after: storedBlock(end) }, `ogc-${tagOf(end)}`, ranges);
  return codedAnswer(fixed, basis, slice, slice, path, matchedAnd(positions, next));
}

/**
 * The answer with one feature, as text: its links come into the object, so it is inflated.
 * @throws Problem not-found
 */
export function answerItem({ endpoint, params, level, source, basis, fixed }: FeaturesRequest): Answer {
  collectionOf(basis.release, endpoint.level);
  const position = level.index.positionOf(params.fid);
  if (position >= level.index.features || level.index.fidAt(position) !== params.fid)
    throw new Problem('not-found', `${levelName(endpoint.level)} has no feature with the fid ${params.fid}.`);
  const { path, mediaType: type } = endpoint;
  const href = urlOf(`${basis.base}${path}${params.fid}`, params, undefined);
  const links = membersOf({ links: [{ href, rel: 'self', type }, collectionLink(endpoint, basis)] });
  const slice = new Slice([source], FRAME_DATA.geojsonl, `ogc-${tagOf(links)}`, [position, position + 1]);
  const body = new LinkedFeature(new TextOf(slice, slice.textBytes, path), links);
  const headers = fixed[basis.isPinned ? 'pinned' : 'current'].identity;
  return releaseAnswer(headers, basis, `${slice.tag}-i`, body, [MATCHED, '1']);
}

/** The text of a feature with more members at its beginning. */
class LinkedFeature implements BodySource {
  readonly bytes: number;
  readonly #feature: BodySource;
  readonly #beginning: Buffer;

  constructor(feature: BodySource, members: string) {
    this.#feature = feature;
    this.#beginning = Buffer.from(`{${members},`);
    this.bytes = this.#beginning.length + feature.bytes - 1;
  }

  async read(reads: Reads, client: Client): Promise<Body> {
    const text = await this.#feature.read(reads, client);
    return Buffer.isBuffer(text) ? this.#begun(text) : this.#stream(text);
  }

  async *#stream(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    let isFirst = true;
    for await (const chunk of text) {
      yield isFirst ? this.#begun(chunk) : chunk;
      isFirst = false;
    }
  }

  /** Every feature's text begins with a brace. */
  #begun(text: Buffer): Buffer {
    return Buffer.concat([this.#beginning, text.subarray(1)]);
  }
}

/** The ranges of as many features as have so many bytes, at least of one if there is one. */
function upTo(maxBytes: number, ranges: Ranges, table: FeatureTable): { ranges: Ranges; count: number } {
  const kept: number[] = [];
  let [bytes, count] = [0, 0];
  for (let i = 0; i < ranges.length; i += 2)
    for (let at = numberAt(ranges, i); at < numberAt(ranges, i + 1); at++) {
      bytes += kept.at(-1) === at ? table.chained.bytes(at, at + 1) : table.runBytes(at, at + 1);
      if (count > 0 && bytes > maxBytes) return { ranges: kept, count };
      if (kept.at(-1) === at) kept[kept.length - 1] = at + 1;
      else kept.push(at, at + 1);
      count++;
    }
  return { ranges: kept, count };
}

function collectionLink({ level }: FeaturesEndpoint, { base }: Basis): Link {
  return { href: `${base}${COLLECTIONS_PATH}/${levelName(level)}`, rel: 'collection', type: 'application/json' };
}

/** The filters by the GID columns of the level, which its release names. @throws Problem unknown-parameter */
function columnFilters({ given }: Params, endpoint: FeaturesEndpoint, { gidColumns }: LevelSummary): Filter[] {
  return given
    .filter(({ parameter }) => parameter === undefined)
    .map(({ name, text }) => {
      const column = LEVELS.find((level) => name !== '' && gidColumns[level] === name);
      const known = endpoint.parameters.concat(gidColumns.filter((other) => other !== ''));
      if (column === undefined) throw unknownParameter(name, known.join(', '));
      if (text === '') throw badParameter(name, 'is empty', COLUMN_RULE);
      return { column, gid: text };
    });
}

/** The members of an object, without its braces. */
function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
