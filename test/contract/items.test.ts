// The HTTP contract: what is ours of OGC API - Features, besides the rules of the standard, which ogc.test.ts tests. Pages
// are compared with the stored text of the level.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { GEOMETRIES, LEVELS, type Level, levelName } from '../../format/levels.ts';
import { ODD_GIDS } from '../support/datasets/large-dataset.ts';
import { nextOf, pagesFrom, refusal, textOf } from '../support/http/http-client.ts';
import {
  type Feature,
  featuresOf,
  GEOJSON,
  idsOf,
  itemsOf,
  type Link,
  ogcOf,
  type Page,
  pathOf,
  ROOT,
} from './ogc-answers.ts';
import { DIRECTORY } from './setups.ts';
import { prepareWorld } from './world.ts';

const RELATIONS = 'http://www.opengis.net/def/rel/ogc/1.0';

const { proxy, stored } = await prepareWorld(DIRECTORY);
const { get, json, page } = ogcOf(proxy);

test('a page has the features as they are stored, 100 unless limit says otherwise, and so has the path of each', async () => {
  for (const level of [0, 1, 2] as const) {
    const expected = featuresOf(stored, level);
    assert.deepEqual((await page('', level)).features, expected.slice(0, 100));
    for (const feature of expected.filter((_, i) => i % 9 === 0)) {
      const { links: _links, ...got } = await json<Feature>(`${itemsOf(level)}/${feature.id}`, GEOJSON);
      assert.deepEqual(got, feature);
    }
  }
});

test('numbers of a box may have exponents, and heights beside them', async () => {
  for (const [box, flat] of [
    ['-20,-30,-1e2,40.5,30,9.0E+3', '-20,-30,40.5,30'],
    ['1e1,-3.5e+1,1.25e2,5.0E-1', '10,-35,125,0.5'],
  ] as const) {
    const [got, expected] = [await page(`bbox=${box}&limit=10000`), await page(`bbox=${flat}&limit=10000`)];
    assert.ok(got.features.length > 0 && got.features.length < elementAt(stored, 2).units.length);
    assert.deepEqual(got.features, expected.features, box);
  }
});

test('items and collections name their queryables in Link, beside next; single features do not', async () => {
  const queryables = (level: Level): string =>
    `<${new URL(`${ROOT}/collections/${levelName(level)}/queryables`, proxy.url)}>; rel="${RELATIONS}/queryables"`;
  const linkOf = async (path: string): Promise<unknown> => (await get(path)).headers.link;
  assert.equal(await linkOf(`${ROOT}/collections/lv1`), queryables(1));
  assert.equal(await linkOf(`${itemsOf(2)}?limit=10000&geometry=none`), queryables(2));
  const begun = await get(`${itemsOf(2)}?limit=1`);
  const { links }: Page = JSON.parse(textOf(begun));
  const next = links.find(({ rel }) => rel === 'next')?.href;
  assert.equal(begun.headers.link, `<${next}>; rel="next", ${queryables(2)}`);
  for (const path of [ROOT, `${ROOT}/collections`, `${itemsOf(2)}/1`]) assert.equal(await linkOf(path), undefined);
});

test('f=json is accepted on every path and changes nothing but links', async () => {
  const paths = ['', '/conformance', '/api', '/collections', '/collections/lv2', '/collections/lv2/items/1'];
  for (const path of [...paths, '/collections/lv2/queryables', '/collections/lv2/schema']) {
    const [plain, asked] = [await get(ROOT + path), await get(`${ROOT + path}?f=json`)];
    assert.deepEqual([asked.status, asked.headers['content-type']], [200, plain.headers['content-type']], path);
    const { links: _links, ...content } = JSON.parse(textOf(plain));
    const { links: _asked, ...same } = JSON.parse(textOf(asked));
    assert.deepEqual(same, content);
  }
  const { features, links } = await page('f=json&limit=1');
  assert.deepEqual(features, (await page('limit=1')).features);
  assert.match(pathOf(links, 'next'), /f=json/);
});

