// `bbox`, `contains` and what is at a point of all levels at their edges, through the door: holes, enclaves, overlaps,
// the antimeridian, a pole, borders, few and many decimals; releases without cells, and damaged ones. What is at any
// point is compared with a model by contract/any-request.ts.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Cells, decodeCells } from '../../../../format/cells.ts';
import { elementAt } from '../../../../format/element-at.ts';
import { plainDecimal } from '../../../../format/grid.ts';
import { cellsPath, releasePath } from '../../../../format/layout.ts';
import type { Level } from '../../../../format/levels.ts';
import { BBOX, CONTAINS, POINT } from '../../../../proxy/features/places/place-parameters.ts';
import { directoryOrigin } from '../../../../proxy/origin/directory.ts';
import { staticHostOrigin } from '../../../../proxy/origin/static-host.ts';
import { readStored } from '../../../support/datasets/large-dataset.ts';
import { fidsOf, refusal, send, textOf } from '../../../support/http/http-client.ts';
import { authorizedWith, startService } from '../../../support/http/in-process-proxy.ts';
import { type RunningHost, startStaticHost } from '../../../support/http/static-host.ts';
import { anyPlace } from '../../../support/listings.ts';
import { inBox, placedLevel } from '../../../support/places.ts';
import { buildCountries, buildUnits, WHOLE } from '../../../support/releases/build-release.ts';
import { seedsOf } from '../../../support/slice.ts';

/** Units of every kind of place, with an uneven border between 7 and 8. */
const UNITS: readonly (string | null)[] = [
  'POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2),(5 5,5 9,9 9,9 5,5 5))',
  'POLYGON((2 2,4 2,4 4,2 4,2 2))',
  'MULTIPOLYGON(((6 6,8 6,8 8,6 8,6 6)),((20 0,21 0,21 1,20 1,20 0)),((30 -60,31 -60,31 -50,30 -50,30 -60)))',
  'MULTIPOLYGON(((170 0,180 0,180 11,175 7,170 0)),((-180 0,-170 5,-175 9,-180 11,-180 0)))',
  'POLYGON((170 20,180 20,-170 25,-175 29,-180 31,175 27,170 20))',
  'POLYGON((-180 -90,180 -90,180 -70,0 -60,-180 -70,-180 -90))',
  'POLYGON((40 0,45.123456789 0,45.5 1.987654321,44.444444444 3.3,45.000000001 5,40 5,40 0))',
  'POLYGON((50 0,50 5,45.000000001 5,44.444444444 3.3,45.5 1.987654321,45.123456789 0,50 0))',
  'POLYGON((43 1,47 1,47 4,43 4,43 1))',
  null,
  'POLYGON((-180 80,-60 80,60 80,180 80,180 82,60 82,-60 82,-180 82,-180 80))',
  'POLYGON((179 -5,180 -5,180 -4,179 -4,179 -5))',
  'POLYGON((177 -19,-178 -19,-178 -16,177 -16,177 -19))',
];

/** Points and boxes that are compared, each with every precision. */
const QUESTIONS = 100;

const OPTIONS = { accept: ['empty-geometries'], geometries: ['full', 'none'] } as const;

for (const precision of [3, 7, 9])
  test(`with ${precision} decimals every point and box selects the units that the published text says`, async () => {
    const folder = await buildUnits(UNITS, { ...OPTIONS, precision });
    const proxy = await startService(folder);
    const placed = placedLevel(elementAt(readStored(folder, 'r1'), 0).lines, precision);
    const { bbox, contains } = anyPlace(placed, precision);
    const assertSelects = async (query: string, positions: readonly number[]): Promise<void> => {
      const answer = await send(proxy, `/api/v1/geojsonl/lv0?geometry=none&${query}`);
      const fids = positions.map((position) => position + 1);
      assert.deepEqual(fidsOf(answer), fids, query);
    };
    const seed = elementAt(seedsOf(1), 0);
    const isRight = fc.asyncProperty(contains, bbox, async (point, box) => {
      const [longitude = '', latitude = ''] = point.split(',');
      await assertSelects(`contains=${point}`, placed.containing(longitude, latitude));
      await assertSelects(`bbox=${box}`, inBox(placed, box));
    });
    await fc.assert(isRight, { seed, numRuns: QUESTIONS });
  });

