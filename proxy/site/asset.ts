// Public files of the proxy's own, held in memory in both codings: the document of the interface and the explorer. They
// are looked up by path and reveal nothing of the data, so they need no token and any cache may keep them.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Coding } from '../http/accept-encoding.ts';
import type { Answer, HeaderList } from '../http/answer.ts';
import { COMMON_HEADERS } from '../http/cors.ts';
import type { LoadedRelease } from '../origin/releases.ts';

/** A file, ready to be sent. */
export interface Asset {
  /** Its media type. */
  type: string;
  /** Headers beyond those of every asset. */
  headers: HeaderList;
  plain: Buffer;
  gzip: Buffer;
  /** What both entity tags begin with, without quotes. */
  tag: string;
}

/** The public files by path; one that describes the served release is made from it. */
export type Assets = ReadonlyMap<string, Asset | ((release: LoadedRelease) => Asset)>;

const TAG_CHARS = 22;

/** Makes an asset of this media type. */
export function makeAsset(type: string, content: string | Buffer, headers: HeaderList = []): Asset {
  const plain = Buffer.from(content);
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, TAG_CHARS);
  return { type, headers, plain, gzip: gzipSync(plain), tag };
}

/** The answer that is an asset. */
export function assetToAnswer({ type, headers, plain, gzip, tag }: Asset, coding: Coding): Answer {
  const isGzip = coding === 'gzip';
  const body = isGzip ? gzip : plain;
  return {
    status: 200,
    // A copy is revalidated on each use, so that an upgrade shows at once.
    headers: [...COMMON_HEADERS, 'Cache-Control', 'public, no-cache', ...headers, 'Vary', 'Accept-Encoding'],
    etag: isGzip ? `"${tag}"` : `"${tag}-i"`,
    content: {
      headers: ['Content-Type', type, ...(isGzip ? ['Content-Encoding', 'gzip'] : [])],
      bytes: body.length,
      body,
    },
  };
}
