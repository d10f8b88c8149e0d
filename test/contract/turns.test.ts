// What one client asks for lets the requests of others be answered: by turns of the event loop that it leaves to them,
// of what is in memory, so that it waits for nothing else.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { releasePath } from '../../format/layout.ts';
import type { Answer } from '../../proxy/bodies/answer.ts';
import type { Sources } from '../../proxy/bodies/row.ts';
import { Releases } from '../../proxy/data/releases.ts';
import { ROWS } from '../../proxy/features/rows.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { QueuedReads } from '../../proxy/origin/origin.ts';
import { WorkQueue } from '../../proxy/work/work-queue.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildUnits } from '../support/releases/build-release.ts';
import { replaceWholeFile } from '../support/releases/reseal.ts';
import { turnsDuring } from '../support/turns-during.ts';

/** What answers from an output folder without connections. */
async function sourcesOf(folder: string): Promise<Sources> {
  const origin = directoryOrigin(folder);
  const releases = new Releases(origin);
  await releases.refresh();
  return { audience: 'public', releases, reads: new QueuedReads(origin, new WorkQueue()) };
}

/** The answer to a request, before its body is read. */
async function answerOf(sources: Sources, target: string): Promise<Answer> {
  const [path = '', query = ''] = target.split('?');
  const unknown = { route: undefined, tokenFault: undefined, limitFields: undefined, onClose: undefined };
  const received = {
    method: 'GET',
    target,
    headers: {},
    rawHeaders: [],
    isHttp10: false,
    scheme: 'http',
    peer: {},
  } as const;
  const request = { ...received, path, query, principal: { subject: 'a', id: 'a' }, ...unknown };
  const row = ROWS.of(path) ?? assert.fail(path);
  return row.answer(sources, request, { base: 'http://a.test', coding: 'gzip' });
}

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
