// A text that is deflated only if it is sent: its length is not known before, so its answer says none.
import { gzip, gzipSync } from 'node:zlib';
import type { Answer, BodySource, HeaderList, Representation } from '../../bodies/answer.ts';
import { type FixedHeaders, releaseAnswer } from '../../bodies/headers.ts';
import type { QueuedReads, Recipient } from '../../origin/origin.ts';

/** Maximum length of a text that is deflated on the event loop, in some milliseconds. */
const SYNC_MAX_BYTES = 256 * 1024;
/** The fastest: a page takes a tenth more bytes than with the usual one, and a third of the time. */
const OPTIONS = { level: 1 } as const;

class DeflatedText implements BodySource {
  readonly #text: Buffer;

  constructor(text: Buffer) {
    this.#text = text;
  }

  /** The most that it may be. */
  get bytes(): number {
    return this.#text.length;
  }

  get ownBytes(): number {
    return this.#text.length;
  }

  read(reads: QueuedReads, client: Recipient): Buffer | Promise<Buffer> {
    const text = this.#text;
    if (text.length <= SYNC_MAX_BYTES) return gzipSync(text, OPTIONS);
    const deflate = (): Promise<Buffer> =>
      new Promise((resolve, reject) =>
        gzip(text, OPTIONS, (error, bytes) => (error === null ? resolve(bytes) : reject(error))),
      );
    return reads.later(client, deflate);
  }
}

/**
 * The answer with a text, or with its gzip member if the client accepts that: then without Content-Length (RFC 9110,
 * section 8.6), for GET and HEAD alike.
 * @param tag entity tag without quotes, of the member
 * @param more further headers
 */
export function deflatedAnswer(
  fixed: FixedHeaders,
  representation: Representation,
  tag: string,
  text: Buffer,
  more: HeaderList,
): Answer {
  const { coding, isPinned, release } = representation;
  const headers = fixed[isPinned ? 'pinned' : 'current'][coding];
  if (coding === 'identity') return releaseAnswer(headers, representation, `${tag}-i`, text, more);
  const etag = `"${tag}"`;
  const all = headers.concat(release.id, 'ETag', etag, more);
  return { status: 200, headers: all, etag, body: new DeflatedText(text), representation };
}
