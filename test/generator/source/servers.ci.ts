// Sources that a server has: a file by its URL, a PostGIS database.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { countryLayers, writeCountries } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { listen } from '../../support/http/listen.ts';
import { startPostgis } from '../../support/processes/postgis.ts';
import { without } from '../../support/processes/programs.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { published } from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const BOTH = [2, 3, 4, 0, 0, 0];

test('reads a dataset by its URL, and records the URL without user and query', async () => {
  const bytes = readFileSync(writeCountries());
  const server = createServer((req, res) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(req.headers.range ?? '') ?? [];
    if (!req.url?.startsWith('/countries.gpkg')) return res.writeHead(404).end();
    if (from === undefined) return res.writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
    const last = Math.min(Number(to), bytes.length - 1);
    const range = `bytes ${from}-${last}/${bytes.length}`;
    return res.writeHead(206, { 'Content-Range': range }).end(bytes.subarray(Number(from), last + 1));
  });
  const port = await listen(server);
  // GDAL's requests block this process, which is also the server: the build has to run in another one.
  const out = join(folder, 'url');
  const url = `http://user:secret@127.0.0.1:${port}/countries.gpkg?key=secret`;
  const release = await buildRelease(url, out, { workers: 1 });
  const counts = release.levels.map(({ features }) => features);
  assert.deepEqual(counts, BOTH);
  assert.deepEqual(release.source, [{ name: `http://127.0.0.1:${port}/countries.gpkg` }]);
});

test('an address that a source refers to is not asked: of a VRT at an address, and of a list of layers in a file', async () => {
  const asked: string[] = [];
  let vrt = '';
  const server = createServer(({ url = '' }, res) => {
    asked.push(url);
    if (!url.startsWith('/units')) return res.writeHead(404).end();
    return res.writeHead(200, { 'Content-Length': Buffer.byteLength(vrt) }).end(vrt);
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  vrt = `<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource>/vsicurl/${origin}/secret.geojson</SrcDataSource>
    </OGRVRTLayer></OGRVRTDataSource>`;
  const files = ['list.xml', 'list.geojson'].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, `<OGRWFSDataSource><URL>${origin}/secret</URL></OGRWFSDataSource>`);
  for (const source of [`${origin}/units.geojson`, `${origin}/units.vrt`, ...files])
    await assert.rejects(buildRelease(source, join(folder, 'refused'), { workers: 1 }), {
      message: /(units|list)\.\w+: GDAL cannot open it/,
    });
  assert.deepEqual(
    asked.filter((url) => url.includes('secret')),
    [],
  );
});

const noPostgis = without(
  'ls /usr/lib/postgresql/*/bin/postgres',
  'ls /usr/share/postgresql/*/extension/postgis.control',
);

test('reads a PostGIS database, and records its name without the password', { skip: noPostgis }, async () => {
  const { connection, stop } = await startPostgis(folder);
  try {
    const target = `PG:${connection} password=secret`;
    const layers = countryLayers().map((layer) => ({
      ...layer,
      features: layer.features.map((unit) => (unit.values[0] === 'AAA' ? { ...unit, wkt: null } : unit)),
    }));
    const source = gdal.open(writeDataset(join(folder, 'pg.gpkg'), 'GPKG', layers));
    gdal.vectorTranslate(target, source, ['-f', 'PostgreSQL', '-preserve_fid']).close();
    source.close();
    const { counts, gidsOf, release } = await published(target, { accept: ['empty-geometries'] });
    assert.deepEqual(counts, BOTH);
    assert.deepEqual(gidsOf(2, 'gid_2'), ['AAA.1.1_1', 'AAA.2.1_1', 'BBB.1.1_1', 'AAA.1.2_1']);
    assert.deepEqual(release.source, [{ name: 'PG:dbname=bench' }]);
    assert.match(release.quality[0]?.example ?? '', /^PG:dbname=bench: layer adm_0, fid 1/);
    assert.doesNotMatch(JSON.stringify(release), /secret/);
    await assert.rejects(buildRelease('PG:host=/nowhere password=secret dbname=x', join(folder, 'pg')), {
      message: /^PG:host=\/nowhere password=\.\.\. dbname=x: GDAL cannot open it((?!secret).)*$/s,
    });
  } finally {
    await stop();
  }
});
