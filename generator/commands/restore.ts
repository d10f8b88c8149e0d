// The command `restore`: an output folder from where it is published, for the next build on another machine.
import { defineCommand, OUT, printResult, reportOf, TEXT } from '../cli/command.ts';
import { restore } from '../release/restore.ts';
import { lossText } from './releases.ts';

export const restoreCommand = defineCommand({
  command: 'restore',
  describe: 'fetch what the next build needs from a published copy: current.json, and releases without their pages',
  builder: (args) =>
    args
      .option('out', OUT)
      .option('from', {
        ...TEXT,
        demandOption: true,
        describe: 'address that current.json is below, e.g. https://static.example.org/boundaries',
      })
      .example('$0 restore --from https://static.example.org/boundaries', 'then: build --changes, and upload'),
  async handler(argv) {
    const report = reportOf(argv);
    const restored = await restore(argv.out, argv.from, report);
    report.end();
    const { current, hosted, files, bytes, lost } = restored;
    const text = [
      `hosted: ${hosted.join(', ')}; current: ${current}; ${files.toLocaleString('en')} files, ${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`,
      ...lossText(lost, 'copy output/changes from where they were made'),
    ];
    printResult(argv, restored, text.join('\n'));
  },
});
