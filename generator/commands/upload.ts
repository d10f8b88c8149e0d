// The command `upload`: copies releases to a bucket or a folder that the proxy serves.
import { UsageError } from '../../format/command-line/usage-error.ts';
import { S3Error } from '../../format/s3/s3-error.ts';
import { defineCommand } from '../cli/command.ts';
import { printResult, reportOf } from '../cli/output.ts';
import { durationToMs, releaseId, wholeNumber } from '../cli/parse-options.ts';
import { BuildError, explained } from '../report/errors.ts';
import { openTarget } from '../upload/open-target.ts';
import type { Uploaded } from '../upload/upload.ts';
import { upload } from '../upload/upload.ts';
import { OUT } from './shared-options.ts';

const CONCURRENCY_MAX = 1024;
const MEGABYTE = 1e6;

export const uploadCommand = defineCommand({
  command: 'upload <target>',
  describe: 'copy the releases that current.json lists to a bucket or a folder, and current.json last',
  builder: (args) =>
    args
      .positional('target', { type: 'string', demandOption: true, describe: 's3://bucket/prefix, or a folder' })
      .option('out', OUT)
      .option('release', {
        type: 'string',
        requiresArg: true,
        describe: 'copy only this release, and not current.json',
      })
      .option('s3-endpoint', {
        type: 'string',
        requiresArg: true,
        describe: 'URL of the S3 server, if the bucket is not with AWS',
      })
      .option('concurrency', {
        type: 'number',
        requiresArg: true,
        default: 32,
        describe: 'number of files that are uploaded side by side',
      })
      .option('delete', {
        type: 'boolean',
        describe: 'after that, remove the releases that current.json does not list from the target',
      })
      .option('grace', {
        type: 'string',
        requiresArg: true,
        default: '10s',
        describe: 'time between the new current.json and --delete, for responses in progress',
      })
      .option('dry-run', { type: 'boolean', describe: 'count what would be copied, and write nothing' })
      .example('$0 upload s3://boundaries', 'copy to a bucket; region and credentials as for the AWS tools')
      .example('$0 upload s3://boundaries/eu --s3-endpoint https://minio.internal:9000', 'copy to MinIO')
      .example('$0 upload /mnt/share/boundaries --delete', 'copy to a folder, remove old releases from it'),
  async handler(argv) {
    const { out, concurrency, s3Endpoint: endpoint, dryRun = false, delete: removeOthers = false } = argv;
    if (removeOthers && argv.release !== undefined)
      throw new UsageError('--delete with --release: current.json is not copied', 'leave one of them out');
    const options = {
      out,
      release: argv.release === undefined ? undefined : releaseId('--release', argv.release),
      concurrency: wholeNumber('--concurrency', concurrency, 1, CONCURRENCY_MAX),
      dryRun,
      removeOthers,
      graceMs: durationToMs('--grace', argv.grace),
    };
    try {
      const target = await openTarget(argv.target, out, { endpoint, concurrency });
      try {
        const uploaded = await upload(options, target, reportOf(argv));
        printResult(argv, { ...uploaded, dryRun }, summaryOf(uploaded, dryRun));
      } finally {
        target.close();
      }
    } catch (error) {
      throw error instanceof S3Error ? new BuildError(error.message, error.remedy) : explained(error, argv.target);
    }
  },
});

function summaryOf({ target, releases, files, uploaded, removed }: Uploaded, dryRun: boolean): string {
  const copied = `${uploaded.files.toLocaleString('en')} of ${files.toLocaleString('en')} files`;
  const size = `${(uploaded.bytes / MEGABYTE).toFixed(1)} MB`;
  const lines = [`${target}: ${releases.join(', ')}: ${copied} ${dryRun ? 'to upload' : 'uploaded'}, ${size}`];
  if (removed.length > 0) lines.push(`${dryRun ? 'to remove' : 'removed'}: ${removed.join(', ')}`);
  return lines.join('\n');
}
