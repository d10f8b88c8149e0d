// The command `diff`: compares two releases.
import { defineCommand } from '../cli/command.ts';
import { printResult, reportOf } from '../cli/output.ts';
import { releaseId } from '../cli/parse-options.ts';
import { diffTable } from '../cli/tables.ts';
import { OUT } from './shared-options.ts';

export const diffCommand = defineCommand({
  command: 'diff <a> <b>',
  describe: 'compare two releases: units by GID, and files',
  builder: (args) =>
    args
      .option('out', OUT)
      .positional('a', { type: 'string', demandOption: true, describe: 'id of the old release' })
      .positional('b', { type: 'string', demandOption: true, describe: 'id of the new release' })
      .example('$0 diff gadm-4.1 gadm-4.2', 'review a new release before activate'),
  async handler(argv) {
    const [a, b] = [releaseId('diff', argv.a), releaseId('diff', argv.b)];
    const { diff } = await import('../diff/diff.ts');
    const levels = diff(argv.out, a, b, reportOf(argv));
    printResult(argv, levels, diffTable(levels));
  },
});
