// The HTTP contract: the abstract tests of OGC API - Features, each under its name and with what it says there and
// nothing else: part 1 (OGC 17-069r4, annex A: core, geojson, oas30) and part 3 (OGC 19-079r2, annex A: queryables and
// queryables-query-parameters). What is ours besides is in items.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '@placemarkio/check-geojson';
import { Validator } from '@seriousme/openapi-schema-validator';
import LinkHeader from 'http-link-header';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { pagesFrom, sendRaw, textOf } from '../support/http/http-client.ts';
import { AUTHORIZED, NO_TOKEN, startService } from '../support/http/in-process-proxy.ts';
import { type Document, parametersOf, resolved } from '../support/http/openapi-document.ts';
import { inBox, placedLevel } from '../support/places.ts';
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

const JSON_TYPE = 'application/json';
const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0';
const SCHEMA = 'application/schema+json';
const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
const QUERYABLES = 'http://www.opengis.net/def/rel/ogc/1.0/queryables';

interface Collection {
  id: string;
  title?: string;
  description?: string;
  itemType?: string;
  extent?: { spatial: { bbox: number[][]; crs: string } };
  crs?: string[];
  links: Link[];
}

const { folder, stored } = await prepareWorld(DIRECTORY);

/** With an explorer: without one there is no HTML, and no oas30. */
const service = await startService(folder, { explorer: true });
const { get, json, page } = ogcOf(service);
const landing = async (): Promise<Link[]> => (await json<{ links: Link[] }>(`${ROOT}/`)).links;
const definition: Document = await json(pathOf(await landing(), 'service-desc'), OPENAPI);
const list = (): Promise<{ links: Link[]; collections: Collection[] }> => json(`${ROOT}/collections`);
const filled = LEVELS.filter((level) => elementAt(stored, level).units.length > 0);
/** A parameter of the items of a level in the definition. */
const parameterOf = (level: Level, name: string) =>
  parametersOf(definition, `/collections/${levelName(level)}/items`).get(name) ?? assert.fail(name);

