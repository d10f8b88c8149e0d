// Features for OGC API - Features: pages whose last bytes have the links, and one feature with its links. Used by handler.ts.
import { hash } from 'node:crypto';
import { numberAt } from '../../format/element-at.ts';
import type { FeatureTable } from '../../format/feature-table.ts';
import { FRAME_DATA, storedBlock } from '../../format/gzip.ts';
import { levelName } from '../../format/levels.ts';
import type { Positions, Ranges } from '../../format/positions.ts';
import type { Answer, Basis, Body, BodySource } from '../answers/answer.ts';
import { Problem } from '../http/problem.ts';
import type { Client, Reads } from '../origin/origin.ts';
import type { ItemsEndpoint } from '../pages/endpoints.ts';
import { COLLECTIONS_PATH } from '../pages/endpoints.ts';
import type { ListingParams } from '../pages/query.ts';
import { resolve } from '../pages/resolve.ts';
import { finished } from '../pages/respond.ts';
import { Slice } from '../pages/slice.ts';
import { TextOf } from '../pages/stored-file.ts';
import type { LoadedLevel, LoadedTable } from '../releases/load-release.ts';
import { collectionOf } from './documents.ts';
import type { Link } from './links.ts';
import { filtersOf } from './query.ts';

/** A parsed request for features, and what it is answered from. */
export interface ItemsRequest {
  endpoint: ItemsEndpoint;
  params: ListingParams;
  /** The features at each place that is asked for. */
  places: readonly Positions[];
  level: LoadedLevel;
  source: LoadedTable;
  basis: Basis;
}

/** A page ends when its features have this many stored bytes, though it has at least one. */
const PAGE_MAX_BYTES = 2 * 1024 * 1024;
/** 96 bits of SHA-256 in base64url. */
const TAG_CHARS = 16;

/**
 * The answer with a page or a feature. Reading its body throws OriginError if stored bytes do not match the index.
 * @throws Problem not-found if the level is no collection, or has no feature with the fid; unknown-parameter
 */
export function respondWithItems(request: ItemsRequest): Answer {
  const { endpoint, params, places, level, source, basis } = request;
  const filters = filtersOf(params, collectionOf(basis.release, endpoint.level));
  const { positions, first } = resolve(level.index, 'fc', { ...params, filters }, places, source.geometry);
  if (endpoint.kind === 'item') return respondWithItem(request, first);
  const size = Math.min(params.pageSize, positions.count - first);
  const { ranges, count } = upTo(PAGE_MAX_BYTES, positions.slice(first, size), source.table);
  const next =
    first + count < positions.count ? urlOf(request, level.cursors.write(positions.at(first + count))) : undefined;
  const { mediaType: type } = endpoint;
  const links: Link[] = [
    { href: urlOf(request, params.texts.get('start-at')), rel: 'self', type },
    ...(next === undefined ? [] : [{ href: next, rel: 'next', type }]),
    collectionLink(request),
  ];
  const end = `],${membersOf({ numberMatched: positions.count, numberReturned: count, links })}}\n`;
  const frame = { ...FRAME_DATA.fc, after: storedBlock(end) };
  const slice = new Slice(source, frame, `ogc-${tagOf(end)}`, ranges);
  const link = next === undefined ? undefined : `<${next}>; rel="next"`;
  if (basis.coding === 'gzip') return finished(basis, type, slice.tag, slice, positions.count, link);
  const text = new TextOf(slice, slice.textBytes, endpoint.path);
  return finished(basis, type, `${slice.tag}-i`, text, positions.count, link);
}

/** The answer with one feature, as text: its links come into the object, so it is inflated. */
function respondWithItem(request: ItemsRequest, position: number): Answer {
  const { endpoint, params, level, source, basis } = request;
  if (position >= level.index.features || level.index.fidAt(position) !== params.fid)
    throw new Problem('not-found', `${levelName(endpoint.level)} has no feature with the fid ${params.fid}.`);
  const { mediaType: type } = endpoint;
  const self: Link = { href: urlOf(request, undefined), rel: 'self', type };
  const links = membersOf({ links: [self, collectionLink(request)] });
  const slice = new Slice(source, FRAME_DATA.geojsonl, `ogc-${tagOf(links)}`, [position, position + 1]);
  const body = new LinkedFeature(new TextOf(slice, slice.textBytes, endpoint.path), links);
  return finished({ ...basis, coding: 'identity' }, type, `${slice.tag}-i`, body, 1);
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

/** The URL of the same request, at another start. */
function urlOf({ endpoint, params, basis }: ItemsRequest, start: string | undefined): string {
  const fid = endpoint.kind === 'item' ? params.fid : '';
  const pairs = [...params.texts].filter(([name]) => name !== 'start-at');
  if (start !== undefined) pairs.push(['start-at', start]);
  const query = pairs
    .map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text).replaceAll('%2C', ',')}`)
    .join('&');
  return `${basis.base}${endpoint.path}${fid}${query === '' ? '' : `?${query}`}`;
}

function collectionLink({ endpoint, basis }: ItemsRequest): Link {
  const href = `${basis.base}${COLLECTIONS_PATH}/${levelName(endpoint.level)}`;
  return { href, rel: 'collection', type: 'application/json' };
}

/** The members of an object, without its braces. */
function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

function tagOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, TAG_CHARS);
}
