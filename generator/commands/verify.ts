// The command `verify`: checks every file of a release. Exit code 1 with findings.
import { basename } from 'node:path';
import { styleText } from 'node:util';
import { printable, signatureRemedy } from '../../format/command-line/messages.ts';
import { CURRENT_PATH, RELEASES_PATH } from '../../format/layout.ts';
import { defineCommand, exitOnSignal, OUT, printResult, reportOf, WORKERS, WORKERS_MAX } from '../cli/command.ts';
import { releaseId, wholeNumber } from '../cli/parse-options.ts';
import { NO_SIGNATURE, readTrustedKey, SIGNATURE_FILES } from '../release/sign.ts';
import { BUILD_AGAIN } from '../release/staging.ts';
import { FOREIGN } from '../verify/file-findings.ts';
import type { Verification } from '../verify/verify.ts';
import { LIST } from './build-options.ts';

export const verifyCommand = defineCommand({
  command: 'verify',
  describe: 'check every file of a release',
  builder: (args) =>
    args
      .option('out', OUT)
      .option('release', { type: 'string', requiresArg: true, describe: 'release id; default: the current release' })
      .option('trusted-key', {
        ...LIST,
        describe:
          'public Ed25519 key (PEM) that the release must be signed with, or another one that is given; repeatable',
      })
      .option('workers', WORKERS)
      .example('$0 verify', 'check the current release'),
  async handler(argv) {
    const { out } = argv;
    const release = argv.release === undefined ? undefined : releaseId('--release', argv.release);
    const workers = wholeNumber('--workers', argv.workers, 0, WORKERS_MAX);
    const trustedKeys = (argv.trustedKey ?? []).map(readTrustedKey);
    const { verify } = await import('../verify/verify.ts');
    if (workers > 0) exitOnSignal();
    const verified = await verify({ out, release, workers, trustedKeys }, reportOf(argv));
    printResult(argv, verified, summaryOf(verified, out));
    if (verified.findings.length > 0) process.exitCode = 1;
  },
});

/** A line for each finding, one with the counts, and what to do about damaged files. */
function summaryOf(verified: Verification, out: string): string {
  const { release, files, pages, features, findings } = verified;
  const counts = Object.entries({ files, pages, features }).map(([what, n]) => `${n.toLocaleString('en')} ${what}`);
  const verdict = styleText(
    findings.length === 0 ? 'green' : 'red',
    `${findings.length} finding${findings.length === 1 ? '' : 's'}`,
    {
      stream: process.stdout,
    },
  );
  return [
    ...findings.map(({ path, problem }) => printable(`${path}: ${problem}`)),
    release === ''
      ? `${printable(out)} has no release to verify`
      : `release ${release}: ${counts.join(', ')}, ${verdict}`,
    ...remediesOf(verified, out),
  ].join('\n');
}

/** What to do about damaged files. What is foreign is not copied. */
function remediesOf({ findings, release }: Verification, out: string): string[] {
  const paths = new Set(findings.filter(({ problem }) => problem !== FOREIGN).map(({ path }) => path));
  const ofSignature = (path: string): boolean => SIGNATURE_FILES.includes(basename(path));
  const [first, ...others] = [...paths].filter((path) => path.startsWith(`${RELEASES_PATH}/`) && !ofSignature(path));
  const remedies: string[] = [];
  const unsigned = findings.filter(({ path }) => ofSignature(path));
  // To sign what is damaged would not help.
  if (first === undefined && unsigned.length > 0) {
    const isSigned = unsigned.some(({ problem }) => problem.startsWith(NO_SIGNATURE));
    remedies.push(printable(signatureRemedy(isSigned, release, out)));
  }
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` and ${others.length} other file${others.length === 1 ? '' : 's'}`;
    remedies.push(
      printable(`copy ${first}${more} again from where they are intact, or ${BUILD_AGAIN}; then verify again`),
    );
  }
  if (paths.has(CURRENT_PATH))
    remedies.push(printable(`${CURRENT_PATH} is written anew by activate: run activate <release> --out ${out}`));
  return remedies;
}
