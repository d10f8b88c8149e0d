// Requests of every kind that the contract has: what a setup answers to them is compared with what the directory does
// (compare.ts). What the answers must be is asserted of the directory alone, by the rules.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf, encodeCursor } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import { cellsPath, namesPath, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { FORMATS, GEOMETRIES, LEVELS, type Level, levelName } from '../../format/levels.ts';
import { ODD_GIDS, type StoredLevel } from '../support/datasets/large-dataset.ts';
import { sha256Of } from '../support/files.ts';
import { NO_TOKEN, PREFLIGHT } from '../support/http/in-process-proxy.ts';
import { sliceOf } from '../support/slice.ts';
import { API, KINDS } from './kinds.ts';
import { itemsOf, ROOT as OGC } from './ogc-answers.ts';
import { REFUSED } from './refused.ts';
import { SCOPE } from './world.ts';

export interface Exchange {
  path: string;
  method?: string;
  headers?: Readonly<Record<string, string | undefined>>;
  /** Does the client hold the answer? It sends the entity tag of the answer before. */
  isHeld?: boolean;
  /** Claims of its token; the usual ones where left out. */
  claims?: Readonly<Record<string, unknown>>;
  /** Is it sent to the service with a public URL and a scope? */
  isConfigured?: boolean;
}

export interface Stage {
  release: string;
  hosted: readonly string[];
  exchanges: readonly Exchange[];
}

/** What requests are made of: an output folder, and its release r1 as stored. */
interface Made {
  folder: string;
  stored: readonly StoredLevel[];
}

const ITEMS = itemsOf(2);
/** In several units of the world, and in none. */
const POINTS = ['-60.5,20.25', '10.5,-3.7038', '-3.7038,10.5', '0,-90'];
const BOX = '-60.50,-40,60.5,40.000';

/** Files of c3 that are damaged, each in another way, and requests that read them. */
export function damageFiles(folder: string): void {
  const fileOf = (path: string): string => join(folder, releasePath('c3'), path);
  const names = readFileSync(fileOf(namesPath(0)));
  writeFileSync(fileOf(namesPath(0)), names.with(20, elementAt(names, 20) ^ 1));
  rmSync(fileOf(namesPath(1)));
  const cells = readFileSync(fileOf(cellsPath(2)));
  writeFileSync(fileOf(cellsPath(2)), cells.with(cells.length - 1, elementAt(cells, cells.length - 1) ^ 1));
}

/** Requests that are sent in this order, in stages. */
export function stagesOf(made: Made): Stage[] {
  const cursor = cursorsOf(made.folder, 'r1');
  const afterwards = afterASwitch(cursor);
  return [
    {
      release: 'r1',
      hosted: ['r1'],
      exchanges: [...sliceOf(listings(made, cursor)), ...answers(cursor), ...problems(cursor)],
    },
    { release: 'r2', hosted: ['r1', 'r2'], exchanges: afterwards },
    { release: 'r2', hosted: ['r2'], exchanges: afterwards },
    { release: 'c1', hosted: ['c1'], exchanges: filesOfCountries() },
    { release: 'c2', hosted: ['c1', 'c2'], exchanges: [...filesOfCountries(), ...get([`${API}/fc/lv0?geometry=low`])] },
    { release: 'm1', hosted: ['m1'], exchanges: manyUnits() },
    { release: 'c3', hosted: ['c3'], exchanges: damaged() },
  ];
}

type Cursors = (level: Level, position: number) => string;

function cursorsOf(folder: string, release: string): Cursors {
  const content = contentOf(sha256Of(join(folder, releasePath(release), RELEASE_FILE)));
  return (level, position) => encodeCursor({ release, content, level, position });
}

function get(paths: readonly string[], headers: Exchange['headers'] = {}): Exchange[] {
  return paths.map((path) => ({ path, headers }));
}

/** Every level in either format: with each geometry, from several places on, of some units. */
function listings({ stored }: Made, cursor: Cursors): Exchange[] {
  return FORMATS.flatMap((format) =>
    LEVELS.flatMap((level) => {
      const path = `${API}/${format}/${levelName(level)}`;
      const { units } = elementAt(stored, level);
      const last = units.length - 1;
      const filters = [`gid-0=${elementAt(units, last).gids[0]}`, `gid-${level}=none`];
      if (level > 0) filters.push(`gid-1=${encodeURIComponent(elementAt(ODD_GIDS, level))}`);
      const queries = [
        ...GEOMETRIES.map((geometry) => `geometry=${geometry}`),
        ...[0, Math.floor(last / 2), last].map((position) => `start-at=${cursor(level, position)}&page-size=9`),
        ...filters,
        level % 2 === 0 ? `bbox=${BOX}&geometry=none&page-size=7` : `contains=${POINTS[level % 3]}`,
        level % 2 === 0 ? 'start-after=20&page-size=3' : 'start-at=9007199254740991',
      ];
      const coding = level % 2 === 0 ? 'gzip' : 'identity';
      return get(
        queries.map((query) => `${path}?${query}`),
        { 'accept-encoding': coding },
      );
    }),
  );
}

