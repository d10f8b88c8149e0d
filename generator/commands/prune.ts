// The command `prune`: removes old releases.
import { defineCommand } from '../cli/command.ts';
import { printResult } from '../cli/output.ts';
import { durationToMs, wholeNumber } from '../cli/parse-options.ts';
import { listReleases, pruneReleases } from '../release/manage.ts';
import { OUT } from './shared-options.ts';

const KEEP_MAX = 1_000_000;

export const pruneCommand = defineCommand({
  command: 'prune',
  describe: 'remove old releases; keeps the current one',
  builder: (args) =>
    args
      .option('out', OUT)
      .option('keep', {
        type: 'number',
        requiresArg: true,
        demandOption: true,
        describe: 'number of releases to keep',
      })
      .option('grace', {
        type: 'string',
        requiresArg: true,
        default: '10s',
        describe: 'time between the removal from current.json and that of the files, for responses in progress',
      })
      .example('$0 prune --keep 2', 'keep two releases'),
  async handler(argv) {
    const keep = wholeNumber('--keep', argv.keep, 1, KEEP_MAX);
    const removed = await pruneReleases(argv.out, keep, durationToMs('--grace', argv.grace));
    const damaged = (await listReleases(argv.out)).filter(({ damage }) => damage).map(({ release }) => release);
    const text = [removed.length === 0 ? 'nothing to remove' : `removed: ${removed.join(', ')}`];
    if (damaged.length > 0) text.push(`damaged, not removed: ${damaged.join(', ')}`);
    printResult(argv, { removed, damaged }, text.join('\n'));
  },
});
