// The HTTP contract: OGC API - Features. The tests that a program can do of the abstract test suite (OGC 17-069r4,
// annex A), each under the name that it has there, and what is ours. Pages are compared with the stored text of the
// level.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { elementAt } from '../../format/element-at.ts';
import { GEOMETRIES, LEVELS, type Level, levelName } from '../../format/levels.ts';
import { ODD_GIDS, type StoredLevel } from '../support/datasets/large-dataset.ts';
import { type Answer, nextOf, pagesFrom, refusal, send, textOf } from '../support/http/http-client.ts';
import { authorizedWith } from '../support/http/in-process-proxy.ts';
import { inBox, placedLevel } from '../support/places.ts';
import { allFids, SCOPE, type World } from './world.ts';

const ROOT = '/api/v1/ogc';
const GEOJSON = 'application/geo+json';
const QUERYABLES = 'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables';
const RELATIONS = 'http://www.opengis.net/def/rel/ogc/1.0';
const CORE = 'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf';

interface Link {
  href: string;
  rel: string;
  type: string;
}
interface Feature {
  id: number;
  properties?: Record<string, unknown>;
  bbox?: number[];
  links?: Link[];
}
/** The body of a page of features. */
interface Page {
  type: string;
  features: Feature[];
  numberMatched: number;
  numberReturned: number;
  links: Link[];
}
interface Collection {
  id: string;
  itemCount: number;
  extent?: { spatial: { bbox: number[][] } };
  links: Link[];
}

