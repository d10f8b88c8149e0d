// Bodies for clients that do not take gzip: the gzipped body inflated, at once where the text is short, otherwise piece
// by piece off the event loop.
import { pipeline } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { Body } from '../http/answer.ts';
import { OriginError } from '../origin/origin.ts';

/** Texts up to this length are inflated at once: about a millisecond. */
const SYNC_MAX_BYTES = 256 * 1024;
/** Text of one piece. */
const PIECE_BYTES = 256 * 1024;

/**
 * The text of a gzipped body.
 * @param textBytes its length
 * @param path what the body was read from, for the log
 * @throws OriginError when the body is not one gzip member of that length; from a stream perhaps after some pieces
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

/** The last piece is withheld until the gzipped body has ended well: its length alone would make the text look whole. */
async function* inflateStream(gzipped: Body, textBytes: number, path: string): AsyncGenerator<Buffer, void, undefined> {
  const inflate = createGunzip({ chunkSize: PIECE_BYTES });
  // An error of the source destroys `inflate`, and so reaches the loop below.
  pipeline(Buffer.isBuffer(gzipped) ? [gzipped] : gzipped, inflate, () => {});
  let withheld: Buffer | undefined;
  let length = 0;
  try {
    for await (const piece of inflate) {
      if (withheld !== undefined) yield withheld;
      withheld = piece;
      length += piece.length;
      if (length > textBytes) break;
    }
  } catch (error) {
    throw error instanceof OriginError ? error : new OriginError('damaged', path, error);
  }
  if (length !== textBytes) throw new OriginError('damaged', path, `not ${textBytes} bytes of text`);
  if (withheld !== undefined) yield withheld;
}
