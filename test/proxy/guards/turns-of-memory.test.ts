// What one client asks for lets the requests of others be answered: by turns of the event loop that it leaves to them,
// of what is in memory, so that it waits for nothing else.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { directoryBytes } from '../../../format/cells.ts';
import { cellsPath, releasePath } from '../../../format/layout.ts';
import { encodeDirectory } from '../../../generator/borders/build-cells.ts';
import type { Sources } from '../../../proxy/bodies/row.ts';
import { CELLS } from '../../../proxy/features/places/level-places.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import type { Origin } from '../../../proxy/origin/origin.ts';
import { answerOf, sourcesOf } from '../../support/http/answers.ts';
import { send, textOf } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { alternatingLevel, COUNTRIES } from '../../support/releases/alternating-level.ts';
import { buildUnits } from '../../support/releases/build-release.ts';
import { replaceCells, replaceWholeFile } from '../../support/releases/reseal.ts';
import { turnsDuring } from '../../support/turns-during.ts';
import { watchedFolder } from '../../support/watched-origin.ts';

/** The turns until a request is answered that was answered before: all that it needs is in memory. */
async function turnsOf(sources: Sources, target: string): Promise<number> {
  await answerOf(sources, target);
  return turnsDuring(answerOf(sources, target));
}

const SQUARE = 'POLYGON((0 0,1 0,1 1,0 1,0 0))';

test('of very many units at a point the first 1,000 are in the answer, which says how many there are', async () => {
  const folder = await buildUnits(Array.from({ length: 1_003 }, () => SQUARE));
  const target = '/api/v1/at?point=0.5,0.5';
  const answer = await send(await startService(folder), target);
  assert.equal(answer.headers['boundaries-matched'], '1003');
  const { features, gids, names, levels } = JSON.parse(textOf(answer));
  for (const members of [features, gids, names, levels]) assert.equal(members.length, 1_000);
  assert.deepEqual([gids[0], gids[999]], ['A0', 'A999']);
  const turns = await turnsOf(await sourcesOf(folder), target);
  assert.ok(turns > 2, `${turns} turns`);
});

test('a name of very many characters is copied in turns', async () => {
  const folder = await buildUnits([SQUARE]);
  replaceWholeFile(join(folder, releasePath('r1')), 0, (text) =>
    text.replace(/"A0",null/, `"A0","${'x'.repeat(900_000)}"`),
  );
  const target = '/api/v1/at?point=0.5,0.5';
  const answer = await send(await startService(folder), target);
  assert.equal(JSON.parse(textOf(answer)).names[0].length, 900_000);
  const turns = await turnsOf(await sourcesOf(folder), target);
  assert.ok(turns > 2, `${turns} turns`);
});

test('a cell with more edges than are kept of many is read for the first point or box, and kept for the next ones', async () => {
  const folder = await buildUnits([SQUARE]);
  // One unit, and an even number of borders of three points, each of which is crossed on the way to some points.
  const border = [4 * 2 + 1, 0, 2, 4, 6, 2, 1, 6];
  const bytes = Buffer.concat([Buffer.of(1, 1), Buffer.alloc(140_000 * border.length, Buffer.from(border))]);
  const start = directoryBytes(1);
  const arrays = {
    key: Float64Array.of(0),
    start: Float64Array.of(start, start + bytes.length),
    crc: Uint32Array.of(crc32(bytes)),
  };
  const directory = encodeDirectory({ features: 1, precision: 7 }, arrays);
  replaceCells(join(folder, releasePath('r1')), 0, directory, bytes);
  let reads = 0;
  const origin = watchedFolder(folder, (path) => path.endsWith(cellsPath(0)) && reads++);
  const sources = await sourcesOf(folder, origin);
  for (const target of [
    'at?point=1,1',
    'at?point=-1,-1',
    'fc/lv0?bbox=0.5,0.5,0.7,0.7',
    'fc/lv0?bbox=0.6,0.5,0.7,0.7',
  ]) {
    const { headers } = await answerOf(sources, `/api/v1/${target}`);
    assert.equal(headers[headers.indexOf('Boundaries-Matched') + 1], '1', target);
    // Of the directory, and of the cell.
    assert.equal(reads, 2, target);
  }
  assert.ok((await turnsOf(sources, '/api/v1/at?point=2,2')) > 3);
});

test('other requests are answered while the directory of very many cells is checked', async () => {
  const folder = await buildUnits([SQUARE]);
  const count = 100_000;
  const start = directoryBytes(count);
  const directory = encodeDirectory(
    { features: 1, precision: 7 },
    {
      key: Float64Array.from({ length: count }, (_, cell) => cell),
      start: new Float64Array(count + 1).fill(start),
      crc: new Uint32Array(count),
    },
  );
  replaceCells(join(folder, releasePath('r1')), 0, directory, Buffer.of());
  const origin = directoryOrigin(folder);
  // Nothing is waited for but the work.
  const read: Origin['read'] = (path, ...rest) =>
    path.endsWith(cellsPath(0)) ? Promise.resolve(Buffer.from(directory)) : origin.read(path, ...rest);
  const { releases } = await sourcesOf(folder, { ...origin, read });
  const level = await releases.requireCurrent().load(0);
  const turns = await turnsDuring(level.load(CELLS));
  assert.equal(level.get(CELLS)?.cells.arrays.crc.length, count);
  // Its digest takes a turn for each MiB.
  const ofDigest = start / 2 ** 20;
  assert.ok(turns > ofDigest + 4, `${turns} turns`);
});

const RUNS = 10_000;
const DOWNLOAD = '/api/v1/download/lv0.geojson';
/** Long scattered listings. */
const SCATTERED = COUNTRIES.flatMap((country) => ['l.gz', '.gz'].map((end) => `${DOWNLOAD}${end}?gid-0=${country}`));

/** What they are answered from, none of which has been asked for. */
async function scatteredSources(): Promise<Sources> {
  const folder = await buildUnits([SQUARE]);
  const sources = await sourcesOf(folder, directoryOrigin(folder), { load: alternatingLevel(2 * RUNS) });
  // Brings what is not of one listing into memory.
  await answerOf(sources, `${DOWNLOAD}l.gz`);
  return sources;
}

test('other requests are answered while length and tag of a long scattered listing are found', async () => {
  const sources = await scatteredSources();
  const [scattered = ''] = SCATTERED;
  const turns = await turnsDuring(answerOf(sources, scattered));
  // A turn has some 1,500 runs.
  assert.ok(turns > 5, `${turns} turns`);
  // What is remembered takes none.
  assert.ok((await turnsDuring(answerOf(sources, scattered))) <= 1);
});

test('however much is done in turns at the same time, a turn has a step of one', async () => {
  const sources = await scatteredSources();
  const [first = '', ...others] = SCATTERED;
  const turns = await turnsDuring(answerOf(sources, first));
  const together = await turnsDuring(Promise.all(others.map((target) => answerOf(sources, target))));
  // The first turn has the beginnings of all.
  assert.ok(together >= others.length * (turns - 2), `${together} turns, of one ${turns}`);
});
