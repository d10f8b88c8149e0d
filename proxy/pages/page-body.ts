// Bodies from a stored page, the unchanged bytes of its file; and the text of any body, for clients that do not accept
// gzip. All are verified before their last byte is sent: `withholdLast` does this for streams.
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import { digestFrom, digestOf } from '../../format/manifest.ts';
import type { Body } from '../http/answer.ts';
import type { Client, Origin } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { StoredPage } from './resolve.ts';

/** Maximum size of a page that is read into memory and verified as a whole. */
const WHOLE_MAX_BYTES = 1024 * 1024;
/** Maximum length of a text that is inflated on the event loop, in about a millisecond. */
const SYNC_MAX_BYTES = 256 * 1024;
/** Length of a chunk of a longer text, which is inflated in the thread pool. */
const CHUNK_BYTES = 256 * 1024;

/**
 * The gzipped body of a page: a buffer, or a stream for a large page.
 * @throws OriginError if the file does not match the manifest; from a stream, before the last chunk
 */
export function pageToGzip(
  origin: Origin,
  page: StoredPage,
  client: Client,
): Promise<Buffer> | AsyncGenerator<Buffer, void, undefined> {
  return page.bytes > WHOLE_MAX_BYTES ? streamPage(origin, page, client) : readPage(origin, page, client);
}

async function readPage(origin: Origin, page: StoredPage, client: Client): Promise<Buffer> {
  const bytes = await origin.read(page.path, { offset: 0, length: page.bytes }, client);
  if (digestOf(bytes) !== page.digest) throw new OriginError('damaged', page.path);
  return bytes;
}

async function* streamPage(origin: Origin, page: StoredPage, client: Client): AsyncGenerator<Buffer, void, undefined> {
  const sha256 = createHash('sha256');
  yield* withholdLast(
    origin.stream(page.path, { offset: 0, length: page.bytes }, client),
    (chunk) => sha256.update(chunk),
    () => {
      if (digestFrom(sha256.digest()) !== page.digest) throw new OriginError('damaged', page.path);
    },
  );
}

/**
 * The text of a gzipped body.
 * @param textBytes the length of the text
 * @param path the source of the body, for the log
 * @throws OriginError if the body is not one gzip member with a text of that length; from a stream, possibly after some
 * chunks
 */
export function gzipToText(gzipped: Body, textBytes: number, path: string): Body {
  if (textBytes > SYNC_MAX_BYTES || !Buffer.isBuffer(gzipped)) return inflateStream(gzipped, textBytes, path);
  let text: Buffer;
  try {
    // Twice the length: Workers count the size of their buffers, of which the last is not full.
    text = gunzipSync(gzipped, {
      chunkSize: Math.max(textBytes + 1, 64),
      maxOutputLength: Math.max(2 * textBytes, 64),
    });
  } catch (error) {
    throw new OriginError('damaged', path, error);
  }
  if (text.length !== textBytes) throw new OriginError('damaged', path, `${text.length} bytes of text`);
  return text;
}

/** The last chunk is withheld until the gzipped body has ended without an error: clients check only the length. */
async function* inflateStream(gzipped: Body, textBytes: number, path: string): AsyncGenerator<Buffer, void, undefined> {
  const inflate = createGunzip({ chunkSize: CHUNK_BYTES });
  // An error of the source destroys `inflate`, which throws it in the loop below.
  pipeline(Buffer.isBuffer(gzipped) ? [gzipped] : gzipped, inflate, () => {});
  const wrongLength = (): OriginError => new OriginError('damaged', path, `not ${textBytes} bytes of text`);
  let length = 0;
  try {
    yield* withholdLast(
      inflate,
      (chunk) => {
        length += chunk.length;
        if (length > textBytes) throw wrongLength();
      },
      () => {
        if (length !== textBytes) throw wrongLength();
      },
    );
  } catch (error) {
    throw error instanceof OriginError ? error : new OriginError('damaged', path, error);
  }
}

/**
 * The chunks of a stream, the last one after `check` has returned: a damaged body is never complete.
 * @param onChunk receives each chunk before the next one is read
 * @param check is called after the last chunk was received; throws if they are not what they should be
 */
export async function* withholdLast(
  chunks: AsyncIterable<Buffer>,
  onChunk: (chunk: Buffer) => void,
  check: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  let withheld: Buffer | undefined;
  for await (const chunk of chunks) {
    if (withheld !== undefined) yield withheld;
    onChunk(chunk);
    withheld = chunk;
  }
  check();
  if (withheld !== undefined) yield withheld;
}
