// PostgreSQL with PostGIS, as benchmarks ask it: what a feature server would have to wait for, without the server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../../format/element-at.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import { type Level, levelName } from '../../../format/levels.ts';
import type { Postgis } from '../../support/processes/postgis.ts';
import { secondsOf } from '../measure/measure.ts';

/** One table a level, of the features as published, indexed by fid and by GID. @param folder for a file of them */
export async function importLevel(
  postgis: Postgis,
  folder: string,
  lines: readonly string[],
  { level, columns }: LevelIndex,
): Promise<void> {
  console.error(`importing ${levelName(level)} into ${postgis.version}`);
  const file = join(folder, `${levelName(level)}.geojsonl`);
  writeFileSync(file, lines.join('\n'));
  const table = ['-nln', levelName(level), '-lco', 'FID=fid', '-lco', 'GEOMETRY_NAME=geom', '-lco', 'LAUNDER=NO'];
  const geometry = ['-lco', 'SPATIAL_INDEX=NONE', '-nlt', 'PROMOTE_TO_MULTI'];
  const options = ['-f', 'PostgreSQL', '-preserve_fid', ...table, ...geometry, '--config', 'PG_USE_COPY', 'YES'];
  await secondsOf('ogr2ogr', [...options, `PG:${postgis.connection}`, `GeoJSONSeq:${file}`]);
  const gid = quoted(elementAt(columns, level).name);
  postgis.sql(`CREATE INDEX ON ${levelName(level)} (${gid})`);
  postgis.sql('VACUUM ANALYZE');
}

/**
 * An expression for one row, with listed columns: to_jsonb of the row takes ten times as long, it converts the geometry
 * as well.
 */
export function featureOf(postgis: Postgis, level: Level, geometry: string): string {
  const properties = `(SELECT row_to_json(own) FROM (SELECT ${columnsOf(postgis, level).map(quoted).join(', ')}) own)`;
  const bbox = 'json_build_array(ST_XMin(geom), ST_YMin(geom), ST_XMax(geom), ST_YMax(geom))';
  const members = `'id', fid, 'bbox', ${bbox}, 'properties', ${properties}, 'geometry', ${geometry}::json`;
  return `json_build_object('type', 'Feature', ${members})`;
}

export function columnsOf(postgis: Postgis, level: Level): string[] {
  return postgis
    .sql(
      `SELECT column_name FROM information_schema.columns WHERE table_name = '${levelName(level)}' ORDER BY ordinal_position`,
    )
    .split('\n')
    .filter((name) => !['geom', 'words'].includes(name));
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
