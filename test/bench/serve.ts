// How close the proxy comes to the limit, a bare Node server that does only what cannot be avoided: requests a second
// and latency. Run as `npm run bench:serve`; without options it measures 20,000 synthetic units.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { type Bench, compareWithLimit } from './comparisons/limit.ts';
import { compareWithPostgis } from './comparisons/postgis.ts';
import { hasProgram, printRows, type Row } from './measure/measure.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import { QUESTION_NAMES, type QuestionName, questionNames, questionOf } from './requests/questions.ts';
import { chooseMachine } from './servers/machine.ts';
import { prepareService } from './servers/service.ts';

/** The file system in memory that most Linux systems have. */
const MEMORY = '/dev/shm';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:serve -- [options]\n\nNeeds wrk; PostgreSQL with PostGIS for --postgis.')
  .options(RELEASE_OPTIONS)
  .option('source', { type: 'string', describe: 'a dataset to build instead; or that of --release, for --postgis' })
  .option('only', { choices: QUESTION_NAMES, array: true, describe: 'rows to measure, instead of all' })
  .option('bursts', { type: 'number', default: 9, describe: 'bursts of one second, of proxy and control in turn' })
  .option('rounds', { type: 'number', default: 3, describe: 'measurements of latency, in turn likewise' })
  .option('node', { type: 'string', describe: 'the Node that runs proxy and control, instead of this one' })
  .option('postgis', { type: 'boolean', default: false, describe: 'ask PostgreSQL with PostGIS the same questions' })
  .option('json', { type: 'boolean', default: false, describe: 'print JSON' })
  .strict()
  .check(({ units, bursts, rounds }) => {
    if (![units, bursts, rounds].every((value) => Number.isInteger(value) && value > 0))
      throw new Error('--units, --bursts and --rounds take whole numbers from 1 on');
    return true;
  })
  .parseSync();
const say = (line: string): void => console.error(line);
if (!hasProgram('wrk')) {
  say('wrk is not installed (Debian: wrk): nothing is measured');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'bench-serve-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const stored = await releaseToMeasure(values).catch((error: Error) => {
  say(error.message);
  process.exit(1);
});
const release = { ...stored, out: inMemory(stored.out) };
const machine = chooseMachine(values.node);
const service = await prepareService(folder, machine);
const paced = service.program('test/bench/load/paced.ts');
const loads = { machine, headers: service.headers('gzip'), paced, folder };
const bench: Bench = { service, release, loads, bursts: values.bursts, rounds: values.rounds };
const rows: Row[] = [];
const rates = new Map<QuestionName, readonly number[]>();
const failures: string[] = [];

const names = questionNames(release);
if (names.length < QUESTION_NAMES.length)
  say('rows for which the release has no pages, cells or geometries are left out');
for (const name of names)
  await measure(name, async () => {
    const measured = await compareWithLimit(bench, questionOf(name, release));
    rates.set(name, measured[0]?.figures.map(({ subject }) => subject) ?? []);
    return measured;
  });
if (values.postgis) await attempt('postgis', () => compareWithPostgis(folder, release, rates));

printRows(rows, values.json);
for (const failure of failures) say(`not measured: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

/** Measures a row unless `--only` leaves it out. */
async function measure(name: QuestionName, rowsOf: () => Promise<Row[]>): Promise<void> {
  if (values.only === undefined || values.only.includes(name)) await attempt(name, rowsOf);
}

/** A row that cannot be measured does not keep the others from it. */
async function attempt(name: string, rowsOf: () => Promise<Row[]>): Promise<void> {
  try {
    rows.push(...(await rowsOf()));
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

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