/** One of each kind of answer, asked for in every way. */
function answers(cursor: Cursors): Exchange[] {
  const kinds = [
    ...KINDS,
    `${API}/fc/lv2?touches=same&geometry=none`,
    `${API}/geojsonl/lv2?gid-0=U0.3_1&geometry=low`,
    `${API}/fc/lv3?start-at=${cursor(3, 40)}`,
    `${API}/search?q=unit&level=lv1,lv3&limit=30`,
    `${API}/download/lv2.geojsonl.gz?gid-0=U0.3_1`,
    `${API}/download/lv1.geojson.gz?bbox=${BOX}&geometry=point`,
    ...[`${ITEMS}?limit=5&GID_1=same&f=json`, `${ITEMS}?start-at=${cursor(2, 40)}&limit=5`],
  ];
  const ways = kinds.flatMap((path): Exchange[] => [
    { path },
    { path, isHeld: true },
    { path, headers: { 'accept-encoding': 'gzip' } },
    { path, headers: { 'accept-encoding': 'gzip' }, isHeld: true },
    { path, headers: { 'accept-encoding': 'gzip' }, method: 'HEAD' },
    { path, headers: { range: 'bytes=7-90' } },
  ]);
  const download = `${API}/download/lv3.geojsonl.gz`;
  const searches = ['q=xqzw', 'q=UNIT&gid-0=U0.3_1', 'q=U2.40_1', 'q=form%20unit%203&level=lv2'];
  searches.push('q=unit%2012&limit=3&geometry=full');
  return [
    ...ways,
    ...get([...GEOMETRIES.map((geometry) => `${API}/at?point=${POINTS[1]}&geometry=${geometry}`)]),
    ...get(POINTS.map((point) => `${API}/at?point=${point}`)),
    ...get(searches.map((query) => `${API}/search?${query}`)),
    ...get(GEOMETRIES.map((geometry) => `${API}/download/lv2.geojson.gz?geometry=${geometry}&release=r1`)),
    ...['bytes=0-0', 'bytes=-9', 'bytes=9-', 'bytes=0-1,5-6', 'bytes=99999999-'].flatMap((range) => [
      ...get(
        [download, ...['lv0.cells', 'lv2.neighbours.csv.gz', 'lv2.parquet'].map((name) => `${API}/download/${name}`)],
        { range },
      ),
      ...get([download], { range, 'if-range': '"other"' }),
    ]),
    ...['"other"', '*'].flatMap((tag) =>
      get([`${API}/fc/lv2`, `${API}/names/lv2`, ITEMS, download], { 'if-match': tag, range: 'bytes=0-1' }),
    ),
    ...get([`${ITEMS}?limit=1000`, `${ITEMS}?bbox=-60,-40,0,60,40,9&limit=4`]),
    ...['POST', 'DELETE', 'OPTIONS'].map((method) => ({ path: `${API}/fc/lv2`, method })),
    { path: `${API}/fc/lv0`, method: 'OPTIONS', headers: PREFLIGHT },
    ...get(['/healthz', '/readyz', '/.well-known/api-catalog', '/openapi.json'], NO_TOKEN),
    ...get(['/.well-known/oauth-protected-resource'], NO_TOKEN),
    ...[{}, { scope: SCOPE }].flatMap((claims): Exchange[] =>
      [`${API}/fc/lv1`, OGC].map((path) => ({ path, claims, isConfigured: true })),
    ),
  ];
}

