// GET /api/v1/: what the service says of itself to programs; what all answers have in common is in
// contract/every-answer.test.ts.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../../format/element-at.ts';
import { readAbout } from '../../../../proxy/explorer/api/about.ts';
import { unitToRow } from '../../../../proxy/explorer/api/unit.ts';
import { serviceMembers } from '../../../../proxy/features/service/service.ts';
import { makeAsset, type ReleaseAsset } from '../../../../proxy/site/asset.ts';
import { writeCountries } from '../../../support/datasets/small-datasets.ts';
import { layerOf, square } from '../../../support/datasets/write-dataset.ts';
import { refusal, send, textOf } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { buildLayers, buildRelease } from '../../../support/releases/build-release.ts';
import { pointTo } from '../../../support/releases/point-to.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SERVICE = '/api/v1/';
const HOST = 'boundaries.test';
const OPTIONS = { date: '2026-11-22', licence: 'CC-BY-4.0', attribution: ['One', 'Two'] };

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder, { release: 'r1' });
await buildRelease(writeCountries(), folder, { ...OPTIONS, release: 'r2', geometries: ['full', 'low', 'none'] });

const caps = { low: 100, none: 1000 };
const LV0 = {
  level: 'lv0',
  features: 2,
  orphans: 0,
  bbox: 'boxes',
  extent: [0, 0, 14, 4],
  columns: { gid: 'GID_0', name: 'COUNTRY', type: null, parents: [], names: {}, codes: {} },
  caps: { geojsonl: 20, fc: 5, ...caps },
  attribution: OPTIONS.attribution,
  nesting: 0.5,
};

test('the service describes its release, the hosted ones and each level that has units, with the columns of its data', async () => {
  const service = await startService(folder, { explorer: true });
  const { status, headers, ...answer } = await send(service, SERVICE, { host: HOST });
  const { levels, links, digest, sources, quality, citation, ...release } = JSON.parse(
    textOf({ status, headers, ...answer }),
  );
  assert.deepEqual([status, headers['content-type'], headers['boundaries-release']], [200, 'application/json', 'r2']);
  assert.deepEqual(release, {
    release: 'r2',
    date: OPTIONS.date,
    releases: ['r2', 'r1'],
    attribution: OPTIONS.attribution,
    license: OPTIONS.licence,
    geometries: ['full', 'low', 'none'],
    precision: 7,
    tiles: false,
    changes: false,
    languages: [],
  });
  const [lv0, , lv2] = levels;
  assert.deepEqual(lv0, LV0);
  const columns = { gid: 'GID_2', name: 'NAME_2', type: null, parents: ['GID_0', 'GID_1'], names: {}, codes: {} };
  assert.deepEqual([lv2.level, lv2.columns, levels.length], ['lv2', columns, 3]);
  assert.deepEqual(lv2.caps, { geojsonl: 50, fc: 20, ...caps });
  const base = `http://${HOST}`;
  assert.deepEqual(
    links.map(({ rel, href }: Record<string, string>) => [rel, href]),
    [
      ['self', `${base}/api/v1/`],
      ['service-desc', `${base}/openapi.json`],
      ['related', `${base}/api/v1/ogc`],
      ['service-doc', `${base}/docs`],
      ['related', `${base}/`],
      ['license', 'https://spdx.org/licenses/CC-BY-4.0.html'],
    ],
  );
  for (const { href } of links.slice(0, -1))
    assert.equal((await send(service, href.slice(base.length), { host: HOST })).status, 200, href);
});

test('the digest, the source and the data quality of the release are there to be cited and pinned', async () => {
  const own = temporaryFolder();
  const layer = layerOf(
    'ADM_0',
    ['GID_0', 'COUNTRY'],
    [
      [['AAA', 'Aland'], square(0, 0)],
      [['BBB', 'Beland'], null],
    ],
  );
  await buildLayers([layer], { ...OPTIONS, release: 'r1', accept: ['empty-geometries'] }, own);
  const json = readFileSync(join(own, 'releases/r1/release.json'), 'utf8');
  const service = await startService(own, { isPublic: true, explorer: true });
  const { digest, sources, quality, citation } = JSON.parse(textOf(await send(service, SERVICE)));
  assert.equal(digest, hash('sha256', json));
  assert.deepEqual(sources, JSON.parse(json).source);
  assert.deepEqual(
    quality.map(({ level, kind, count }: Record<string, unknown>) => [level, kind, count]),
    [['lv0', 'empty-geometries', 1]],
  );
  assert.match(quality[0].example, /BBB/);
  assert.equal(
    citation,
    `One; Two. Administrative boundaries, release r1 (2026-11-22). Licence: CC-BY-4.0. SHA-256 of release.json: ${digest}.`,
  );
  // Who may not ask for the data learns neither what is in it, nor of which files it was made.
  const closed = await startService(own, { explorer: true });
  const about = JSON.parse(textOf(await send(closed, '/about.json', { authorization: undefined })));
  assert.deepEqual(
    [about.digest, about.citation, about.sources, about.quality],
    [digest, citation, undefined, undefined],
  );
});

test('of a release with thousands of files and long texts the description stays short', async () => {
  const long = 'x'.repeat(5000);
  const source = Array.from({ length: 20_000 }, (_, i) => ({ name: `${long}${i}`, bytes: i, sha256: 'a'.repeat(64) }));
  const quality = Array.from({ length: 5000 }, () => ({ level: 0, kind: 'orphans', count: 1, example: long }) as const);
  const { releases } = await startService(folder);
  const { length } = JSON.stringify(serviceMembers({ ...releases.requireCurrent(), source, quality }, releases, true));
  assert.ok(length < 300_000, String(length));
});

