// The worst value that we know of each path, parameter and header, and what it costs: CPU of the request, and of its
// longest turn of the event loop. worst-values.test.ts holds that each has a row and what the rows read,
// worst-values.long.ts what they cost where there are many units. `npm run bench:turns` prints the table.
import { join } from 'node:path';
import { elementAt } from '../../../format/element-at.ts';
import { releasePath } from '../../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../../format/levels.ts';
import { AUTHORIZED, startService } from '../../support/http/in-process-proxy.ts';
import { costOf, type TurnCost } from '../../support/http/turns.ts';
import { readIndex, readRelease } from '../../support/releases/read-index.ts';

/** What the values are made of. */
export interface WorstFacts {
  /** The level with the most units, and how many they are. */
  level: Level;
  features: number;
  /** The GID of the unit of level 0 that has most of them, of one of them, and of one of the level above. */
  country: string;
  gid: string;
  parent: string | undefined;
  maxzoom: number | undefined;
}

export interface WorstValue {
  /** Of which parameter, header or path it is: `q`, `accept-encoding`, `/about.json`. */
  of: string;
  what: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  method?: string;
  isPublic?: true;
  /** Expected; 200 where left out. */
  status?: number;
}

/** Paths without parameters that cost more than those of a page. */
const DOCUMENTS = [
  '/api/v1/',
  '/api/v1/changes',
  ...['', '/api', '/conformance', '/collections', '/collections/<LEVEL>', '/collections/<LEVEL>/items/1'].map(
    (path) => `/api/v1/ogc${path}`,
  ),
  ...['queryables', 'schema'].map((path) => `/api/v1/ogc/collections/<LEVEL>/${path}`),
];

/** Longest values of headers: node:http takes 16 KiB of request line and headers together. */
const HEADER_CHARS = 15_000;
const commas = ','.repeat(HEADER_CHARS);

/** What the odd dataset has: a GID of most of its units, many of them at one point, and a cell of many edges. */
export const ODD = { gid: 'same', x: 10.005, y: 10.005, dense: '20.0000001,20.0000001' } as const;

/** What a row costs: when it is asked for the first time, and the median of the next ones, none of which is known. */
export interface RowCost {
  row: WorstValue;
  status: number | undefined;
  first: TurnCost;
  cpuMs: number;
  longestMs: number;
}

const RUNS = 5;

/** Milliseconds of a turn, at most. */
export const TURN_MAX_MS = 20;

/** What each row costs a service of an output folder. @param release its id */
export async function costsOf(out: string, release: string, isMeant = (_: WorstValue) => true): Promise<RowCost[]> {
  const service = await startService(out, { trustProxy: ['127.0.0.1'], metadata: true });
  const rows = worstValues(factsOf(join(out, releasePath(release)))).filter(isMeant);
  const costs: RowCost[] = [];
  for (const row of rows) {
    const runs: TurnCost[] = [];
    for (let i = 0; i <= RUNS; i++) runs.push(await costOf(service, headOf(row, i)));
    const [first, ...more] = runs;
    const medianOf = (of: (run: TurnCost) => number): number =>
      elementAt(
        more.map(of).sort((a, b) => a - b),
        RUNS >> 1,
      );
    const status = first?.response?.status;
    if (first === undefined) continue;
    costs.push({
      row,
      status,
      first,
      cpuMs: medianOf((run) => run.cpuMs),
      longestMs: medianOf((run) => run.longestMs),
    });
  }
  return costs;
}

