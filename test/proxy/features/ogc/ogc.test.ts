// OGC API - Features on releases of its own: large features, levels without features, and licences.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Link, ogcOf, ROOT } from '../../../contract/ogc-answers.ts';
import { readStored, writeInvented } from '../../../support/datasets/large-dataset.ts';
import { type Answer, pagesFrom, refusal, send, textOf } from '../../../support/http/http-client.ts';
import { NO_TOKEN, startService } from '../../../support/http/in-process-proxy.ts';
import { buildCountries, buildRelease, buildUnits } from '../../../support/releases/build-release.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const PAGE_MAX_BYTES = 2 * 1024 * 1024;
/** Header, links and end of a page. */
const FRAME_MAX_BYTES = 4096;

const countries = await buildCountries();

function linkOf(answer: Answer, wanted: string): Link | undefined {
  const { links }: { links: Link[] } = JSON.parse(textOf(answer));
  return links.find(({ rel }) => rel === wanted);
}

/** The abstract tests of the classes that are declared: OGC 17-069r4 and 19-079r2, annex A. */
const ABSTRACT_TESTS: Readonly<Record<string, string>> = {
  core: `http crs84 root-op root-success api-definition-op api-definition-success conformance-op conformance-success
    fc-md-op fc-md-success fc-md-links fc-md-items fc-md-items-links fc-md-extent sfc-md-op sfc-md-success fc-op
    fc-bbox-definition fc-bbox-response fc-limit-definition fc-limit-response fc-time-definition fc-time-response
    query-param-invalid query-param-unknown fc-response fc-links fc-timeStamp fc-numberMatched fc-numberReturned
    f-op f-success f-links`,
  geojson: 'definition content',
  oas30: 'completeness exceptions-codes oas-definition-1 oas-definition-2 oas-impl security',
  queryables: 'get-conformance get-queryables-uris get-queryables',
  'queryables-query-parameters': 'get-conformance query-param',
};