/** One of each problem that a request can have; of those of its query, one of each code for each path. */
function problems(cursor: Cursors): Exchange[] {
  const page = `${API}/fc/lv2`;
  const refused = Object.values(REFUSED)
    .flat()
    .map(([path, code]) => [`${path.split('?')[0]} ${code}`, `${API}/${path}`] as const);
  const unknown = [
    '/',
    '/api/',
    `${API}/fc/lv6`,
    ...[`${OGC}/collections/lv9`, `${ITEMS}/2000000`, '/releases/r1/release.json'],
    ...['geojsonl.gz', 'cells', 'neighbours.csv.gz', 'parquet'].map((name) => `${API}/download/lv2.${name}?release=r9`),
  ];
  return [
    ...get([...new Map(refused).values(), ...unknown]),
    ...get([`${page}?start-at=${cursor(3, 4)}`, `${page}?start-at=${cursor(2, 99_999)}`]),
    ...get([`${page}?gid-0=${'a'.repeat(9_000)}`]),
    ...[undefined, 'Basic eDp5', 'Bearer abc'].flatMap((authorization) => get([page, OGC], { authorization })),
    { path: page, claims: { exp: 1 } },
    { path: page, claims: { aud: 'other' } },
  ];
}

/** What began with the release before goes on, as long as it is hosted; what did not change keeps its tag. */
function afterASwitch(cursor: Cursors): Exchange[] {
  const rest = { range: 'bytes=9-' };
  return [
    ...get([`${API}/fc/lv2`, `${API}/geojsonl/lv3?page-size=7`, `${API}/geojsonl/lv3?page-size=50&start-at=110`]),
    ...get([`${API}/fc/lv2?start-at=${cursor(2, 40)}`, `${API}/geojsonl/lv3?geometry=low&start-at=${cursor(3, 110)}`]),
    ...get([`${API}/download/lv3.geojsonl.gz?release=r1`, `${API}/download/lv3.cells?release=r1`], rest),
    ...get([`${API}/download/lv3.geojsonl.gz`, `${API}/names/lv3`, `${API}/search?q=renamed`]),
    ...get([`${API}/at?point=${POINTS[0]}`]),
    ...get([`${ITEMS}?start-at=${cursor(2, 40)}`, `${API}/`, OGC, `${OGC}/collections`, `${API}/fc/lv5`]),
  ];
}

function filesOfCountries(): Exchange[] {
  const files = LEVELS.flatMap((level) => [
    `${API}/names/${levelName(level)}`,
    `${API}/download/${levelName(level)}.cells`,
    `${API}/download/${levelName(level)}.neighbours.csv.gz`,
  ]);
  return [...get(files, { 'accept-encoding': 'gzip' }), ...get([`${API}/fc/lv5`, `${API}/`, `${OGC}/collections`])];
}

function manyUnits(): Exchange[] {
  const pages = FORMATS.flatMap((format) =>
    GEOMETRIES.map((geometry) => `${API}/${format}/lv1?geometry=${geometry}&page-size=1001`),
  );
  return get([...pages, `${OGC}/collections/lv1/items?limit=9999&geometry=none`, `${API}/search?q=unit&limit=100`]);
}

function damaged(): Exchange[] {
  // Of two damaged files the first is named, once all levels are in memory.
  const files = ['names/lv0', 'names/lv1', 'fc/lv2?contains=0.5,3.5', 'fc/lv0', 'fc/lv1'];
  const paths = [...files, 'at?point=0.5,3.5', 'names/lv2', 'fc/lv2'];
  return paths.flatMap((path) => ['GET', 'HEAD'].map((method) => ({ path: `${API}/${path}`, method })));
}

const AS_USUAL = `Host: a.test\r\nConnection: close\r\nAuthorization: Bearer abc\r\n`;

/** Bytes of requests that are no HTTP, or hardly, by what they are. Each connection is closed. */
export const RAW: Readonly<Record<string, string>> = {
  nonsense: 'nonsense\r\n\r\n',
  'of another version': 'GET / HTTP/9.9\r\n\r\n',
  'with a space in the name of a header': `GET / HTTP/1.1\r\nHo st: a\r\n\r\n`,
  'with two tokens': `GET /api/ HTTP/1.1\r\n${AS_USUAL}Authorization: Bearer abc\r\n\r\n`,
  'with two hosts': `GET /healthz HTTP/1.1\r\n${AS_USUAL}Host: b.test\r\n\r\n`,
  'without a host': 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
  'with a long target': `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${AS_USUAL}\r\n`,
  'with a long header': `GET /healthz HTTP/1.1\r\n${AS_USUAL}X-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
  'with a header and a target that are longer': `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n${AS_USUAL}\r\n`,
  'of HTTP/1.0': 'GET /healthz HTTP/1.0\r\n\r\n',
  'with a body': `POST /api/ HTTP/1.1\r\n${AS_USUAL}Content-Length: 1\r\n\r\nx`,
  'with a body in chunks': `POST /api/ HTTP/1.1\r\n${AS_USUAL}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'with an expectation': `GET /healthz HTTP/1.1\r\n${AS_USUAL}Expect: 100-continue\r\n\r\n`,
};
