// The recipes for clients, run as they are printed: every unit of a listing, once, in order, unchanged; tables of
// figures from one release to another; Python's libraries of PyPI (desktop.long.ts has those of Debian).
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { docsPage } from '../../proxy/site/docs-page.ts';
import { ODD_GIDS, readStored } from '../support/datasets/large-dataset.ts';
import { readLayer } from '../support/datasets/read-layer.ts';
import { layerOf, square } from '../support/datasets/write-dataset.ts';
import { jsonLines } from '../support/files.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { type Ended, runProgram, without } from '../support/processes/programs.ts';
import { lastLine, recipesFor } from '../support/processes/recipes.ts';
import { withCompiledPrograms } from '../support/processes/typed-commands.ts';
import { codeIn, unescaped } from '../support/readme-code.ts';
import { buildCountries, buildLayers, WHOLE } from '../support/releases/build-release.ts';
import { publishPair } from '../support/releases/publish-pair.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = await worldOutput();
const proxy = await startService(folder);
const open = await startService(folder, { isPublic: true });
const stored = readStored(folder, 'r1');

const CLIENTS = 'proxy/examples/clients';
const README = 'proxy/examples/clients/README.md';

function run(program: string, args: string[], token = TOKEN): Promise<Ended> {
  return runProgram(program, args, { env: { ...process.env, TOKEN: token } });
}

/** A listing of four pages, under a parent whose GID needs care in a URL and in a shell, and the fids it has. */
const [parent = ''] = ODD_GIDS.filter((gid) => gid.startsWith('O'));
const query = `gid-1=${encodeURIComponent(parent).replaceAll("'", '%27')}&page-size=1`;
const under = (stored[2]?.units ?? []).filter(({ gids }) => gids[1] === parent).map(({ fid }) => fid);
/** Regions of Spain: one with a hole, one of two parts, and one without a shape. */
const RINGS = [
  layerOf('ADM_0', ['GID_0'], [[['ESP'], square(0, 0, 9)]]),
  layerOf(
    'ADM_1',
    ['GID_0', 'GID_1'],
    [
      [['ESP', 'ESP.1_1'], 'POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,2 1,1 1))'],
      [['ESP', 'ESP.2_1'], 'MULTIPOLYGON(((5 5,6 5,6 6,5 5)),((7 7,8 7,8 8,7 7)))'],
      [['ESP', 'ESP.3_1'], null],
    ],
  ),
];
const all = (stored[2]?.units ?? []).map(({ fid }) => fid);
const features = (stored[2]?.lines ?? []).map((line) => JSON.parse(line));

function fidsPrinted(text: string): number[] {
  return jsonLines(text).map(({ id }) => id);
}

assert.ok(under.length > 1 && all.length > 200, 'the recipes have something to walk');

const compiled = join(temporaryFolder(), 'walk.mjs');
buildSync({ entryPoints: [join(CLIENTS, 'walk.ts')], outfile: compiled });

/** The programs, the formats that they walk, what each needs, and what it says of a token that is refused. */
const WALKS = [
  ['curl', 'sh', join(CLIENTS, 'walk.sh'), ['geojsonl'], without('curl --version'), /"code":"token-invalid"/],
  ['Python', 'python3', join(CLIENTS, 'walk.py'), ['geojsonl', 'fc'], without('python3 --version'), /401/],
  ['fetch', process.execPath, compiled, ['geojsonl', 'fc'], false, /401/],
] as const;

for (const [what, program, file, formats, skip, refused] of WALKS) {
  const walk = (path: string, token = TOKEN): Promise<Ended> =>
    run(program, [file, `${proxy.url}/api/v1/${path}`], token);

  test(`${what} walks a listing, whole, under a parent and of nothing`, { skip }, async () => {
    for (const format of formats) {
      const { status, text } = await walk(`${format}/lv2`);
      assert.equal(status, 0, text.slice(0, 500));
      assert.deepEqual(jsonLines(text), features);
      if (what === 'curl') assert.ok(text === stored[2]?.lines.join(''));
      assert.deepEqual(fidsPrinted((await walk(`${format}/lv2?${query}`)).text), under);
      assert.deepEqual(await walk(`${format}/lv2?gid-0=NOPE`), { status: 0, text: '' });
    }
  });

  test(`${what} walks a public service without a token`, { skip }, async () => {
    const args = [file, `${open.url}/api/v1/${formats[0]}/lv2?${query}`];
    const { status, text } = await runProgram(program, args, { env: { ...process.env, TOKEN: undefined } });
    assert.equal(status, 0, text.slice(0, 500));
    assert.deepEqual(fidsPrinted(text), under);
  });

  test(`a walk of ${what} that is refused ends with an error that says why`, { skip }, async () => {
    const { status, text } = await walk(`${formats[0]}/lv2`, 'bad');
    assert.notEqual(status, 0);
    assert.match(text, refused);
  });
}

