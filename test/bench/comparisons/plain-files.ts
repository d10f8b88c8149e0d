// The questions of compare.ts to plain files: a GeoPackage with GDAL, as ogr2ogr asks it, and Parquet with DuckDB.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../../format/element-at.ts';
import { type Level, levelName } from '../../../format/levels.ts';
import { gdal } from '../../../generator/source/gdal.ts';
import { readStored } from '../../support/datasets/large-dataset.ts';
import { runSql } from '../../support/datasets/write-dataset.ts';
import type { MeasuredRelease } from '../requests/measured-release.ts';
import { installed } from './other-programs.ts';
import { quoted } from './postgis.ts';

/** Which units, with which geometry; all by default. */
export interface FileQuestion {
  levels: readonly Level[];
  /** SQL that both understand. */
  where?: string;
  /** West, south, east and north. */
  at?: readonly number[];
  /** A word of their names begins so. */
  word?: string;
  limit?: number;
  geometry?: 'none' | 'low';
}

/** The part of DuckDB's interface that is used. */
interface Duckdb {
  DuckDBInstance: { create(): Promise<{ connect(): Promise<Connection> }> };
}
interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowsJson(): unknown[] }>;
}

export interface PlainFiles {
  geopackage: ReturnType<typeof gdal.open>;
  duckdb: Connection;
  layers: ReadonlyMap<Level, { layer: string; name: string; columns: string }>;
}

/** What GDAL writes without geometry and with one, since its GeoJSON always has one. */
const TABLE = ['/vsimem/answer.csv', '-f', 'CSV'] as const;
const FEATURES = [
  '/vsimem/answer.geojsonl',
  '-f',
  'GeoJSONSeq',
  '-preserve_fid',
  '-lco',
  'COORDINATE_PRECISION=7',
] as const;

/** Writes both, with the indexes that help; DuckDB is installed in the folder `cache`. */
export async function openFiles(
  folder: string,
  cache: string,
  source: string,
  release: MeasuredRelease,
  levels: readonly Level[],
): Promise<PlainFiles> {
  const { DuckDBInstance } = installed<Duckdb>(cache, '@duckdb/node-api', '1.5.6-r.1');
  const duckdb = await (await DuckDBInstance.create()).connect();
  await duckdb.run('SET threads = 1');
  const copy = join(folder, 'files.gpkg');
  gdal.vectorTranslate(copy, gdal.open(source), ['-f', 'GPKG', '-preserve_fid']).close();
  const geopackage = gdal.open(copy, 'r+');
  const stored = readStored(release.out, release.about.release);
  const layers = new Map<Level, { layer: string; name: string; columns: string }>();
  for (const level of levels) {
    const { layer } = elementAt(release.about.levels, level);
    const names = geopackage.layers.get(layer).fields.getNames();
    for (const gid of new Set(['GID_0', `GID_${level}`]))
      runSql(geopackage, `CREATE INDEX "${layer}_${gid}" ON "${layer}" (${quoted(gid)})`);
    const lines = join(folder, `${levelName(level)}.geojsonl`);
    writeFileSync(lines, elementAt(stored, level).lines.join(''));
    const columns = names.map(quoted).join(', ');
    const read = names.map((name) => `json->'properties'->>'${name}' AS ${quoted(name)}`).join(', ');
    const box = ['west', 'south', 'east', 'north']
      .map((side, i) => `(json->'bbox'->>${i})::DOUBLE AS ${side}`)
      .join(', ');
    const rows = `SELECT (json->>'id')::BIGINT AS fid, ${read}, ${box}, json->'geometry' AS geojson`;
    const parquet = join(folder, `${levelName(level)}.parquet`);
    await duckdb.run(`COPY (${rows} FROM read_ndjson_objects('${lines}') ORDER BY fid) TO '${parquet}'`);
    await duckdb.run(`CREATE VIEW ${levelName(level)} AS SELECT * FROM '${parquet}'`);
    layers.set(level, { layer, name: quoted(level === 0 ? 'COUNTRY' : `NAME_${level}`), columns });
  }
  return { geopackage, duckdb, layers };
}

/** Lines of GeoJSON, or CSV without geometry; a box is compared with the geometry. */
export function askGdal({ geopackage, layers }: PlainFiles, question: FileQuestion): string {
  const { levels, at, word, limit, geometry } = question;
  const [answer, ...format] = geometry === 'none' ? TABLE : FEATURES;
  let text = '';
  for (const level of levels) {
    const { layer, name } = layers.get(level) ?? elementAt([], 0);
    // The filters of the question before stay with the layer.
    const asked = geopackage.layers.get(layer);
    asked.setSpatialFilter(null);
    asked.setAttributeFilter(null);
    const where = word === undefined ? question.where : `${name} LIKE '${word}%' OR ${name} LIKE '% ${word}%'`;
    const options = [
      ...format,
      ...(where === undefined ? [] : ['-where', where]),
      ...(at === undefined ? [] : ['-spat', ...at.map(String)]),
      ...(limit === undefined ? [] : ['-limit', String(limit)]),
      ...(geometry === 'low' ? ['-simplify', '0.01'] : []),
    ];
    gdal.vectorTranslate(answer, geopackage, [...options, layer]).close();
    text += gdal.vsimem.release(answer).toString('utf8');
  }
  return text;
}

/** Rows as JSON; undefined where it takes the extension for geometries, which npm does not have. */
export async function askDuckdb({ duckdb, layers }: PlainFiles, question: FileQuestion): Promise<string | undefined> {
  const { levels, at, word, limit, geometry } = question;
  const [west, south, east, north] = at ?? [];
  if (geometry === 'low' || (at !== undefined && west === east)) return undefined;
  let text = '';
  for (const level of levels) {
    const { name, columns } = layers.get(level) ?? elementAt([], 0);
    const where = [
      ...(question.where === undefined ? [] : [question.where]),
      ...(at === undefined ? [] : [`west <= ${east} AND east >= ${west} AND south <= ${north} AND north >= ${south}`]),
      ...(word === undefined ? [] : [`(' ' || strip_accents(lower(${name}))) LIKE '% ${word}%'`]),
    ];
    const what = `fid, ${columns}${geometry === 'none' ? '' : ', geojson'}`;
    const from = `${levelName(level)}${where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''}`;
    const rows = await duckdb.runAndReadAll(`SELECT ${what} FROM ${from} ORDER BY fid LIMIT ${limit ?? 1e9}`);
    text += JSON.stringify(rows.getRowsJson());
  }
  return text;
}