test('holes, enclaves, islands, overlaps, borders, antimeridian and pole', async () => {
  const units = await startService(await buildUnits(UNITS, OPTIONS));
  const places: readonly (readonly [fids: readonly number[], ...points: string[]])[] = [
    [[1], '1,1'],
    [[2], '3,3'],
    [[], '5.5,5.5', '0,25', '0,90'],
    [[3], '7,7', '20.5,0.5', '30.5,-55'],
    [[4], '180,5', '-180,5', '-171,5'],
    [[5], '175,25', '-172,25', '180,30'],
    [[6], '0,-90', '77,-90', '-180,-75', '0,-61'],
    [[7, 9], '44,2'],
    [[8, 9], '46,2'],
    [[7], '41,2'],
    [[11], '12.5,81'],
  ];
  const at = async (point: string): Promise<number[]> =>
    fidsOf(await send(units, `/api/v1/fc/lv0?geometry=none&contains=${point}`));
  for (const [expected, ...points] of places)
    for (const point of points) assert.deepEqual(await at(point), expected, point);
  // The border of 7 and 8, point by point: each in exactly one of them; 9 lies across. Its upper end is on the outer
  // border of both.
  const border = ['45.123456789,0', '45.5,1.9876543', '44.4444444,3.3', '44.7222222,4.15', '44.9999999,4.9999997'];
  for (const point of border) assert.match((await at(point)).join(), /^[78](,9)?$/, point);
  // What boxes find at such places is in boxes.test.ts.
});

/** Countries with cells; what a test damages it mends. */
const countries = await buildCountries({ ...WHOLE, storedPages: 'none' });
const release = join(countries, releasePath('r1'));
const service = await startService(countries);
/** In a district of level 2. */
const DISTRICT = '1.5,3.5';

test('numbers with an exponent are those that they stand for, in point, contains and bbox', async () => {
  for (const [text, plain] of [
    ['7.5e-05', '0.000075'],
    ['-1.25E2', '-125'],
    ['12345e-3', '12.345'],
    ['0.5e+1', '5'],
    ['1.5e1', '15'],
    ['0e0', '0'],
    ['1e-45', `0.${'0'.repeat(40)}`],
    ['-12e-41', `-0.${'0'.repeat(39)}1`],
  ] as const)
    assert.equal(plainDecimal(text), plain);
  for (const text of ['', '1', 'e5', '1e', '1e1.5', '.5e1', '1e+', '1e1000', ' 1e1', 'NaN'])
    assert.equal(plainDecimal(text), text);
  const bodyOf = async (path: string): Promise<string> => {
    const answer = await send(service, `/api/v1/${path}`);
    assert.equal(answer.status, 200, path);
    return textOf(answer);
  };
  for (const [path, plain] of [
    ['at?point=1.5e0,3.5E%2B0', `at?point=${DISTRICT}`],
    ['fc/lv2?contains=15e-1,3500e-3', `fc/lv2?contains=${DISTRICT}`],
    ['fc/lv2?bbox=1e-1,0,15e-1,3.5', 'fc/lv2?bbox=0.1,0,1.5,3.5'],
  ] as const)
    assert.equal(await bodyOf(path), await bodyOf(plain));
});

test('the documents take the small numbers that programs write with an exponent', () => {
  for (const [parameter, text] of [
    [POINT, '1e-7,-4.5E-8'],
    [CONTAINS, '1.25e-10,89.5'],
    [BBOX, '-1e-7,-4.5e-8,1,2e-6'],
  ] as const) {
    const pattern = RegExp(
      `${Object.entries(parameter.document({}).schema).find(([name]) => name === 'pattern')?.[1]}`,
    );
    assert.match(text, pattern);
    for (const wrong of [text.replaceAll(/e-/gi, 'e5'), `1${text}`]) assert.doesNotMatch(wrong, pattern);
  }
});

test('a release that was built without cells or neighbours says so, and answers everything else', async () => {
  const proxy = await startService(await buildCountries());
  for (const target of ['fc/lv0?contains=1,1', 'fc/lv5?contains=1,1', 'at?point=1,2&geometry=full'])
    assert.match(refusal(await send(proxy, `/api/v1/${target}`), 400, 'bad-parameter'), /--no-cells/);
  for (const target of ['fc/lv0', 'geojsonl/lv5', 'download/lv1.geojsonl.gz', 'ogc/collections/lv0/items'])
    assert.equal(
      refusal(await send(proxy, `/api/v1/${target}?touches=AAA`), 400, 'bad-parameter'),
      'touches is not possible: this release was built with --no-neighbours.',
    );
  for (const [path, detail] of [
    ['lv0.cells', 'no cells: it was built with --no-cells'],
    ['lv5.cells', 'no cells: it was built with --no-cells'],
    ['lv0.neighbours.csv.gz', 'no neighbours: it was built with --no-neighbours'],
    ['lv0.parquet', 'no table of this level: it was built with --no-parquet, or'],
  ] as const) {
    const target = `/api/v1/download/${path}`;
    assert.equal((await send(proxy, target, {}, 'HEAD')).status, 404);
    assert.ok(refusal(await send(proxy, target), 404, 'not-found').startsWith(`Release r1 has ${detail}`), path);
  }
  assert.deepEqual(fidsOf(await send(proxy, '/api/v1/fc/lv0?bbox=1,1,1,1')), [1]);
});