test('what is not there is 404', async () => {
  const gap = featuresOf(stored, 2).find(({ id }, i, all) => all[i + 1] !== undefined && all[i + 1]?.id !== id + 1);
  for (const path of [
    ...['//', '/collection', '/collections/', '/collections/lv6', '/collections/LV2', '/api/'],
    ...[(gap?.id ?? 0) + 1, '0', '01', '1.0', 'x', '', '-1', '1/', '9'.repeat(30)].map(
      (id) => `/collections/lv2/items/${id}`,
    ),
  ])
    refusal(await get(ROOT + path), 404, 'not-found');
});

test('next leads through every feature once, in both codings and each geometry, and repeats the parameters', async () => {
  const parent = elementAt(stored, 2).units[0]?.gids[0] ?? '';
  for (const coding of ['gzip', 'identity'])
    for (const geometry of GEOMETRIES) {
      const query = `GID_0=${encodeURIComponent(parent)}&bbox=-180,-90,180,90&geometry=${geometry}&limit=3`;
      const lines = elementAt(stored, 2).withGeometry.get(geometry) ?? [];
      const expected = elementAt(stored, 2).units.flatMap(({ gids }, at) => {
        const feature = JSON.parse(elementAt(lines, at));
        return gids[0] === parent ? [feature] : [];
      });
      const got: Feature[] = [];
      for await (const answer of pagesFrom(proxy, `${itemsOf(2)}?${query}`, { 'accept-encoding': coding })) {
        const { features, numberMatched, links }: Page = JSON.parse(textOf(answer));
        assert.equal(answer.headers['boundaries-matched'], String(expected.length));
        assert.equal(numberMatched, expected.length);
        got.push(...features);
        const path = nextOf(answer);
        assert.equal(path, links.some(({ rel }) => rel === 'next') ? pathOf(links, 'next') : undefined);
        assert.ok(path === undefined || path.startsWith(`${itemsOf(2)}?${query}&start-at=`), path);
      }
      assert.deepEqual(got, expected);
    }
});

test('every GID of every column selects its units, however odd, with a plus as it is', async () => {
  for (const gid of [...ODD_GIDS, 'none', 'same ', '%2e']) {
    const expected = elementAt(stored, 2).units.flatMap(({ gids, fid }) => (gids[1] === gid ? [fid] : []));
    for (const text of [encodeURIComponent(gid), encodeURIComponent(gid).replaceAll('%2B', '+')])
      assert.deepEqual(idsOf(await page(`limit=1000&GID_1=${text}`)), expected, gid);
  }
  const unit = elementAt(elementAt(stored, 2).units, 7);
  const query = unit.gids.map((gid, column) => `GID_${column}=${encodeURIComponent(gid)}`).join('&');
  assert.deepEqual(idsOf(await page(query)), [unit.fid]);
});

test('the schema of a level has its columns, which are there, and the queryables the GIDs alone', async () => {
  type Schema = { $id: string; properties: Record<string, { type?: string }> };
  for (const level of [0, 1, 2] as const) {
    const path = `${ROOT}/collections/${levelName(level)}`;
    const { links } = await json<{ links: Link[] }>(path);
    const columns = LEVELS.slice(0, level + 1).map((known) => `GID_${known}`);
    const { properties = {} } = (await page('limit=1', level)).features[0] ?? {};
    const namesOf = async (name: string): Promise<string[]> => {
      assert.equal(pathOf(links, `${RELATIONS}/${name}`), `${path}/${name}`);
      const schema = await json<Schema>(`${path}/${name}`, 'application/schema+json');
      assert.equal(new URL(schema.$id).pathname, `${path}/${name}`);
      return Object.keys(schema.properties);
    };
    assert.deepEqual(await namesOf('queryables'), columns);
    assert.deepEqual(await namesOf('schema'), [...Object.keys(properties), 'geometry']);
    const schema = await json<Schema>(`${path}/schema`, 'application/schema+json');
    for (const [name, value] of Object.entries(properties))
      assert.equal(schema.properties[name]?.type, Number.isInteger(value) ? 'integer' : typeof value, name);
  }
});
