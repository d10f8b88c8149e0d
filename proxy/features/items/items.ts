// Features of a level as OGC API - Features has them: pages, and one by its fid.
import { numberAt } from '../../../format/element-at.ts';
import type { FeatureTable } from '../../../format/feature-table.ts';
import { FRAME_DATA, storedBlock } from '../../../format/gzip.ts';
import type { LevelSummary } from '../../../format/level-json.ts';
import { LEVELS, levelName } from '../../../format/levels.ts';
import type { Ranges } from '../../../format/positions.ts';
import { type Answer, type Body, type BodySource, type Representation, tagOf } from '../../bodies/answer.ts';
import { codedAnswer, fixedHeaders, MATCHED, releaseAnswer } from '../../bodies/headers.ts';
import type { Row } from '../../bodies/row.ts';
import { Slice } from '../../bodies/slice.ts';
import { InflatedBody } from '../../bodies/stored-file.ts';
import { Problem, quote } from '../../http/problem.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { QueuedReads, Recipient } from '../../origin/origin.ts';
import { badParameter, type Filter, isDigits, type Query } from '../../query/parameter.ts';
import { COLUMN_RULE, parseQuery, queryRules, START_AT, unknownParameter, urlOf } from '../../query/parse.ts';
import { type Listing, type ListingFilter, listingRow } from '../pages/listing.ts';
import { nextUrl } from '../pages/next-link.ts';
import { FID_MAX, STARTS_AT } from '../pages/page-parameters.ts';
import type { FeaturesEndpoint } from '../pages/page-paths.ts';
import { resolve } from '../pages/resolve.ts';
import { LIMIT, LIMIT_SIZES } from './item-parameters.ts';
import { COLLECTIONS_PATH, collectionOf, type Link, linkHeader, queryablesLink } from './item-paths.ts';

/** The rules of a query, whose templates leave a plus as it is and whose links keep the order of the request. */
function rulesOf({ level, parameters }: FeaturesEndpoint, hasColumns: boolean) {
  return { ...queryRules(level, parameters), hasColumns, plus: '+', keepsOrder: true } as const;
}

/** The row of the pages of a level. @param filters those that capabilities bring */
export function itemsRow(endpoint: FeaturesEndpoint, filters: readonly ListingFilter[]): Row {
  const rules = rulesOf(endpoint, true);
  return listingRow({
    endpoint,
    filters,
    headers: fixedHeaders(endpoint.mediaType),
    parse: ({ query }) => parseQuery(query, rules),
    named: (query) => STARTS_AT.of(query)?.cursor,
    respond: answerItems,
  });
}

/** The row of the single features of a level. */
export function itemRow(endpoint: FeaturesEndpoint): Row {
  const rules = rulesOf(endpoint, false);
  return listingRow({
    endpoint,
    filters: [],
    headers: fixedHeaders(endpoint.mediaType),
    parse(request) {
      fidOf(endpoint, request);
      return parseQuery(request.query, rules);
    },
    named: () => undefined,
    respond: answerItem,
  });
}

/** The fid that a path ends with. @throws Problem not-found */
function fidOf(endpoint: FeaturesEndpoint, request: HttpRequest): number {
  const text = request.path.slice(endpoint.path.length);
  const fid = isDigits(text) && String(Number(text)) === text ? Number(text) : Number.NaN;
  if (!(fid <= FID_MAX)) throw new Problem('not-found', `${quote(text)} is not the fid of a feature.`);
  return fid;
}

/** A page of OGC API - Features ends when its features have this many stored bytes, though it has at least one. */
const ITEMS_MAX_BYTES = 2 * 1024 * 1024;

/**
 * The answer with a page of OGC API - Features, whose last bytes are its links. Reading its body throws OriginError.
 * @throws Problem not-found if the level is no collection; unknown-parameter
 */
function answerItems(listing: Listing): Answer {
  const { endpoint, query, sets, level, source, representation, fixed } = listing;
  const filters = columnFilters(query, endpoint, collectionOf(representation.release, endpoint.level));
  const selection = { filters, sets, start: STARTS_AT.of(query), size: undefined };
  const { positions, first } = resolve(level.index, 'fc', selection, source.geometry);
  const size = Math.min(LIMIT.of(query) ?? LIMIT_SIZES.default, positions.count - first);
  const { ranges, count } = upTo(ITEMS_MAX_BYTES, positions.slice(first, size), source.table);
  const start = query.given.find(({ name }) => name === START_AT)?.text;
  const { path, mediaType: type } = endpoint;
  const nextHref = nextUrl(listing, positions, first + count);
  const next: Link[] = nextHref === undefined ? [] : [{ href: nextHref, rel: 'next', type }];
  const queryables = queryablesLink(endpoint.level, representation.base);
  const self = { href: urlOf(representation.base + path, query, start), rel: 'self', type };
  const links: Link[] = [self, ...next, collectionLink(endpoint, representation), queryables];
  const end = `],${membersOf({ numberMatched: positions.count, numberReturned: count, links })}}\n`;
  const slice = new Slice([source], { ...FRAME_DATA.fc, after: storedBlock(end) }, `ogc-${tagOf(end)}`, ranges);
  const more = [MATCHED, String(positions.count), 'Link', linkHeader([...next, queryables])];
  return codedAnswer(fixed, representation, slice, slice, path, more);
}

/**
 * The answer with one feature, as text: its links come into the object, so it is inflated.
 * @throws Problem not-found
 */
function answerItem({ endpoint, request, query, level, source, representation, fixed }: Listing): Answer {
  const fid = fidOf(endpoint, request);
  collectionOf(representation.release, endpoint.level);
  const position = level.index.positionOf(fid);
  if (position >= level.index.features || level.index.fidAt(position) !== fid)
    throw new Problem('not-found', `${levelName(endpoint.level)} has no feature with the fid ${fid}.`);
  const { path, mediaType: type } = endpoint;
  const href = urlOf(`${representation.base}${path}${fid}`, query, undefined);
  const links = membersOf({ links: [{ href, rel: 'self', type }, collectionLink(endpoint, representation)] });
  const slice = new Slice([source], FRAME_DATA.geojsonl, `ogc-${tagOf(links)}`, [position, position + 1]);
  const body = new LinkedFeature(new InflatedBody(slice, slice.textBytes, path), links);
  const headers = fixed[representation.isPinned ? 'pinned' : 'current'].identity;
  return releaseAnswer(headers, representation, `${slice.tag}-i`, body, [MATCHED, '1']);
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

  async read(reads: QueuedReads, client: Recipient): Promise<Body> {
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
function upTo(maxBytes: number, ranges: Ranges, table: FeatureTable): { ranges: number[]; count: number } {
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

function collectionLink({ level }: FeaturesEndpoint, { base }: Representation): Link {
  return { href: `${base}${COLLECTIONS_PATH}/${levelName(level)}`, rel: 'collection', type: 'application/json' };
}

/** The filters by the GID columns of the level, which its release names. @throws Problem unknown-parameter */
function columnFilters({ given }: Query, endpoint: FeaturesEndpoint, { gidColumns }: LevelSummary): Filter[] {
  return given
    .filter(({ parameter }) => parameter === undefined)
    .map(({ name, text }) => {
      const column = LEVELS.find((level) => name !== '' && gidColumns[level] === name);
      const known = [...endpoint.parameters.map((one) => one.name), ...gidColumns.filter((other) => other !== '')];
      if (column === undefined) throw unknownParameter(name, known.join(', '));
      if (text === '') throw badParameter(name, 'is empty', COLUMN_RULE);
      return { column, gid: text };
    });
}

/** The members of an object, without its braces. */
function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