test('a page that is empty by exchanged numbers, or by small letters in a GID, leads to the one that was meant', async () => {
  const ask = async (query: string) => {
    const { status, headers } = await send(service, `/api/v1/fc/lv1?page-size=7&${query}`);
    return { status, matched: headers['boundaries-matched'], link: headers.link && String(headers.link) };
  };
  const mistakes = [
    ['contains=2.5,10.5&start-at=3', 'page-size=7&contains=10.5,2.5'],
    ['gid-0=aaa&geometry=none', 'gid-0=AAA&geometry=none&page-size=7'],
    ['gid-0=aaa&bbox=0,0,20,20', 'gid-0=AAA&bbox=0,0,20,20&page-size=7'],
  ];
  for (const [query = '', meant = ''] of mistakes) {
    const { status, matched, link = '' } = await ask(query);
    assert.deepEqual([status, matched], [200, '0'], query);
    const [, target = '', asked = ''] = /^<https?:\/\/[^/]+(\/.*\?(.*))>; rel="alternate"$/.exec(link) ?? [];
    assert.deepEqual(asked.split('&').sort(), meant.split('&').sort(), link);
    assert.ok(fidsOf(await send(service, target)).length > 0, link);
  }
  // Where nothing matches that, either, or nobody knows which filter is wrong.
  const others = ['gid-0=AAA', 'bbox=0,0,20,20'].map((other) => `contains=2.5,10.5&${other}`);
  for (const query of ['contains=-40,-41', 'gid-0=zz', ...others])
    assert.deepEqual(await ask(query), { status: 200, matched: '0', link: undefined }, query);
});

test('of a static host the directory and the bytes of one cell are read, once', async () => {
  const host = await startStaticHost(countries);
  const proxy = await startService(countries, { origin: staticHostOrigin({ url: host.url, headers: {} }) });
  host.asked.length = 0;
  for (const [i, query] of ['geometry=none', 'geometry=none', 'gid-0=AAA', 'bbox=1,3,2,4'].entries()) {
    assert.deepEqual(fidsOf(await send(proxy, `/api/v1/fc/lv2?contains=1.5,3.5&${query}`)), [4]);
    const [first, second, ...more] = rangesOfCells(host);
    const { bytes, fileBytes } = cellsOf(countries, 2);
    assert.deepEqual([first, more], [`bytes=0-${bytes - 1}`, []], `request ${i}`);
    assert.equal(second, `bytes=${bytes}-${fileBytes - 1}`, 'the level has one cell');
  }
});

test('a hundred requests of five clients for a box that is new read its cells from a host once', async () => {
  const host = await startStaticHost(countries);
  const proxy = await startService(countries, { origin: staticHostOrigin({ url: host.url, headers: {} }) });
  // Brings the directory into memory.
  assert.deepEqual(fidsOf(await send(proxy, '/api/v1/fc/lv2?bbox=-40,-40,-39,-39')), []);
  host.asked.length = 0;
  const clients = await Promise.all(Array.from({ length: 5 }, (_, i) => authorizedWith({ sub: `client ${i}` })));
  const asked = Array.from({ length: 100 }, (_, i) =>
    send(proxy, `/api/v1/fc/lv2?bbox=1.2,3.2,1.4,3.4&page-size=${i + 1}`, clients[i % clients.length]),
  );
  for (const answer of await Promise.all(asked)) assert.deepEqual(fidsOf(answer), [4]);
  assert.equal(rangesOfCells(host).length, 1);
});

function cellsOf(folder: string, level: Level): Cells {
  const file = cellsPath(level);
  return decodeCells(readFileSync(join(folder, releasePath('r1'), file)), file);
}

/** The ranges of the cells of level 2 that a host was asked for. */
function rangesOfCells({ asked }: RunningHost): string[] {
  return asked.filter(({ url }) => url.endsWith('/lv2/cells.bin')).map(({ headers }) => String(headers.range));
}

