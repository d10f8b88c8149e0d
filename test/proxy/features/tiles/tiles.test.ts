// Vector tiles over HTTP: what each path answers, what is refused. What is in tiles is tested in
// generator/tiles/tiles.test.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles, type RangeResponse } from 'pmtiles';
import { contentOptionsFrom } from '../../../../generator/options/option-texts.ts';
import { SILENT } from '../../../../generator/report/progress.ts';
import { verify } from '../../../../generator/verify/verify.ts';
import { writeRenamedCountries } from '../../../support/datasets/small-datasets.ts';
import { squares } from '../../../support/datasets/write-dataset.ts';
import { refusal, send } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { buildCountries, buildLayers, buildRelease } from '../../../support/releases/build-release.ts';
import { featuresOf, openTiles, readTiles } from '../../../support/releases/read-tiles.ts';

const ZOOM = 5;
const out = await buildCountries({ tiles: ZOOM });
const service = await startService(out);
const ARCHIVE = 'releases/r1/lv1/tiles.pmtiles';
const GZIP = { 'accept-encoding': 'gzip' };

const json = async (of = service) => JSON.parse((await send(of, '/api/v1/tiles/lv1.json')).body.toString());
const [template] = (await json()).tiles as string[];
const pinned = new URL(template ?? '').search;
const pathOf = (zoom: number, x: number, y: number) => `/api/v1/tiles/lv1/${zoom}/${x}/${y}.mvt`;

test('the TileJSON has a pinned template, layers, zooms and bounds; a release without tiles has none: 404', async () => {
  const described = await json();
  assert.match(template ?? '', /^http:\/\/[^/]+\/api\/v1\/tiles\/lv1\/\{z\}\/\{x\}\/\{y\}\.mvt\?v=[0-9a-f]{16}$/);
  assert.deepEqual([described.tilejson, described.minzoom, described.maxzoom], ['3.0.0', 0, ZOOM]);
  const layers: { id: string }[] = described.vector_layers;
  assert.equal(layers.map(({ id }) => id).join(), 'units,borders,labels');
  assert.equal(JSON.parse((await send(service, '/api/v1/')).body.toString()).tiles, true);
  const other = await startService(await buildCountries());
  for (const path of ['tiles/lv1.json', 'tiles/lv1/0/0/0.mvt', 'download/lv1.pmtiles'])
    assert.match(refusal(await send(other, `/api/v1/${path}`), 404, 'not-found'), /has no tiles/);
  refusal(await send(service, '/api/v1/tiles/lv4.json'), 404, 'not-found');
});

test('tiles have names in the languages that are asked for, where they differ, at the zooms of names, and TileJSON says so', async () => {
  const rows = [
    ['AAA', 'Egypt', 'Égypte', 'مصر'],
    ['BBB', 'Fiji', 'Fiji', null],
    ['CCC', null, 'Nulle part', null],
  ];
  const countries = squares('ADM_0', ['GID_0', 'NAME_0', 'FR', 'AR'], ...rows);
  const built = (more: Parameters<typeof contentOptionsFrom>[0]): Promise<string> => {
    const named = contentOptionsFrom({ 'name-column': ['lv0:fr=FR', 'lv0:ar=AR'], ...more });
    return buildLayers([countries], { ...named, tiles: 4 });
  };
  const [egypt, fiji] = [{ name: 'Egypt' }, { name: 'Fiji' }];
  const inFrench = { AAA: { ...egypt, 'name:fr': 'Égypte' }, BBB: fiji, CCC: { 'name:fr': 'Nulle part' } };
  for (const [more, names, fields] of [
    [{}, { AAA: egypt, BBB: fiji }, 'name'],
    [{ 'tile-languages': ['FR'] }, inFrench, 'name,name:fr'],
  ] as const) {
    const folder = await built({ ...more });
    const found = { units: new Map<number, object>(), labels: new Map<number, object>() };
    for await (const { zoom, tile } of readTiles(openTiles(join(folder, 'releases/r1/lv0/tiles.pmtiles'))))
      for (const layer of ['units', 'labels'] as const)
        for (const { properties } of featuresOf(tile.layers[layer])) {
          const own = Object.entries(properties).filter(([name]) => name.startsWith('name'));
          const known = found[layer].get(zoom);
          if (own.length > 0)
            found[layer].set(zoom, { ...known, [String(properties['gid'])]: Object.fromEntries(own) });
        }
    assert.deepEqual(found.units, new Map([2, 3, 4].map((zoom) => [zoom, names])));
    assert.deepEqual(found.labels.get(4), names);
    const { body } = await send(await startService(folder), '/api/v1/tiles/lv0.json');
    const layers: { fields: object }[] = JSON.parse(body.toString()).vector_layers;
    const named = layers.map((layer) =>
      Object.keys(layer.fields)
        .filter((field) => field.startsWith('name'))
        .join(),
    );
    assert.deepEqual(named, [fields, '', fields]);
    assert.deepEqual((await verify({ out: folder, workers: 0 }, SILENT)).findings, []);
  }
  await assert.rejects(built({ 'tile-languages': ['fr,de'] }), {
    message: '--tile-languages de: the release has no names in de',
    remedy: 'it has ar, fr: add --languages de, or leave it out',
  });
});

