// Public files of the proxy's own, held in memory in both codings: the document of the interface and the explorer. They
// are looked up by path and tell nothing of the data, so they need no token and any cache may keep them.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { isHeld } from './answer.ts';
import type { LoadedRelease } from './catalogue.ts';
import { codingFor } from './encoding.ts';
import { COMMON_HEADERS } from './headers.ts';

/** A file, ready to be sent. */
export interface Asset {
  /** Its headers beyond those of every answer. */
  headers: Readonly<Record<string, string>>;
  plain: Buffer;
  gzip: Buffer;
  /** What both entity tags begin with, without quotes. */
  tag: string;
}

/** The public files by path; one that speaks of the served release is made from it. */
export type Assets = ReadonlyMap<string, Asset | ((release: LoadedRelease) => Asset)>;

const TAG_CHARS = 22;

/** Makes an asset of this media type. */
export function makeAsset(
  type: string,
  content: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Asset {
  const plain = Buffer.from(content);
  return {
    // Whoever holds a copy asks whether it is still good: an upgrade shows at once.
    headers: { 'Content-Type': type, 'Cache-Control': 'public, no-cache', ...headers },
    plain,
    gzip: gzipSync(plain),
    tag: createHash('sha256').update(plain).digest('base64url').slice(0, TAG_CHARS),
  };
}

/** Answers GET and HEAD for an asset. */
export function answerAsset({ headers, plain, gzip, tag }: Asset, req: IncomingMessage, res: ServerResponse): void {
  const coding = codingFor(req.headers['accept-encoding']);
  const etag = coding === 'gzip' ? `"${tag}"` : `"${tag}-i"`;
  const common = { ...COMMON_HEADERS, ...headers, ETag: etag, Vary: 'Accept-Encoding' };
  if (isHeld(req.headers['if-none-match'], etag)) {
    res.writeHead(304, common).end();
    return;
  }
  const body = coding === 'gzip' ? gzip : plain;
  const encoding = coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {};
  res.writeHead(200, { ...common, ...encoding, 'Content-Length': String(body.length) });
  res.end(req.method === 'HEAD' ? undefined : body);
}
