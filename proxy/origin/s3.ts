// The origin that is a private bucket of S3, or of a server that speaks its protocol: a static host whose requests are
// signed, so that every fault of the host has the answer that it has for any other static host.
import type { HostLimits } from './host-response.ts';
import type { Origin } from './origin.ts';
import { OriginError } from './origin.ts';
import { openSignedBucket, type S3Location } from './s3-signer.ts';
import type { Retries } from './static-host.ts';
import { staticHostOrigin } from './static-host.ts';

/** S3 answers 503 while it adapts to more requests. */
const RETRIES: Retries = { count: 3, pauseMs: 100 };

/** What is chosen about a bucket. */
export interface S3OriginOptions {
  /** URL of a server other than AWS. */
  endpoint: string | undefined;
  /** As for `staticHostOrigin`. */
  limits?: HostLimits;
  retries?: Retries;
}

/**
 * Creates the origin of a folder in a bucket. Region and credentials are found as the AWS tools find them.
 * @throws S3Error if packages, region or credentials are missing
 */
export async function s3Origin(location: S3Location, options: S3OriginOptions): Promise<Origin> {
  const { url, sign } = await openSignedBucket(location, options.endpoint);
  const signed = async (path: string): Promise<Readonly<Record<string, string>>> => {
    try {
      return await sign(path);
    } catch (error) {
      // Their text may name files of this machine, but no secret.
      const reason = error instanceof Error ? error.message : String(error);
      throw new OriginError('unreachable', path, `credentials could not be renewed: ${reason}`);
    }
  };
  return staticHostOrigin({ url, headers: {}, sign: signed, retries: options.retries ?? RETRIES }, options.limits);
}

/** Bucket names are 3 to 63 characters long; old ones and those of other servers may have capitals and underscores. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;

/** Is the text meant as the URL of a bucket? */
export function isS3Url(text: string): boolean {
  return /^s3:/i.test(text);
}

/** Parses `s3://bucket` and `s3://bucket/prefix`; undefined if the text has another form. */
export function parseS3Url(text: string): S3Location | undefined {
  const [, bucket, path = ''] = /^s3:\/\/([^/]*)(?:\/(.*?))?\/?$/i.exec(text) ?? [];
  if (bucket === undefined || !BUCKET.test(bucket)) return undefined;
  if (path === '') return { bucket, prefix: '' };
  const isFolder = path.split('/').every((segment) => segment !== '' && !/^\.{1,2}$|\p{Cc}/u.test(segment));
  return isFolder ? { bucket, prefix: `${path}/` } : undefined;
}
