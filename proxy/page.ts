// Bodies that are a stored page: the file's bytes as they are, or inflated. None leaves before it is known to be right,
// as far as memory allows: a small page is checked first, of a large one the last piece is held back until then.
import { createHash } from 'node:crypto';
import { digestFrom, digestOf } from '../format/manifest.ts';
import type { Coding } from './encoding.ts';
import { pageToPieces } from './inflate.ts';
import type { Client, Origin } from './origin.ts';
import { joined, OriginError } from './origin.ts';
import type { StoredPage } from './resolve.ts';

/** Files up to this size are read and checked at once. */
const WHOLE_MAX_BYTES = 1024 * 1024;

/**
 * The body that is this page: all of it, or a stream.
 * @throws OriginError when the file is not what the manifest says; from the stream before its last piece
 */
export async function pageToBody(
  origin: Origin,
  page: StoredPage,
  coding: Coding,
  client: Client,
): Promise<Buffer | AsyncIterable<Buffer>> {
  const stored = page.bytes > WHOLE_MAX_BYTES ? checked(origin, page, client) : await readChecked(origin, page, client);
  if (coding === 'gzip') return stored;
  return pageToPieces(stored, page.path);
}

async function readChecked(origin: Origin, page: StoredPage, client: Client): Promise<Buffer> {
  const bytes = origin.pass
    ? await joined(origin.pass(page.path, page.bytes, client))
    : await origin.read(page.path, { offset: 0, length: page.bytes });
  if (digestOf(bytes) !== page.digest) throw new OriginError('damaged', page.path);
  return bytes;
}

async function* checked(origin: Origin, page: StoredPage, client: Client): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  const pieces =
    origin.pass?.(page.path, page.bytes, client) ?? origin.stream(page.path, { offset: 0, length: page.bytes });
  for await (const piece of pieces) {
    if (held !== undefined) yield held;
    hash.update(piece);
    held = piece;
  }
  if (held === undefined || digestFrom(hash.digest()) !== page.digest) throw new OriginError('damaged', page.path);
  yield held;
}