test('each abstract test of what is declared has a test by its name in contract/ogc.test.ts, and no other one has such a name', () => {
  const expected = Object.entries(ABSTRACT_TESTS).flatMap(([name, tests]) =>
    tests.split(/\s+/).map((test) => `/conf/${name}/${test}`),
  );
  const titles = (file: string): string[] => {
    const source = readFileSync(join('test/contract', file), 'utf8');
    const found = [...source.matchAll(/(?:\btest\(|^ {2})\s*'([^']*)'/gm)].map(([, title = '']) => title);
    return found.flatMap((title) => title.match(/\/conf\/[\w-]+\/[\w-]+/g) ?? []);
  };
  assert.deepEqual(titles('ogc.test.ts').sort(), expected.sort());
  for (const file of readdirSync('test/contract')) if (file !== 'ogc.test.ts') assert.deepEqual(titles(file), [], file);
});

test('a page ends before 2 MiB of stored bytes, but has at least one feature; large features come as they are', async () => {
  const large = new Map(Object.entries({ '0.3': 2_700_000, '0.5': 700_000, '0.6': 700_000, '0.7': 700_000 }));
  const folder = temporaryFolder();
  const source = join(folder, 'large.gpkg');
  writeInvented(source, { counts: [12], verticesOf: () => 12, strayEvery: 7, large });
  await buildRelease(source, folder);
  const proxy = await startService(folder);
  const [countries] = readStored(folder, 'r1');
  const expected = (countries?.lines ?? []).map((line) => JSON.parse(line));
  const got: unknown[] = [];
  const counts: number[] = [];
  const first = `${ROOT}/collections/lv0/items?limit=1000`;
  for await (const answer of pagesFrom(proxy, first, { 'accept-encoding': 'gzip' })) {
    const { features, numberReturned } = JSON.parse(textOf(answer));
    assert.equal(features.length, numberReturned);
    assert.ok(answer.body.length <= PAGE_MAX_BYTES + FRAME_MAX_BYTES || numberReturned === 1, `${answer.body.length}`);
    got.push(...features);
    counts.push(numberReturned);
  }
  assert.deepEqual(got, expected);
  assert.ok(counts.includes(1) && counts.length > 2 && counts.some((count) => count > 1), `${counts}`);
  for (const one of [expected[3], expected[5], expected[0]]) {
    const answer = await send(proxy, `${ROOT}/collections/lv0/items/${one.id}`, { 'accept-encoding': 'gzip' });
    assert.equal(answer.headers['content-encoding'], undefined);
    assert.equal(answer.headers['content-length'], String(answer.body.length));
    const { links: _links, ...feature } = JSON.parse(answer.body.toString());
    assert.deepEqual(feature, one);
  }
});

test('levels without features are no collections, and no paths of the definition', async () => {
  const proxy = await startService(countries);
  const { json } = ogcOf(proxy);
  const { collections } = await json<{ collections: { id: string }[] }>(`${ROOT}/collections`);
  assert.equal(collections.map(({ id }) => id).join(), 'lv0,lv1,lv2');
  const { paths } = JSON.parse(textOf(await send(proxy, `${ROOT}/api`)));
  assert.ok(paths['/collections/lv2/items'] && !paths['/collections/lv3/items']);
  for (const path of ['', '/items', '/items/1', '/queryables', '/schema']) {
    const detail = refusal(await send(proxy, `${ROOT}/collections/lv3${path}`), 404, 'not-found');
    assert.match(detail, /lv0, lv1, lv2/);
  }
});

test('the schema of a level says whether all of its geometries are polygons', async () => {
  const proxy = await startService(
    await buildUnits(['POLYGON((0 0,1 0,1 1,0 0))', 'POINT(3 3)'], { accept: ['non-polygonal'] }),
  );
  for (const [{ json }, expected] of [
    [ogcOf(proxy), 'geometry-any'],
    [ogcOf(await startService(countries)), 'geometry-polygon-or-multipolygon'],
  ] as const) {
    const { properties } = await json<{ properties: { geometry: object } }>(
      `${ROOT}/collections/lv0/schema`,
      'application/schema+json',
    );
    assert.deepEqual(properties.geometry, { format: expected, 'x-ogc-role': 'primary-geometry' });
  }
});

test('without the explorer there is no HTML to link to, and oas30, which asks for it, is not declared', async () => {
  for (const explorer of [true, false]) {
    const proxy = await startService(countries, { explorer });
    assert.equal(linkOf(await send(proxy, ROOT), 'service-doc')?.href, explorer ? `${proxy.url}/docs` : undefined);
    assert.equal((await send(proxy, '/docs')).status, explorer ? 200 : 404);
    const { conformsTo } = await ogcOf(proxy).json<{ conformsTo: string[] }>(`${ROOT}/conformance`);
    assert.equal(
      conformsTo.some((name) => name.endsWith('/oas30')),
      explorer,
    );
  }
});

test('the licence is a link of the landing page and of each collection where it has an address', async () => {
  for (const [licence, href] of [
    ['CC-BY-4.0', 'https://spdx.org/licenses/CC-BY-4.0.html'],
    ['https://example.org/terms', 'https://example.org/terms'],
    ['LicenseRef-Ours', undefined],
    [undefined, undefined],
  ] as const) {
    const proxy = await startService(await buildCountries({ licence, attribution: ['Someone'] }));
    for (const path of [ROOT, `${ROOT}/collections/lv0`]) {
      const answer = await send(proxy, path);
      const link = linkOf(answer, 'license');
      assert.deepEqual([link?.href, link?.title], [href, href && licence]);
      assert.equal(JSON.parse(textOf(answer)).attribution, 'Someone');
    }
  }
});

test('/.well-known/api-catalog names both descriptions to anyone (RFC 9727)', async () => {
  const proxy = await startService(countries);
  const path = '/.well-known/api-catalog';
  const answer = await send(proxy, path, NO_TOKEN);
  assert.equal(
    answer.headers['content-type'],
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  const { linkset }: { linkset: { anchor: string; 'service-desc': Link[] }[] } = JSON.parse(textOf(answer));
  const hrefs = linkset.flatMap((entry) => entry['service-desc'].map(({ href }) => href));
  assert.deepEqual(hrefs, ['/openapi.json', `${ROOT}/api`]);
  for (const href of hrefs) assert.equal((await send(proxy, href)).status, 200);
  const head = await send(proxy, path, NO_TOKEN, 'HEAD');
  assert.equal(head.headers.link, '</.well-known/api-catalog>; rel="api-catalog"');
  const known = await startService(countries, { publicUrl: 'https://x.test/boundaries' });
  assert.match(textOf(await send(known, path, NO_TOKEN)), /"href":"https:\/\/x\.test\/boundaries\/api\/v1\/ogc\/api"/);
});
