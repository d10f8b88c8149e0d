// A place in a bucket as users write it: s3://bucket/prefix. Used by generator and proxy.

/** A bucket, and the folder in it. */
export interface S3Location {
  bucket: string;
  /** What the keys of all files begin with: empty, or a path that ends in a slash. */
  prefix: string;
}

/** Bucket names are 3 to 63 characters long; old ones and those of other servers may have capitals and underscores. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;

/** Is the text meant as a place in a bucket? */
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
