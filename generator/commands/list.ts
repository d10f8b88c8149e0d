// The command `list`: the releases of an output folder.
import { defineCommand } from '../cli/command.ts';
import { printResult } from '../cli/output.ts';
import { releaseTable } from '../cli/tables.ts';
import { listReleases } from '../release/manage.ts';
import { OUT } from './shared-options.ts';

export const listCommand = defineCommand({
  command: 'list',
  describe: 'list the releases of an output folder',
  builder: (args) => args.option('out', OUT).example('$0 list --json', 'list for a script'),
  async handler(argv) {
    const listed = await listReleases(argv.out);
    printResult(argv, listed, releaseTable(listed));
  },
});
