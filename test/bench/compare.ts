// Twelve questions that people ask a service of boundaries, put to this one, to PostgreSQL with PostGIS, as feature
// servers ask it, and to programs that read plain files: requests, bytes, milliseconds, CPU. Run as `npm run
// bench:compare`; it takes the sample.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { type Postgis, startPostgis } from '../support/processes/postgis.ts';
import { sampleSource } from './comparisons/other-programs.ts';
import { askDuckdb, askGdal, type FileQuestion, openFiles } from './comparisons/plain-files.ts';
import { columnsOf, featureOf, importLevel, quoted } from './comparisons/postgis.ts';
import { RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import { chooseMachine } from './servers/machine.ts';
import { prepareService, receive } from './servers/service.ts';

/** One of the twelve; `files` is how plain files are asked. */
interface Question {
  files?: FileQuestion;
  what: string;
  /** The first request; a listing is walked if `walks`. */
  target: string;
  walks?: true;
  status?: number;
  /**
   * How PostGIS is asked: which rows of which levels, with which geometry (an expression, or none), in pages of
   * `limit`.
   */
  sql?: { levels: readonly Level[]; where: string; geometry: string; limit?: number };
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
const FULL = 'ST_AsGeoJSON(geom, 7)';
/** A kilometre, as `geometry=low`; each unit by itself, so borders do not fit. */
const SIMPLIFIED = 'ST_AsGeoJSON(ST_SimplifyPreserveTopology(geom, 0.01), 3)';
const AT_POINT = 'ST_Contains(geom, ST_SetSRID(ST_Point(-3.7038, 40.4168), 4326))';
/** With units in the sample. */
const ALL = [0, 1, 2, 3] as const;
const BOX = [-4.5, 39.5, -3, 41];
const POINT = [-3.7038, 40.4168, -3.7038, 40.4168];

const QUESTIONS: readonly Question[] = [
  {
    what: 'first page of the municipalities, 50',
    files: { levels: [3], limit: 50 },
    target: 'geojsonl/lv3?page-size=50',
    sql: { levels: [3], where: 'TRUE', geometry: FULL, limit: 50 },
  },
  {
    what: 'walk of a country, 8,212 municipalities',
    files: { levels: [3], where: SPAIN },
    target: 'geojsonl/lv3?gid-0=ESP',
    walks: true,
    sql: { levels: [3], where: SPAIN, geometry: FULL, limit: 50 },
  },
  {
    what: 'one unit by its GID',
    files: { levels: [3], where: `"GID_3" = '${MADRID}'` },
    target: `fc/lv3?gid-3=${MADRID}`,
    sql: { levels: [3], where: `"GID_3" = '${MADRID}'`, geometry: FULL },
  },
  {
    what: 'attributes of these municipalities',
    files: { levels: [3], where: SPAIN, geometry: 'none' },
    target: 'geojsonl/lv3?gid-0=ESP&geometry=none',
    walks: true,
    sql: { levels: [3], where: SPAIN, geometry: '' },
  },
  {
    what: 'the municipality at a point',
    files: { levels: [3], at: POINT, geometry: 'none' },
    target: 'fc/lv3?contains=-3.7038,40.4168&geometry=none',
    sql: { levels: [3], where: AT_POINT, geometry: '' },
  },
  {
    what: 'all units at a point, four levels',
    files: { levels: ALL, at: POINT, geometry: 'none' },
    target: 'at?point=-3.7038,40.4168',
    sql: { levels: ALL, where: AT_POINT, geometry: '' },
  },
  {
    what: 'the first 20 units that are called tol..., four levels',
    files: { levels: ALL, word: 'tol', limit: 20, geometry: 'none' },
    target: 'search?q=tol',
    sql: { levels: ALL, where: `words @@ to_tsquery('simple', 'tol:*')`, geometry: '', limit: 20 },
  },
  {
    what: 'the provinces in a box',
    files: { levels: [2], at: BOX },
    target: `fc/lv2?bbox=${BOX}`,
    sql: { levels: [2], where: `ST_Intersects(geom, ST_MakeEnvelope(${BOX}, 4326))`, geometry: FULL },
  },
  {
    what: 'these municipalities as one file',
    files: { levels: [3], where: SPAIN },
    target: 'download/lv3.geojson.gz?gid-0=ESP',
    sql: { levels: [3], where: SPAIN, geometry: FULL },
  },
  {
    what: 'a map of the 52 provinces',
    files: { levels: [2], where: SPAIN, geometry: 'low' },
    target: 'fc/lv2?gid-0=ESP&geometry=low',
    sql: { levels: [2], where: SPAIN, geometry: SIMPLIFIED },
  },
  { what: 'an unknown parameter', target: 'fc/lv2?limit=3', status: 400 },
  { what: 'a token that is refused', target: 'fc/lv2', status: 401 },
];

/** Each is asked again until this much time has passed. */
const SECONDS = 2;
const MS_PER_TICK = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

const folder = mkdtempSync(join(tmpdir(), 'bench-compare-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const cache = RELEASE_OPTIONS.cache.default;
const source = await sampleSource(cache);
const release = await releaseToMeasure({ release: undefined, source, units: 0, cache });
const machine = chooseMachine(undefined);
const service = await prepareService(folder, machine);
const proxy = await service.start(release.out);
const postgis = await startPostgis(folder);
postgis.sql('CREATE EXTENSION unaccent');
for (const level of ALL) {
  await importLevel(postgis, source, release, elementAt(release.levels, level));
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

const files = await openFiles(folder, cache, source, release, ALL);
const [besideDatabase, besideFiles] = [
  [`| | requests | kB | ms | CPU ms | ${postgis.version}: statements | kB | ms | CPU ms |`],
  ['| | GDAL: statements | kB | ms | CPU ms | DuckDB: statements | kB | ms | CPU ms |'],
];
for (const rows of [besideDatabase, besideFiles]) rows.push(`| --- ${'| --- '.repeat(8)}|`);
for (const { what, sql, files: asked, ...question } of QUESTIONS) {
  const here = await costHere({ what, ...question });
  besideDatabase.push(rowOf(what, here, sql && (await costInPostgis(postgis, sql))));
  if (asked === undefined) continue;
  const inGdal = await costOfFiles(asked, () => askGdal(files, asked));
  besideFiles.push(rowOf(what, inGdal, await costOfFiles(asked, () => askDuckdb(files, asked))));
}
console.log([...besideDatabase, '', ...besideFiles].join('\n'));
await postgis.stop();
await proxy.stop();
process.exit();

/** Asked over one kept connection. */
async function costHere({ target, walks, status = 200 }: Question): Promise<Cost> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const kind = status === 401 ? 'expired' : 'valid';
  const headers = { ...service.headers('gzip'), authorization: service.authorizations[kind] };
  const once = async (): Promise<{ requests: number; bytes: number }> => {
    let [requests, bytes] = [0, 0];
    for (let url: string | undefined = `${proxy.url}/api/v1/${target}`; url !== undefined; requests++) {
      const answer = await receive(url, headers, agent);
      if (answer.status !== status) throw new Error(`${url}: ${answer.status}`);
      bytes += answer.body.length;
      const link = answer.headers[answer.headers.indexOf('Link') + 1] ?? '';
      url = walks === true ? /^<([^>]*)>; rel="next"$/.exec(link)?.[1] : undefined;
    }
    return { requests, bytes };
  };
  const { requests, bytes } = await once();
  const [cpu, started] = [cpuMsOf(proxy.pid), performance.now()];
  let times = 0;
  for (; performance.now() - started < SECONDS * 1000; times++) await once();
  const ms = (performance.now() - started) / times;
  agent.destroy();
  return { requests, kilobytes: bytes / 1000, ms, cpuMs: (cpuMsOf(proxy.pid) - cpu) / times };
}

/** Asked by pgbench over a socket with prepared statements; bytes are those of the Features, by `gzip -6`. */
async function costInPostgis(asked: Postgis, sql: NonNullable<Question['sql']>): Promise<Cost> {
  const { levels, where, geometry, limit } = sql;
  const isWalk = limit !== undefined && levels.length === 1 && where !== 'TRUE';
  const parts = levels.flatMap((level) => {
    const table = levelName(level);
    const rows = Number(asked.sql(`SELECT count(*) FROM ${table} WHERE ${where}`));
    const feature = featureOf(asked, level, geometry === '' ? 'NULL' : geometry);
    const columns = [...columnsOf(asked, level).map(quoted), ...(geometry === '' ? [] : [`${geometry} AS geojson`])];
    return Array.from({ length: isWalk ? Math.ceil(rows / limit) : 1 }, (_, page) => {
      const offset = page === 0 || limit === undefined ? '' : ` OFFSET ${page * limit}`;
      const from = `FROM ${table} WHERE ${where} ORDER BY fid${limit === undefined ? '' : ` LIMIT ${limit}`}${offset}`;
      return { statement: `SELECT ${columns.join(', ')} ${from};\n`, features: `SELECT ${feature} ${from}` };
    });
  });
  const file = join(folder, 'question.sql');
  writeFileSync(file, parts.map(({ statement }) => statement).join(''));
  const before = cpuMsOf(asked.pid);
  const printed = await asked.pgbench([
    '-n',
    '-M',
    'prepared',
    '-c',
    '1',
    '-j',
    '1',
    '-T',
    String(SECONDS),
    '-f',
    file,
  ]);
  // The server counts the CPU time of a process of a connection when that has ended.
  asked.sql('SELECT pg_sleep(0.2)');
  const cpuMs = cpuMsOf(asked.pid) - before;
  const times = Number(/transactions actually processed: (\d+)/.exec(printed)?.[1]);
  const ms = Number(/latency average = ([\d.]+) ms/.exec(printed)?.[1]);
  if (!(times > 0 && ms > 0)) throw new Error(`pgbench failed: ${printed}`);
  const bytes = parts.reduce((sum, { features }) => sum + gzipSync(asked.sql(features)).length, 0);
  return { requests: parts.length, kilobytes: bytes / 1000, ms, cpuMs: cpuMs / times };
}

/** Asked in this process, a statement for each level; bytes are those of what comes out, by `gzip -6`. */
async function costOfFiles(
  { levels }: FileQuestion,
  ask: () => Promise<string | undefined> | string,
): Promise<Cost | undefined> {
  const text = await ask();
  if (text === undefined) return undefined;
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  let times = 0;
  for (; performance.now() - started < SECONDS * 1000; times++) await ask();
  const ms = (performance.now() - started) / times;
  const { user, system } = process.cpuUsage(cpu);
  const kilobytes = gzipSync(text).length / 1000;
  return { requests: levels.length, kilobytes, ms, cpuMs: (user + system) / 1000 / times };
}

/** CPU time of a process and of those that it has waited for, in milliseconds. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) * MS_PER_TICK;
}

/** A row of a table: two parties, of which one may have no answer. */
function rowOf(what: string, ...costs: readonly (Cost | undefined)[]): string {
  const cells = costs.flatMap((cost) =>
    cost === undefined ? ['-', '-', '-', '-'] : [cost.requests, ...[cost.kilobytes, cost.ms, cost.cpuMs].map(figure)],
  );
  return `| ${[what, ...cells].join(' | ')} |`;
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);
}
