// The origin that is a bucket of Cloudflare R2, read through the binding of a Worker: no credentials, no requests over
// the network of the Worker. Exported as r2Origin; see proxy/README.md.
import type { ByteRange, Origin } from './origin.ts';
import { OriginError } from './origin.ts';

/** What is used of the binding of a bucket, as Cloudflare documents it. */
export interface R2Bucket {
  get(key: string, options?: { range: ByteRange }): Promise<R2Object | null>;
}

/** An object of a bucket: all of it, or the requested range. */
export interface R2Object {
  /** Size of the whole object in bytes. */
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Creates the origin of a bucket.
 * @param prefix of the keys of the output folder's files, e.g. `boundaries/`
 */
export function r2Origin(bucket: R2Bucket, prefix = ''): Origin {
  async function open(path: string, range?: ByteRange): Promise<R2Object> {
    const object = await bucket.get(prefix + path, range && { range }).catch((error: unknown) => {
      throw new OriginError('unreachable', path, error instanceof Error ? error.message : String(error));
    });
    if (object === null) throw new OriginError('missing', path);
    return object;
  }

  return {
    async read(path, extent) {
      const range = typeof extent === 'number' ? undefined : extent;
      const object = await open(path, range);
      if (typeof extent === 'number' && object.size > extent)
        throw new OriginError('damaged', path, `more than ${extent} bytes`);
      // In one piece: an index of 14 MB arrives in thousands of chunks, which cost three times the CPU.
      const content = await object.arrayBuffer().catch((error: unknown) => {
        throw new OriginError('damaged', path, error);
      });
      requireLength(path, content.byteLength, range ?? { offset: 0, length: object.size });
      return Buffer.from(content);
    },
  };
}

/** @throws OriginError if fewer bytes came than were requested */
function requireLength(path: string, bytes: number, { offset, length }: ByteRange): void {
  if (bytes !== length) throw new OriginError('damaged', path, `ends before byte ${offset + length}`);
}
