// Traversals that survive a release: clients that walk while the current release switches see one release each, whole.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';
import { writeSynthetic } from '../../generator/datasets/synthetic/synthetic.ts';
import { activateRelease, pruneReleases } from '../../generator/release/manage.ts';
import { type Dice, dice } from '../support/dice.ts';
import { buildRelease, type ReadFeature, readLayer, temporaryFolder } from '../support/fixture.ts';
import { fidsOf, nextOf, pagesFrom, refusal, send } from '../support/http-client.ts';
import { startService } from '../support/in-process-proxy.ts';

const folder = temporaryFolder();
const out = join(folder, 'output');
const RELEASES = ['2026-01', '2026-02', '2026-03'];
/** By release and level, what GDAL reads. */
const read = new Map<string, ReadFeature[][]>();
for (const [i, release] of RELEASES.entries()) {
  const source = join(folder, `${release}.gpkg`);
  await writeSynthetic(source, 200 + i * 60);
  await buildRelease(source, out, { release, accept: ['null-gids', 'duplicate-gids'] });
  read.set(
    release,
    LEVELS.map((level) => readLayer(source, `ADM_${level}`)),
  );
}
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
  assert.deepEqual(
    fids,
    expected.map((feature) => feature.fid),
  );
  return release;
}

test('100 clients walk while the current release switches 20 times: each sees one release, everything once, no errors', async () => {
  const walked = new Map<string, number>();
  const random = dice(20261121);
  let isSwitching = true;
  const clients = Array.from({ length: 100 }, async () => {
    // Every client walks until the last switch, so that each switch meets clients that are half-way.
    for (let walks = 0; walks < 2 || isSwitching; walks++) {
      const release = await walkSomewhere(random);
      walked.set(release, (walked.get(release) ?? 0) + 1);
    }
  });
  try {
    for (let switches = 0; switches < 20; switches++) {
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

test('a proxy that watches takes up a new release by itself', async () => {
  await activateRelease(out, '2026-01');
  await service.releases.refresh();
  const noticed = new Promise<string>((resolve) => {
    const stop = service.releases.watch((line) => {
      stop();
      resolve(line);
    });
  });
  await activateRelease(out, '2026-02');
  assert.equal(await noticed, 'serving release 2026-02');
});

test('a cursor of a release that was pruned is answered 410, and says to start again', async () => {
  const own = join(folder, 'pruned');
  cpSync(out, own, { recursive: true });
  await activateRelease(own, '2026-01');
  const service = await startService(own);
  const next = nextOf(await send(service, '/api/v1/fc/lv3?page-size=2')) ?? '';
  await activateRelease(own, '2026-03');
  await service.releases.refresh();
  const still = await send(service, next);
  assert.deepEqual([still.status, still.headers['boundaries-release']], [200, '2026-01']);
  assert.deepEqual((await pruneReleases(own, 1)).sort(), ['2026-01', '2026-02']);
  await service.releases.refresh();
  assert.match(refusal(await send(service, next), 410, 'release-gone'), /start again/i);
});
