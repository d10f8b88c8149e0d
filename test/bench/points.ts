// A table of places and the units of all levels at each: by `points`, PostGIS, which-polygon and GDAL, how fast each
// is, and why each finds other units. Run as `npm run bench:points`; it takes the sample.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Geometry } from 'geojson';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { startPostgis } from '../support/processes/postgis.ts';
import { gdalLookUp, pointsOf, proxyLookUp } from '../support/releases/points-beside-gdal.ts';
import { CAUSES, classify } from './comparisons/differences.ts';
import { installed, sampleSource } from './comparisons/other-programs.ts';
import { importLevel } from './comparisons/postgis.ts';
import { runPoints } from './measure/run-points.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';

/** What the others are asked by: fids of the units at a point, of one level. */
type Answers = Map<string, number[]>;

/** GDAL is slow: it gets the first of the points. */
const GDAL_POINTS = 500;
const VERTICES = 128;

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:points -- [options]')
  .option('points', { type: 'number', default: 100_000, describe: 'how many points, half of them by a border' })
  .options({ release: RELEASE_OPTIONS.release, source: RELEASE_OPTIONS.source, cache: RELEASE_OPTIONS.cache })
  .strict()
  .parseSync();

const folder = mkdtempSync(join(tmpdir(), 'bench-points-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const source = values.source ?? (await sampleSource(values.cache));
const release = await releaseToMeasure({ ...values, source, units: 0 });
const stored = readStored(release.out, release.about.release);
const levels = release.levels.filter(({ features }) => features > 0);
const draws = levels.map(({ level }) => pointsOf(elementAt(stored, level).lines, 37 + level));
// Two of each level in turn: every second one is by a border.
const points = Array.from({ length: values.points }, (_, i) => elementAt(draws, (i >> 1) % draws.length).next().value);
const lookUp = await proxyLookUp(release.out);
const ours = levels.map(({ level }) =>
  points.map(([x, y]) =>
    lookUp(level, x, y).map((position) => elementAt(elementAt(stored, level).units, position).fid),
  ),
);

const table = join(folder, 'points.csv');
writeFileSync(table, `id,longitude,latitude\n${points.map((point, i) => `${i},${point.join()}\n`).join('')}`);
chmodSync(folder, 0o711);
console.log(`points: ${runPoints(release.out, table, join(folder, 'units.csv'))}`);
await besidePostgis();
besideWhichPolygon();
besideGdal();
process.exit();

async function besidePostgis(): Promise<void> {
  const begun = performance.now();
  const postgis = await startPostgis(folder);
  for (const index of levels) {
    await importLevel(postgis, source, release, index);
    const name = levelName(index.level);
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
    return rowsToAnswers(postgis.sql(`SELECT DISTINCT id, fid FROM ${join}`));
  });
  const seconds = (performance.now() - ready) / 1000;
  const known = new Map<string, Geometry>();
  const read = (level: Level, fid: number): Geometry => {
    const key = `${levelName(level)} WHERE fid = ${fid}`;
    const geometry = known.get(key) ?? JSON.parse(postgis.sql(`SELECT ST_AsGeoJSON(geom, 17) FROM ${key}`));
    known.set(key, geometry);
    return geometry;
  };
  report(`${postgis.version}, ${VERTICES} vertices`, { before: ready - begun, seconds, count: points.length });
  explain(found, points.length, read);
  await postgis.stop();
}

function besideWhichPolygon(): void {
  type Query = (point: number[], multi: true) => { fid: number }[] | null;
  const whichPolygon: (collection: object) => Query = installed(values.cache, 'which-polygon', '2.2.1');
  const begun = performance.now();
  const indexes = levels.map(({ level }) =>
    whichPolygon({
      type: 'FeatureCollection',
      features: elementAt(stored, level)
        .lines.map((line) => JSON.parse(line))
        .filter(({ geometry }) => geometry !== null)
        .map(({ id, geometry }) => ({ type: 'Feature', properties: { fid: Number(id) }, geometry })),
    }),
  );
  const ready = performance.now();
  const found = indexes.map((query) =>
    points.map(([x, y]) => (query([Number(x), Number(y)], true) ?? []).map(({ fid }) => fid)),
  );
  const seconds = (performance.now() - ready) / 1000;
  report('which-polygon 2.2.1', { before: ready - begun, seconds, count: points.length });
  explain(
    found.map((lists) => new Map(lists.map((fids, i) => [String(i), fids]))),
    points.length,
  );
}

function besideGdal(): void {
  const begun = performance.now();
  const lookUps = levels.map(({ level }) => gdalLookUp(elementAt(stored, level).lines));
  const ready = performance.now();
  const asked = points.slice(0, GDAL_POINTS);
  const found = lookUps.map((at) => asked.map(([x, y]) => at(x, y)));
  const seconds = (performance.now() - ready) / 1000;
  report('GDAL, Contains', { before: ready - begun, seconds, count: asked.length });
  const answers = found.map((lists, n): Answers => {
    const { units } = elementAt(stored, elementAt(levels, n).level);
    const fids = lists.map(
      (list, i) => list?.map((unit) => elementAt(units, unit).fid) ?? elementAt(elementAt(ours, n), i),
    );
    return new Map(fids.map((list, i) => [String(i), list]));
  });
  const left = found.flat().filter((list) => list === undefined).length;
  explain(answers, asked.length);
  console.log(`  ${left} answers are left out: by a geometry that is not valid`);
}

interface Measured {
  before: number;
  seconds: number;
  count: number;
}

function report(what: string, { before, seconds, count }: Measured): void {
  const rate = Math.round(count / seconds).toLocaleString('en');
  console.log(`${what}: ${rate} points a second, after ${(before / 1000).toFixed(1)} s`);
}

/** Prints the answers that differ from the service's, by cause, and who is right. */
function explain(found: readonly Answers[], count: number, read?: (level: Level, fid: number) => Geometry): void {
  const counts = new Map<string, number>();
  let differing = 0;
  for (const [n, { level }] of levels.entries()) {
    const { lines, units } = elementAt(stored, level);
    const positions = new Map(units.map(({ fid }, i) => [fid, i]));
    for (let i = 0; i < count; i++) {
      const [own, other] = [new Set(elementAt(elementAt(ours, n), i)), new Set(elementAt(found, n).get(String(i)))];
      const units = [...own, ...other].filter((fid) => !own.has(fid) || !other.has(fid));
      if (units.length > 0) differing++;
      for (const fid of units) {
        const { geometry } = JSON.parse(elementAt(lines, positions.get(fid) ?? -1));
        const { cause, isOursRight } = classify({
          point: elementAt(points, i),
          geometry,
          source: read?.(level, fid),
          isOurs: own.has(fid),
        });
        const key = `${cause}, ${isOursRight ? 'points' : 'the other'} is right`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (cause === 'other' || !isOursRight)
          console.error(`lv${level} fid ${fid} ${elementAt(points, i).join()}: ${key}`);
      }
    }
  }
  console.log(`  ${differing} of ${(count * levels.length).toLocaleString('en')} answers differ; by unit:`);
  const order = [...counts].sort(
    ([a], [b]) => CAUSES.findIndex((c) => a.startsWith(c)) - CAUSES.findIndex((c) => b.startsWith(c)),
  );
  for (const [key, number] of order) console.log(`  ${number}: ${key}`);
}

function rowsToAnswers(text: string): Answers {
  const answers: Answers = new Map();
  for (const row of text.split('\n')) {
    const [id = '', fid = ''] = row.split('|');
    answers.set(id, [...(answers.get(id) ?? []), Number(fid)]);
  }
  return answers;
}
