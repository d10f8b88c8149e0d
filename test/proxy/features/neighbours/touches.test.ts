// Units that share a border: `touches` on pages, downloads and items, and the table of neighbours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { LEVELS } from '../../../../format/levels.ts';
import { Loads } from '../../../../proxy/data/loads.ts';
import { NEIGHBOURS, TOUCHES, TOUCHES_FILTER } from '../../../../proxy/features/neighbours/touches.ts';
import { WorkQueue } from '../../../../proxy/guards/work-queue.ts';
import { directoryOrigin } from '../../../../proxy/origin/directory.ts';
import { QueuedReads } from '../../../../proxy/origin/origin.ts';
import { readStored } from '../../../support/datasets/large-dataset.ts';
import { layerOf, square } from '../../../support/datasets/write-dataset.ts';
import { fidsOf, nextOf, send } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { receivedRequest } from '../../../support/http/received-request.ts';
import { buildCountries, buildLayers, WHOLE } from '../../../support/releases/build-release.ts';
import { turnsDuring } from '../../../support/turns-during.ts';
import { assertTouches } from './touches-model.ts';

/** A row of squares with fids from 1; the last two lie around 180 degrees. */
const ROW = ['a,b', '=1+1', 'twice', 'say "x"', 'twice', 'end', null];
const units = [...ROW.map((gid, x) => [[gid], square(x, 0)] as const), [['west'], square(179, 0)] as const];
units.push([['east'], square(-180, 0)]);
const row = await buildLayers([layerOf('ADM_0', ['GID_0'], units)], {
  neighbours: true,
  accept: ['duplicate-gids', 'null-gids'],
});
const service = await startService(row);

test('touches finds the units that share a border with one, with all other parameters, by pages, downloads and items', async () => {
  const found = async (query: string): Promise<number[]> => fidsOf(await send(service, `/api/v1/fc/lv0?${query}`));
  for (const [query, ...fids] of [
    ['touches=a%2Cb', 2],
    ['touches=%3D1%2B1', 1, 3],
    ['touches=say%20%22x%22', 3, 5],
    // Of both units with this GID.
    ['touches=twice', 2, 4, 6],
    ['touches=end', 5, 7],
    // At 180 degrees.
    ['touches=west', 9],
    ['touches=east', 8],
    ['touches=none'],
    ['touches=twice&gid-0=end', 6],
    ['touches=twice&bbox=0,0,1.5,1', 2],
    ['touches=twice&start-at=3', 4, 6],
  ] as const)
    assert.deepEqual(await found(query), fids, query);
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

test('touches finds the neighbours that the features say, of every unit', async () => {
  const folder = await buildCountries({ ...WHOLE, storedPages: 'none' });
  const stored = readStored(folder, 'r1');
  let pairs = 0;
  for (const level of LEVELS.slice(0, 3))
    pairs += await assertTouches(await startService(folder), stored, level, (units) => units);
  assert.ok(pairs > 3, `${pairs} pairs`);
});

test('other requests are answered while the neighbours of many units with one GID are found, which is done once', async () => {
  // On top of each other, so that each of them is a neighbour of all others.
  const stacked = Array.from({ length: 400 }, () => [['same'], square(0, 0)] as const);
  const folder = await buildLayers([layerOf('ADM_0', ['GID_0'], stacked)], {
    neighbours: true,
    accept: ['duplicate-gids'],
  });
  const { releases } = await startService(folder);
  const level = await releases.requireCurrent().load(0);
  await level.load(NEIGHBOURS);
  const query = { given: [{ name: TOUCHES.name, text: 'same', parameter: TOUCHES, value: 'same' }] };
  const turns = new WorkQueue();
  const reads = new QueuedReads(directoryOrigin(folder), turns);
  const find = async () => TOUCHES_FILTER.positions(query, level, new Loads({ turns, reads }, receivedRequest('/')));
  const taken = await turnsDuring(find());
  assert.ok(taken > 2, `${taken} turns for ${400 * 399} neighbours`);
  assert.equal((await find()).count, 400);
  assert.ok((await turnsDuring(find())) <= 1);
});
