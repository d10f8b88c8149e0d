// How long a complete build takes beside plain ogr2ogr dumps of the same layers, and how large its pages are beside
// what gzip makes of them. Run as `npm run bench:generate`; without --source it measures a synthetic dataset.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { LEVELS } from '../../format/levels.ts';
import { findLevels } from '../../generator/dataset.ts';
import { writeSynthetic } from '../../generator/synthetic.ts';
import { hasProgram, printRows, type Row, secondsOf } from './measure.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:generate -- [options]\n\nNeeds ogr2ogr for the control.')
  .option('source', { type: 'string', describe: 'a dataset to build; synthetic units when left out' })
  .option('units', { type: 'number', default: 20_000, describe: 'how many synthetic units' })
  .option('rounds', { type: 'number', default: 3, describe: 'how often the build and its control are measured' })
  .option('json', { type: 'boolean', default: false, describe: 'print JSON' })
  .strict()
  .parseSync();
const { rounds } = values;
const folder = mkdtempSync(join(tmpdir(), 'bench-generate-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const say = (line: string): void => console.error(line);

const source = values.source ?? synthetic(values.units);
const levels = findLevels({ source: [source], layers: {}, gidColumns: {}, levels: LEVELS });
const out = join(folder, 'output');
const rows: Row[] = [];

if (hasProgram('ogr2ogr')) {
  const figures: { subject: number; control: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const control = await dumpAll();
    const subject = await buildOnce();
    figures.push({ subject, control });
    say(`round ${round + 1} of ${rounds}: build ${subject.toFixed(1)} s, ogr2ogr ${control.toFixed(1)} s`);
  }
  const what = 'a complete build: both formats, every parent filter, gzip, checksums, fsync';
  const control = `${levels.length} runs of ogr2ogr -f GeoJSONSeq -lco COORDINATE_PRECISION=7, one layer each`;
  rows.push({ what, control, unit: 's', figures, target: '<= 1.0, stretch 0.5' });
} else {
  say('ogr2ogr is not installed (Debian: gdal-bin): the build is not compared with it');
  await buildOnce();
}
rows.push({
  what: 'the pages of the release',
  control: 'gzip -6 of the same text, page by page',
  unit: 'bytes',
  figures: [gzipSizes()],
  target: '<= 1.03, stretch 1.0',
});
printRows(rows, values.json);

function synthetic(units: number): string {
  say(`no --source: measuring ${units} synthetic units`);
  const file = join(folder, 'synthetic.gpkg');
  writeSynthetic(file, units);
  return file;
}

async function dumpAll(): Promise<number> {
  let seconds = 0;
  for (const { path, layer, level } of levels) {
    const file = join(folder, `${level}.geojsonl`);
    seconds += await secondsOf('ogr2ogr', ['-f', 'GeoJSONSeq', '-lco', 'COORDINATE_PRECISION=7', file, path, layer]);
    rmSync(file);
  }
  return seconds;
}

function buildOnce(): Promise<number> {
  rmSync(out, { recursive: true, force: true });
  const accept = ['--accept', 'null-gids', 'duplicate-gids', 'collapsed-geometries'];
  const args = ['generator/main.ts', 'build', '--source', source, '--out', out, '--release', 'bench', ...accept];
  return secondsOf(process.execPath, [...process.execArgv, ...args]);
}

/** Bytes of a sample of the pages, evenly spread, and of what gzip makes of them. */
function gzipSizes(): { subject: number; control: number } {
  const sampled = 1500;
  const entries = readdirSync(join(out, 'releases'), { withFileTypes: true, recursive: true });
  const pages = entries
    .filter((entry) => entry.name.endsWith('.gz'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const step = Math.max(1, Math.floor(pages.length / sampled));
  const sample = pages.filter((_, i) => i % step === 0);
  let subject = 0;
  let control = 0;
  const text = join(folder, 'text');
  for (const page of sample) {
    subject += statSync(page).size;
    writeFileSync(text, gunzipSync(readFileSync(page)));
    const gzip = spawnSync('gzip', ['-6', '--no-name', '--stdout', text], { maxBuffer: 2 ** 30 });
    control += gzip.stdout.length;
  }
  say(`sizes of ${sample.length} of ${pages.length} pages`);
  return { subject, control };
}
