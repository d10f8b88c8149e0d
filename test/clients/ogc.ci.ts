// ogr2ogr of GDAL opens the service by its address, as OGC API - Features: whole levels, by place and by GID, equal
// what the same program makes of the listing as a file. Also behind nginx, and with the GDAL of pyogrio, which is newer
// than Debian's.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { levelName } from '../../format/levels.ts';
import { ODD_GIDS, readStored } from '../support/datasets/large-dataset.ts';
import { type ReadFeature, readLayer } from '../support/datasets/read-layer.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { missing, nginxBefore } from '../support/processes/nginx-varnish.ts';
import { printedBy, runProgram, without } from '../support/processes/programs.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const noGdal = without('ogr2ogr --version');
const noPyogrio = without("python3 -c 'import pyogrio'");
const folder = await worldOutput();
const stored = readStored(folder, 'r1');
const proxy = await startService(folder, { trustProxy: ['127.0.0.1'] });

/** The file with the token: GDAL's OAPIF driver sends no GDAL_HTTP_HEADERS since 3.7. */
const headers = join(temporaryFolder(), 'headers');
writeFileSync(headers, `Authorization: ${AUTHORIZED.authorization}\n`);
const ENV = { ...process.env, GDAL_HTTP_HEADER_FILE: headers };

/** The units of a level, as ogr2ogr writes them to a GeoPackage. */
async function copied(source: string[], level: 0 | 2, options: string[]): Promise<ReadFeature[]> {
  const file = join(temporaryFolder(), 'units.gpkg');
  const layer = ['-nln', 'units', '-nlt', 'PROMOTE_TO_MULTI', '-preserve_fid'];
  const args = ['-f', 'GPKG', file, ...source, ...layer, ...options];
  const { status, text } = await runProgram('ogr2ogr', args, { env: ENV });
  assert.deepEqual([status, text], [0, ''], levelName(level));
  return readLayer(file, 'units');
}

function opened(url: string, level: 0 | 2, options: string[] = []): Promise<ReadFeature[]> {
  return copied([`OAPIF:${url}/api/v1/ogc`, levelName(level)], level, [...options, '-oo', 'PAGE_SIZE=1000']);
}

function listingFile(level: 0 | 2): string {
  const file = join(temporaryFolder(), 'listing.geojsonl');
  writeFileSync(file, stored[level]?.lines.join('') ?? '');
  return file;
}

function listed(level: 0 | 2, options: string[] = []): Promise<ReadFeature[]> {
  return copied([`GeoJSONSeq:${listingFile(level)}`], level, options);
}

const [quoted = ''] = ODD_GIDS.filter((gid) => gid.startsWith('O'));
const WHERE = ['-where', `GID_1='${quoted.replace("'", "''")}'`];
const SPAT = ['-spat', '-10.5', '-20', '30', '25.25'];

test('a whole level has the features of the listing: fids, columns, geometries', { skip: noGdal }, async () => {
  for (const level of [0, 2] as const) {
    const units = await opened(proxy.url, level);
    assert.equal(units.length, stored[level]?.units.length);
    assert.deepEqual(units, await listed(level));
  }
});

test('-spat and -where are asked of the service, which sends no more than the matching features', {
  skip: noGdal,
}, async () => {
  for (const options of [SPAT, WHERE, [...SPAT, ...WHERE]]) {
    const units = await opened(proxy.url, 2, options);
    const expected = await listed(2, options);
    assert.ok(options.length > 5 || (expected.length > 0 && expected.length < (stored[2]?.units.length ?? 0)));
    assert.deepEqual(units, expected);
    const last = decodeURIComponent(proxy.requests.at(-1)?.query ?? '');
    assert.equal(last.includes('bbox=-10.5,-20,30,25.25'), options.includes('-spat'), last);
    assert.equal(last.includes(`GID_1=${quoted}`), options.includes('-where'), last);
  }
});

test('without PAGE_SIZE next is followed to the end', { skip: noGdal }, async () => {
  const units = await copied([`OAPIF:${proxy.url}/api/v1/ogc`, 'lv2'], 2, []);
  assert.deepEqual(units, await listed(2));
});

/** Prints the version of GDAL, and whether the service's level and its download are what is in the listing. */
const SEEN_BY_PYOGRIO = `
import json, sys
import pyogrio, pyogrio.raw
def units(source, layer):
    meta, _, shapes, values = pyogrio.raw.read(source, layer=layer, force_2d=True)
    rows = zip(*(column.tolist() for column in values))
    return [dict(zip(meta['fields'].tolist(), row)) for row in rows], [bytes(shape or b'') for shape in shapes]
listing, service, download = sys.argv[1:]
here, there, saved = units(listing, None), units(service, 'lv2'), units(download, None)
print(json.dumps([pyogrio.__gdal_version__, len(here[0]), there[0] == here[0], there == here, saved == here]))`;

test('a newer GDAL sends the token, too: of OGC API - Features and of a download', { skip: noPyogrio }, async () => {
  const download = `/vsigzip//vsicurl/${proxy.url}/api/v1/download/lv2.geojson.gz`;
  const sources = [listingFile(2), `OAPIF:${proxy.url}/api/v1/ogc`, download];
  const text = await printedBy('python3', ['-c', SEEN_BY_PYOGRIO, ...sources], { env: ENV });
  const [version, ...seen]: [number[], ...unknown[]] = JSON.parse(text);
  assert.ok(version.join('.').localeCompare('3.7', 'en', { numeric: true }) > 0, version.join('.'));
  assert.deepEqual(seen, [stored[2]?.units.length, true, true, true]);
});

test('behind nginx, too, with its address in every link', { skip: noGdal || missing('nginx') }, async () => {
  const { url } = await nginxBefore(proxy, 'nginx-front.conf');
  assert.deepEqual(await copied([`OAPIF:${url}/api/v1/ogc`, 'lv2'], 2, []), await listed(2));
});

test('without a token it fails and says why', { skip: noGdal }, async () => {
  const file = join(temporaryFolder(), 'none.gpkg');
  const { status, text } = await runProgram('ogr2ogr', ['-f', 'GPKG', file, `OAPIF:${proxy.url}/api/v1/ogc`, 'lv2']);
  assert.notEqual(status, 0);
  assert.match(text, /401/);
});