test('each tile is that of the archive, as gzip and as text, with tags of their own, HEAD and 304', async () => {
  let tiles = 0;
  for await (const { zoom, x, y, tile } of readTiles(openTiles(join(out, ARCHIVE)))) {
    const path = pathOf(zoom, x, y) + pinned;
    const [gzip, plain] = [await send(service, path, GZIP), await send(service, path)];
    assert.deepEqual([gzip.status, plain.status, gzip.headers['content-encoding']], [200, 200, 'gzip']);
    assert.ok(gunzipSync(gzip.body).equals(plain.body));
    assert.equal(plain.headers['content-length'], String(plain.body.length));
    const own = new VectorTile(new PbfReader(plain.body));
    assert.equal(own.layers['units']?.length, tile.layers['units']?.length);
    assert.equal(gzip.headers['content-type'], 'application/vnd.mapbox-vector-tile');
    assert.equal(gzip.headers['cache-control'], 'private, max-age=31536000, immutable');
    const { etag = '' } = gzip.headers;
    assert.notEqual(etag, plain.headers.etag);
    const known = await send(service, path, { ...GZIP, 'if-none-match': etag });
    const head = await send(service, path, GZIP, 'HEAD');
    assert.deepEqual([known.status, head.status, head.body.length, head.headers.etag], [304, 200, 0, etag]);
    tiles++;
  }
  assert.ok(tiles > 10, `${tiles}`);
  assert.equal((await send(service, pathOf(0, 0, 0))).headers['cache-control'], 'private, no-cache');
});

test('nothing there is 204 without body and tag, kept like a tile; HEAD alike', async () => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, body } = await send(service, pathOf(ZOOM, 0, 0) + pinned, {}, method);
    assert.deepEqual([status, body.length, headers.etag, headers['content-type']], [204, 0, undefined, undefined]);
    assert.equal(headers['cache-control'], 'private, max-age=31536000, immutable');
    assert.equal(headers['boundaries-release'], 'r1');
  }
});

test('what is no place of a tile is 404, and a v that is no digest 400', async () => {
  const far = ['6/0/0', '0/1/0', '1/2/0', '1/0/2', '1/-1/0', '1/0/99999999999999999999'];
  const odd = ['01/0/0', '1/00/0', '1/+1/0', '1/1e0/0', '1/0/0.0', '//', '1/0', '1/0/0/0', '..%2f/0/0', '1/%30/0'];
  for (const place of [...far, ...odd])
    refusal(await send(service, `/api/v1/tiles/lv1/${place}.mvt`), 404, 'not-found');
  for (const path of ['lv1/', 'lv1', 'lv1/0/0/0.pbf', 'lv6/0/0/0.mvt', 'lv1/0/0/0.mvt/', 'lv6.json'])
    refusal(await send(service, `/api/v1/tiles/${path}`), 404, 'not-found');
  for (const v of ['', 'r1', '0123456789a', '0123456789AB', 'g'.repeat(12), '0'.repeat(65)])
    assert.match(
      refusal(await send(service, `${pathOf(0, 0, 0)}?v=${v}`), 400, 'bad-parameter'),
      /^v is (".{1,43}"\. Allowed: 12 to 64|empty\. Allowed: 12 to 64)/,
    );
  refusal(await send(service, `${pathOf(0, 0, 0)}?x=1`), 400, 'unknown-parameter');
  refusal(await send(service, `${pathOf(0, 0, 0)}?v=0123456789ab`), 410, 'release-gone');
});

test('an address with v stays that of its release; without v it is the current one', async () => {
  const own = await buildCountries({ tiles: ZOOM });
  const proxy = await startService(own);
  const [before = ''] = (await json(proxy)).tiles;
  await buildRelease(writeRenamedCountries(), own, { release: 'r2', tiles: ZOOM });
  await proxy.releases.refresh();
  const ask = async (query: string) => (await send(proxy, pathOf(0, 0, 0) + query)).headers['boundaries-release'];
  assert.deepEqual([await ask(new URL(before).search), await ask('')], ['r1', 'r2']);
});

test('the archive is read in ranges by pmtiles, and each range is that of the file', async () => {
  const file = readFileSync(join(out, ARCHIVE));
  const path = '/api/v1/download/lv1.pmtiles';
  const whole = await send(service, path);
  assert.ok(whole.status === 200 && whole.body.equals(file));
  assert.match(String(whole.headers['content-disposition']), /filename="boundaries-r1-lv1\.pmtiles"/);
  for (let from = 0; from < file.length; from += 997) {
    const part = await send(service, path, { range: `bytes=${from}-${from + 1499}` });
    assert.ok(part.status === 206 && part.body.equals(file.subarray(from, from + 1500)), `${from}`);
  }
  const archive = archiveOf(service);
  assert.equal((await archive.getHeader()).maxZoom, ZOOM);
  assert.ok((await archive.getZxy(0, 0, 0))?.data);
});

/** The archive of level 1 by ranges of its download. */
function archiveOf(of: typeof service): PMTiles {
  const path = '/api/v1/download/lv1.pmtiles';
  return new PMTiles({
    getKey: () => path,
    async getBytes(offset, length): Promise<RangeResponse> {
      const { body } = await send(of, path, { range: `bytes=${offset}-${offset + length - 1}` });
      return { data: new Uint8Array(body).buffer };
    },
  });
}

test('a credit is no markup on a page with MapLibre, which takes attribution for HTML', async () => {
  const attribution = ['© A & <img src=x onerror=alert(1)>', 'B'];
  const credited = await startService(await buildCountries({ tiles: 1, attribution }));
  const shown = '© A & &lt;img src=x onerror=alert(1)>; B';
  assert.equal((await json(credited)).attribution, shown);
  const metadata: unknown = await archiveOf(credited).getMetadata();
  assert.equal(Object(metadata).attribution, shown);
});
