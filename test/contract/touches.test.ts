// Units that share a border: `touches` on pages, downloads and items, what it refuses, and the table of neighbours.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { neighboursPath, neighboursTablePath, releasePath } from '../../format/layout.ts';
import { LEVELS } from '../../format/levels.ts';
import { NEIGHBOURS } from '../../proxy/features/neighbours/touches.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { fidsOf, nextOf, refusal, send } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { buildCountries, buildRelease, WHOLE } from '../support/releases/build-release.ts';
import { replaceNeighbours } from '../support/releases/reseal.ts';
import { sliceOf } from '../support/slice.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { assertTouches } from './touches.ts';

/**
 * A row of squares with fids from 1: the third and the fifth have the same GID, the last two lie around 180 degrees.
 */
const ROW: readonly (readonly [gid: string | null, west: number])[] = [
  ['a,b', 0],
  ['=1+1', 1],
  ['twice', 2],
  ['say "x"', 3],
  ['twice', 4],
  ['end', 5],
  [null, 6],
  ['west', 179],
  ['east', -180],
];
const row = temporaryFolder();
const features = ROW.map(([gid, x], i) => ({
  fid: i + 1,
  values: [gid],
  wkt: `POLYGON((${x} 0,${x + 1} 0,${x + 1} 1,${x} 1,${x} 0))`,
}));
await buildRelease(
  writeDataset(join(temporaryFolder(), 'row.gpkg'), 'GPKG', [{ name: 'ADM_0', columns: ['GID_0'], features }]),
  row,
  { neighbours: true, accept: ['duplicate-gids', 'null-gids'] },
);
const service = await startService(row);
const path = '/api/v1/download/lv0.neighbours.csv.gz';

test('touches finds the units that share a border with one, with all other parameters, by pages, downloads and items', async () => {
  const found = async (query: string): Promise<number[]> => fidsOf(await send(service, `/api/v1/fc/lv0?${query}`));
  assert.deepEqual(await found('touches=a%2Cb'), [2]);
  assert.deepEqual(await found('touches=%3D1%2B1'), [1, 3]);
  assert.deepEqual(await found('touches=say%20%22x%22'), [3, 5]);
  assert.deepEqual(await found('touches=twice'), [2, 4, 6], 'of both units with this GID');
  assert.deepEqual(await found('touches=end'), [5, 7]);
  assert.deepEqual(await found('touches=west'), [9], 'at 180 degrees');
  assert.deepEqual(await found('touches=east'), [8]);
  assert.deepEqual(await found('touches=none'), []);
  assert.deepEqual(await found('touches=twice&gid-0=end'), [6]);
  assert.deepEqual(await found('touches=twice&bbox=0,0,1.5,1'), [2]);
  assert.deepEqual(await found('touches=twice&start-at=3'), [4, 6]);
  const first = await send(service, '/api/v1/fc/lv0?touches=twice&page-size=2');
  assert.deepEqual([fidsOf(first), first.headers['boundaries-matched']], [[2, 4], '3']);
  const next = nextOf(first) ?? assert.fail();
  assert.match(next, /[?&]touches=twice&/);
  assert.deepEqual(fidsOf(await send(service, next)), [6]);
  const lines = await send(service, '/api/v1/download/lv0.geojsonl.gz?touches=twice');
  assert.equal(gunzipSync(lines.body).toString().trimEnd().split('\n').length, 3);
  assert.deepEqual(fidsOf(await send(service, '/api/v1/ogc/collections/lv0/items?touches=twice&limit=2')), [2, 4]);
  assert.deepEqual(fidsOf(await send(service, '/api/v1/ogc/collections/lv0/items?touches=none')), []);
});

test('touches and the table are the neighbours that the features say, of every unit', async () => {
  const folder = await buildCountries({ ...WHOLE, storedPages: 'none' });
  const stored = readStored(folder, 'r1');
  let pairs = 0;
  for (const level of LEVELS.slice(0, 3))
    pairs += await assertTouches(await startService(folder), stored, level, (units) => units);
  assert.ok(pairs > 3, `${pairs} pairs`);
});

