// How close the proxy comes to the limit, a bare Node server that does only what cannot be avoided: requests a second.
// Run as `npm run bench:serve`; without options it measures 20,000 synthetic units. With --before FOLDER, a checkout of
// another version that is set up, it measures that in place of the limit.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { type Bench, compareWithControl } from './comparisons/limit.ts';
import { folderOfRun, hasProgram, printRows, type Row } from './measure/measure.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import { QUESTION_NAMES, questionNames } from './requests/questions.ts';
import { chooseMachine, prepareService } from './servers/servers.ts';

/** The file system in memory that most Linux systems have. */
const MEMORY = '/dev/shm';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:serve -- [options]\n\nNeeds wrk.')
  .options(RELEASE_OPTIONS)
  .option('only', { choices: QUESTION_NAMES, array: true, describe: 'rows to measure, instead of all' })
  .option('before', { type: 'string', describe: 'a checkout of the version before, which is the control' })
  .option('bursts', { type: 'number', default: 9, describe: 'bursts of one second, of proxy and control in turn' })
  .option('node', { type: 'string', describe: 'the Node that runs proxy and control, instead of this one' })
  .strict()
  .check(({ units, bursts }) => {
    if (![units, bursts].every((value) => Number.isInteger(value) && value > 0))
      throw new Error('--units and --bursts take whole numbers from 1 on');
    return true;
  })
  .parseSync();
const say = (line: string): void => console.error(line);
if (!hasProgram('wrk')) {
  say('wrk is not installed (Debian: wrk): nothing is measured');
  process.exit(1);
}
const folder = folderOfRun();

const stored = await releaseToMeasure(values);
const release = { ...stored, out: inMemory(stored.out) };
const machine = chooseMachine(values.node);
const service = await prepareService(folder, machine);
const bench: Bench = { service, release, machine, folder, bursts: values.bursts, before: values.before };
const rows: Row[] = [];
const failures: string[] = [];

const names = questionNames(release);
if (names.length < QUESTION_NAMES.length)
  say('rows for which the release has no pages, cells or geometries are left out');
for (const name of names.filter((name) => values.only?.includes(name) ?? true))
  try {
    rows.push(await compareWithControl(bench, name));
  } catch (error) {
    // A row that cannot be measured does not keep the others from it.
    failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
  }

printRows(rows);
for (const failure of failures) say(`not measured: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

/**
 * A copy in memory, which is removed when this process exits: some systems take out of the page cache what has not been
 * read for seconds, and then the disk is measured.
 */
function inMemory(out: string): string {
  const copy = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : folder, 'boundaries-bench-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(out, copy, { recursive: true });
  return copy;
}
