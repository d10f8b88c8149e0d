// What the vector tiles of a build weigh, zoom by zoom, and how they compare with those that ogr2ogr and tippecanoe
// make of the same units: CPU, bytes, and how well the polygons of a level fit together. Run as `npm run bench:tiles`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { f64At, u32At } from '../../format/element-at.ts';
import { releasePath, tilesPath } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { decodeDirectory, decodeHeader, PMTILES_HEADER_BYTES, tileIdOf, tileOfId } from '../../format/pmtiles.ts';
import { ACCEPTABLE } from '../../generator/quality/findings.ts';
import { cpuSeconds } from '../support/cpu-time.ts';
import { linesIn } from '../support/releases/features-in.ts';
import { readRelease } from '../support/releases/read-index.ts';
import { folderOfRun, hasProgram, outputOf } from './measure/measure.ts';
import { type TileQuality, tileQuality } from './tiles/quality.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:tiles -- [options]\n\nCompares with ogr2ogr and tippecanoe where they are installed.')
  .option('source', { type: 'string', describe: 'a dataset to build; the sample when left out' })
  .option('zoom', { type: 'number', default: 8, describe: 'the deepest zoom' })
  .option('level', { type: 'number', default: 2, describe: 'the level whose polygons are compared' })
  .option('every', { type: 'number', default: 1, describe: 'compare the polygons of one tile in so many' })
  .strict()
  .parseSync();
const { source, zoom: deepest, every } = values;
const compared = LEVELS.find((level) => level === values.level);
const folder = folderOfRun();

/** The tiles that somebody made of each level, and seconds on a processor for all of them. */
interface Made {
  maker: string;
  cpu: number;
  tilesOf(level: Level): Iterable<StoredTile>;
}

interface StoredTile {
  zoom: number;
  /** Its number in an archive: of the first one of a run. */
  id: number;
  /** Where its content is: equal ones are stored once. */
  place: string;
  /** How many tiles have it here. */
  run: number;
  /** Compressed by gzip. */
  bytes: Buffer;
}

const out = join(folder, 'output');
// A measurement is of any dataset, whatever its quality.
const of = source === undefined ? ['--sample'] : ['--source', source, '--release', 'sample', '--accept', ...ACCEPTABLE];
const options = ['--json', '--quiet', 'build', ...of, '--out', out, '--pages', 'none', '--tiles', String(deepest)];
const { phases } = JSON.parse(await outputOf(process.execPath, [...process.execArgv, 'generator/main.ts', ...options]));
const root = join(out, releasePath('sample'));
const release = readRelease(root);
const levels = release.levels.flatMap(({ level, tiles }) => (tiles === undefined ? [] : [{ level, tiles }]));
const ours: Made = {
  maker: 'this build',
  cpu: phases.find(({ phase }: { phase: string }) => phase === 'tiles').cpuSeconds,
  tilesOf: (level) => archived(join(root, tilesPath(level))),
};
const all = [ours];
// They get the units as they are published, and the zooms that this build gives their level.
const dumps = join(folder, 'dumps');
mkdirSync(dumps);
for (const { level } of levels) writeFileSync(dumpOf(level), linesIn(out, level, 'full', 'sample'));
if (hasProgram('ogr2ogr')) {
  const format = ['-f', 'MVT', '-nln', 'units', '-dsco', 'FORMAT=DIRECTORY', '-dsco', 'BUFFER=64'];
  const limits = ['-dsco', 'MAX_SIZE=50000000', '-dsco', 'MAX_FEATURES=1000000'];
  const zooms = (minzoom: number) => ['-dsco', `MINZOOM=${minzoom}`, '-dsco', `MAXZOOM=${deepest}`];
  all.push(await madeBy('ogr2ogr', (dump, to, minzoom) => [...format, ...limits, ...zooms(minzoom), to, dump]));
}
if (hasProgram('tippecanoe')) {
  const choices = ['--quiet', '--layer=units', '--no-tile-size-limit', '--no-feature-limit', '--buffer=4'];
  const zooms = (minzoom: number) => [`--minimum-zoom=${minzoom}`, `--maximum-zoom=${deepest}`];
  const args = (dump: string, to: string, minzoom: number) => [
    ...[...choices, ...zooms(minzoom), '--no-tiny-polygon-reduction', `--output-to-directory=${to}`, dump],
  ];
  const sharing: typeof args = (...what) => ['--no-simplification-of-shared-nodes', ...args(...what)];
  all.push(await madeBy('tippecanoe', args), await madeBy('tippecanoe', sharing, ', shared nodes'));
}
printWeights();
for (const { maker, cpu, tilesOf } of all) {
  const bytes = levels.reduce((sum, { level }) => sum + weigh([...tilesOf(level)]).bytes, 0);
  console.log(`\n${maker}: ${cpu.toFixed(1)} s of CPU, ${(bytes / 1e6).toFixed(1)} MB`);
  if (compared !== undefined) printQuality(compared, tilesOf(compared));
}