/** Tests what is the same for every origin. */
export function testOgc({ proxy, stored, configured }: World): void {
  const get = async (path: string): Promise<Answer> => send(proxy, path, { 'accept-encoding': 'gzip' });
  const json = async <T>(path: string, mediaType = 'application/json'): Promise<T> => {
    const answer = await get(path);
    assert.equal(answer.status, 200, textOf(answer));
    assert.equal(answer.headers['content-type'], mediaType);
    return JSON.parse(textOf(answer));
  };
  const page = (query: string, level: Level = 2): Promise<Page> => json(`${itemsOf(level)}?${query}`, GEOJSON);
  const collections = async (): Promise<Collection[]> =>
    (await json<{ collections: Collection[] }>(`${ROOT}/collections`)).collections;

  test('/conf/core/root-op, root-success: the landing page links to everything', async () => {
    const { links } = await json<{ links: Link[] }>(ROOT);
    assert.deepEqual(await json(`${ROOT}/`), await json(ROOT));
    typedLinks(links);
    const to = (rel: string): string => pathOf(links, rel);
    assert.equal(to('self'), ROOT);
    assert.equal(to('data'), `${ROOT}/collections`);
    assert.equal(to('conformance'), `${ROOT}/conformance`);
    assert.equal(to('service-desc'), `${ROOT}/api`);
  });

  test('/conf/core/api-definition-op, /conf/oas30/oas-definition-1: the API definition is valid OpenAPI 3.0', async () => {
    const document = await json<Record<string, unknown>>(`${ROOT}/api`, 'application/vnd.oai.openapi+json;version=3.0');
    assert.ok('security' in document);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(document);
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, '3.0');
  });

  test('/conf/core/fc-limit-definition and what GDAL and QGIS read: the definition has limit and the GID columns', async () => {
    type Parameter = { name: string; schema: { minimum?: number; maximum?: number; default?: number } };
    type Operation = { get: { parameters: { $ref?: string; name?: string }[] } };
    type Definition = { paths: Record<string, Operation>; components: { parameters: Record<string, Parameter> } };
    const { paths, components } = await json<Definition>(`${ROOT}/api`, 'application/vnd.oai.openapi+json;version=3.0');
    const { schema } = components.parameters['limit'] ?? assert.fail();
    assert.deepEqual([schema.minimum, schema.default, schema.maximum], [1, 100, 1000]);
    const names = paths['/collections/lv2/items']?.get.parameters.map(
      ({ name, $ref = '' }) => name ?? components.parameters[$ref.split('/').at(-1) ?? '']?.name,
    );
    assert.deepEqual(names, [...PARAMETERS, 'GID_0', 'GID_1', 'GID_2']);
    for (const { id } of await collections())
      for (const path of ['', '/items', '/items/{fid}', '/queryables', '/schema'])
        assert.ok(paths[`/collections/${id}${path}`], id + path);
  });

  test('/conf/core/conformance-op, conformance-success: only what holds is declared', async () => {
    const { conformsTo } = await json<{ conformsTo: string[] }>(`${ROOT}/conformance`);
    assert.deepEqual(conformsTo, [`${CORE}/core`, `${CORE}/geojson`, `${CORE}/oas30`, QUERYABLES]);
  });

  test('/conf/core/fc-md-op, fc-md-success, fc-md-items, fc-md-extent: each level with features is a collection', async () => {
    const { links, collections: all } = await json<{ links: Link[]; collections: Collection[] }>(`${ROOT}/collections`);
    typedLinks(links);
    const filled = LEVELS.filter((level) => elementAt(stored, level).units.length > 0);
    assert.deepEqual(
      all.map(({ id, itemCount }) => [id, itemCount]),
      filled.map((level) => [levelName(level), elementAt(stored, level).units.length]),
    );
    for (const [i, { extent, links: own }] of all.entries()) {
      const level = elementAt(filled, i);
      typedLinks(own);
      assert.equal(pathOf(own, 'items'), itemsOf(level));
      assert.equal(own.find(({ rel }) => rel === 'items')?.type, GEOJSON);
      const [[west = 0, south = 0, east = 0, north = 0] = []] = extent?.spatial.bbox ?? [];
      for (const { bbox } of featuresOf(stored, level)) {
        if (bbox === undefined) continue;
        const [w = 0, s = 0, e = 0, n = 0] = bbox;
        assert.ok(s >= south && n <= north && (w > e ? west === -180 && east === 180 : w >= west && e <= east));
      }
    }
  });

  test('/conf/core/sfc-md-op, sfc-md-success: a collection by itself is as in the list', async () => {
    for (const collection of await collections())
      assert.deepEqual(await json(`${ROOT}/collections/${collection.id}`), collection);
  });

  test('/conf/core/fc-op, fc-response, fc-links, fc-numberMatched, fc-numberReturned: a page has the features as they are', async () => {
    for (const { id } of await collections()) {
      const path = `${ROOT}/collections/${id}/items`;
      const level = LEVELS.find((known) => levelName(known) === id) ?? assert.fail();
      const { type, features, numberMatched, numberReturned, links } = await json<Page>(path, GEOJSON);
      const expected = featuresOf(stored, level);
      assert.equal(type, 'FeatureCollection');
      assert.deepEqual(features, expected.slice(0, 100));
      assert.deepEqual([numberMatched, numberReturned], [expected.length, features.length]);
      typedLinks(links);
      assert.equal(pathOf(links, 'self'), path);
      assert.equal(pathOf(links, 'collection'), `${ROOT}/collections/${id}`);
      assert.equal(
        links.some(({ rel }) => rel === 'next'),
        expected.length > 100,
      );
    }
  });

  test('/conf/core/fc-limit-response: limit is at most 1,000, at least 1, and larger ones count as the maximum', async () => {
    const all = elementAt(stored, 2).units.length;
    for (const [limit, expected] of [
      ['1', 1],
      ['7', 7],
      ['1000', all],
      ['1001', all],
      ['9'.repeat(30), all],
    ] as const)
      assert.equal((await page(`limit=${limit}`)).numberReturned, expected);
  });

  test('/conf/core/fc-bbox-definition, fc-bbox-response: bbox has four or six numbers, also across the antimeridian', async () => {
    const places = placedLevel(elementAt(stored, 0).lines, 7);
    for (const [bbox, flat] of [
      ['-20,-30,40.5,30'],
      ['-20,-30,-100,40.5,30,9000', '-20,-30,40.5,30'],
      ['170,-90,-170,90'],
      ['-180,-90,180,90'],
      ['1e1,-3.5e+1,1.25e2,5.0E-1', '10,-35,125,0.5'],
    ] as const) {
      const expected = inBox(places, flat ?? bbox).map((position) => elementAt(allFids(stored, 0), position));
      assert.ok(expected.length > 0, bbox);
      const got = await page(`bbox=${bbox}&limit=1000`, 0);
      assert.deepEqual([got.features.map(({ id }) => id), got.numberMatched], [expected, expected.length], bbox);
    }
  });

  test('/conf/core/fc-time-definition, fc-time-response: instants and intervals are accepted; what has no time matches', async () => {
    const all = elementAt(stored, 2).units.length;
    for (const time of [
      '2018-02-12T23:20:50Z',
      '2018-02-12T23:20:50.52-03:30',
      '2018-02-12T23:20:50+03:30',
      '2018-02-12',
      '2018-02-12T00:00:00Z/2018-03-18T12:31:12Z',
      '2018-02-12T00:00:00Z/..',
      '../2018-03-18T12:31:12Z',
      '2018-02-12T00:00:00Z/',
      '2016-02-29',
      '2016-12-31T23:59:60Z',
    ])
      for (const text of [time, encodeURIComponent(time)])
        assert.equal((await page(`datetime=${text}`)).numberMatched, all, text);
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

  test('/conf/queryables of part 3: the GID columns, each a parameter of the items, and no other', async () => {
    type Schema = Record<'$id' | '$schema' | 'type', string> & { properties: Record<string, object> };
    const type = 'application/schema+json';
    for (const { id, links } of await collections()) {
      const level = LEVELS.find((known) => levelName(known) === id) ?? assert.fail();
      for (const name of ['queryables', 'schema']) {
        const path = `${ROOT}/collections/${id}/${name}`;
        assert.equal(pathOf(links, `${RELATIONS}/${name}`), path);
        assert.equal(links.find(({ rel }) => rel === `${RELATIONS}/${name}`)?.type, type);
        const schema = await json<Schema>(path, type);
        assert.equal(new URL(schema.$id).pathname, path);
        assert.deepEqual([schema.$schema, schema.type], ['https://json-schema.org/draft/2020-12/schema', 'object']);
        const columns = LEVELS.filter((known) => known <= level).map((known) => `GID_${known}`);
        const names = Object.keys(schema.properties);
        if (name === 'queryables') assert.deepEqual(names, columns);
        else assert.deepEqual(names.slice(0, 1 + columns.length), ['fid', ...columns]);
        // What is described is there.
        const { properties = {} } = (await page('limit=1', level)).features[0] ?? {};
        for (const column of names.filter((known) => known !== 'geometry')) assert.ok(column in properties, column);
        if (name === 'queryables')
          for (const column of names) {
            const gid = encodeURIComponent(String(properties[column]));
            assert.ok((await page(`${column}=${gid}`, level)).numberMatched > 0, column);
          }
      }
    }
  });

  test('/conf/core/f-op, f-success, f-links: every feature is found by its id, with links', async () => {
    for (const level of [0, 1, 2] as const)
      for (const expected of featuresOf(stored, level).filter((_, i) => i % 9 === 0)) {
        const path = `${itemsOf(level)}/${expected.id}`;
        const { links = [], ...feature } = await json<Feature>(path, GEOJSON);
        assert.deepEqual(feature, expected);
        typedLinks(links);
        assert.equal(pathOf(links, 'self'), path);
        assert.equal(pathOf(links, 'collection'), `${ROOT}/collections/${levelName(level)}`);
      }
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
          return gids[0] === parent && feature.bbox !== undefined ? [feature] : [];
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
      const expected = elementAt(stored, 2).units.filter(({ gids }) => gids[1] === gid);
      for (const text of [encodeURIComponent(gid), encodeURIComponent(gid).replaceAll('%2B', '+')])
        assert.deepEqual(
          (await page(`limit=1000&GID_1=${text}`)).features.map(({ id }) => id),
          expected.map(({ fid }) => fid),
          gid,
        );
    }
    const unit = elementAt(elementAt(stored, 2).units, 7);
    const query = unit.gids.map((gid, column) => `GID_${column}=${encodeURIComponent(gid)}`).join('&');
    assert.deepEqual(
      (await page(query)).features.map(({ id }) => id),
      [unit.fid],
    );
  });

  test('links begin with the public URL', async () => {
    const { links }: { links: Link[] } = JSON.parse(
      textOf(await send(configured, ROOT, await authorizedWith({ scope: SCOPE }))),
    );
    for (const { href } of links) assert.ok(href.startsWith('https://example.org/boundaries/api/v1/ogc'), href);
  });
}

const PARAMETERS = ['limit', 'bbox', 'touches', 'datetime', 'geometry', 'start-at', 'f'];

function itemsOf(level: Level): string {
  return `${ROOT}/collections/${levelName(level)}/items`;
}

function featuresOf(stored: readonly StoredLevel[], level: Level): Feature[] {
  return elementAt(stored, level).lines.map((line) => JSON.parse(line));
}

/** The path of the link with a relation. */
function pathOf(links: readonly Link[], wanted: string): string {
  const [link, ...others] = links.filter(({ rel }) => rel === wanted);
  assert.ok(link !== undefined && others.length === 0, wanted);
  const { pathname, search } = new URL(link.href);
  return pathname + search;
}

function typedLinks(links: readonly Link[]): void {
  for (const link of links) assert.ok(URL.canParse(link.href) && link.rel !== '' && link.type !== '');
}