test('touches that is empty or there twice is refused, and in a release without neighbours with what to say', async () => {
  assert.match(refusal(await send(service, '/api/v1/fc/lv0?touches='), 400, 'bad-parameter'), /^touches is empty/);
  for (const query of ['touches=a&touches=b', 'touches=a&touches=a'])
    refusal(await send(service, `/api/v1/fc/lv0?${query}`), 400, 'duplicate-parameter');
  refusal(await send(service, `${path}?touches=a`), 400, 'unknown-parameter');
  const without = await startService(await buildCountries());
  for (const target of ['fc/lv0', 'geojsonl/lv5', 'download/lv1.geojsonl.gz', 'ogc/collections/lv0/items'])
    assert.match(
      refusal(await send(without, `/api/v1/${target}?touches=AAA`), 400, 'bad-parameter'),
      /^touches is not possible: this release was built with --no-neighbours\.$/,
    );
  for (const method of ['GET', 'HEAD']) assert.equal((await send(without, path, {}, method)).status, 404);
  assert.match(
    refusal(await send(without, path), 404, 'not-found'),
    /^Release r1 has no neighbours: it was built with --no-neighbours\.$/,
  );
});

test('the table of neighbours is the stored file, each range of it those bytes, and nothing wrong of a damaged one', async () => {
  const file = join(row, releasePath('r1'), neighboursTablePath(0));
  const intact = readFileSync(file);
  const { url } = await startStaticHost(row);
  for (const origin of [directoryOrigin(row), staticHostOrigin({ url, headers: {} })]) {
    const proxy = await startService(row, { origin });
    const whole = await send(proxy, path, { 'accept-encoding': 'gzip' });
    assert.ok(whole.body.equals(intact));
    assert.equal(whole.headers['content-type'], 'application/gzip');
    assert.equal(whole.headers['content-encoding'], undefined);
    assert.equal(whole.headers['content-disposition'], 'attachment; filename="boundaries-r1-lv0.neighbours.csv.gz"');
    const ends = [0, 1, 40, intact.length - 2, intact.length - 1];
    for (const [from, to] of sliceOf(
      ends.flatMap((a) => ends.map((b) => [a, b] as const)).filter(([a, b]) => a <= b),
    )) {
      const part = await send(proxy, `${path}?release=r1`, {
        range: `bytes=${from}-${to}`,
        'if-range': whole.headers.etag,
      });
      assert.deepEqual([part.status, part.headers.etag], [206, whole.headers.etag]);
      assert.equal(part.headers['content-range'], `bytes ${from}-${to}/${intact.length}`);
      assert.ok(part.body.equals(intact.subarray(from, to + 1)), `${from}-${to}`);
    }
    for (const at of [0, 30, intact.length - 1]) {
      writeFileSync(file, intact.with(at, elementAt(intact, at) ^ 1));
      for (const headers of [{}, { range: 'bytes=0-3' }, { range: 'bytes=-3' }])
        refusal(await send(proxy, path, headers), 502, 'origin-damaged');
    }
    writeFileSync(file, intact);
    assert.ok((await send(proxy, path, { range: 'bytes=5-' })).body.equals(intact.subarray(5)));
    // Nothing of it is in the response cache, which has what is asked for again, and knows no ranges.
    for (const range of ['bytes=0-', 'bytes=0-', 'bytes=0-', undefined, undefined, undefined, 'bytes=9-9']) {
      const again = await send(proxy, path, range === undefined ? {} : { range });
      assert.equal(again.status, range === undefined ? 200 : 206, range);
      assert.ok(again.body.equals(range === 'bytes=9-9' ? intact.subarray(9, 10) : intact), range);
    }
  }
});

test('neighbours are brought in when they are asked for, freed unused, and refused if they are damaged or foreign', async () => {
  const out = await buildCountries({ neighbours: true });
  const root = join(out, releasePath('r1'));
  const proxy = await startService(out);
  const level = await proxy.releases.requireCurrent().load(1);
  const ask = (of: typeof proxy) => send(of, '/api/v1/fc/lv1?touches=AAA.1_1&geometry=full');
  assert.equal(level.get(NEIGHBOURS), undefined);
  const first = await ask(proxy);
  assert.equal(first.status, 200);
  assert.equal(level.get(NEIGHBOURS)?.bytes, readFileSync(join(root, neighboursPath(1))).length - 24);
  const other = readFileSync(join(root, neighboursPath(2)));
  writeFileSync(join(root, neighboursPath(1)), other);
  // Those in memory stay; by another service nothing is answered.
  assert.deepEqual((await ask(proxy)).body, first.body);
  assert.doesNotMatch(refusal(await ask(await startService(out)), 502, 'origin-damaged'), /neighbours/);
  // Whatever the digests say.
  replaceNeighbours(root, 1, { bytes: () => other });
  refusal(await ask(await startService(out)), 502, 'origin-damaged');
});