test('of pages that walk.sh has to ask for again, and of an error, nothing comes into the data', {
  skip: without('curl --version'),
}, async () => {
  const rules = { rate: { requests: 1, windowSeconds: 1 }, concurrency: undefined };
  const limited = await startService(folder, { rules });
  const into = (data: string, url: string, token?: string): Promise<Ended> =>
    run(
      'sh',
      ['-c', 'sh "$0" "$1" > "$2"', join(CLIENTS, 'walk.sh'), `${url}/api/v1/geojsonl/lv2?${query}`, data],
      token,
    );
  const data = join(temporaryFolder(), 'data');
  assert.equal((await into(data, limited.url)).status, 0);
  assert.deepEqual(fidsPrinted(readFileSync(data, 'utf8')), under);
  const { status, text } = await into(data, limited.url, 'bad');
  assert.deepEqual([status, readFileSync(data, 'utf8')], [22, '']);
  assert.match(text, /"code":"token-invalid"/);
});

test('the walk of /docs is a whole listing, when pasted', { skip: without('curl --version') }, async () => {
  const [, shown = ''] = /<code>(url=[^<]*)<\/code>/.exec(docsPage()) ?? [];
  const command = unescaped(shown);
  const target = /'http[^']*'/.exec(command)?.[0] ?? assert.fail();
  const there = `cd ${temporaryFolder()}\n${command.replace(target, `'${proxy.url}/api/v1/geojsonl/lv2'`)}`;
  const { status, text } = await run('sh', ['-c', there]);
  assert.equal(status, 0, text.slice(0, 500));
  assert.ok(text === stored[2]?.lines.join(''));
});

test('head after walk.py ends it without a traceback', { skip: without('python3 --version') }, async () => {
  const url = `${proxy.url}/api/v1/geojsonl/lv2?page-size=1`;
  const { status, text } = await run('sh', ['-c', 'python3 "$0" "$1" | head -n 1', join(CLIENTS, 'walk.py'), url]);
  assert.equal(status, 0);
  assert.deepEqual(fidsPrinted(text), all.slice(0, 1));
});

test('GDAL reads a page by its URL, in either format, with the token in a file of headers', {
  skip: without('ogrinfo --version'),
}, async () => {
  const file = join(temporaryFolder(), 'headers');
  writeFileSync(file, `Authorization: Bearer ${TOKEN}\n`);
  const token = ['--config', 'GDAL_HTTP_HEADER_FILE', file];
  for (const name of [`${proxy.url}/api/v1/fc/lv1`, `GeoJSONSeq:${proxy.url}/api/v1/geojsonl/lv1`]) {
    const { status, text } = await run('ogrinfo', ['-ro', '-al', '-so', ...token, name]);
    assert.equal(status, 0, text);
    assert.match(text, name.includes('/fc/') ? /Feature Count: 5\n/ : /Feature Count: 20\n/);
  }
});

test('the recipe for D3 turns every ring round: outer ones clockwise, holes the other way', async () => {
  // In place of D3, which only draws: what it is given.
  const d3 =
    'const geoMercator = () => ({ fitSize() {} }); const geoPath = () => ({ geometry }) => JSON.stringify(geometry);';
  const service = await startService(await buildLayers(RINGS, { ...WHOLE, accept: ['empty-geometries'] }), {
    isPublic: true,
  });
  const code = codeIn(README, 'js', 'geoPath').replace(/^import .*$/m, d3);
  const text = await recipesFor(service).node(code, 'console.log(svg);');
  const [polygon, multi, ...others] = [...text.matchAll(/d="(.*?)"\/>/g)].map(([, given = '']) => JSON.parse(given));
  const isClockwise = (points: readonly (readonly [number, number])[]): boolean =>
    points.reduce((sum, [x, y], i) => sum + x * (points[i + 1]?.[1] ?? y) - (points[i + 1]?.[0] ?? x) * y, 0) < 0;
  assert.deepEqual([polygon.type, polygon.coordinates.map(isClockwise)], ['Polygon', [true, false]]);
  assert.deepEqual([multi.type, multi.coordinates.flat().map(isClockwise)], ['MultiPolygon', [true, true]]);
  assert.deepEqual(others, []);
});

/** The blocks of commands of a section. */
function commandsIn(page: string, heading: string): string[] {
  const [, section = ''] = readFileSync(page, 'utf8').split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return Array.from(own.matchAll(/```sh\n(.*?)```/gs), ([, commands = '']) => commands);
}

