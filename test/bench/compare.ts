// Questions that people ask a service of boundaries, put to this one and to PostgreSQL with PostGIS, as feature and
// tile servers ask it: requests, bytes, milliseconds, CPU; and whether both find as many units in boxes of all sizes.
// Run as `npm run bench:compare`; it takes the sample.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { nextOf, send } from '../support/http/http-client.ts';
import { placedLevel } from '../support/places.ts';
import { startPostgis } from '../support/processes/postgis.ts';
import { boxesOf, proxyFind } from '../support/releases/boxes-beside-model.ts';
import { columnsOf, featureOf, importLevel, quoted } from './comparisons/postgis.ts';
import { folderOfRun } from './measure/measure.ts';
import { RELEASE_OPTIONS, releaseToMeasure, sampleSource } from './requests/measured-release.ts';
import { chooseMachine, prepareService } from './servers/servers.ts';

interface Question {
  what: string;
  /** The first request, `TILE` for that tile; a listing is walked if `walks`. */
  target: string;
  walks?: true;
  status?: number;
  sql?: Sql;
}

/** How PostGIS is asked: for rows of levels, the municipalities of Spain where nothing else is said. */
interface Sql {
  levels?: readonly Level[];
  where?: string;
  /** An expression, the full geometry where left out; empty for none. */
  geometry?: string;
  /** Rows of a page. */
  limit?: number;
  /** Instead of rows: the table, called `tile`, of the features of a vector tile. */
  tile?: string;
}

/** What an answer costs: `ms` from the request to the last byte, CPU of the server's processes. */
interface Cost {
  requests: number;
  kilobytes: number;
  ms: number;
  cpuMs: number;
}

const SPAIN = `"GID_0" = 'ESP'`;
const MADRID = 'ESP.13.1.78_1';
const POINT = '-3.7038,40.4168';
const BOX = '-4.5,39.5,-3,41';
/** With units in the sample. */
const ALL = [0, 1, 2, 3] as const;
const FULL = 'ST_AsGeoJSON(geom, 7)';
const NONE = 'geometry=none';
const MUNICIPALITIES = 'geojsonl/lv3?gid-0=ESP';
const FIRST_PAGE: Sql = { where: 'TRUE', limit: 50 };
const NO_GEOMETRY: Sql = { geometry: '' };
/** A kilometre, as `geometry=low`; each unit by itself, so borders do not fit. */
const SIMPLIFIED: Sql = { levels: [2], geometry: 'ST_AsGeoJSON(ST_SimplifyPreserveTopology(geom, 0.01), 3)' };
const AT_POINT: Sql = { ...NO_GEOMETRY, where: `ST_Contains(geom, ST_SetSRID(ST_Point(${POINT}), 4326))` };
const IN_BOX = `ST_Intersects(geom, ST_MakeEnvelope(${BOX}, 4326))`;
const GETAFE = `SELECT geom FROM lv3 WHERE "GID_3" = '${MADRID}'`;
const NEIGHBOURS: Sql = { ...NO_GEOMETRY, where: `"GID_3" <> '${MADRID}' AND ST_Intersects(geom, (${GETAFE}))` };
/** Zoom, x and y of the tile of Madrid. */
const TILE = [7, 62, 48] as const;
const ENVELOPE = `ST_TileEnvelope(${TILE.join(', ')})`;
/** As martin, tipg and pg_tileserv ask it: simplified by nothing but the grid of the tile. */
const IN_TILE: Sql = {
  tile: `(SELECT fid::int, "GID_3", ST_AsMVTGeom(ST_Transform(geom, 3857), ${ENVELOPE}, 4096, 64, true) AS geom
    FROM lv3 WHERE geom && ST_Transform(${ENVELOPE}, 4326)) tile`,
};
const CALLED_TOL: Sql = { ...NO_GEOMETRY, levels: ALL, where: `words @@ to_tsquery('simple', 'tol:*')`, limit: 20 };

