// A table of places and the units of all levels at each: by `points`, and by PostGIS on the source; how fast each is,
// and which of them is right where they differ. Run as `npm run bench:points`; it takes the sample.
import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { evenOdd } from '../support/even-odd.ts';
import { placedLevel } from '../support/places.ts';
import { compile } from '../support/processes/compile.ts';
import { type Postgis, startPostgis } from '../support/processes/postgis.ts';
import { pointsOf, proxyLookUp } from '../support/releases/points-beside-gdal.ts';
import { folderOfRun, secondsOf } from './measure/measure.ts';
import { RELEASE_OPTIONS, releaseToMeasure, sampleSource } from './requests/measured-release.ts';

/** PostGIS finds points faster in parts of so few vertices. */
const VERTICES = 128;
/** Decimals of the coordinates as published, and of the points. */
const [PUBLISHED, ASKED] = [7, 9];

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:points -- [options]')
  .option('points', { type: 'number', default: 100_000, describe: 'how many points, half of them by a border' })
  .options({ release: RELEASE_OPTIONS.release, source: RELEASE_OPTIONS.source, cache: RELEASE_OPTIONS.cache })
  .strict()
  .parseSync();

const folder = folderOfRun();
const source = values.source ?? (await sampleSource(values.cache));
const release = await releaseToMeasure({ ...values, source, units: 0 });
const stored = readStored(release.out, release.about.release);
const levels = release.levels.filter(({ features }) => features > 0);
const draws = levels.map(({ level }) => pointsOf(elementAt(stored, level).lines, 37 + level));
// Two of each level in turn: every second one is by a border.
const points = Array.from({ length: values.points }, (_, i) => elementAt(draws, (i >> 1) % draws.length).next().value);
const table = join(folder, 'points.csv');
writeFileSync(table, `id,longitude,latitude\n${points.map((point, i) => `${i},${point.join()}\n`).join('')}`);
// The user of PostgreSQL reads the table.
chmodSync(folder, 0o711);
const ours = timeOfPoints();
const theirs = await timeOfPostgis();
console.log(`ratio: ${(theirs / ours).toFixed(1)} times as many points a second by points`);
process.exit();

/** As a user runs the command. @returns its seconds, with reading and writing the table */
function timeOfPoints(): number {
  const found = openSync(join(folder, 'units.csv'), 'w');
  const args = [compile('proxy/main.ts'), 'points', '--origin', release.out, table];
  const begun = performance.now();
  const { stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', found, 'pipe'], encoding: 'utf8' });
  const seconds = (performance.now() - begun) / 1000;
  closeSync(found);
  console.log(`points: ${rateOf(seconds)}; it says: ${stderr.trim().split('\n').at(-1)}`);
  return seconds;
}

/** Prints what PostGIS finds otherwise, too. @returns its seconds without the import */
async function timeOfPostgis(): Promise<number> {
  const begun = performance.now();
  const postgis = await startPostgis(folder);
  for (const { level } of levels) {
    await importLevel(postgis, level);
    const name = levelName(level);
    postgis.sql(`CREATE TABLE ${name}_parts AS SELECT fid, ST_Subdivide(geom, ${VERTICES}) AS geom FROM ${name}`);
    postgis.sql(`CREATE INDEX ON ${name}_parts USING gist (geom)`);
  }
  postgis.sql('CREATE TABLE points (id int, x float8, y float8)');
  postgis.sql(`COPY points FROM '${table}' CSV HEADER`);
  postgis.sql('ALTER TABLE points ADD geom geometry; UPDATE points SET geom = ST_SetSRID(ST_Point(x, y), 4326)');
  postgis.sql('VACUUM ANALYZE');
  const ready = performance.now();
  const found = levels.map(({ level }) => {
    const join = `points JOIN ${levelName(level)}_parts unit ON ST_Intersects(unit.geom, points.geom)`;
    return new Set(postgis.sql(`SELECT DISTINCT id, fid FROM ${join}`).split('\n'));
  });
  const seconds = (performance.now() - ready) / 1000;
  await postgis.stop();
  const importing = ((ready - begun) / 1000).toFixed(1);
  console.log(`${postgis.version}, ${VERTICES} vertices: ${rateOf(seconds)}, after ${importing} s`);
  await explain(found);
  return seconds;
}

/** One table a level, with the source's own column names. */
async function importLevel(postgis: Postgis, level: Level): Promise<void> {
  const { layer } = elementAt(release.about.levels, level);
  console.error(`importing ${layer} into ${postgis.version}`);
  const table = ['-nln', levelName(level), '-lco', 'FID=fid', '-lco', 'GEOMETRY_NAME=geom', '-lco', 'LAUNDER=NO'];
  const geometry = ['-lco', 'SPATIAL_INDEX=NONE', '-nlt', 'PROMOTE_TO_MULTI', '-t_srs', 'EPSG:4326'];
  const options = ['-f', 'PostgreSQL', '-preserve_fid', ...table, ...geometry, '--config', 'PG_USE_COPY', 'YES'];
  await secondsOf('ogr2ogr', [...options, `PG:${postgis.connection}`, source, layer]);
}

function rateOf(seconds: number): string {
  return `${Math.round(points.length / seconds).toLocaleString('en')} points a second`;
}

/**
 * Prints how many units only one of the two finds, and how often each is right for the coordinates as published, by
 * even-odd in integers. The source that PostGIS reads may have more decimals.
 * @param found of each level: id of the point and fid, with a bar between
 */
async function explain(found: readonly ReadonlySet<string>[]): Promise<void> {
  const lookUp = await proxyLookUp(release.out);
  let [differing, right] = [0, 0];
  for (const [n, { level }] of levels.entries()) {
    const { lines, units } = elementAt(stored, level);
    const { rings } = placedLevel(lines, PUBLISHED);
    const positions = new Map(units.map(({ fid }, position) => [fid, position]));
    const own = points.flatMap(([x, y], i) => lookUp(level, x, y).map((at) => `${i}|${elementAt(units, at).fid}`));
    const [isOwn, isTheirs] = [new Set(own), elementAt(found, n)];
    const pairs = [...isOwn, ...isTheirs].filter((pair) => pair !== '' && isOwn.has(pair) !== isTheirs.has(pair));
    for (const pair of pairs) {
      const [i, fid] = pair.split('|').map(Number);
      const unit = elementAt(rings, positions.get(fid ?? NaN) ?? -1);
      const isInside = evenOdd([unit], PUBLISHED, ASKED)(...elementAt(points, i ?? -1)).length > 0;
      differing++;
      if (isInside === isOwn.has(pair)) right++;
      else console.error(`lv${level} fid ${fid}, point ${i}: points is wrong`);
    }
  }
  console.log(`  ${differing} units are found by one of them only; points is right in ${right} of these`);
}
