// The proxy's requests a second beside those of PostgreSQL with PostGIS alone, asked by pgbench:
// what a feature server would have to wait for, without the server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LevelIndex } from '../../../format/level-index.ts';
import { levelName } from '../../../format/levels.ts';
import { type Postgis, startPostgis } from '../../support/processes/postgis.ts';
import { type Figures, type Row, secondsOf, spread } from '../measure/measure.ts';
import type { MeasuredRelease } from '../requests/measured-release.ts';
import type { QuestionName } from '../requests/questions.ts';
import { largestLevel } from '../requests/targets.ts';
import { FORMS, type Form, gidTable, quoted, sqlQuestions } from './postgis-sql.ts';

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
  if (!(['slice', 'unit', 'fc'] as const).some((name) => rates.has(name)))
    throw new Error('the proxy was not measured: choose slice, unit or fc');
  const all = largestLevel(release);
  const middle = largestLevel(release, [2, 3]);
  const postgis = await startPostgis(folder);
  try {
    for (const level of new Set([all, middle])) await importLevel(postgis, source, release, level);
    const rows: Row[] = [];
    for (const form of ['jsonb', 'json', 'shortest'] as const)
      for (const { name, what, script } of sqlQuestions(postgis, all, middle, form)) {
        const measured = rates.get(name);
        if (measured === undefined) continue;
        const file = join(folder, `${name}.${form}.sql`);
        writeFileSync(file, script);
        rows.push(await compareRates(postgis, file, what, form, measured));
      }
    return rows;
  } finally {
    await postgis.stop();
  }
}

async function compareRates(
  postgis: Postgis,
  file: string,
  question: string,
  form: Form,
  rates: readonly number[],
): Promise<Row> {
  const what = `${question}: the proxy, one process`;
  await rateOf(postgis, file, WARM_UP_SECONDS);
  const figures: Figures = [];
  const subject = spread(rates).median;
  for (let round = 0; round < ROUNDS; round++) figures.push({ subject, control: await rateOf(postgis, file, SECONDS) });
  console.error(
    `${question}, ${form}: PostGIS ${Math.round(spread(figures.map(({ control }) => control)).median)} a second`,
  );
  const control = `${postgis.version} alone, pgbench -M prepared ${CLIENTS.join(' ')} over a socket, ${FORMS[form]}`;
  return { what, control, unit: 'requests/s', figures, target: '>= 10, stretch 30' };
}

async function rateOf(postgis: Postgis, file: string, seconds: number): Promise<number> {
  const output = await postgis.pgbench(['-n', '-M', 'prepared', ...CLIENTS, '-T', String(seconds), '-f', file]);
  const rate = Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
  if (!(rate > 0) || /number of failed transactions: [1-9]/.test(output)) throw new Error(`pgbench failed: ${output}`);
  return rate;
}

/** One table a level, with the source's own column names, indexed by fid and by GID. */
async function importLevel(postgis: Postgis, source: string, { about }: MeasuredRelease, index: LevelIndex) {
  const { level, columns } = index;
  const layer = about.levels[level]?.layer ?? '';
  console.error(`importing ${layer} into ${postgis.version}`);
  const table = ['-nln', levelName(level), '-lco', 'FID=fid', '-lco', 'GEOMETRY_NAME=geom', '-lco', 'LAUNDER=NO'];
  const geometry = ['-lco', 'SPATIAL_INDEX=NONE', '-nlt', 'PROMOTE_TO_MULTI', '-t_srs', 'EPSG:4326'];
  const options = ['-f', 'PostgreSQL', '-preserve_fid', ...table, ...geometry, '--config', 'PG_USE_COPY', 'YES'];
  await secondsOf('ogr2ogr', [...options, `PG:${postgis.connection}`, source, layer]);
  const gid = quoted(columns[level]?.name ?? '');
  postgis.sql(`CREATE INDEX ON ${levelName(level)} (${gid})`);
  postgis.sql(
    `CREATE TABLE ${gidTable(level)} AS SELECT row_number() OVER () AS n, ${gid} AS gid ` +
      `FROM ${levelName(level)} WHERE ${gid} IS NOT NULL`,
  );
  postgis.sql(`ALTER TABLE ${gidTable(level)} ADD PRIMARY KEY (n)`);
  postgis.sql('VACUUM ANALYZE');
}
