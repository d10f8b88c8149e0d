// Traversals that survive a release: clients that walk while the current release switches see one release each, whole.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import LinkHeader from 'http-link-header';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';
import { writeSynthetic } from '../../generator/datasets/synthetic/synthetic.ts';
import { activateRelease, pruneReleases } from '../../generator/release/manage.ts';
import { buildRelease, type ReadFeature, readLayer, temporaryFolder } from '../support/fixture.ts';
import { AUTHORIZED, startService } from '../support/in-process-proxy.ts';

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

// A small generator of numbers with a fixed seed (Park and Miller's), so that every run walks the same ways.
let seed = 20261121;
function random(below: number): number {
  seed = (seed * 48271) % 0x7fffffff;
  return seed % below;
}

function nextOf(link: string | null): string | undefined {
  return link === null ? undefined : LinkHeader.parse(link).refs[0]?.uri;
}

/** Walks a random listing; checks that it was all of one release. Returns which. */
async function walkSomewhere(): Promise<string> {
  const level = LEVELS[random(LEVELS.length)] ?? 0;
  const format = FORMATS[random(2)] ?? 'fc';
  const query = new URLSearchParams({ 'page-size': String(1 + random(7)) });
  const countries = read.get(RELEASES[0] ?? '')?.[0] ?? [];
  const parent =
    random(2) === 0 && level > 0 ? String(countries[random(countries.length)]?.fields['GID_0']) : undefined;
  if (parent !== undefined) query.set('gid-0', parent);
  const fids: number[] = [];
  const releases = new Set<string>();
  let url: string | undefined = `${service.url}/api/v1/${format}/${levelName(level)}?${query}`;
  while (url !== undefined) {
    const answer: Response = await fetch(url, { headers: AUTHORIZED });
    const body = await answer.text();
    assert.equal(answer.status, 200, `${url}: ${body}`);
    releases.add(answer.headers.get('boundaries-release') ?? '');
    const features: { id: number }[] =
      format === 'fc'
        ? JSON.parse(body).features
        : body
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line));
    fids.push(...features.map((feature) => feature.id));
    url = nextOf(answer.headers.get('link'));
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
  let walking = 100;
  const clients = Array.from({ length: walking }, async () => {
    for (let i = 0; i < 2; i++) {
      const release = await walkSomewhere();
      walked.set(release, (walked.get(release) ?? 0) + 1);
    }
    walking--;
  });
  let switches = 0;
  for (; switches < 20; switches++) {
    await activateRelease(out, RELEASES[switches % RELEASES.length] ?? '');
    await service.releases.refresh();
    assert.equal(service.releases.current?.id, RELEASES[switches % RELEASES.length]);
    // A switch takes as long as a few requests; the next one comes when some more were answered.
    if (walking > 0) await (await fetch(`${service.url}/api/v1/fc/lv0`, { headers: AUTHORIZED })).text();
  }
  assert.ok(walking > 0, 'clients were still walking at the last switch');
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
  await activateRelease(out, '2026-01');
  await service.releases.refresh();
  const first = await fetch(`${service.url}/api/v1/fc/lv3?page-size=2`, { headers: AUTHORIZED });
  await first.text();
  const next = nextOf(first.headers.get('link')) ?? '';
  await activateRelease(out, '2026-03');
  await service.releases.refresh();
  const still = await fetch(next, { headers: AUTHORIZED });
  assert.deepEqual([still.status, still.headers.get('boundaries-release')], [200, '2026-01']);
  await still.text();
  assert.deepEqual((await pruneReleases(out, 1)).sort(), ['2026-01', '2026-02']);
  await service.releases.refresh();
  const gone = await fetch(next, { headers: AUTHORIZED });
  assert.equal(gone.status, 410);
  assert.match(JSON.parse(await gone.text()).detail, /start again/i);
});