test("the commands under 'Ask it' in the README, and the recipes that are commands of curl, work when pasted", {
  skip: without('curl --version', 'ogr2ogr --version', 'ogrinfo --version', 'jq --version'),
}, async () => {
  const out = await buildCountries({ ...WHOLE, tiles: 2 });
  const typed = temporaryFolder();
  const { home, sh } = recipesFor(await startService(out), { ...withCompiledPrograms(), TMPDIR: typed });
  symlinkSync(resolve('node_modules'), join(home, 'node_modules'));
  symlinkSync(out, join(home, 'output'));
  const [first = '', ...blocks] = commandsIn('README.md', 'Ask it');
  const recipes = ['Listings', 'Whole files', 'A form', 'One unit', 'A copy up to date'].flatMap((heading) =>
    commandsIn(README, heading),
  );
  const [base = '', token, auth = ''] = first.split('\n');
  assert.equal(token, 'TOKEN=$(npx tsx proxy/main.ts token --dev)');
  // What is refused is not saved: the download would go on behind it.
  const [continued = ''] = /^curl .*-C - .*$/m.exec(recipes.join('\n')) ?? [];
  await sh("AUTH='Authorization: Bearer none'", `${continued} && exit 1 || [ $? -eq 22 ]`);
  const printed: string[] = [];
  // The sample's units and places by others of the same levels.
  const elsewhere = { '-3.7038,40.4168': '0.5,0.5', '-4.5,39.5,-3,41': '-1,2.5,0.5,3.5' };
  const own = Object.entries({ ESP: 'AAA', lv3: 'lv2', NAME_3: 'NAME_2', ...elsewhere });
  for (const commands of [...blocks, ...recipes]) {
    const line = own.reduce((text, [from, to]) => text.replaceAll(from, to), commands);
    printed.push(await sh(base, auth, line));
  }
  const [point, search, links, map, copied, page, provinces, downloads = '', form, , copy] = printed;
  assert.equal(point, 'lv0 AAA Aland\nlv1 AAA.2_1 South\nlv2 AAA.2.1_1 Søst\n');
  // There is no Toledo.
  assert.equal(search, '');
  assert.match(String(links), /^HTTP\/1\.1 200 OK\r\n[^{]*Boundaries-Matched: 2\r\n[^{]*$/);
  assert.equal(readFileSync(join(home, 'regions.geojsonl'), 'utf8').split('\n').length, 3);
  assert.match(String(map), /\/tiles\/lv2\/\{z\}\/\{x\}\/\{y\}\.mvt/);
  assert.equal(JSON.parse(readFileSync(join(home, 'provinces.geojson'), 'utf8')).features.length, 3);
  assert.equal(copied, '');
  const withToken = readdirSync(typed).map((name) => statSync(join(typed, name)).mode & 0o777);
  assert.deepEqual(withToken, [0o600, 0o600]);
  assert.match(String(page), /^\{.*"Aland".*\}\n\{.*"Beland".*\}\n$/);
  // All, then those in the box.
  assert.equal(provinces, 'Næst\nSøst\nWüst "late"\nNæst\n');
  assert.doesNotMatch(downloads, /error/i);
  assert.equal(form, 'lv1\nAAA.1_1 North\nAAA.2_1 South\nlv2\nAAA.1.1_1 Næst\nAAA.1.2_1 Wüst "late"\n');
  assert.equal(copy, 'r1\n');
  assert.equal(readFileSync(join(home, 'unit.geojson'), 'utf8'), 'null\n');
  const unzipped = (name: string): string => gunzipSync(readFileSync(join(home, name))).toString();
  assert.equal(unzipped('boundaries-r1-lv2-AAA.geojsonl.gz').split('\n').length, 4);
  assert.equal(JSON.parse(unzipped('spain.geojson.gz')).features.length, 3);
  assert.equal(readLayer(join(home, 'spain.gpkg'), 'municipalities').length, 3);
  const municipalities = readLayer(join(home, 'municipalities.gpkg'), 'municipalities');
  assert.equal(municipalities.map(({ fid, fields }) => `${fid} ${fields['GID_0']}`).join(), '1 AAA,2 AAA,4 AAA');
});

test('a table of figures is carried to the units of another release by shares, and its sums stay', {
  skip: without('python3 --version', 'curl --version'),
}, async () => {
  const folder = temporaryFolder();
  /** Districts are squares: where each is, and its size. */
  const build = async (release: string, units: Readonly<Record<string, readonly [x: number, size?: number]>>) => {
    const districts = Object.entries(units).map(
      ([gid, [x, size]]) => [['ESP', 'ESP.1_1', gid], square(x, 0, size)] as const,
    );
    const layers = [
      layerOf('ADM_0', ['GID_0'], [[['ESP'], square(0, 0, 20)]]),
      layerOf('ADM_1', ['GID_0', 'GID_1'], [[['ESP', 'ESP.1_1'], square(0, 0, 20)]]),
      layerOf('ADM_2', ['GID_0', 'GID_1', 'GID_2'], districts),
    ];
    await buildLayers(layers, { release, accept: ['fewer-units'] }, folder);
  };
  await build('2025-11', { 'ESP.1.1_1': [0, 1], two: [1, 1], stays: [5], big: [8, 2], sinks: [15] });
  await build('2026-11', { joined: [0, 2], stays: [5], b1: [8, 1], b2: [9, 1] });
  await publishPair(folder, '2025-11', '2026-11');
  const { home, sh } = recipesFor(await startService(folder));
  writeFileSync(
    join(home, 'inhabitants.csv'),
    'gid,people,cows\nESP.1.1_1,100,1\ntwo,20,2\nstays,7,\nbig,1000,10\nsinks,3,1\n',
  );
  assert.match(await sh(codeIn(README, 'sh', 'carry.py')), /no successor: sinks/);
  assert.equal(
    readFileSync(join(home, 'carried.csv'), 'utf8'),
    'gid,people,cows\nb1,500,5\nb2,500,5\njoined,120,3\nstays,7,\n',
  );
  assert.match(await sh(codeIn(README, 'sh', 'successor-version')), /gid-2=joined>; rel="successor-version"/);
});

test('the commands of Cite and pin say what to cite, and leave a file with its digest', {
  skip: without('curl --version', 'jq --version', 'sha256sum --version'),
}, async () => {
  const { sh } = recipesFor(await startService(await buildCountries({ ...WHOLE, attribution: ['Aland Survey'] })));
  const cited = await sh(codeIn(README, 'sh', '.citation'));
  assert.match(
    cited,
    /^Aland Survey\. Administrative boundaries, release r1\. SHA-256 of release\.json: [0-9a-f]{64}\.\n/,
  );
  assert.match(cited, /\.gpkg\n/);
  await sh(codeIn(README, 'sh', 'regions.sha256'));
  assert.match(await sh('sha256sum -c regions.sha256'), /^regions\.geojson\.gz: OK/);
});

const NO_PYPI = without("python3 -c 'import geopandas, duckdb, owslib'", 'curl --version');

/** A bow, whose ring crosses itself, beside a square that shares its edge. */
const BOW = 'MULTIPOLYGON(((0 0,2 2,2 0,0 1,0 0)))';
const SQUARE = 'MULTIPOLYGON(((2 0,2 2,4 2,4 0,2 0)))';

test('geopandas, pandas, DuckDB and OWSLib of PyPI run the recipes', { skip: NO_PYPI }, async () => {
  const columns = ['GID_0', 'GID_1', 'NAME_1', 'GID_2', 'NAME_2'];
  const layers = [
    layerOf('ADM_0', ['GID_0'], [[['ESP'], SQUARE]]),
    layerOf('ADM_1', columns.slice(0, 3), [[['ESP', 'ESP.1_1', 'All'], SQUARE]]),
    layerOf('ADM_2', columns, [
      [['ESP', 'ESP.1_1', 'All', 'ESP.1.1_1', 'Bow'], BOW],
      [['ESP', 'ESP.1_1', 'All', 'ESP.1.2_1', 'Square'], SQUARE],
      [['ESP', 'ESP.1_1', 'All', 'ESP.1.3_1', 'Isle'], square(8, 8)],
    ]),
  ];
  const { sh, python } = recipesFor(await startService(await buildLayers(layers, WHOLE)));
  await sh(codeIn(README, 'sh', 'provinces.geojsonl.gz'));
  for (const [word, more, expected] of [
    // Without the recipe's line it is not valid.
    ['make_valid', 'len(regions), bool(regions.is_valid.all()), round(regions.area.sum(), 3)', '1 True 6.667'],
    ['read_json', "provinces.order('NAME_2').fetchall()[2][-2:]", "('Square', [2, 0, 4, 2])"],
    ['from_features', "list(provinces['NAME_2'])", "['Bow', 'Square', 'Isle']"],
    [
      "neighbours.csv.gz'))",
      "pairs[['gid', 'neighbour_gid']].fillna('').values.tolist()",
      // A square far from the others has a line, too.
      "[['ESP.1.1_1', 'ESP.1.2_1'], ['ESP.1.2_1', 'ESP.1.1_1'], ['ESP.1.3_1', '']]",
    ],
  ] as const)
    assert.equal(lastLine(await python(codeIn(README, 'python', word), `print(${more})`)), expected);
  const owslib = await python(
    'import os',
    'from owslib.ogcapi.features import Features',
    "headers = {'Authorization': 'Bearer ' + os.environ['TOKEN']}",
    "features = Features(os.environ['BASE'] + '/ogc', headers=headers)",
    "print([unit['id'] for unit in features.collection_items('lv2', limit=10)['features']])",
  );
  assert.equal(lastLine(owslib), '[1, 2, 3]');
});