const QUESTIONS: readonly Question[] = [
  { what: 'first page of the municipalities, 50', target: 'geojsonl/lv3?page-size=50', sql: FIRST_PAGE },
  { what: 'walk of a country, 8,212 municipalities', target: MUNICIPALITIES, walks: true, sql: { limit: 50 } },
  { what: 'one unit by its GID', target: `fc/lv3?gid-3=${MADRID}`, sql: { where: `"GID_3" = '${MADRID}'` } },
  { what: 'attributes of these municipalities', target: `${MUNICIPALITIES}&${NONE}`, walks: true, sql: NO_GEOMETRY },
  { what: 'the municipality at a point', target: `fc/lv3?contains=${POINT}&${NONE}`, sql: AT_POINT },
  { what: 'all units at a point, four levels', target: `at?point=${POINT}`, sql: { ...AT_POINT, levels: ALL } },
  { what: 'the first 20 units that are called tol..., four levels', target: 'search?q=tol', sql: CALLED_TOL },
  { what: 'the provinces in a box', target: `fc/lv2?bbox=${BOX}`, sql: { levels: [2], where: IN_BOX } },
  { what: 'these municipalities as one file', target: 'download/lv3.geojson.gz?gid-0=ESP', sql: {} },
  { what: 'a map of the 52 provinces', target: 'fc/lv2?gid-0=ESP&geometry=low', sql: SIMPLIFIED },
  { what: 'the neighbours of a municipality', target: `fc/lv3?touches=${MADRID}&${NONE}`, sql: NEIGHBOURS },
  { what: 'a tile of the municipalities', target: `tiles/lv3/${TILE.join('/')}.mvt`, sql: IN_TILE },
  { what: 'an unknown parameter', target: 'fc/lv2?limit=3', status: 400 },
  { what: 'a token that is refused', target: 'fc/lv2', status: 401 },
];

/** Boxes of each level, 0.001 to 60 degrees wide. */
const BOXES = 250;
const PRECISION = 7;
/** Of units that do not touch 180 degrees or a pole, which are another thing in a plane. */
const IS_PLAIN = 'ST_XMin(geom) > -180 AND ST_XMax(geom) < 180 AND ST_YMin(geom) > -90';

/** Each is asked again until this much time has passed. */
const SECONDS = 2;
const MS_PER_TICK = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

const folder = folderOfRun();
const cache = RELEASE_OPTIONS.cache.default;
const source = await sampleSource(cache);
const release = await releaseToMeasure({ release: undefined, source, units: 0, cache });
const stored = readStored(release.out, release.about.release);
const machine = chooseMachine();
const service = await prepareService(folder, machine);
const proxy = await service.start(release.out);
const postgis = await startPostgis(folder);
postgis.sql('CREATE EXTENSION unaccent');
for (const level of ALL) {
  await importLevel(postgis, folder, elementAt(stored, level).lines, elementAt(release.levels, level));
  postgis.sql(`CREATE INDEX ON lv${level} ("GID_0"); CREATE INDEX ON lv${level} USING gist (geom)`);
  // The words of names, without their marks.
  const name = quoted(level === 0 ? 'COUNTRY' : `NAME_${level}`);
  postgis.sql(
    `ALTER TABLE lv${level} ADD words tsvector; UPDATE lv${level} SET words = to_tsvector('simple', unaccent(${name}))`,
  );
  postgis.sql(`CREATE INDEX ON lv${level} USING gin (words)`);
}
postgis.sql('VACUUM ANALYZE');
if (machine.serverCore !== undefined) execFileSync('taskset', ['-acp', machine.serverCore, String(postgis.pid)]);

const rows = [`| | requests | kB | ms | CPU ms | ${postgis.version}: statements | kB | ms | CPU ms | ratio of ms |`];
rows.push(`| --- ${'| --- '.repeat(9)}|`);
for (const question of QUESTIONS) {
  const here = await costHere(question);
  const there = question.sql && (await costInPostgis(question.sql));
  const cells = [here, there].flatMap((cost) =>
    cost === undefined ? ['', '', '', ''] : [cost.requests, ...[cost.kilobytes, cost.ms, cost.cpuMs].map(figure)],
  );
  rows.push(`| ${[question.what, ...cells, there === undefined ? '' : figure(here.ms / there.ms)].join(' | ')} |`);
}
console.log(rows.join('\n'));
await compareBoxes();
await postgis.stop();
await proxy.stop();
process.exit();

async function costHere({ target, walks, status = 200 }: Question): Promise<Cost> {
  const kind = status === 401 ? 'expired' : 'valid';
  const headers = { ...service.headers, authorization: service.authorizations[kind] };
  const once = async (): Promise<{ requests: number; bytes: number }> => {
    let [requests, bytes] = [0, 0];
    for (let path: string | undefined = `/api/v1/${target}`; path !== undefined; requests++) {
      const answer = await send(proxy, path, headers);
      if (answer.status !== status) throw new Error(`${path}: ${answer.status}`);
      bytes += answer.body.length;
      path = walks === true ? nextOf(answer) : undefined;
    }
    return { requests, bytes };
  };
  const { requests, bytes } = await once();
  const [cpu, started] = [cpuMsOf(proxy.pid), performance.now()];
  let times = 0;
  for (; performance.now() - started < SECONDS * 1000; times++) await once();
  const ms = (performance.now() - started) / times;
  return { requests, kilobytes: bytes / 1000, ms, cpuMs: (cpuMsOf(proxy.pid) - cpu) / times };
}

