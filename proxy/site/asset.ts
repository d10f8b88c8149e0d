// Public files in memory, as gzip and as plain text: the OpenAPI document and the explorer. They are looked up by path
// and reveal nothing of the data except release and attribution, so they need no token and any cache may store them.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Answer, HeaderList } from '../bodies/answer.ts';
import { answerWith } from '../bodies/answer.ts';
import type { Audience } from '../bodies/headers.ts';
import type { Releases } from '../data/hosted-releases.ts';
import type { LoadedRelease } from '../data/loaded-release.ts';
import type { Coding } from '../http/request.ts';

/** A file, prepared for sending. */
export interface Asset {
  mediaType: string;
  /** Cache-Control */
  caching: string;
  /** Headers in addition to those of every asset. */
  headers: HeaderList;
  plain: Buffer;
  readonly gzip: Buffer;
  /** Start of both entity tags, without quotes. */
  tag: string;
}

/** Makes a file that describes the current release, and what is published besides. */
export type ReleaseAsset = (release: LoadedRelease, releases: Pick<Releases, 'hosted' | 'members'>) => Asset;

/** The public files by path. */
export type Assets = ReadonlyMap<string, Asset | ReleaseAsset>;

/** Caches ask on each use, so that clients see an upgrade at once. */
const REVALIDATED = 'public, no-cache';
/** Of a public service: as pages of the current release, so that a cache in front answers for a minute by itself. */
const KEPT = 'public, max-age=60, stale-while-revalidate=600';
/** What has this path never changes: for a year, caches do not ask. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** 132 bits of SHA-256 in base64url. */
const TAG_CHARS = 22;

/** Creates an asset. */
export function makeAsset(
  mediaType: string,
  content: string | Buffer,
  headers: HeaderList = [],
  caching: string = REVALIDATED,
): Asset {
  const plain = Buffer.from(content);
  // With another policy it is another file: a cache does not go on with the one that it has.
  const tag = createHash('sha256').update(plain).update(headers.join('\n')).digest('base64url').slice(0, TAG_CHARS);
  let gzip: Buffer | undefined;
  return {
    mediaType,
    caching,
    headers,
    plain,
    // When it is first asked for: compressing all of them would be a fifth of the time that the proxy takes to start.
    get gzip() {
      gzip ??= gzipSync(plain);
      return gzip;
    },
    tag,
  };
}

/** The answer with an asset. */
export function assetToAnswer(asset: Asset, coding: Coding, audience: Audience): Answer {
  const { mediaType, headers, plain, tag } = asset;
  const caching = audience === 'public' && asset.caching === REVALIDATED ? KEPT : asset.caching;
  const isGzip = coding === 'gzip';
  const all = ['Cache-Control', caching, ...headers, 'Vary', 'Accept-Encoding'];
  const type = ['Content-Type', mediaType, ...(isGzip ? ['Content-Encoding', 'gzip'] : [])];
  return answerWith(200, all, type, isGzip ? asset.gzip : plain, isGzip ? tag : `${tag}-i`);
}
