// `bbox` and `contains` at their edges, through the door: holes, enclaves, overlaps, the antimeridian, a pole, borders,
// few and many decimals; releases without cells, damaged ones and gone ones.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Cells, decodeCells } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { type Point, pointAt } from '../../format/grid.ts';
import { cellsPath, releasePath } from '../../format/layout.ts';
import { GEOMETRIES, type Level } from '../../format/levels.ts';
import { encodeDirectory } from '../../generator/write/build-cells.ts';
import { Needs } from '../../proxy/data/needs.ts';
import type { LoadedRelease } from '../../proxy/data/release.ts';
import { Releases } from '../../proxy/data/releases.ts';
import { pointOf, unitsAt } from '../../proxy/features/places/level-places.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { fetchHostOrigin } from '../../proxy/origin/fetch-host.ts';
import { type Origin, QueuedReads } from '../../proxy/origin/origin.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { countryRow } from '../support/datasets/small-datasets.ts';
import { type FixtureFeature, writeDataset } from '../support/datasets/write-dataset.ts';
import { fidsOf, nextOf, refusal, send, textOf, walk } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { type RunningHost, startStaticHost } from '../support/http/static-host.ts';
import { anyPlace } from '../support/listings.ts';
import { inBox, placedLevel } from '../support/places.ts';
import { buildCountries, buildRelease, buildUnchecked, WHOLE } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { worldOutput } from '../support/releases/world.ts';
import { seedsOf, sliceOf } from '../support/slice.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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

async function buildUnits(precision: number): Promise<string> {
  const features = UNITS.map((wkt, i): FixtureFeature => ({ fid: i + 1, values: [`A${i}`], wkt }));
  const folder = temporaryFolder();
  const layer = { name: 'ADM_0', columns: ['GID_0'], features };
  const source = writeDataset(join(folder, 'units.gpkg'), 'GPKG', [layer]);
  await buildUnchecked(source, folder, {
    precision,
    accept: ['empty-geometries'],
    geometries: ['full', 'none'],
    cells: true,
  });
  return folder;
}

for (const precision of [3, 7, 9])
  test(`with ${precision} decimals every point and box selects the units that the published text says`, async () => {
    const folder = await buildUnits(precision);
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
  const units = await startService(await buildUnits(7));
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
  for (const point of border) {
    const fids = await at(point);
    assert.ok(fids.includes(7) !== fids.includes(8), `${point}: ${fids}`);
    assert.ok(
      fids.every((fid) => [7, 8, 9].includes(fid)),
      `${point}: ${fids}`,
    );
  }
  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13];
  const boxes: readonly (readonly [fids: readonly number[], ...boxes: string[]])[] = [
    [[1], '10,10,10,10'],
    [[4], '179.5,1,-179.5,2', '-180,1,-180,2'],
    [[12], '180,-4.5,-180,-4.5', '-180,-4.5,-180,-4.5'],
    [[6], '0,-90,0,-90'],
    [[], '0,-18,1,-17', '100,33,160,40'],
    [[13], '179,-18,-179,-17'],
    [[11], '178,79,-178,80'],
    [[7, 8], '40,5,50,5'],
    [all, '-180,-90,180,90', '100,-90,99.9,90'],
  ];
  for (const [expected, ...bboxes] of boxes)
    for (const bbox of bboxes)
      assert.deepEqual(await walk(units, `/api/v1/fc/lv0?page-size=2&geometry=none&bbox=${bbox}`), expected, bbox);
});

/** Countries with cells; what a test damages it mends. */
const countries = await buildCountries({ ...WHOLE, storedPages: 'none' });
const release = join(countries, releasePath('r1'));

