// `bbox` and `contains` at their edges, through the door: holes, enclaves, overlaps, the antimeridian, a pole, borders,
// few and many decimals; releases without cells, and damaged ones.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Cells, decodeCells } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { cellsPath, neighboursTablePath, releasePath } from '../../format/layout.ts';
import { GEOMETRIES, type Level } from '../../format/levels.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { fetchHostOrigin } from '../../proxy/origin/fetch-host.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { fidsOf, refusal, send } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { type RunningHost, startStaticHost } from '../support/http/static-host.ts';
import { anyPlace } from '../support/listings.ts';
import { inBox, placedLevel } from '../support/places.ts';
import { buildCountries, buildUnits, WHOLE } from '../support/releases/build-release.ts';
import { worldOutput } from '../support/releases/world.ts';
import { seedsOf } from '../support/slice.ts';

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

test('a release that was built without cells or neighbours says so, and answers everything else', async () => {
  const proxy = await startService(await buildCountries());
  for (const target of ['fc/lv0?contains=1,1', 'fc/lv5?contains=1,1', 'at?point=1,2&geometry=full'])
    assert.match(refusal(await send(proxy, `/api/v1/${target}`), 400, 'bad-parameter'), /--no-cells/);
  for (const target of ['fc/lv0', 'geojsonl/lv5', 'download/lv1.geojsonl.gz', 'ogc/collections/lv0/items'])
    assert.match(
      refusal(await send(proxy, `/api/v1/${target}?touches=AAA`), 400, 'bad-parameter'),
      /^touches is not possible: this release was built with --no-neighbours\.$/,
    );
  for (const [path, detail] of [
    ['lv0.cells', 'no cells: it was built with --no-cells'],
    ['lv5.cells', 'no cells: it was built with --no-cells'],
    ['lv0.neighbours.csv.gz', 'no neighbours: it was built with --no-neighbours'],
  ] as const) {
    const target = `/api/v1/download/${path}`;
    assert.equal((await send(proxy, target, {}, 'HEAD')).status, 404);
    assert.ok(refusal(await send(proxy, target), 404, 'not-found').startsWith(`Release r1 has ${detail}`), path);
  }
  assert.deepEqual(fidsOf(await send(proxy, '/api/v1/fc/lv0?bbox=1,1,1,1')), [1]);
});

test('a page that is empty by exchanged numbers, or by small letters in a GID, leads to the one that was meant', async () => {
  const proxy = await startService(countries);
  const ask = async (query: string) => {
    const { status, headers } = await send(proxy, `/api/v1/fc/lv1?page-size=7&${query}`);
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
    assert.ok(fidsOf(await send(proxy, target)).length > 0, link);
  }
  // Where nothing matches that, either, or nobody knows which filter is wrong.
  for (const query of [
    'contains=-40,-41',
    'contains=2.5,10.5&gid-0=AAA',
    'contains=2.5,10.5&bbox=0,0,20,20',
    'gid-0=zz',
  ])
    assert.deepEqual(await ask(query), { status: 200, matched: '0', link: undefined }, query);
});

test('a damaged cell is 502, never another unit, until it is mended', async () => {
  // Every bit of one is tried in generator/cell-files.test.ts; what becomes of the directory, in origin/on-demand.test.ts.
  const file = join(release, cellsPath(2));
  const bytes = readFileSync(file);
  const proxy = await startService(countries);
  const ask = () => send(proxy, '/api/v1/fc/lv2?contains=1.5,3.5');
  for (const at of [cellsOf(countries, 2).bytes, bytes.length - 1]) {
    writeFileSync(file, bytes.with(at, elementAt(bytes, at) ^ 1));
    refusal(await ask(), 502, 'origin-damaged');
  }
  writeFileSync(file, bytes);
  assert.deepEqual(fidsOf(await ask()), [4]);
});

test('of a static host the directory and the bytes of one cell are read, once', async () => {
  const host = await startStaticHost(countries);
  const proxy = await startService(countries, { origin: staticHostOrigin({ url: host.url, headers: {} }) });
  host.asked.length = 0;
  for (const [i, query] of ['geometry=none', 'geometry=none', 'gid-0=AAA', 'bbox=1,3,2,4'].entries()) {
    assert.deepEqual(fidsOf(await send(proxy, `/api/v1/fc/lv2?contains=1.5,3.5&${query}`)), [4]);
    const [first, second, ...more] = rangesOfCells(host, 'lv2');
    const { bytes, fileBytes } = cellsOf(countries, 2);
    assert.deepEqual([first, more], [`bytes=0-${bytes - 1}`, []], `request ${i}`);
    assert.equal(second, `bytes=${bytes}-${fileBytes - 1}`, 'the level has one cell');
  }
});

