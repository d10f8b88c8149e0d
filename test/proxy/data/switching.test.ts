// Traversals that survive a release: clients that walk while the current release switches see one release each, whole.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CURRENT_PATH } from '../../../format/layout.ts';
import { FORMATS, LEVELS, levelName } from '../../../format/levels.ts';
import { activateRelease, pruneReleases } from '../../../generator/release/manage.ts';
import { cachedOutput } from '../../support/cached-folder.ts';
import { type ReadFeature, readLayer } from '../../support/datasets/read-layer.ts';
import { type Dice, dice } from '../../support/dice.ts';
import { fidsOf, nextOf, pagesFrom, refusal, send } from '../../support/http/http-client.ts';
import { type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { buildSynthetic } from '../../support/releases/build-synthetic.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { copyOf } from '../../support/temporary-folder.ts';

const RELEASES = ['2026-01', '2026-02', '2026-03'];
/** Has the releases and their sources. */
const out = await cachedOutput(import.meta.url, '', async (made) => {
  for (const [i, release] of RELEASES.entries())
    await buildSynthetic(join(made, `${release}.gpkg`), 120 + i * 40, made, { release, storedPages: 'unfiltered' });
});
/** By release and level, what GDAL reads. */
const read = new Map<string, ReadFeature[][]>(
  RELEASES.map((release) => [release, LEVELS.map((level) => readLayer(join(out, `${release}.gpkg`), `ADM_${level}`))]),
);
const service = await startService(out);

/** Walks a random listing; checks that it was all of one release. Returns which. */
async function walkSomewhere(random: Dice): Promise<string> {
  const level = LEVELS[random(LEVELS.length)] ?? 0;
  const format = FORMATS[random(2)] ?? 'fc';
  const query = new URLSearchParams({ 'page-size': String(1 + random(7)) });
  const countries = read.get(RELEASES[0] ?? '')?.[0] ?? [];
  const parent =
    random(2) === 0 && level > 0 ? String(countries[random(countries.length)]?.fields['GID_0']) : undefined;
  if (parent !== undefined) query.set('gid-0', parent);
  const fids: number[] = [];
  const releases = new Set<string>();
  const path = `/api/v1/${format}/${levelName(level)}?${query}`;
  for await (const answer of pagesFrom(service, path, { 'accept-encoding': 'gzip' })) {
    releases.add(String(answer.headers['boundaries-release']));
    fids.push(...fidsOf(answer));
  }
  assert.equal(releases.size, 1, 'one traversal, one release');
  const [release = ''] = releases;
  const expected = (read.get(release)?.[level] ?? []).filter(
    (feature) => parent === undefined || feature.fields['GID_0'] === parent,
  );
  const expectedFids = expected.map((feature) => feature.fid);
  assert.deepEqual(fids, expectedFids);
  return release;
}

test('50 clients walk while the current release switches 12 times: each sees one release, everything once, no errors', async () => {
  const walked = new Map<string, number>();
  const random = dice(20261121);
  let isSwitching = true;
  const clients = Array.from({ length: 50 }, async () => {
    // Every client walks until the last switch, so that each switch meets clients that are half-way.
    do {
      const release = await walkSomewhere(random);
      walked.set(release, (walked.get(release) ?? 0) + 1);
    } while (isSwitching);
  });
  try {
    for (let switches = 0; switches < 12; switches++) {
      await activateRelease(out, RELEASES[switches % RELEASES.length] ?? '');
      await service.releases.refresh();
      assert.equal(service.releases.current?.id, RELEASES[switches % RELEASES.length]);
      // A switch takes as long as a few requests; the next one comes when some more were answered.
      await send(service, '/api/v1/fc/lv0');
    }
  } finally {
    isSwitching = false;
  }
  await Promise.all(clients);
  assert.deepEqual([...walked.keys()].sort(), RELEASES);
});

/** A folder with all releases, the first one current, and a service that has polled it. */
async function ownService(): Promise<{ own: string; service: RunningService }> {
  const own = copyOf(out);
  await activateRelease(own, '2026-01');
  return { own, service: await startService(own) };
}

test('a proxy that has not polled yet answers a cursor of a new release that another proxy has given', async () => {
  const { own, service: late } = await ownService();
  // The late proxy must not know the new release.
  const pointer = readFileSync(join(own, CURRENT_PATH), 'utf8');
  pointTo(own, '2026-01');
  await late.releases.refresh();
  writeFileSync(join(own, CURRENT_PATH), pointer);
  await activateRelease(own, '2026-02');
  const early = await startService(own);
  const next = nextOf(await send(early, '/api/v1/fc/lv3?page-size=2')) ?? '';
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(late, next)));
  for (const answer of answers)
    assert.deepEqual([answer.status, answer.headers['boundaries-release']], [200, '2026-02']);
});

test('after a prune that the proxy has not noticed: 410 for a cursor, the new release without one', async () => {
  const { own, service } = await ownService();
  const gid = String(read.get('2026-01')?.[0]?.[1]?.fields['GID_0']);
  const next = nextOf(await send(service, '/api/v1/fc/lv4?page-size=2')) ?? '';
  await activateRelease(own, '2026-03');
  await pruneReleases(own, 1);
  const plain = async (query: string, coding: string): Promise<void> => {
    const answer = await send(service, `/api/v1/geojsonl/lv2${query}`, { 'accept-encoding': coding });
    assert.deepEqual([answer.status, answer.headers['boundaries-release']], [200, '2026-03']);
    assert.ok(fidsOf(answer).length > 0);
  };
  const queries = ['', '?page-size=3', `?gid-0=${gid}`];
  // Until a file is missing, a cursor may be answered from a feature file that the proxy holds open.
  await Promise.all(queries.flatMap((query) => ['gzip', 'identity'].map((coding) => plain(query, coding))));
  assert.match(refusal(await send(service, next), 410, 'release-gone'), /start again/i);
  assert.deepEqual(service.log, []);
});

// A proxy that has noticed it refuses the old content: see served-releases.test.ts.
test('an id that is used again: a proxy that has not noticed learns of it from the first cursor of the new content', async () => {
  const { own, service } = await ownService();
  const path = '/api/v1/geojsonl/lv3?page-size=2';
  const old = nextOf(await send(service, path)) ?? '';
  // What is requested twice is in the response cache.
  for (let i = 0; i < 2; i++) assert.equal((await send(service, old)).status, 200);
  await activateRelease(own, '2026-02');
  await pruneReleases(own, 1);
  await buildSynthetic(join(own, 'other.gpkg'), 80, own, { release: '2026-01', storedPages: 'unfiltered' });
  const fresh = await startService(own);
  const next = nextOf(await send(fresh, path)) ?? '';
  assert.notEqual(next, old);
  const expected = await send(fresh, next);
  const answer = await send(service, next);
  assert.deepEqual([answer.status, answer.body.equals(expected.body)], [200, true]);
  for (const proxy of [service, fresh]) refusal(await send(proxy, old), 410, 'release-gone');
});
