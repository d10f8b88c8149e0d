// The origin that is a bucket of Cloudflare R2, read through the binding of a Worker: no credentials, no requests over the
// network of the Worker. Exported as r2Origin; see proxy/README.md.
import type { Chunks } from './host-response.ts';
import { concatChunks } from './host-response.ts';
import type { ByteRange, Origin } from './origin.ts';
import { OriginError } from './origin.ts';

/** What is used of the binding of a bucket, as Cloudflare documents it. */
export interface R2Bucket {
  get(key: string, options?: { range: ByteRange }): Promise<R2Object | null>;
}

/** An object of a bucket. */
export interface R2Object {
  /** Size of the whole object in bytes. */
  readonly size: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Creates the origin of a bucket.
 * @param prefix of the keys of the output folder's files, e.g. `boundaries/`
 */
export function r2Origin(bucket: R2Bucket, prefix = ''): Origin {
  async function* readChunks(path: string, extent: ByteRange | number): Chunks {
    const range = typeof extent === 'number' ? undefined : extent;
    const object = await bucket.get(prefix + path, range && { range }).catch((error: unknown) => {
      throw new OriginError('unreadable', path, error instanceof Error ? error.message : String(error));
    });
    if (object === null) throw new OriginError('missing', path);
    if (typeof extent === 'number' && object.size > extent)
      throw new OriginError('damaged', path, `more than ${extent} bytes`);
    const { offset, length } = range ?? { offset: 0, length: object.size };
    let done = 0;
    try {
      for await (const chunk of object.body) {
        done += chunk.length;
        yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      }
    } catch (error) {
      throw new OriginError('damaged', path, error);
    }
    if (done !== length) throw new OriginError('damaged', path, `ends before byte ${offset + length}`);
  }
  return {
    read: (path, extent) => concatChunks(readChunks(path, extent)),
    stream: (path, range) => readChunks(path, range),
  };
}