function cellsOf(folder: string, level: Level): Cells {
  const file = cellsPath(level);
  return decodeCells(readFileSync(join(folder, releasePath('r1'), file)), file);
}

/** The ranges of the cells of a level that a host was asked for. */
function rangesOfCells({ asked }: RunningHost, level: string): string[] {
  return asked.filter(({ url }) => url.endsWith(`/${level}/cells.bin`)).map(({ headers }) => String(headers.range));
}

test('of a box that meets a damaged cell nothing is answered or kept; what is kept of it is read no more', async () => {
  const file = join(release, cellsPath(2));
  const bytes = readFileSync(file);
  const damaged = bytes.with(-1, elementAt(bytes, bytes.length - 1) ^ 1);
  const host = await startStaticHost(countries);
  for (const origin of [directoryOrigin(countries), staticHostOrigin({ url: host.url, headers: {} })]) {
    const proxy = await startService(countries, { origin });
    const ask = (query: string) => send(proxy, `/api/v1/fc/lv2?${query}`);
    writeFileSync(file, damaged);
    for (let i = 0; i < 2; i++) refusal(await ask('bbox=1.2,3.2,1.4,3.4'), 502, 'origin-damaged');
    writeFileSync(file, bytes);
    assert.deepEqual(fidsOf(await ask('bbox=1.2,3.2,1.4,3.4')), [4]);
    host.asked.length = 0;
    writeFileSync(file, damaged);
    for (const query of ['bbox=1.2,3.2,1.3,3.3', 'contains=1.5,3.5']) assert.deepEqual(fidsOf(await ask(query)), [4]);
    assert.deepEqual(rangesOfCells(host, 'lv2'), []);
    writeFileSync(file, bytes);
  }
});

test('a level without features has no unit at any point, whatever the origin: no host is asked for no bytes', async () => {
  const { bytes, fileBytes } = cellsOf(countries, 5);
  assert.deepEqual([bytes, fileBytes], [60, 60], 'the directory of one cell without bytes');
  const host = await startStaticHost(countries);
  const hosts = [staticHostOrigin({ url: host.url, headers: {} }), fetchHostOrigin(host.url, {})];
  for (const origin of [directoryOrigin(countries), ...hosts]) {
    const proxy = await startService(countries, { origin });
    for (const geometry of GEOMETRIES)
      assert.deepEqual(fidsOf(await send(proxy, `/api/v1/fc/lv5?contains=1,1&geometry=${geometry}`)), []);
  }
  assert.deepEqual(rangesOfCells(host, 'lv5'), ['bytes=0-59', 'bytes=0-59']);
  for (const origin of hosts) await assert.rejects(origin.read('current.json', { offset: 9, length: 0 }), RangeError);
});

test('of damaged cells or neighbours a download sends nothing wrong, and is right once they are mended', async () => {
  const folder = await worldOutput({ pages: 'none', isChanged: true });
  const { url } = await startStaticHost(folder);
  for (const origin of [directoryOrigin(folder), staticHostOrigin({ url, headers: {} })])
    for (const [name, of, first] of [
      ['cells', cellsPath, cellsOf(folder, 2).bytes],
      ['neighbours.csv.gz', neighboursTablePath, 0],
    ] as const) {
      const file = join(folder, releasePath('r1'), of(2));
      const intact = readFileSync(file);
      const last = intact.length - 1;
      const proxy = await startService(folder, { origin });
      const path = `/api/v1/download/lv2.${name}`;
      const part = (range: string) => send(proxy, path, { range: `bytes=${range}` });
      for (const damaged of [intact.with(last, elementAt(intact, last) ^ 1), intact.subarray(0, -1)]) {
        writeFileSync(file, damaged);
        const whole = await send(proxy, path).catch(() => undefined);
        assert.ok(whole?.status !== 200, `${name}: looks right`);
        refusal(await part(`${last}-`), 502, 'origin-damaged');
        // The directory of cells is in memory.
        if (first > 0) assert.ok((await part(`0-${first - 1}`)).body.equals(intact.subarray(0, first)));
      }
      writeFileSync(file, intact);
      assert.ok((await send(proxy, path)).body.equals(intact));
      assert.ok((await part(`${last}-`)).body.equals(intact.subarray(last)));
    }
});