/** Asked by pgbench over a socket with prepared statements; bytes are those of the Features, by `gzip -6`. */
async function costInPostgis(sql: Sql): Promise<Cost> {
  const parts = statementsOf(sql);
  const file = join(folder, 'question.sql');
  writeFileSync(file, parts.map(({ statement }) => statement).join(''));
  const before = cpuMsOf(postgis.pid);
  const printed = await postgis.pgbench(`-n -M prepared -c 1 -j 1 -T ${SECONDS} -f ${file}`.split(' '));
  // The server counts the CPU time of a process of a connection when that has ended.
  postgis.sql('SELECT pg_sleep(0.2)');
  const cpuMs = cpuMsOf(postgis.pid) - before;
  const times = Number(/transactions actually processed: (\d+)/.exec(printed)?.[1]);
  const ms = Number(/latency average = ([\d.]+) ms/.exec(printed)?.[1]);
  if (!(times > 0 && ms > 0)) throw new Error(`pgbench failed: ${printed}`);
  const bytesOf = (text: string): Buffer => Buffer.from(text, sql.tile === undefined ? 'utf8' : 'base64');
  const bytes = parts.reduce((sum, { body }) => sum + gzipSync(bytesOf(postgis.sql(body))).length, 0);
  return { requests: parts.length, kilobytes: bytes / 1000, ms, cpuMs: cpuMs / times };
}

/** What is asked, a statement for each level and page, and the same for the bytes that a server would send of it. */
function statementsOf({ levels = [3], where = SPAIN, geometry = FULL, limit, tile }: Sql) {
  if (tile !== undefined) {
    const bytes = `ST_AsMVT(tile, 'units', 4096, 'geom', 'fid')`;
    const from = `FROM ${tile.replaceAll(/\s+/g, ' ')}`;
    return [{ statement: `SELECT ${bytes} ${from};\n`, body: `SELECT encode(${bytes}, 'base64') ${from}` }];
  }
  const isWalk = limit !== undefined && levels.length === 1 && where !== 'TRUE';
  return levels.flatMap((level) => {
    const table = levelName(level);
    const rows = Number(postgis.sql(`SELECT count(*) FROM ${table} WHERE ${where}`));
    const feature = featureOf(postgis, level, geometry === '' ? 'NULL' : geometry);
    const columns = [...columnsOf(postgis, level).map(quoted), ...(geometry === '' ? [] : [`${geometry} AS geojson`])];
    return Array.from({ length: isWalk ? Math.ceil(rows / limit) : 1 }, (_, page) => {
      const offset = page === 0 || limit === undefined ? '' : ` OFFSET ${page * limit}`;
      const from = `FROM ${table} WHERE ${where} ORDER BY fid${limit === undefined ? '' : ` LIMIT ${limit}`}${offset}`;
      return { statement: `SELECT ${columns.join(', ')} ${from};\n`, body: `SELECT ${feature} ${from}` };
    });
  });
}

/**
 * Prints for how many boxes both find other units; those at 180 degrees or a pole, and boxes across it, are left out.
 */
async function compareBoxes(): Promise<void> {
  let [boxes, units, differing] = [0, 0, 0];
  for (const level of ALL) {
    const { lines } = elementAt(stored, level);
    const fids = lines.map((line) => Number(/^\{"type":"Feature","id":(\d+)/.exec(line)?.[1]));
    const atEdge = new Set(postgis.sql(`SELECT fid FROM lv${level} WHERE NOT (${IS_PLAIN})`).split('\n').map(Number));
    const find = await proxyFind(release.out, level);
    const drawn = boxesOf(placedLevel(lines, PRECISION), PRECISION, 1 + level);
    for (let i = 0; i < BOXES; i++) {
      const bbox: string = drawn.next().value;
      const [west = 0, , east = 0] = bbox.split(',').map(Number);
      if (west > east) continue;
      const here = (await find(bbox)).map((position) => elementAt(fids, position)).filter((fid) => !atEdge.has(fid));
      const isIn = `ST_Intersects(geom, ST_MakeEnvelope(${bbox}, 4326))`;
      const there = postgis.sql(`SELECT fid FROM lv${level} WHERE ${IS_PLAIN} AND ${isIn} ORDER BY fid`);
      if (here.join('\n') !== there) differing++;
      units += here.length;
      boxes++;
    }
  }
  console.log(`\n${boxes} boxes with ${units} units: in ${differing} both find other units`);
}

/** CPU time of a process and of those that it has waited for, in milliseconds. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) * MS_PER_TICK;
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);
}