/** The bytes, the largest and the number of tiles of each zoom of each level. */
function printWeights(): void {
  console.log('level zoom    tiles contents       kB  largest kB');
  for (const { level } of levels) {
    const stored = [...ours.tilesOf(level)];
    for (const zoom of new Set(stored.map((tile) => tile.zoom))) {
      const tiles = stored.filter((tile) => tile.zoom === zoom);
      const { count, contents, bytes, largest } = weigh(tiles);
      const columns = [zoom, count, contents, (bytes / 1e3).toFixed(1), (largest / 1e3).toFixed(1)];
      console.log(
        `${levelName(level)}   ${columns.map((value, i) => `${value}`.padStart([4, 9, 9, 9, 12][i] ?? 0)).join('')}`,
      );
    }
  }
}

function weigh(tiles: readonly StoredTile[]): { count: number; contents: number; bytes: number; largest: number } {
  const sizes = [...new Map(tiles.map(({ place, bytes }) => [place, bytes.length])).values()];
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return {
    count: tiles.reduce((sum, { run }) => sum + run, 0),
    contents: sizes.length,
    bytes,
    largest: Math.max(0, ...sizes),
  };
}

function printQuality(level: Level, tiles: Iterable<StoredTile>): void {
  const stored = [...tiles];
  for (const zoom of [deepest - 1, deepest]) {
    const total: TileQuality = { polygons: 0, invalid: 0, overlap: 0, gaps: 0, border: 0 };
    // The same tiles of all makers.
    for (const { bytes } of stored.filter((tile) => tile.zoom === zoom && tile.id % every === 0)) {
      const quality = tileQuality(gunzipSync(bytes), 'units');
      for (const key of ['polygons', 'invalid', 'overlap', 'gaps', 'border'] as const) total[key] += quality[key];
    }
    const { polygons, invalid, border } = total;
    const [overlap, gaps] = [total.overlap, total.gaps].map((area) => ((1000 * area) / border).toFixed(2));
    const slivers = `overlap ${overlap}, gaps ${gaps} square units for 1,000 of ${Math.round(border)} units of border`;
    console.log(`  ${levelName(level)} z${zoom}: ${polygons} polygons, ${invalid} not valid; ${slivers}`);
  }
}

function dumpOf(level: Level): string {
  return join(dumps, `${level}.geojsonl`);
}

/**
 * Has another program make the tiles of each level.
 * @param argsOf its arguments for a dump, a folder and a first zoom
 */
async function madeBy(
  program: string,
  argsOf: (dump: string, to: string, minzoom: number) => string[],
  how = '',
): Promise<Made> {
  const before = cpuSeconds();
  const folderOf = (level: Level): string => join(folder, `${program}${how.length}-${level}`);
  for (const { level, tiles } of levels) await outputOf(program, argsOf(dumpOf(level), folderOf(level), tiles.minzoom));
  return { maker: program + how, cpu: cpuSeconds() - before, tilesOf: (level) => inFolder(folderOf(level)) };
}

function* inFolder(path: string): Generator<StoredTile> {
  for (const place of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    const [, zoom, x, y] = (/^(\d+)\D(\d+)\D(\d+)\.pbf$/.exec(place) ?? []).map(Number);
    if (zoom === undefined || x === undefined || y === undefined) continue;
    yield { zoom, id: tileIdOf(zoom, x, y), place, run: 1, bytes: readFileSync(join(path, place)) };
  }
}

function* archived(path: string): Generator<StoredTile> {
  const file = readFileSync(path);
  const part = (offset: number, length: number): Buffer => file.subarray(offset, offset + length);
  const { rootLength, leaves, data } = decodeHeader(file.subarray(0, PMTILES_HEADER_BYTES), path);
  function* entriesOf(directory: Buffer): Generator<StoredTile> {
    const { id, run, offset, length } = decodeDirectory(gunzipSync(directory), path);
    for (const [i, first] of id.entries()) {
      const [from, bytes] = [f64At(offset, i), u32At(length, i)];
      if (u32At(run, i) === 0) yield* entriesOf(part(leaves.offset + from, bytes));
      else
        yield {
          zoom: tileOfId(first).zoom,
          id: first,
          place: `${from}`,
          run: u32At(run, i),
          bytes: part(data.offset + from, bytes),
        };
    }
  }
  yield* entriesOf(part(PMTILES_HEADER_BYTES, rootLength));
}
