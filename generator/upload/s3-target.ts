// A bucket as the target of an upload. A file is one object, written by one PUT: it is there as a whole or not at all.
import { Buffer } from 'node:buffer';
import { isReleaseId, RELEASES_PATH } from '../../format/layout.ts';
import { openBucket } from '../../format/s3/client.ts';
import type { S3Location } from '../../format/s3/location.ts';
import { explainS3Error, s3ErrorStatus } from '../../format/s3/s3-error.ts';
import { servedAs } from './content.ts';
import type { StoredFile, Target, TargetOptions } from './target.ts';

/** The ETag of an object that was written by one PUT, unless its server encrypts with a key of its owner (SSE-KMS). */
const MD5 = /^"?([0-9a-f]{32})"?$/;

/**
 * Opens the bucket.
 * @throws S3Error
 */
export async function s3Target(location: S3Location, options: TargetOptions): Promise<Target> {
  const connections = options.concurrency;
  const { sdk, client } = await openBucket(location, { endpoint: options.endpoint, connections });
  const { bucket: Bucket, prefix } = location;
  const name = `s3://${Bucket}/${prefix}`;
  const explained = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw explainS3Error(error, name);
    }
  };
  return {
    name,
    list: (folder) =>
      explained(async () => {
        const files = new Map<string, StoredFile>();
        const pages = sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: `${prefix}${folder}/` });
        for await (const { Contents = [] } of pages)
          for (const { Key, Size, ETag } of Contents)
            if (Key !== undefined && Size !== undefined)
              files.set(Key.slice(prefix.length), { bytes: Size, md5: MD5.exec(ETag ?? '')?.[1] });
        return files;
      }),
    releases: () =>
      explained(async () => {
        const ids: string[] = [];
        const folder = `${prefix}${RELEASES_PATH}/`;
        const pages = sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: folder, Delimiter: '/' });
        for await (const { CommonPrefixes = [] } of pages)
          for (const { Prefix = '' } of CommonPrefixes) ids.push(Prefix.slice(folder.length, -1));
        return ids.filter(isReleaseId);
      }),
    has: ({ path, md5, sha256, bytes }) =>
      explained(async () => {
        try {
          const head = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: prefix + path }));
          const isSame = MD5.exec(head.ETag ?? '')?.[1] === md5 || head.Metadata?.['sha256'] === sha256;
          return isSame && head.ContentLength === bytes.length;
        } catch (error) {
          if (s3ErrorStatus(error) === 404) return false;
          throw error;
        }
      }),
    put: ({ path, bytes, sha256, md5 }) =>
      explained(async () => {
        const { contentType, cacheControl } = servedAs(path);
        await client.send(
          new sdk.PutObjectCommand({
            Bucket,
            Key: prefix + path,
            Body: bytes,
            ContentType: contentType,
            CacheControl: cacheControl,
            // The server compares it with what arrives.
            ContentMD5: Buffer.from(md5, 'hex').toString('base64'),
            Metadata: { sha256 },
          }),
        );
      }),
    // One by one: not every server that speaks S3 removes several at once.
    remove: (path) =>
      explained(async () => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: prefix + path }));
      }),
    async sync() {},
    close: () => client.destroy(),
  };
}
