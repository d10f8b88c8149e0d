// The proxy's requests a second beside those of PostgreSQL with PostGIS alone, asked by pgbench:
// what a feature server would have to wait for, without the server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../../format/element-at.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { type Level, levelName } from '../../../format/levels.ts';
import { type Postgis, startPostgis } from '../../support/processes/postgis.ts';
import { type Figures, type Row, secondsOf, spread } from '../measure/measure.ts';
import type { MeasuredRelease } from '../requests/measured-release.ts';
import { FC_FEATURES, type QuestionName, SLICE_FEATURES } from '../requests/questions.ts';
import { largestLevel } from '../requests/targets.ts';

/** The proxy's requests a second, round by round, by question. */
export type ProxyRates = ReadonlyMap<QuestionName, readonly number[]>;

const CLIENTS = ['-c', '4', '-j', '2'];
const WARM_UP_SECONDS = 1;
const SECONDS = 2;
/** Measurements of each; the proxy's bursts are more, and shorter. */
const ROUNDS = 3;

/**
 * Imports the levels that are asked for, and measures each question that the proxy was asked.
 * @throws Error when the source is not known, PostgreSQL is not installed or an import fails
 */
export async function compareWithPostgis(folder: string, release: MeasuredRelease, rates: ProxyRates): Promise<Row[]> {
  const { source } = release;
  if (source === undefined) throw new Error('the dataset of --release is not known: name it with --source');
  const all = largestLevel(release);
  const middle = largestLevel(release, [2, 3]);
  const postgis = await startPostgis(folder);
  try {
    for (const level of new Set([all, middle])) await importLevel(postgis, source, release, level);
    const rows: Row[] = [];
    for (const [name, { what, script }] of Object.entries(sqlQuestions(postgis, all, middle))) {
      const measured = rates.get(name as QuestionName);
      if (measured === undefined) continue;
      const file = join(folder, `${name}.sql`);
      writeFileSync(file, script);
      rows.push(await compareRates(postgis, file, what, measured));
    }
    if (rows.length === 0) throw new Error('the proxy was not measured: choose slice, unit or fc');
    return rows;
  } finally {
    await postgis.stop();
  }
}

async function compareRates(postgis: Postgis, file: string, what: string, rates: readonly number[]): Promise<Row> {
  await rateOf(postgis, file, WARM_UP_SECONDS);
  const figures: Figures = [];
  const subject = spread(rates).median;
  for (let round = 0; round < ROUNDS; round++) figures.push({ subject, control: await rateOf(postgis, file, SECONDS) });
  const control = `${postgis.version} alone, pgbench -M prepared ${CLIENTS.join(' ')} over a socket`;
  return { what: `${what}: the proxy, one process`, control, unit: 'requests/s', figures, target: '>= 10, stretch 30' };
}

async function rateOf(postgis: Postgis, file: string, seconds: number): Promise<number> {
  const output = await postgis.pgbench(['-n', '-M', 'prepared', ...CLIENTS, '-T', String(seconds), '-f', file]);
  const rate = Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
  if (!(rate > 0) || /number of failed transactions: [1-9]/.test(output)) throw new Error(`pgbench failed: ${output}`);
  return rate;
}

/** One table a level, with the source's own column names, indexed by fid and by GID. */
export async function importLevel(postgis: Postgis, source: string, { about }: MeasuredRelease, index: LevelIndex) {
  const { level, columns } = index;
  const layer = elementAt(about.levels, level).layer;
  console.error(`importing ${layer} into ${postgis.version}`);
  const table = ['-nln', levelName(level), '-lco', 'FID=fid', '-lco', 'GEOMETRY_NAME=geom', '-lco', 'LAUNDER=NO'];
  const geometry = ['-lco', 'SPATIAL_INDEX=NONE', '-nlt', 'PROMOTE_TO_MULTI', '-t_srs', 'EPSG:4326'];
  const options = ['-f', 'PostgreSQL', '-preserve_fid', ...table, ...geometry, '--config', 'PG_USE_COPY', 'YES'];
  await secondsOf('ogr2ogr', [...options, `PG:${postgis.connection}`, source, layer]);
  const gid = quoted(elementAt(columns, level).name);
  postgis.sql(`CREATE INDEX ON ${levelName(level)} (${gid})`);
  // pgbench draws numbers only: this table numbers the GIDs from 1.
  postgis.sql(
    `CREATE TABLE ${levelName(level)}_gids AS SELECT row_number() OVER () AS n, ${gid} AS gid ` +
      `FROM ${levelName(level)} WHERE ${gid} IS NOT NULL`,
  );
  postgis.sql(`ALTER TABLE ${levelName(level)}_gids ADD PRIMARY KEY (n)`);
  postgis.sql('VACUUM ANALYZE');
}

/**
 * The questions that SQL can be asked, as scripts for pgbench; `all` and `middle` are the levels that the proxy is
 * asked for.
 */
function sqlQuestions(postgis: Postgis, all: LevelIndex, middle: LevelIndex) {
  const table = levelName(all.level);
  const gids = elementAt(all.columns, all.level);
  return {
    slice: {
      what: `${SLICE_FEATURES} features at a random fid`,
      script: `\\set fid random(1, ${lastFid(all)})
SELECT ${featureOf(postgis, all.level)}::text FROM ${table} WHERE fid >= :fid ORDER BY fid LIMIT ${SLICE_FEATURES};
`,
    },
    unit: {
      what: 'one unit by its GID',
      script: `\\set n random(1, ${gids.size})
SELECT ${featureOf(postgis, all.level)}::text FROM ${table}
WHERE ${quoted(gids.name)} = (SELECT gid FROM ${table}_gids WHERE n = :n);
`,
    },
    fc: {
      what: `a FeatureCollection of ${FC_FEATURES} features at a random fid`,
      script: `\\set fid random(1, ${lastFid(middle)})
SELECT json_build_object('type', 'FeatureCollection', 'features', json_agg(${featureOf(postgis, middle.level)}))::text
FROM (SELECT * FROM ${levelName(middle.level)} WHERE fid >= :fid ORDER BY fid LIMIT ${FC_FEATURES}) unit;
`,
    },
  } satisfies Partial<Record<QuestionName, object>>;
}

/**
 * An expression for one row, with listed columns: to_jsonb of the row takes ten times as long, it converts the geometry
 * as well.
 */
export function featureOf(postgis: Postgis, level: Level, geometry: string = 'ST_AsGeoJSON(geom, 7)'): string {
  const properties = `(SELECT row_to_json(own) FROM (SELECT ${columnsOf(postgis, level).map(quoted).join(', ')}) own)`;
  const bbox = 'json_build_array(ST_XMin(geom), ST_YMin(geom), ST_XMax(geom), ST_YMax(geom))';
  const members = `'id', fid, 'bbox', ${bbox}, 'properties', ${properties}, 'geometry', ${geometry}::json`;
  return `json_build_object('type', 'Feature', ${members})`;
}

/** The names of the columns of a level's units. */
export function columnsOf(postgis: Postgis, level: Level): string[] {
  return postgis
    .sql(
      `SELECT column_name FROM information_schema.columns WHERE table_name = '${levelName(level)}' ORDER BY ordinal_position`,
    )
    .split('\n')
    .filter((name) => !['geom', 'words'].includes(name));
}

/** A name as an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function lastFid(index: LevelIndex): number {
  return index.fidAt(index.features - 1);
}
