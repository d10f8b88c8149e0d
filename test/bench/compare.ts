// Questions that people ask a service of boundaries, put to this one and to PostgreSQL with PostGIS, as feature and
// tile servers ask it: requests, bytes, milliseconds, CPU. Run as `npm run bench:compare`; it takes the sample.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { nextOf, send } from '../support/http/http-client.ts';
import { AUTHORIZED, authorizedWith } from '../support/http/in-process-proxy.ts';
import { startPostgis } from '../support/processes/postgis.ts';
import { folderOfRun, outputOf, short } from './measure.ts';
import { releaseToMeasure } from './measured-release.ts';
import { asServer, startProxy } from './servers.ts';

/** What an answer costs: `ms` from the request to the last byte, CPU of the server's processes. */
interface Cost {
  requests: number;
  kilobytes: number;
  ms: number;
  cpuMs: number;
}

/** Each is asked again until this much time has passed. */
const SECONDS = 2;
const MS_PER_TICK = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
/** Levels with units in the sample. */
const ALL = [0, 1, 2, 3] as const;
const FULL = 'ST_AsGeoJSON(geom, 7)';
/** A kilometre, as `geometry=low`; each unit by itself, so borders do not fit. */
const LOW = 'ST_AsGeoJSON(ST_SimplifyPreserveTopology(geom, 0.01), 3)';
const NONE = 'geometry=none';
const MADRID = 'ESP.13.1.78_1';
const [POINT, BOX, TILE] = ['-3.7038,40.4168', '-4.5,39.5,-3,41', [7, 62, 48]];
const SPAIN = `"GID_0" = 'ESP'`;
const AT_POINT = `ST_Contains(geom, ST_SetSRID(ST_Point(${POINT}), 4326))`;
const IN_BOX = `ST_Intersects(geom, ST_MakeEnvelope(${BOX}, 4326))`;
const TOUCHES = `"GID_3" <> '${MADRID}' AND ST_Intersects(geom, (SELECT geom FROM lv3 WHERE "GID_3" = '${MADRID}'))`;
const CALLED_TOL = `words @@ to_tsquery('simple', 'tol:*')`;
const MUNICIPALITIES = 'geojsonl/lv3?gid-0=ESP';

const folder = folderOfRun();
const release = await releaseToMeasure({ release: undefined, source: 'sample', units: 0 });
const stored = readStored(release.out, release.about.release);
const proxy = await startProxy(release.out);
const postgis = await startPostgis(folder);
postgis.sql('CREATE EXTENSION unaccent');
for (const level of ALL) await importLevel(level);
postgis.sql('VACUUM ANALYZE');
asServer(postgis.pid);

/** Rows of a level that a condition holds for, with their attributes and, by an expression, their geometry. */
function rows(level: Level, where: string, geometry = 'NULL', limit = ''): string {
  const table = levelName(level);
  const listed = `FROM information_schema.columns WHERE table_name = '${table}' ORDER BY ordinal_position`;
  const names = postgis.sql(`SELECT column_name ${listed}`).split('\n');
  const columns = names.filter((name) => !['geom', 'words'].includes(name)).map((name) => `"${name}"`);
  return `SELECT ${columns.join(', ')}, ${geometry} AS geojson FROM ${table} WHERE ${where} ORDER BY fid ${limit}`;
}

const onAll = (where: string, limit?: string): string[] => ALL.map((level) => rows(level, where, 'NULL', limit));
const inCountry = Number(postgis.sql(`SELECT count(*) FROM lv3 WHERE ${SPAIN}`));
const walk = Array.from({ length: Math.ceil(inCountry / 50) }, (_, page) =>
  rows(3, SPAIN, FULL, `LIMIT 50 OFFSET ${50 * page}`),
);
/** As martin, tipg and pg_tileserv ask: simplified by nothing but the grid of the tile. */
const envelope = `ST_TileEnvelope(${TILE.join(', ')})`;
const drawn = `SELECT fid::int, "GID_3", ST_AsMVTGeom(ST_Transform(geom, 3857), ${envelope}, 4096, 64, true) AS geom`;
const tile = `SELECT ST_AsMVT(tile, 'units', 4096, 'geom', 'fid') AS mvt
  FROM (${drawn} FROM lv3 WHERE geom && ST_Transform(${envelope}, 4326)) tile`.replaceAll('\n', '');

