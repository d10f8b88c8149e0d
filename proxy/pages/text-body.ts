// Bodies for clients that do not accept gzip: the gzipped body is inflated, short texts on the event loop, long ones as
// a stream in the thread pool.
import { pipeline } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { Body } from '../http/answer.ts';
import { OriginError } from '../origin/origin.ts';
import { withholdLast } from './withhold-last.ts';

/** Maximum length of a text that is inflated on the event loop, in about a millisecond. */
const SYNC_MAX_BYTES = 256 * 1024;
/** Length of a chunk. */
const PIECE_BYTES = 256 * 1024;

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
    text = gunzipSync(gzipped, { chunkSize: Math.max(textBytes + 1, 64), maxOutputLength: Math.max(textBytes, 1) });
  } catch (error) {
    throw new OriginError('damaged', path, error);
  }
  if (text.length !== textBytes) throw new OriginError('damaged', path, `${text.length} bytes of text`);
  return text;
}

/** The last chunk is withheld until the gzipped body has ended without an error: clients check only the length. */
async function* inflateStream(gzipped: Body, textBytes: number, path: string): AsyncGenerator<Buffer, void, undefined> {
  const inflate = createGunzip({ chunkSize: PIECE_BYTES });
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
