// Opens the target that a user names: a bucket or a folder. Used by the command `upload`.
import { resolve } from 'node:path';
import { UsageError } from '../../format/command-line/usage-error.ts';
import { isS3Url, parseS3Url } from '../../format/s3/location.ts';
import { folderTarget } from './folder-target.ts';
import { s3Target } from './s3-target.ts';
import type { Target, TargetOptions } from './target.ts';

/**
 * Opens a target.
 * @param text a folder, or s3://bucket/prefix
 * @param out the output folder
 * @throws UsageError, S3Error
 */
export async function openTarget(text: string, out: string, options: TargetOptions): Promise<Target> {
  if (isS3Url(text)) {
    const location = parseS3Url(text);
    if (location !== undefined) return s3Target(location, options);
    throw new UsageError(`${text}: not a place in a bucket`, 'use s3://bucket or s3://bucket/prefix');
  }
  if (options.endpoint !== undefined)
    throw new UsageError('--s3-endpoint: only for buckets', 'use it with s3://bucket/prefix');
  if (resolve(text) === resolve(out))
    throw new UsageError(`${text}: is the output folder itself`, 'name another folder, or s3://bucket/prefix');
  return folderTarget(text);
}