/** What is asked, the first request, and the statements; `walks` follows the pages. */
const QUESTIONS: { what: string; target: string; sql?: string[]; walks?: true; status?: number }[] = [
  {
    what: 'first page of the municipalities, 50',
    target: 'geojsonl/lv3?page-size=50',
    sql: [rows(3, 'TRUE', FULL, 'LIMIT 50')],
  },
  { what: 'walk of a country, 8,212 municipalities', target: MUNICIPALITIES, walks: true, sql: walk },
  { what: 'one unit by its GID', target: `fc/lv3?gid-3=${MADRID}`, sql: [rows(3, `"GID_3" = '${MADRID}'`, FULL)] },
  {
    what: 'attributes of these municipalities',
    target: `${MUNICIPALITIES}&${NONE}`,
    walks: true,
    sql: [rows(3, SPAIN)],
  },
  { what: 'the municipality at a point', target: `fc/lv3?contains=${POINT}&${NONE}`, sql: [rows(3, AT_POINT)] },
  { what: 'all units at a point, four levels', target: `at?point=${POINT}`, sql: onAll(AT_POINT) },
  {
    what: 'the first 20 units that are called tol..., four levels',
    target: 'search?q=tol',
    sql: onAll(CALLED_TOL, 'LIMIT 20'),
  },
  { what: 'the provinces in a box', target: `fc/lv2?bbox=${BOX}`, sql: [rows(2, IN_BOX, FULL)] },
  {
    what: 'these municipalities as one file',
    target: 'download/lv3.geojson.gz?gid-0=ESP',
    sql: [rows(3, SPAIN, FULL)],
  },
  { what: 'a map of the 52 provinces', target: 'fc/lv2?gid-0=ESP&geometry=low', sql: [rows(2, SPAIN, LOW)] },
  { what: 'the neighbours of a municipality', target: `fc/lv3?touches=${MADRID}&${NONE}`, sql: [rows(3, TOUCHES)] },
  { what: 'a tile of the municipalities', target: `tiles/lv3/${TILE.join('/')}.mvt`, sql: [tile] },
  { what: 'an unknown parameter', target: 'fc/lv2?limit=3', status: 400 },
  { what: 'a token that is refused', target: 'fc/lv2', status: 401 },
];

console.log(`| | requests | kB | ms | CPU ms | ${postgis.version}: statements | kB | ms | CPU ms | ratio of ms |`);
console.log(`| --- ${'| --- '.repeat(9)}|`);
for (const { what, target, walks, status, sql } of QUESTIONS) {
  const here = await costHere(`/api/v1/${target}`, status, walks);
  const there = sql && (await costInPostgis(sql));
  const cells = [here, there].flatMap((cost) =>
    cost === undefined ? ['', '', '', ''] : [cost.requests, ...[cost.kilobytes, cost.ms, cost.cpuMs].map(short)],
  );
  console.log(`| ${[what, ...cells, there === undefined ? '' : short(here.ms / there.ms)].join(' | ')} |`);
}
await postgis.stop();
await proxy.stop('SIGKILL');
process.exit();

