// How many requests a second the proxy answers that it was never asked before, beside bare controls of the same run;
// how soon it starts, and what it holds. Run as `npm run bench:serve`; without options it measures 20,000 synthetic units.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { compareWithBareNode } from './comparisons/bare-node.ts';
import type { Bench } from './comparisons/compare.ts';
import { measureHuge } from './comparisons/huge.ts';
import { measureMemory, measureStart } from './comparisons/start-up.ts';
import { hasProgram, printRows, type Row } from './measure/measure.ts';
import { canDropPageCache, readAll } from './measure/page-cache.ts';
import { compareWithPostgis } from './postgis/postgis-questions.ts';
import { releaseToMeasure } from './requests/measured-release.ts';
import { QUESTION_NAMES, type Question, type QuestionName, questionNames, questionOf } from './requests/questions.ts';
import { prepareService } from './servers/service.ts';

const ROW_NAMES = ['start', ...QUESTION_NAMES, 'memory', 'huge'] as const;

const values = yargs(hideBin(process.argv))
  .usage(
    'npm run bench:serve -- [options]\n\nNeeds wrk; nginx too for the URL origin, PostgreSQL and ogr2ogr for --postgis.',
  )
  .option('units', { type: 'number', default: 20_000, describe: 'how many synthetic units' })
  .option('source', { type: 'string', describe: 'a dataset to build instead; or that of --release, for --postgis' })
  .option('release', { type: 'string', describe: 'an output folder to serve as it is' })
  .option('cache', {
    type: 'string',
    default: join(tmpdir(), 'boundaries-bench'),
    describe: 'folder where datasets and releases are kept for the next run',
  })
  .option('only', { choices: ROW_NAMES, array: true, describe: 'rows to measure, instead of all' })
  .option('rounds', { type: 'number', default: 3, describe: 'how often each figure and its control are measured' })
  .option('seconds', { type: 'number', default: 2, describe: 'how long each measurement takes, in whole seconds' })
  .option('postgis', { type: 'boolean', default: false, describe: 'ask PostgreSQL with PostGIS the same questions' })
  .option('cold', {
    type: 'boolean',
    default: false,
    describe: 'slice and page with an empty page cache too (root only)',
  })
  .option('json', { type: 'boolean', default: false, describe: 'print JSON' })
  .strict()
  .check(({ units, rounds, seconds }) => {
    if (![units, rounds, seconds].every((value) => Number.isInteger(value) && value > 0))
      throw new Error('--units, --rounds and --seconds take whole numbers from 1 on');
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

const { rounds, seconds } = values;
const release = await releaseToMeasure(values).catch((error: Error) => {
  say(error.message);
  process.exit(1);
});
const { out } = release;
const bench: Bench = { service: await prepareService(folder), rounds, seconds, folder };
const rows: Row[] = [];
const rates = new Map<QuestionName, readonly number[]>();
const failures: string[] = [];

const read = readAll(join(out, release.path));
say(`read ${read.files.toLocaleString('en')} files, ${(read.bytes / 1e6).toFixed(0)} MB, into the page cache`);

await measure('start', async () => [await measureStart(bench, release)]);
const names = questionNames(release);
if (names.length < QUESTION_NAMES.length) say('the release stores no pages: the rows of stored pages are left out');
for (const name of names)
  await measure(name, async () => {
    const measured = await compareWithBareNode(bench, out, ask(name));
    rates.set(name, measured[0]?.figures.map(({ subject }) => subject) ?? []);
    return measured;
  });
await measure('memory', async () => [await measureMemory(bench, out, names.map(ask))]);
await measure('huge', () => measureHuge(bench, values.cache));
if (values.postgis) await attempt('postgis', () => compareWithPostgis(bench, release, rates));
if (values.cold) await measureCold();

printRows(rows, values.json);
for (const failure of failures) say(`not measured: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

/** Measures a row unless `--only` leaves it out. */
async function measure(name: (typeof ROW_NAMES)[number], rowsOf: () => Promise<Row[]>): Promise<void> {
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

function ask(name: QuestionName): Question {
  return questionOf(name, release, seconds);
}

async function measureCold(): Promise<void> {
  if (!canDropPageCache()) {
    say('only root may empty the page cache: --cold is left out');
    return;
  }
  for (const name of names.filter((known) => known === 'slice' || known === 'page'))
    await attempt(`${name}, cold`, () => compareWithBareNode(bench, out, ask(name), true));
}