/** The request of a row. @param i each is another target: none is answered from the response cache */
export function headOf({ path, method = 'GET', headers, isPublic }: WorstValue, i: number): string {
  const isLong = path.length > 1000 || isPublic === true;
  const target = isLong ? path : `${path}${path.includes('?') ? '' : '?'}${'&'.repeat(i)}`;
  const token = isPublic ? {} : AUTHORIZED;
  const all = { host: 'a.test', connection: 'close', 'accept-encoding': 'gzip', ...token, ...headers };
  return [`${method} ${target} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)].join(
    '\r\n',
  );
}

/** A row with what it costs, as a line. */
export function lineOf({ row, status, first, cpuMs, longestMs }: RowCost): string {
  const figures = [first.cpuMs, first.longestMs, cpuMs, longestMs].map((ms) => ms.toFixed(1).padStart(8));
  return `${row.of.padEnd(30)} ${row.what.padEnd(32)} ${String(status).padEnd(5)}${figures.join('')}`;
}

/** Facts of a release. @param root its folder */
export function factsOf(root: string): WorstFacts {
  const { levels } = readRelease(root);
  const [level = 0] = LEVELS.toSorted((a, b) => elementAt(levels, b).features - elementAt(levels, a).features);
  const index = readIndex(root, level);
  const countries = elementAt(index.columns, 0);
  const numbers = Array.from({ length: countries.size }, (_, number) => number);
  const [largest = 0] = numbers.sort((a, b) => countries.countAt(b) - countries.countAt(a));
  const own = elementAt(index.columns, level);
  const { tiles } = elementAt(levels, level);
  const { features } = index;
  const above = index.columns[level - 1];
  const parent = above && above.size > 0 ? above.gidAt(above.size >> 1) : undefined;
  return {
    level,
    features,
    parent,
    country: countries.gidAt(largest),
    gid: own.gidAt(own.size >> 1),
    maxzoom: tiles?.maxzoom,
  };
}

/** The table. */
export function worstValues({ level, features, country, gid, parent: above, maxzoom }: WorstFacts): WorstValue[] {
  const lv = levelName(level);
  const [own, parent] = [encodeURIComponent(gid), encodeURIComponent(country)];
  const page = `/api/v1/fc/${lv}`;
  const none = `${page}?geometry=none`;
  const items = `/api/v1/ogc/collections/${lv}/items`;
  const download = `/api/v1/download/${lv}.geojsonl.gz`;
  const row = (of: string, what: string, path: string, more: Partial<WorstValue> = {}): WorstValue => {
    return { of, what, path, ...more };
  };
  const place = `${ODD.x},${ODD.y}`;
  const range = { headers: { range: 'bytes=0-0' }, status: 206 };
  const end = { headers: { range: 'bytes=-1' }, status: 206 };
  const parameters = [
    row('page-size', 'a page of 1,000', `${none}&page-size=1000`),
    row('geometry', 'full, as much as a page may have', page),
    row('start-at', 'the last unit', `${none}&start-at=${Number.MAX_SAFE_INTEGER}`),
    row('start-after', 'in the middle', `${none}&start-after=${features}`),
    row('gid-0', 'the largest country', `${none}&gid-0=${parent}&page-size=1000`),
    ...LEVELS.filter((other) => other > 0 && other < level).map((other) =>
      row(`gid-${other}`, 'of no unit', `${none}&gid-0=${parent}&gid-${other}=none`),
    ),
    row(`gid-${level}`, 'a unit', `${none}&gid-${level}=${own}`),
    ...LEVELS.filter((other) => other > level).map((other) =>
      row(`gid-${other}`, 'of no filter', `${none}&gid-${other}=${own}`, { status: 400 }),
    ),
    row('bbox', 'the world', `${none}&bbox=-180,-90,180,90&page-size=1000`),
    row('bbox', 'a hemisphere', `${none}&bbox=-180,-90,0.0000001,0.0000001&page-size=1000`),
    row('bbox', 'without height, around the world', `${none}&bbox=-180,10.1234567,180,10.1234567`),
    row('bbox', 'with 100 decimals', `${none}&bbox=${['0', '0', '9', '9'].map((n) => `${n}.${'1'.repeat(100)}`)}`, {
      status: 400,
    }),
    row('contains', 'many units at a point', `${none}&contains=${place}`),
    row('contains', 'a cell of many edges', `${none}&contains=${ODD.dense}`),
    row('touches', 'a unit', `${none}&touches=${own}`),
    row('touches', 'a GID of many units', `${none}&touches=${ODD.gid}`),
    row('point', 'many units at a point', `/api/v1/at?point=${place}`),
    row('point', 'with their full geometry', `/api/v1/at?point=${place}&geometry=full`),
    row('point', 'a cell of many edges', `/api/v1/at?point=${ODD.dense}`),
    row('gid', 'the largest country', `/api/v1/children?gid=${parent}`),
    ...(above === undefined
      ? []
      : [row('gid', 'a parent of these', `/api/v1/children?gid=${encodeURIComponent(above)}&page-size=1`)]),
    row('gid', 'of no unit', `/api/v1/children?gid=${'x'.repeat(1000)}`, { status: 404 }),
    row('lang', 'no language', `/api/v1/at?point=${place}&lang=${'x'.repeat(1000)}`, { status: 400 }),
    ...['u u u u u u u u x', 'u 12', '1 2', 'u', '1', 'u u', 'unit u u u u', 'k', gid, ODD.gid, 'x'.repeat(100)].map(
      (text) => row('q', text.slice(0, 20), `/api/v1/search?q=${encodeURIComponent(text)}`),
    ),
    row('q', '50 words', `/api/v1/search?q=${Array(50).fill('u').join('+')}`),
    row('q', '50 names, of no unit', `/api/v1/search?q=${Array(50).fill('u').join('/')}&gid-0=none`),
    row('limit', '100 units of a search', '/api/v1/search?q=u&limit=100&geometry=low'),
    row('limit', '100 of descending names', '/api/v1/search?q=k&limit=100'),
    row('limit', '10,000 items', `${items}?limit=10000&geometry=none`),
    row('level', 'a level of a search', `/api/v1/search?q=u&level=${lv}&gid-0=${parent}`),
    row('datetime', 'no time', `${items}?datetime=2026-11-23Tx:60Z`, { status: 400 }),
    row('f', 'json', `${items}?f=json&limit=1`),
    row('columns', 'the largest country', `${items}?GID_0=${parent}&limit=10000&geometry=none`),
    row('release', 'no release', `${download}?release=${'x'.repeat(1000)}`, { status: 410 }),
    row('v', 'no release', `/api/v1/tiles/${lv}/0/0/0.mvt?v=${'0'.repeat(64)}`, { status: 410 }),
    row('query', '2,000 unknown parameters', `${none}${'&a=1'.repeat(2000)}`, { status: 400 }),
    row('query', '7,000 ampersands', `${none}${'&'.repeat(7000)}`),
    row('query', 'percent signs', `${none}&gid-0=${'%41'.repeat(2000)}`),
  ];
  const scattered = `bbox=-180,-60,180,60&gid-0=${parent}`;
  const files = [
    row('download', 'a scattered listing', `${download}?${scattered}&geometry=none`),
    row('download', 'its length', `${download}?${scattered}&geometry=low`, { method: 'HEAD' }),
    row('download', 'its last byte', `${download}?${scattered}&geometry=point`, end),
    row('download', 'the last byte of all', download, end),
    row('cells', 'a byte', `/api/v1/download/${lv}.cells`, range),
    row('parquet', 'a byte', `/api/v1/download/${lv}.parquet`, range),
    row('neighbours.csv.gz', 'a byte', `/api/v1/download/${lv}.neighbours.csv.gz`, range),
    row('items', 'a scattered box', `${items}?bbox=-180,-60,180,60&limit=10000&geometry=none`),
    row('geojsonl', 'a page', `/api/v1/geojsonl/${lv}?gid-0=${parent}&geometry=low`),
    row('geojson.gz', 'its last byte', `/api/v1/download/${lv}.geojson.gz?${scattered}`, end),
    row('names', 'whole', `/api/v1/names/${lv}`),
    row('names', 'as text', `/api/v1/names/${lv}`, { headers: { 'accept-encoding': 'identity' } }),
    row('changes', 'a pair that there is not', `/api/v1/changes/${'a'.repeat(1000)}..b.csv`, { status: 404 }),
    ...DOCUMENTS.map((path) => row(path, 'whole', path.replace('<LEVEL>', lv))),
    ...(maxzoom === undefined
      ? []
      : [
          row('tiles', 'the description', `/api/v1/tiles/${lv}.json`),
          row('tiles', 'the first one', `/api/v1/tiles/${lv}/${maxzoom}/0/0.mvt`, { status: 204 }),
          row('pmtiles', 'a byte', `/api/v1/download/${lv}.pmtiles`, range),
        ]),
    ...['/about.json', '/openapi.json', '/docs', '/', '/healthz', '/readyz'].map((path) =>
      row(path, 'without a token', path, { isPublic: true }),
    ),
    row('path', '7,000 slashes', `/api/v1${'/'.repeat(7000)}`, { status: 404 }),
  ];
  const header = (name: string, value: string, more: Partial<WorstValue> = {}): WorstValue =>
    row(name, `15,000 characters: ${value.slice(0, 5)}...`, `${none}&page-size=1`, {
      ...more,
      headers: { [name]: value },
    });
  const headers = [
    header('accept-encoding', commas),
    header('accept-encoding', commas, { path: '/openapi.json', isPublic: true }),
    header('if-none-match', commas),
    header('if-none-match', '"a",'.repeat(HEADER_CHARS / 4)),
    header('if-match', commas, { status: 412 }),
    header('range', `bytes=${'0-1,'.repeat(HEADER_CHARS / 4)}`, { path: download, method: 'HEAD' }),
    header('if-range', '"'.repeat(HEADER_CHARS), { path: download, method: 'HEAD' }),
    header('authorization', `Bearer ${'a.'.repeat(HEADER_CHARS / 2)}`, { status: 401 }),
    header('authorization', `${' '.repeat(HEADER_CHARS)}x`, { status: 401 }),
    header('x-forwarded-for', commas),
    header('x-forwarded-host', commas, { status: 400 }),
    header('x-forwarded-proto', commas),
    header('origin', commas),
    header('access-control-request-method', commas),
    header('host', 'a'.repeat(HEADER_CHARS), { status: 400 }),
    header('expect', commas, { status: 417 }),
    header('content-length', '0'.repeat(HEADER_CHARS), { status: 400 }),
    header('transfer-encoding', commas, { status: 400 }),
  ];
  return [...parameters, ...files, ...headers];
}
