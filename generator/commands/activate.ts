// The command `activate`: makes a release current.
import { defineCommand } from '../cli/command.ts';
import { printResult } from '../cli/output.ts';
import { releaseId } from '../cli/parse-options.ts';
import { activateRelease } from '../release/manage.ts';
import { OUT, RELEASE } from './shared-options.ts';

export const activateCommand = defineCommand({
  command: 'activate <release>',
  describe: 'make a release current; also rolls back to an old one',
  builder: (args) =>
    args.option('out', OUT).positional('release', RELEASE).example('$0 activate gadm-4.1', 'roll back to gadm-4.1'),
  async handler(argv) {
    const release = releaseId('activate', argv.release);
    await activateRelease(argv.out, release);
    printResult(argv, { current: release }, `release ${release} is current`);
  },
});