test('/conf/core/http, /conf/geojson/definition: every path is answered with HTTP/1.1, features as GeoJSON, all else as JSON', async () => {
  const { paths } = definition;
  const accept = `Accept: ${GEOJSON}, ${JSON_TYPE};q=0.5`;
  for (const path of Object.keys(paths)) {
    const request = `GET ${ROOT}${path.replace('{fid}', '1')} HTTP/1.1`;
    const own = ['Host: a.test', `Authorization: ${AUTHORIZED.authorization}`, accept, 'Connection: close'];
    const answer = await sendRaw(service, `${[request, ...own].join('\r\n')}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/, path);
    const isFeatures = path.includes('/items');
    assert.match(answer, isFeatures ? /^Content-Type: application\/geo\+json\r$/im : /^Content-Type: .*json/im, path);
  }
});

test('/conf/core/crs84: without a request for another one all coordinates are longitudes and latitudes', async () => {
  type Shaped = { features: { geometry: { coordinates: unknown[] } | null }[] };
  for (const level of filled) {
    const { features }: Shaped = JSON.parse(textOf(await get(itemsOf(level))));
    const numbers = features.flatMap(({ geometry }) => (geometry?.coordinates ?? []).flat(Number.POSITIVE_INFINITY));
    assert.ok(numbers.length > 0);
    for (const [i, number] of numbers.entries()) assert.ok(Math.abs(Number(number)) <= (i % 2 === 0 ? 180 : 90));
  }
});

test('/conf/core/root-op, /conf/core/root-success, /conf/core/fc-md-links, /conf/core/fc-links: documents link to what they must', async () => {
  const links = await landing();
  for (const rel of ['conformance', 'data']) assert.ok(pathOf(links, rel));
  typedLinks(links);
  const documents = [`${ROOT}/collections`, ...filled.map(itemsOf)];
  for (const path of documents) {
    const own = await json<{ links: Link[] }>(path, path === documents[0] ? JSON_TYPE : GEOJSON);
    assert.equal(pathOf(own.links, 'self'), path);
    typedLinks(own.links);
  }
});

test('/conf/core/api-definition-op, /conf/core/api-definition-success, /conf/oas30/oas-definition-1, /conf/oas30/oas-definition-2: the definition is there as HTML and as JSON, which is valid OpenAPI 3.0', async () => {
  for (const [rel, type, sent] of [
    ['service-desc', OPENAPI, OPENAPI],
    ['service-doc', 'text/html', 'text/html; charset=utf-8'],
  ] as const) {
    const link = (await landing()).find((one) => one.rel === rel) ?? assert.fail(rel);
    assert.equal(link.type, type);
    const { status, headers } = await get(new URL(link.href).pathname);
    assert.deepEqual([status, headers['content-type']], [200, sent]);
  }
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...definition });
  assert.deepEqual([validator.version, valid], ['3.0', true], JSON.stringify(errors));
});

test('/conf/core/conformance-op, /conf/core/conformance-success, /conf/queryables/get-conformance, /conf/queryables-query-parameters/get-conformance: all classes that are implemented are declared', async () => {
  for (const path of [`${ROOT}/conformance`, pathOf(await landing(), 'conformance')]) {
    const { conformsTo } = await json<{ conformsTo: string[] }>(path);
    const part1 = ['core', 'geojson', 'oas30'].map((name) => classOf(1, name));
    const part3 = ['queryables', 'queryables-query-parameters'].map((name) => classOf(3, name));
    assert.deepEqual(conformsTo, [...part1, ...part3]);
  }
});

test('/conf/core/fc-md-op, /conf/core/fc-md-success: the collections are there, in CRS84', async () => {
  for (const { crs = [CRS84], extent } of (await list()).collections)
    assert.deepEqual([crs[0], extent?.spatial.crs ?? CRS84], [CRS84, CRS84]);
});

test('/conf/core/fc-md-items, /conf/core/fc-md-items-links: each level with features is a collection with links to them', async () => {
  const { collections } = await list();
  assert.equal(collections.map(({ id }) => id).join(), filled.map(levelName).join());
  for (const { id, links } of collections) {
    assert.equal(pathOf(links, 'items'), `${ROOT}/collections/${id}/items`);
    assert.equal(links.find(({ rel }) => rel === 'items')?.type, GEOJSON);
    typedLinks(links);
  }
});

test('/conf/core/fc-md-extent: the extent of a collection includes all its geometries', async () => {
  for (const [i, { extent }] of (await list()).collections.entries()) {
    const [[west = 0, south = 0, east = 0, north = 0] = []] = extent?.spatial.bbox ?? [];
    for (const { bbox } of featuresOf(stored, elementAt(filled, i))) {
      if (bbox === undefined) continue;
      const [w = 0, s = 0, e = 0, n = 0] = bbox;
      assert.ok(s >= south && n <= north && (w > e ? west === -180 && east === 180 : w >= west && e <= east));
    }
  }
});

test('/conf/core/sfc-md-op, /conf/core/sfc-md-success: a collection by itself is consistent with the list', async () => {
  for (const { links, ...listed } of (await list()).collections) {
    const own = await json<Collection>(`${ROOT}/collections/${listed.id}`);
    for (const name of ['id', 'title', 'description', 'extent', 'itemType'] as const)
      assert.deepEqual(own[name], listed[name]);
    for (const link of links) assert.ok(own.links.some((one) => JSON.stringify(one) === JSON.stringify(link)));
  }
});

test('/conf/core/fc-op, /conf/core/fc-response, /conf/core/fc-timeStamp: items of every collection, of both bbox and datetime too', async () => {
  for (const level of filled) {
    const { type, features, ...more } = await page('', level);
    assert.deepEqual([type, Array.isArray(features)], ['FeatureCollection', true]);
    // The same page is the same.
    assert.ok(!('timeStamp' in more));
    const both = await page(`bbox=0,0,90,60&datetime=2018-02-12T00:00:00Z/..&limit=10000&geometry=none`, level);
    const box = await page(`bbox=0,0,90,60&limit=10000&geometry=none`, level);
    // Nothing has a time, so that all that are in the box are in both.
    assert.deepEqual(both.features, box.features);
  }
});

test('/conf/core/fc-numberMatched, /conf/core/fc-numberReturned: they are the numbers of what matches and of what is there', async () => {
  for (const query of ['limit=7', 'bbox=-20,-30,40.5,30&limit=7', 'datetime=2018-02-12&limit=10000', 'GID_0=none'])
    for (const level of [0, 1] as const) {
      let count = 0;
      const numbers = new Set<number>();
      for await (const answer of pagesFrom(service, `${itemsOf(level)}?${query}&geometry=none`)) {
        const { features, numberMatched, numberReturned }: Page = JSON.parse(textOf(answer));
        assert.equal(numberReturned, features.length);
        numbers.add(numberMatched);
        count += features.length;
      }
      assert.deepEqual([...numbers], [count]);
    }
});

test('/conf/core/fc-bbox-definition, /conf/core/fc-limit-definition, /conf/core/fc-time-definition: parameters are defined so', async () => {
  const ofBox = [4, 6].map((count) => ({ minItems: count, maxItems: count }));
  for (const [name, schema] of [
    ['bbox', { type: 'array', minItems: 4, maxItems: 6, items: { type: 'number' }, oneOf: ofBox }],
    ['limit', { type: 'integer', minimum: 1, maximum: 10_000, default: 100 }],
    ['datetime', { type: 'string' }],
  ] as const) {
    const defined = parameterOf(0, name);
    const { in: place, required = false, style, explode } = defined;
    assert.deepEqual([place, required, style, explode], ['query', false, 'form', false], name);
    assert.deepEqual({ ...defined.schema, ...schema }, defined.schema);
  }
});

test('/conf/core/fc-bbox-response: features whose geometry intersects the box, and all without geometry, no others', async () => {
  for (const level of [0, 2] as const) {
    const places = placedLevel(elementAt(stored, level).lines, 7);
    const features = featuresOf(stored, level);
    for (const box of ['-20,-30,40.5,30', '170,-90,-170,90', '-180,-90,180,90', '-180,85,180,90', '0,0,0,0']) {
      const inside = new Set(inBox(places, box));
      const expected = features.flatMap(({ id, bbox }, i) => (inside.has(i) || bbox === undefined ? [id] : []));
      const got = await page(`bbox=${box}&limit=10000&geometry=none`, level);
      assert.deepEqual(idsOf(got), expected, box);
    }
  }
});

test('/conf/core/fc-limit-response: a page has no more than limit, which larger ones than the maximum count as', async () => {
  const all = elementAt(stored, 2).units.length;
  for (const limit of ['1', '7', '10000', '10001', '9'.repeat(30)]) {
    const { features, numberReturned } = await page(`limit=${limit}&geometry=none`);
    const expected = Math.min(Number(limit), all);
    assert.deepEqual([features.length, numberReturned], [expected, expected]);
  }
});

test('/conf/core/fc-time-response: what has no time matches every instant and interval', async () => {
  const all = elementAt(stored, 2).units.length;
  const pattern = new RegExp(String(parameterOf(2, 'datetime').schema['pattern']));
  for (const time of [
    ...['2018-02-12T23:20:50Z', '2018-02-12T23:20:50.52-03:30', '2018-02-12T23:20:50+03:30', '2018-02-12'],
    ...['2018-02-12T00:00:00Z/2018-03-18T12:31:12Z', '2018-02-12T00:00:00Z/..', '2018-02-12T00:00:00Z/'],
    ...['../2018-03-18T12:31:12Z', '/2018-03-18T12:31:12Z', '2016-02-29', '2016-12-31T23:59:60Z'],
    '1990-12-31t15:59:60-08:00',
  ]) {
    assert.match(time, pattern);
    for (const text of [time, encodeURIComponent(time)])
      assert.equal((await page(`datetime=${text}&limit=1`)).numberMatched, all, text);
  }
});

test('/conf/core/query-param-invalid, /conf/core/query-param-unknown: 400', async () => {
  const invalid = ['limit=0', 'bbox=1,2,3', 'bbox=1,2,3,4,5', 'datetime=yesterday', 'datetime=2018-02-30'];
  const paths = ['', '/conformance', '/api', '/collections', '/collections/lv2', '/collections/lv2/items'];
  for (const target of [
    ...invalid.map((query) => `${itemsOf(2)}?${query}`),
    ...paths.map((path) => `${ROOT}${path}?unknown=1`),
  ])
    assert.equal((await get(target)).status, 400, target);
});

test('/conf/core/f-op, /conf/core/f-success, /conf/core/f-links, /conf/geojson/content: features are found by their ids, with links', async () => {
  for (const level of [0, 1, 2] as const) {
    assert.equal(check(textOf(await get(`${itemsOf(level)}?limit=10`))).type, 'FeatureCollection');
    for (const { id } of featuresOf(stored, level).filter((_, i) => i % 9 === 0)) {
      const path = `${itemsOf(level)}/${id}`;
      const text = textOf(await get(path));
      const feature: Feature = JSON.parse(text);
      assert.deepEqual([check(text).type, feature.id], ['Feature', id]);
      assert.equal(pathOf(feature.links ?? [], 'self'), path);
      assert.equal(pathOf(feature.links ?? [], 'collection'), `${ROOT}/collections/${levelName(level)}`);
      typedLinks(feature.links ?? []);
    }
  }
});

test('/conf/oas30/completeness, /conf/oas30/exceptions-codes: the definition has every status that is answered', async () => {
  const { paths, components } = definition;
  const token = { authorization: 'Bearer abc' };
  for (const [path, { get: operation }] of Object.entries(paths)) {
    const target = ROOT + path.replace('{fid}', '1');
    const etag = String((await get(target)).headers.etag);
    for (const [expected, answer] of [
      [200, await get(target)],
      [304, await get(target, { 'if-none-match': etag })],
      [400, await get(`${target}?unknown=1`)],
      [401, await get(target, NO_TOKEN)],
      [401, await get(target, token)],
      [412, await get(target, { 'if-match': '"other"' })],
      [414, await get(`${target}?f=${'a'.repeat(9000)}`)],
      ...(path.endsWith('{fid}') ? [[404, await get(`${target}x`)] as const] : []),
    ] as const) {
      assert.equal(answer.status, expected, target);
      const described = operation.responses[expected] ?? assert.fail(`${target}: ${expected}`);
      const { content } = resolved(described, components.responses);
      const type = answer.headers['content-type'];
      assert.ok(type === undefined ? content === undefined : content?.[type], `${target}: ${expected}`);
    }
  }
});

test('/conf/oas30/oas-impl: every path of the definition is there, with the example of every parameter', async () => {
  for (const path of Object.keys(definition.paths))
    for (const { name, in: place, example = 'none' } of parametersOf(definition, path).values()) {
      const query = place === 'query' ? `?${name}=${example}` : '';
      const { status } = await get(`${ROOT}${path.replace('{fid}', '1')}${query}`);
      assert.equal(status, 200, path + query);
    }
});

test('/conf/oas30/security: the definition has the one scheme by which requests are authenticated', async () => {
  const { security, components } = definition;
  assert.deepEqual(security, [{ bearer: [] }]);
  assert.deepEqual(components.securitySchemes, {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  });
  assert.equal((await get(ROOT, NO_TOKEN)).headers['www-authenticate']?.split(' ')[0], 'Bearer');
});

test('/conf/queryables/get-queryables-uris, /conf/queryables/get-queryables: HEAD of what may be filtered has a Link to its queryables, a JSON Schema whose properties have types', async () => {
  for (const path of filled.flatMap((level) => [itemsOf(level), `${ROOT}/collections/${levelName(level)}`])) {
    const head = await get(path, { accept: JSON_TYPE }, 'HEAD');
    assert.equal(head.status, 200);
    const [link] = LinkHeader.parse(String(head.headers.link)).refs.filter(({ rel }) => rel === QUERYABLES);
    const { pathname, host, href } = new URL(link?.uri ?? assert.fail(path));
    assert.equal(pathname, `${path.replace('/items', '')}/queryables`);
    const { headers, body, status } = await get(pathname, { accept: SCHEMA, host });
    assert.deepEqual([status, headers['content-type']], [200, SCHEMA]);
    const { $schema, $id, type, properties } = JSON.parse(body.toString());
    assert.deepEqual([$schema, $id, type], ['https://json-schema.org/draft/2020-12/schema', href, 'object']);
    const all = Object.values<{ type?: string }>(properties);
    assert.ok(all.length > 0 && all.every((one) => one.type === 'string'));
  }
});

test('/conf/queryables-query-parameters/query-param: each queryable is a parameter with its schema, and is heard', async () => {
  for (const level of filled) {
    const { properties } = await json<{ properties: Record<string, object> }>(
      `${ROOT}/collections/${levelName(level)}/queryables`,
      SCHEMA,
    );
    for (const [name, schema] of Object.entries(properties)) {
      assert.deepEqual(parameterOf(level, name).schema, schema);
      const value = featuresOf(stored, level).at(-1)?.properties?.[name];
      const { features } = await page(`${name}=${encodeURIComponent(String(value))}&geometry=none`, level);
      assert.ok(features.length > 0 && features.every(({ properties: own }) => own?.[name] === value), name);
      assert.equal((await get(`${itemsOf(level)}?${name}=`)).status, 400);
    }
  }
});

function classOf(part: 1 | 3, name: string): string {
  return `http://www.opengis.net/spec/ogcapi-features-${part}/1.0/conf/${name}`;
}

function typedLinks(links: readonly Link[]): void {
  for (const { href, rel, type } of links) assert.ok(URL.canParse(href) && rel && type, `${rel} ${href}`);
}
