// The command `verify`: checks every file of a release, and with --source every feature. Exit code 1 with findings.
import { styleText } from 'node:util';
import { printable } from '../../format/command-line/messages.ts';
import { defineCommand, exitOnSignal, OUT, printResult, reportOf, WORKERS, WORKERS_MAX } from '../cli/command.ts';
import { releaseId, wholeNumber } from '../cli/parse-options.ts';
import { sourceOptionsFrom } from '../option-texts.ts';
import type { Verification } from '../verify/verify.ts';
import { addSourceOptions } from './source-options.ts';

export const verifyCommand = defineCommand({
  command: 'verify',
  describe:
    'check every file of a release; with --source, every feature against the dataset, read with the options of the build',
  builder: (args) =>
    addSourceOptions(args)
      .option('out', OUT)
      .option('release', { type: 'string', requiresArg: true, describe: 'release id; default: the current release' })
      .option('workers', WORKERS)
      .example('$0 verify', 'check the current release')
      .example('$0 verify --release gadm-4.1 --source gadm_410-levels.gpkg', "compare with GDAL's own reading"),
  async handler(argv) {
    const { out } = argv;
    const source = argv.source && { ...sourceOptionsFrom(argv), source: argv.source };
    const release = argv.release === undefined ? undefined : releaseId('--release', argv.release);
    const workers = wholeNumber('--workers', argv.workers, 0, WORKERS_MAX);
    const { verify } = await import('../verify/verify.ts');
    if (workers > 0) exitOnSignal();
    const verified = await verify({ out, release, source, workers }, reportOf(argv));
    printResult(argv, verified, summaryOf(verified, out));
    if (verified.findings.length > 0) process.exitCode = 1;
  },
});

/** A line for each finding, and one with the counts. */
function summaryOf({ release, files, pages, features, findings }: Verification, out: string): string {
  const counts = Object.entries({ files, pages, features }).map(([what, n]) => `${n.toLocaleString('en')} ${what}`);
  const verdict = styleText(findings.length === 0 ? 'green' : 'red', `${findings.length} findings`, {
    stream: process.stdout,
  });
  return [
    ...findings.map(({ path, problem }) => printable(`${path}: ${problem}`)),
    release === ''
      ? `${printable(out)} has no release to verify`
      : `release ${release}: ${counts.join(', ')}, ${verdict}`,
  ].join('\n');
}
