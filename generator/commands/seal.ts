// The command `seal`: publishes a release from its shards.
import { defineCommand } from '../cli/command.ts';
import { printResult } from '../cli/output.ts';
import { releaseId } from '../cli/parse-options.ts';
import { buildTable } from '../cli/tables.ts';
import { seal } from '../sharded-build.ts';
import { ACTIVATE, OUT, RELEASE } from './shared-options.ts';

export const sealCommand = defineCommand({
  command: 'seal <release>',
  describe: 'publish a release from its shards',
  builder: (args) =>
    args
      .option('out', OUT)
      .positional('release', RELEASE)
      .option('activate', ACTIVATE)
      .example('$0 seal planet-1', 'after build --shard 0/4, 1/4, 2/4 and 3/4'),
  async handler(argv) {
    const release = releaseId('seal', argv.release);
    const built = await seal(argv.out, release, argv.activate);
    const state = argv.activate ? 'current' : 'published';
    printResult(argv, built, `${buildTable(built)}\n\nrelease ${release} is ${state}`);
  },
});
