// How long a complete build takes beside plain ogr2ogr dumps of the same layers, with each choice of --pages. Run as
// `npm run bench:generate`; without --source it measures a synthetic dataset.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import { ACCEPTABLE } from '../../generator/quality/findings.ts';
import { describeDataset } from '../../generator/source/level-sources.ts';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { folderOfRun, hasProgram, printRows, type Row, secondsOf } from './measure/measure.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:generate -- [options]\n\nNeeds ogr2ogr for the control.')
  .option('source', { type: 'string', describe: 'a dataset to build; synthetic units when left out' })
  .option('units', { type: 'number', default: 20_000, describe: 'how many synthetic units' })
  .option('pages', {
    choices: STORED_PAGES,
    array: true,
    default: ['all', 'unfiltered'] satisfies StoredPages[],
    describe: 'choices of --pages to measure',
  })
  .option('rounds', { type: 'number', default: 3, describe: 'how often each build and the control are measured' })
  .strict()
  .parseSync();
const { rounds, pages: choices } = values;
const folder = folderOfRun();
const say = (line: string): void => console.error(line);

/** Ratios to ogr2ogr that the builds aim at. */
const TARGETS: Readonly<Record<StoredPages, string>> = {
  all: '<= 1.25, stretch 1.0',
  unfiltered: '<= 0.6; <= 1.0 with 400,000 units',
  none: 'none',
};

const source = values.source ?? join(folder, 'synthetic.gpkg');
if (values.source === undefined) writeSynthetic(source, values.units);
const { levels } = describeDataset({ source: [source], levels: LEVELS });
const out = join(folder, 'output');
const hasControl = hasProgram('ogr2ogr');
if (!hasControl) say('ogr2ogr is not installed (Debian: gdal-bin): builds are not compared with it');
const rows = choices.map(
  (pages): Row => ({
    what: `a complete build --pages ${pages}: checksums, fsync`,
    control: `${levels.length} runs of ogr2ogr -f GeoJSONSeq -lco COORDINATE_PRECISION=7, one layer each`,
    unit: 's',
    figures: [],
    target: TARGETS[pages],
  }),
);
for (let round = 0; round < rounds; round++) {
  const control = hasControl ? await dumpAll() : Number.NaN;
  say(`round ${round + 1} of ${rounds}: ogr2ogr ${control.toFixed(1)} s`);
  for (const [i, pages] of choices.entries()) {
    const subject = await buildOnce(pages);
    elementAt(rows, i).figures.push({ subject, control });
    say(`  --pages ${pages}: ${subject.toFixed(1)} s`);
  }
}
printRows(rows);

async function dumpAll(): Promise<number> {
  let seconds = 0;
  for (const { path, layer, level } of levels.flatMap((source) => source.layers)) {
    const file = join(folder, `${level}.geojsonl`);
    seconds += await secondsOf('ogr2ogr', ['-f', 'GeoJSONSeq', '-lco', 'COORDINATE_PRECISION=7', file, path, layer]);
    rmSync(file);
  }
  return seconds;
}

/** @returns its seconds */
async function buildOnce(pages: StoredPages): Promise<number> {
  rmSync(out, { recursive: true, force: true });
  // A measurement is of any dataset, whatever its quality.
  const options = ['--source', source, '--out', out, '--release', 'bench', '--pages', pages, '--accept', ...ACCEPTABLE];
  return await secondsOf(process.execPath, [...process.execArgv, 'generator/main.ts', '--quiet', 'build', ...options]);
}