test('of what meets a damaged cell nothing is answered or kept until it is mended; what is kept of it is read no more', async () => {
  // Every bit of one is tried in generator/borders/cell-files.test.ts; what becomes of the directory, in
  // proxy/bodies/damage.test.ts.
  const file = join(release, cellsPath(2));
  const bytes = readFileSync(file);
  const ends = [cellsOf(countries, 2).bytes, bytes.length - 1];
  const host = await startStaticHost(countries);
  for (const origin of [directoryOrigin(countries), staticHostOrigin({ url: host.url, headers: {} })]) {
    const proxy = await startService(countries, { origin });
    const ask = (query: string) => send(proxy, `/api/v1/fc/lv2?${query}`);
    const download = (range: string) => send(proxy, '/api/v1/download/lv2.cells', { range: `bytes=${range}` });
    const damage = (at: number): void => writeFileSync(file, bytes.with(at, elementAt(bytes, at) ^ 1));
    for (const at of ends) {
      damage(at);
      for (const query of ['bbox=1.2,3.2,1.4,3.4', `contains=${DISTRICT}`])
        refusal(await ask(query), 502, 'origin-damaged');
    }
    refusal(await download('-1'), 502, 'origin-damaged');
    // The directory of cells is in memory.
    assert.ok((await download('0-9')).body.equals(bytes.subarray(0, 10)));
    writeFileSync(file, bytes);
    assert.ok((await download('-1')).body.equals(bytes.subarray(-1)));
    assert.deepEqual(fidsOf(await ask('bbox=1.2,3.2,1.4,3.4')), [4]);
    host.asked.length = 0;
    damage(bytes.length - 1);
    for (const query of ['bbox=1.2,3.2,1.3,3.3', `contains=${DISTRICT}`])
      assert.deepEqual(fidsOf(await ask(query)), [4]);
    assert.deepEqual(rangesOfCells(host), []);
    writeFileSync(file, bytes);
  }
});

test('where nothing is, features are empty; if something is at the exchanged numbers, Link leads there', async () => {
  const sea = await send(service, '/api/v1/at?point=-40,-40');
  const none = { features: [], levels: [], gids: [], names: [] };
  assert.deepEqual(JSON.parse(textOf(sea)), { type: 'FeatureCollection', ...none });
  assert.deepEqual([sea.status, sea.headers['boundaries-matched'], sea.headers.link], [200, '0', undefined]);
  const exchanged = await send(service, '/api/v1/at?point=2.5,10.5');
  assert.equal(JSON.parse(textOf(exchanged)).features.length, 0);
  const [, target = ''] = /^<(.*)>; rel="alternate"$/.exec(String(exchanged.headers.link)) ?? [];
  assert.ok(target.endsWith('/api/v1/at?point=10.5,2.5'), target);
  const found = JSON.parse(textOf(await send(service, target.slice(new URL(target).origin.length))));
  assert.deepEqual(found.levels, ['lv0', 'lv1']);
  const there = await send(service, `/api/v1/at?point=${DISTRICT}`);
  assert.deepEqual([JSON.parse(textOf(there)).levels, there.headers.link], [['lv0', 'lv1', 'lv2'], undefined]);
});

test('a longitude just beyond 90 degrees, as it is written, is no latitude of exchanged numbers', async () => {
  for (const point of ['90.00000000000000000001,10', '-90.00000000000000000001,-10', '180.0,90.0']) {
    const { status, body, headers } = await send(service, `/api/v1/at?point=${point}`);
    assert.deepEqual([status, JSON.parse(body.toString()).features, headers.link], [200, [], undefined], point);
  }
  const beyond = await send(service, '/api/v1/at?point=180.00000000000000000001,10');
  assert.match(refusal(beyond, 400, 'bad-parameter'), /is no longitude/);
});

test('the link to the exchanged numbers keeps the geometry; where there is no none, the lightest one is usual', async () => {
  const { headers } = await send(service, '/api/v1/at?geometry=point&point=2.5,10.5');
  assert.match(String(headers.link), /\/api\/v1\/at\?point=10\.5,2\.5&geometry=point>; rel="alternate"$/);
  const other = await startService(await buildCountries({ ...WHOLE, geometries: ['full', 'point'] }));
  const [usual, point] = await Promise.all(
    ['', '&geometry=point'].map((more) => send(other, `/api/v1/at?point=${DISTRICT}${more}`)),
  );
  assert.deepEqual([usual?.status, usual?.body], [200, point?.body]);
  assert.equal(JSON.parse(textOf(usual ?? assert.fail())).features.length, 3);
});