test('a release that was built without cells says so, and answers everything else', async () => {
  const proxy = await startService(await buildCountries());
  for (const target of ['fc/lv0?contains=1,1', 'fc/lv5?contains=1,1', 'at?point=1,2&geometry=full'])
    assert.match(refusal(await send(proxy, `/api/v1/${target}`), 400, 'bad-parameter'), /--no-cells/);
  for (const level of ['lv0', 'lv5']) {
    for (const method of ['GET', 'HEAD'])
      assert.equal((await send(proxy, `/api/v1/download/${level}.cells`, {}, method)).status, 404);
    const absent = await send(proxy, `/api/v1/download/${level}.cells`);
    assert.match(refusal(absent, 404, 'not-found'), /Release r1 has no cells: it was built with --no-cells/);
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

test('a flipped bit of cells.bin is 502, never another unit', async () => {
  const origin = directoryOrigin(countries);
  const cells = join(release, cellsPath(2));
  const bytes = readFileSync(cells);
  const place = pointOf({ precision: 7 }, { longitude: '1.5', latitude: '3.5' });
  const lookUpIn = async () => {
    const releases = new Releases(origin);
    await releases.refresh();
    return lookUp(releases.requireCurrent(), place, new QueuedReads(origin));
  };
  const { bytes: directory } = cellsOf(countries, 2);
  // An intact directory stays in memory; one that could not be read is tried again after five seconds.
  const known = await lookUpIn();
  for (const bit of sliceOf([...Array(8 * bytes.length).keys()])) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    const isOfDirectory = bit < 8 * directory;
    writeFileSync(cells, damaged);
    const { now, load } = isOfDirectory ? await lookUpIn() : known;
    assert.equal(now(), undefined, `bit ${bit}`);
    const expected = isOfDirectory ? /cells\.bin: SHA-256 is/ : { name: 'OriginError', reason: 'damaged' };
    await assert.rejects(load('one'), expected);
  }
  const proxy = await startService(countries, { origin });
  const ask = () => send(proxy, '/api/v1/fc/lv2?contains=1.5,3.5');
  refusal(await ask(), 502, 'origin-damaged');
  writeFileSync(cells, bytes);
  assert.deepEqual(fidsOf(await ask()), [4]);
});

test('a point is looked up in the next release when the files of this one are gone, and its cursor is 410', async () => {
  const folder = temporaryFolder();
  const source = writeDataset(join(folder, 'row.gpkg'), 'GPKG', [countryRow(3)]);
  for (const release of ['r1', 'r2']) await buildRelease(source, folder, { release, cells: true });
  pointTo(folder, 'r1', ['r1']);
  const { url } = await startStaticHost(folder);
  const proxy = await startService(folder, { origin: staticHostOrigin({ url, headers: {} }) });
  const cursor = nextOf(await send(proxy, '/api/v1/fc/lv0?page-size=1')) ?? assert.fail();
  renameSync(join(folder, releasePath('r1')), join(folder, 'gone'));
  assert.equal((await send(proxy, '/api/v1/fc/lv0?contains=1.5,0.5')).status, 502);
  pointTo(folder, 'r2', ['r2']);
  assert.equal((await send(proxy, cursor.replace('page-size=1', 'contains=1.5,0.5'))).status, 410);
  const answer = await send(proxy, '/api/v1/fc/lv0?contains=1.5,0.5');
  assert.deepEqual([answer.headers['boundaries-release'], fidsOf(answer)], ['r2', [2]]);
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

/** How the units of level 2 at a point are looked up: from what is in memory, and by bringing it there. */
function lookUp(release: LoadedRelease, place: Point, reads: QueuedReads) {
  const level = release.get(2) ?? assert.fail();
  return {
    now: () => unitsAt(level, place, new Needs(release, reads)),
    async load(principal: string): Promise<void> {
      const needs = new Needs(release, reads);
      while (unitsAt(level, place, needs) === undefined) await needs.bringIn(principal);
    },
  };
}

function cellsOf(folder: string, level: Level): Cells {
  const file = cellsPath(level);
  return decodeCells(readFileSync(join(folder, releasePath('r1'), file)), file);
}

/** The ranges of the cells of a level that a host was asked for. */
function rangesOfCells({ asked }: RunningHost, level: string): string[] {
  return asked.filter(({ url }) => url.endsWith(`/${level}/cells.bin`)).map(({ headers }) => String(headers.range));
}

/** A point in a cell without bytes: no unit is near. */
function emptyPlace(folder: string): string {
  const cells = cellsOf(folder, 2);
  for (let longitude = -180; longitude < 180; longitude++)
    for (let latitude = -90; latitude < 90; latitude++) {
      const { from, to } = cells.rangeOf(cells.cellAt(pointAt(`${longitude}`, `${latitude}`, 7) ?? assert.fail()));
      if (from === to && from > cells.bytes) return `${longitude},${latitude}`;
    }
  return assert.fail('every cell has units');
}

/** Ways to read the releases of a folder, and what the static host was asked for. */
async function originsOf(folder: string): Promise<{ open: Map<string, () => Origin>; host: RunningHost }> {
  const host = await startStaticHost(folder);
  const open = new Map<string, () => Origin>([
    ['a folder', () => directoryOrigin(folder)],
    ['a static host', () => staticHostOrigin({ url: host.url, headers: {} })],
    ['a static host by fetch', () => fetchHostOrigin(host.url, {})],
  ]);
  return { open, host };
}

test('a point where no unit is near is an empty answer from the directory, whatever is asked for first', async () => {
  const folder = await worldOutput();
  const { open, host } = await originsOf(folder);
  const place = emptyPlace(folder);
  const { bytes } = cellsOf(folder, 2);
  const targets = ['none', 'full'].map((geometry) => `fc/lv2?contains=${place}&geometry=${geometry}`);
  for (const [what, opened] of open)
    for (const target of [...targets, `at?point=${place}`]) {
      // It has read nothing but metadata.
      const proxy = await startService(folder, { origin: opened() });
      const answer = await send(proxy, `/api/v1/${target}`);
      const { features, levels = [] } = JSON.parse(textOf(answer));
      assert.equal(answer.status, 200, `${what}, ${target}`);
      if (target.startsWith('at')) assert.ok(!levels.includes('lv2'), what);
      else assert.deepEqual(features, [], `${what}, ${target}`);
    }
  const ranges = rangesOfCells(host, 'lv2');
  assert.deepEqual(ranges, Array<string>(2 * (targets.length + 1)).fill(`bytes=0-${bytes - 1}`));
  for (const what of ['a static host', 'a static host by fetch'])
    await assert.rejects(
      open.get(what)?.().read('current.json', { offset: 9, length: 0 }) ?? assert.fail(),
      RangeError,
    );
});

test('a level without features has no unit at any point, whatever the origin', async () => {
  const { bytes, fileBytes } = cellsOf(countries, 5);
  assert.deepEqual([bytes, fileBytes], [60, 60], 'the directory of one cell without bytes');
  for (const [what, opened] of (await originsOf(countries)).open) {
    const proxy = await startService(countries, { origin: opened() });
    for (const geometry of GEOMETRIES)
      assert.deepEqual(fidsOf(await send(proxy, `/api/v1/fc/lv5?contains=1,1&geometry=${geometry}`)), [], what);
  }
});

test('a directory is read when a point is first asked for, once for all, and freed after five minutes', async () => {
  const folder = await worldOutput();
  const directory = directoryOrigin(folder);
  let directories = 0;
  const origin: Origin = {
    ...directory,
    read(path, extent, reader) {
      if (path.endsWith('/cells.bin') && typeof extent === 'object' && extent.offset === 0) directories++;
      return directory.read(path, extent, reader);
    },
  };
  const clock = { now: 0 };
  const releases = new Releases(origin, { now: () => clock.now });
  await releases.refresh();
  const level = releases.requireCurrent().get(2) ?? assert.fail();
  const { bytes } = level;
  const [longitude = '', latitude = ''] = emptyPlace(folder).split(',');
  const place = pointOf(level, { longitude, latitude });
  const { now, load } = lookUp(releases.requireCurrent(), place, new QueuedReads(origin));
  assert.equal(now(), undefined);
  await Promise.all([load('one'), load('one'), load('other')]);
  assert.deepEqual([directories, level.bytes - bytes], [1, cellsOf(folder, 2).bytes]);
  assert.deepEqual(now(), []);
  clock.now = 299_999;
  assert.ok(now(), 'which uses it');
  clock.now = 300_000;
  await releases.refresh();
  assert.ok(now());
  clock.now = 600_000;
  await releases.refresh();
  assert.deepEqual([now(), level.bytes], [undefined, bytes]);
  await load('one');
  assert.equal(directories, 2);
});

test('of damaged cells a download sends nothing wrong: it ends before them, and is right once they are mended', async () => {
  const folder = await worldOutput({ pages: 'none', isChanged: true });
  const file = join(folder, releasePath('r1'), cellsPath(2));
  const intact = readFileSync(file);
  const cells = cellsOf(folder, 2);
  const [first, last] = [cells.bytes, cells.fileBytes - 1];
  const { url } = await startStaticHost(folder);
  for (const origin of [directoryOrigin(folder), staticHostOrigin({ url, headers: {} })]) {
    const proxy = await startService(folder, { origin });
    const path = '/api/v1/download/lv2.cells';
    const part = (range: string) => send(proxy, path, { range: `bytes=${range}` });
    writeFileSync(file, intact.with(last, elementAt(intact, last) ^ 1));
    await assert.rejects(send(proxy, path), 'the last cell is damaged');
    refusal(await part(`${last}-`), 502, 'origin-damaged');
    assert.ok((await part(`0-${first - 1}`)).body.equals(intact.subarray(0, first)), 'the directory is in memory');
    writeFileSync(file, intact.subarray(0, -1));
    refusal(await part(`${last}-`), 502, 'origin-damaged');
    writeFileSync(file, intact);
    assert.ok((await send(proxy, path)).body.equals(intact));
    assert.ok((await part(`${last}-`)).body.equals(intact.subarray(last)));
  }
});

test('a directory that is damaged, cut, missing or of another level or release is 502, and harms nothing else', async () => {
  const [file, other] = [join(release, cellsPath(2)), join(release, cellsPath(1))];
  const intact = readFileSync(file);
  const directory = intact.subarray(0, cellsOf(countries, 2).bytes);
  const rest = intact.subarray(directory.length);
  // As another release with as many units could have it: right in itself.
  const { features, precision, arrays } = cellsOf(countries, 2);
  const foreign = encodeDirectory({ features, precision }, { ...arrays, crc: arrays.crc.map((crc) => crc ^ 1) });
  const damages: Record<string, Uint8Array | undefined> = {
    'a flipped bit': intact.with(40, elementAt(intact, 40) ^ 1),
    cut: directory.subarray(0, -1),
    empty: new Uint8Array(),
    missing: undefined,
    'of another level': readFileSync(other),
    'of another release': Buffer.concat([foreign, rest]),
  };
  const { url } = await startStaticHost(countries);
  for (const [what, bytes] of Object.entries(damages)) {
    if (bytes === undefined) renameSync(file, `${file}.gone`);
    else writeFileSync(file, bytes);
    const isOfHost = what === 'cut' || what === 'missing';
    for (const origin of [directoryOrigin(countries), ...(isOfHost ? [staticHostOrigin({ url, headers: {} })] : [])]) {
      const proxy = await startService(countries, { origin });
      for (const target of [
        'fc/lv2?contains=1.5,3.5',
        'fc/lv2?bbox=1.5,3.5,1.5,3.5',
        'at?point=1.5,3.5',
        'download/lv2.cells',
      ])
        assert.doesNotMatch(refusal(await send(proxy, `/api/v1/${target}`), 502, 'origin-damaged'), /cells|lv2/, what);
      assert.match(proxy.log.join('\n'), /lv2\/cells\.bin/, what);
      assert.deepEqual(fidsOf(await send(proxy, '/api/v1/fc/lv1?contains=1.5,3.5')), [1], what);
      assert.deepEqual(fidsOf(await send(proxy, '/api/v1/fc/lv1?bbox=1.5,3.5,1.5,3.5')), [1], what);
    }
    rmSync(`${file}.gone`, { force: true });
    writeFileSync(file, intact);
  }
});
