// The commands `changes`, which publishes what became of the units between two releases, and `diff`, which shows it
// before a release is activated.
import { type ComparedPair, compareReleases, type LevelChanges } from '../changes/changes.ts';
import { publishChanges } from '../changes/publish-changes.ts';
import { defineCommand, OUT, printResult, SIGN_KEY, WORKERS } from '../cli/command.ts';
import { releaseId } from '../cli/parse-options.ts';
import { changesTable, comparedTable, diffTable } from '../cli/tables.ts';
import { withWorkers } from '../cli/with-workers.ts';
import { changeCounts } from '../release/changes-files.ts';
import { withLock } from '../release/output-lock.ts';
import { readSigningKey } from '../release/sign.ts';

const OLD = { type: 'string', demandOption: true, describe: 'id of the old release' } as const;
const NEW = { type: 'string', demandOption: true, describe: 'id of the new release' } as const;
export const changesCommand = defineCommand({
  command: 'changes <a> <b>',
  describe: 'publish what became of the units between two releases: merged, split, recoded, redrawn, gone, new',
  builder: (args) =>
    args
      .positional('a', OLD)
      .positional('b', NEW)
      .option('out', OUT)
      .option('dry-run', { type: 'boolean', describe: 'count the units that would be compared; write nothing' })
      .option('sign-key', {
        ...SIGN_KEY,
        describe: 'private Ed25519 key (PEM) to sign the file of the changes and gone.bin with',
      })
      .option('workers', WORKERS)
      .example('$0 changes gadm-4.1 gadm-4.2', 'write output/changes/gadm-4.1..gadm-4.2.csv.gz'),
  async handler(argv) {
    const pair = pairFrom('changes', argv);
    const key = argv.signKey === undefined ? undefined : readSigningKey(argv.signKey);
    const isDry = argv.dryRun === true;
    const levels = await withWorkers(argv, (pool, report) =>
      isDry
        ? compareReleases(pair, pool, report, true)
        : publishChanges(pair, key, pool, report, (write) => withLock(pair.out, write)),
    );
    if (isDry) printResult(argv, levels.map(summaryOf), `${comparedTable(levels)}\n\nNothing was written.`);
    else printResult(argv, levels.map(summaryOf), changesTable(levels));
  },
});

export const diffCommand = defineCommand({
  command: 'diff <a> <b>',
  describe: 'compare two releases: changes of units by class, and files; writes nothing',
  builder: (args) =>
    args
      .positional('a', OLD)
      .positional('b', NEW)
      .option('out', OUT)
      .option('workers', WORKERS)
      .example('$0 diff gadm-4.1 gadm-4.2', 'review a new release before activate'),
  async handler(argv) {
    const pair = pairFrom('diff', argv);
    const levels = await withWorkers(argv, (pool, report) => compareReleases(pair, pool, report));
    printResult(
      argv,
      levels.map((level) => ({ ...summaryOf(level), files: level.files })),
      diffTable(levels),
    );
  },
});

/** Which releases to compare. @throws UsageError */
function pairFrom(command: string, { out, a, b }: { out: string; a: string; b: string }): ComparedPair {
  return { out, from: releaseId(command, a), to: releaseId(command, b) };
}

/** What is printed of a level as JSON: the rows are in the file. */
function summaryOf({ level, units, compared, drift, rows }: LevelChanges) {
  return { level, units, compared, ...(drift !== undefined && { drift }), counts: changeCounts(rows) };
}