test('what the units of a level are called that have no column of types is its typeName, in the explorer too', async (t) => {
  const regions = layerOf('regions', ['code'], [[['x'], square(0, 0)]]);
  const out = await buildLayers([regions], {
    gidColumns: [{ level: 1, of: 1, columns: ['code'] }],
    typeNames: [{ level: 1, value: 'Wilaya' }],
  });
  const service = await startService(out);
  // about.json, which the explorer reads, has the same members.
  const about = textOf(await send(service, SERVICE));
  const [level] = JSON.parse(about).levels;
  assert.deepEqual([level.typeName, level.columns.type], ['Wilaya', null]);
  t.mock.method(globalThis, 'fetch', async () => new Response(about));
  const { levels } = await readAbout(`http://${HOST}/`);
  const [unit] = JSON.parse(textOf(await send(service, '/api/v1/fc/lv1'))).features;
  assert.equal(unitToRow(unit, elementAt(levels, 1), '').type, 'Wilaya');
});

test('what is not known is null, parents that are not in the data too, and no link leads to pages that are not there', async () => {
  const regions = layerOf('regions', ['code'], [[['x'], square(0, 0)]]);
  const out = await buildLayers([regions], { gidColumns: [{ level: 1, of: 1, columns: ['code'] }] });
  const service = await startService(out);
  const { date, license, levels, links } = JSON.parse(textOf(await send(service, SERVICE)));
  assert.deepEqual([date, license, levels.length, links.length], [null, null, 1, 3]);
  assert.deepEqual(levels[0].columns, { gid: 'code', name: null, type: null, parents: [null], names: {}, codes: {} });
});

test('a release that is no longer hosted leaves the list at once, whatever was answered before', async () => {
  const service = await startService(folder);
  const ask = () => send(service, SERVICE, { 'accept-encoding': 'gzip' });
  const [first] = [await ask(), await ask(), await ask()];
  pointTo(folder, 'r2', ['r2']);
  await service.releases.refresh();
  const last = await ask();
  pointTo(folder, 'r2', ['r1', 'r2']);
  const lists = [first, last].map((answer) => JSON.parse(textOf(answer)).releases);
  assert.deepEqual(lists, [['r2', 'r1'], ['r2']]);
  assert.notEqual(first.headers.etag, last.headers.etag);
});

test('a release that never was hosted is not called one that is no longer, and where the hosted ones are listed is said', async () => {
  const service = await startService(folder);
  const { body, ...answer } = await send(service, '/api/v1/download/lv0.geojsonl.gz?release=never');
  const { title, detail } = JSON.parse(textOf({ body, ...answer }));
  assert.equal(answer.status, 410);
  assert.equal(title, 'The release is not hosted');
  assert.match(
    detail,
    /^The service does not host this release, or hosts it no longer\. GET \/api\/v1\/ lists the releases that it hosts\. /,
  );
});

test('what anybody may know is made once for each release and list of hosted ones, however often it is asked for', async () => {
  let made = 0;
  const describe: ReleaseAsset = ({ id }, { hosted }) => {
    made++;
    return makeAsset('text/plain', [id, ...hosted].join());
  };
  const service = await startService(folder, { assets: new Map([['/about.txt', describe]]) });
  const texts = async (): Promise<Set<string>> => {
    const asked = Array.from({ length: 20 }, () => send(service, '/about.txt', { 'accept-encoding': 'gzip' }));
    return new Set((await Promise.all(asked)).map(textOf));
  };
  assert.deepEqual([await texts(), made], [new Set(['r2,r2,r1']), 1]);
  pointTo(folder, 'r2', ['r2']);
  await service.releases.refresh();
  assert.deepEqual([await texts(), made], [new Set(['r2,r2']), 2]);
  pointTo(folder, 'r1', ['r1', 'r2']);
  await service.releases.refresh();
  assert.deepEqual([await texts(), made], [new Set(['r1,r1,r2']), 3]);
  pointTo(folder, 'r2', ['r1', 'r2']);
});

test('of a public service anybody and caches have it; of another one nobody learns how many units there are', async () => {
  // That it needs a token is in contract/every-answer.test.ts.
  const service = await startService(folder, { explorer: true });
  assert.match(refusal(await send(service, '/api/v1'), 404, 'not-found'), /^Available: \/api\/v1\/, /);
  const open = await startService(folder, { explorer: true, isPublic: true });
  const answer = await send(open, SERVICE, { authorization: undefined });
  assert.equal(answer.headers['cache-control'], 'public, max-age=60, stale-while-revalidate=600');
  // The file that needs no token says how many units there are, and where, if the service is public.
  const { links: _, ...whole } = JSON.parse(textOf(answer));
  const about = JSON.parse(textOf(await send(open, '/about.json', { authorization: undefined })));
  assert.deepEqual(Object.fromEntries(Object.keys(whole).map((name) => [name, about[name]])), whole);
  const hidden = JSON.parse(textOf(await send(service, '/about.json', { authorization: undefined })));
  const [{ features, extent, columns }] = hidden.levels;
  assert.deepEqual([hidden.releases, features, extent, columns], [undefined, undefined, undefined, LV0.columns]);
});