async function costHere(target: string, status = 200, walks = false): Promise<Cost> {
  const token = status === 401 ? await authorizedWith({ exp: 1 }) : AUTHORIZED;
  const once = async (): Promise<{ requests: number; bytes: number }> => {
    let [requests, bytes] = [0, 0];
    for (let path: string | undefined = target; path !== undefined; requests++) {
      const answer = await send(proxy, path, { ...token, 'accept-encoding': 'gzip' });
      if (answer.status !== status) throw new Error(`${path}: ${answer.status}`);
      bytes += answer.body.length;
      path = walks ? nextOf(answer) : undefined;
    }
    return { requests, bytes };
  };
  const { requests, bytes } = await once();
  const pid = proxy.child.pid ?? 0;
  const [cpu, started] = [cpuMsOf(pid), performance.now()];
  let times = 0;
  for (; performance.now() - started < SECONDS * 1000; times++) await once();
  const ms = (performance.now() - started) / times;
  return { requests, kilobytes: bytes / 1000, ms, cpuMs: (cpuMsOf(pid) - cpu) / times };
}

/** Asked by pgbench over a socket with prepared statements; bytes are those of the Features, by `gzip -6`. */
async function costInPostgis(statements: readonly string[]): Promise<Cost> {
  const file = join(folder, 'question.sql');
  writeFileSync(file, statements.map((statement) => `${statement};\n`).join(''));
  const before = cpuMsOf(postgis.pid);
  const printed = await postgis.pgbench(`-n -M prepared -c 1 -j 1 -T ${SECONDS} -f ${file}`.split(' '));
  // The server counts the CPU time of a process of a connection when that has ended.
  postgis.sql('SELECT pg_sleep(0.2)');
  const cpuMs = cpuMsOf(postgis.pid) - before;
  const times = Number(/transactions actually processed: (\d+)/.exec(printed)?.[1]);
  const ms = Number(/latency average = ([\d.]+) ms/.exec(printed)?.[1]);
  if (!(times > 0 && ms > 0)) throw new Error(`pgbench failed: ${printed}`);
  const bytes = statements.reduce((sum, statement) => sum + bodyOf(statement).length, 0);
  return { requests: statements.length, kilobytes: bytes / 1000, ms, cpuMs: cpuMs / times };
}

/** What a server would send of it. */
function bodyOf(statement: string): Buffer {
  if (statement === tile)
    return gzipSync(Buffer.from(postgis.sql(`SELECT encode(mvt, 'base64') FROM (${tile}) q`), 'base64'));
  const members = `'type', 'Feature', 'id', fid, 'properties', to_jsonb(q) - 'geojson', 'geometry', geojson::json`;
  return gzipSync(postgis.sql(`SELECT json_build_object(${members}) FROM (${statement}) q`));
}

/** One table a level, of the features as published, indexed by fid, GID, country, place and the words of names. */
async function importLevel(level: Level): Promise<void> {
  const table = levelName(level);
  const file = join(folder, `${table}.geojsonl`);
  writeFileSync(file, elementAt(stored, level).lines.join('\n'));
  const layout = ['FID=fid', 'GEOMETRY_NAME=geom', 'LAUNDER=NO', 'SPATIAL_INDEX=GIST'].flatMap((one) => ['-lco', one]);
  const options = ['-f', 'PostgreSQL', '-preserve_fid', '-nln', table, ...layout, '-nlt', 'PROMOTE_TO_MULTI'];
  await outputOf('ogr2ogr', [
    ...options,
    '--config',
    'PG_USE_COPY',
    'YES',
    `PG:${postgis.connection}`,
    `GeoJSONSeq:${file}`,
  ]);
  for (const column of new Set(['GID_0', `GID_${level}`])) postgis.sql(`CREATE INDEX ON ${table} ("${column}")`);
  // The words of names, without their marks.
  const words = `to_tsvector('simple', unaccent("${level === 0 ? 'COUNTRY' : `NAME_${level}`}"))`;
  postgis.sql(`ALTER TABLE ${table} ADD words tsvector; UPDATE ${table} SET words = ${words}`);
  postgis.sql(`CREATE INDEX ON ${table} USING gin (words)`);
}

/** CPU time of a process and of those that it has waited for, in milliseconds. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) * MS_PER_TICK;
}
