// Sources with errors: each is refused with file, layer and fid, or accepted by name; oddities are counted and recorded.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import { forecast } from '../../generator/estimate/estimate.ts';
import type { Acceptable } from '../../generator/quality/findings.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { verify } from '../../generator/verify/verify.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { type FixtureFeature, type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
let made = 0;

/** A GeoPackage with the small countries; `change` may change the features of a level. */
function countriesWith(
  level: number,
  change: (features: readonly FixtureFeature[]) => readonly FixtureFeature[],
): string {
  const layers = countryLayers((n) => `ADM_${n}`).map(
    (layer, n): FixtureLayer => (n === level ? { ...layer, features: change(layer.features) } : layer),
  );
  return writeDataset(join(folder, `source-${made++}.gpkg`), 'GPKG', layers);
}

/** Asserts that a source is refused, that nothing is published, and that a dry run refuses it alike. */
async function assertRefused(source: string | string[], expected: { message: RegExp; remedy?: RegExp }): Promise<void> {
  const out = join(folder, `out-${made++}`);
  await assert.rejects(buildRelease(source, out), expected);
  assert.ok(!existsSync(join(out, 'current.json')));
  const options = { source: [source].flat(), levels: LEVELS, precision: 7, workers: 0, accept: [] };
  await assert.rejects(forecast(options, SILENT), expected);
}

/** Asserts that a source is refused, is published if the kind is accepted, and that the finding is recorded. */
async function assertAcceptable(source: string, kind: Acceptable, findings: readonly Finding[], message: RegExp) {
  await assertRefused(source, { message, remedy: new RegExp(`--accept ${kind}$`) });
  const out = join(folder, `out-${made++}`);
  const { quality } = await buildRelease(source, out, { accept: [kind] });
  assert.deepEqual(quality, findings);
  assert.deepEqual((await verify({ out, source: { source: [source] }, workers: 0 }, SILENT)).findings, []);
  const options = { source: [source], levels: LEVELS, precision: 7, workers: 0, accept: [kind] };
  assert.deepEqual((await forecast(options, SILENT)).quality, findings);
}

test('units without geometry, null or empty, are refused or accepted', async () => {
  for (const wkt of [null, 'MULTIPOLYGON EMPTY', 'GEOMETRYCOLLECTION EMPTY']) {
    const source = countriesWith(1, ([first, ...rest]) => [...rest, { fid: 9, values: first?.values ?? [], wkt }]);
    const name = source.slice(folder.length + 1);
    const example = `${name}: layer ADM_1, fid 9, GID AAA.1_1`;
    const finding = { level: 1, kind: 'empty-geometries', count: 1, example } as const;
    await assertAcceptable(
      source,
      'empty-geometries',
      [finding],
      /lv1: units without geometry: 1 \(.*fid 9, GID AAA\.1_1/,
    );
  }
});

test('WKT that does not parse is a unit without geometry', async () => {
  const source = join(folder, 'wkt.csv');
  writeFileSync(source, 'WKT,GID_0\n"POLYGON((0 0,1 0,1 1,0 0))",AAA\n"POLYGON((0 0,1",BBB\n');
  await assertRefused(source, { message: /wkt\.csv: .*(units without geometry: 1|GDAL reports)/s });
});

test('points, lines and collections are refused as boundaries', async () => {
  const shapes = [
    'POINT(1 1)',
    'LINESTRING(0 0,1 1)',
    `GEOMETRYCOLLECTION(${square(0, 0)},POINT(1 1))`,
    'MULTIPOINT((1 1),(2 2))',
  ];
  for (const wkt of shapes) {
    const source = countriesWith(0, (features) =>
      features.map((feature, i) => (i === 0 ? { ...feature, wkt } : feature)),
    );
    const example = `${source.slice(folder.length + 1)}: layer ADM_0, fid 1, GID AAA`;
    const finding = { level: 0, kind: 'non-polygonal', count: 1, example } as const;
    await assertAcceptable(source, 'non-polygonal', [finding], /lv0: units whose geometry is not a polygon: 1/);
  }
});

test('a source without any unit, or with an empty level, is refused', async () => {
  const empty = writeDataset(
    join(folder, 'empty.gpkg'),
    'GPKG',
    countryLayers((n) => `ADM_${n}`).map((layer) => ({ ...layer, features: [] })),
  );
  await assertRefused(empty, {
    message: /lv0: layers without any unit: 1 .*lv1: .*lv2: /s,
    remedy: /--accept no-units$/,
  });
  const finding = { level: 2, kind: 'no-units', count: 1 } as const;
  const source = countriesWith(2, () => []);
  const example = `${source.slice(folder.length + 1)}: layer ADM_2`;
  await assertAcceptable(source, 'no-units', [{ ...finding, example }], /lv2: layers without any unit: 1/);
});

test('a parent that does not exist is refused with the fid and its GID', async () => {
  const source = countriesWith(1, (features) =>
    features.map((feature, i) => (i === 2 ? { ...feature, values: ['BBB.1_1', 'XXX', 'Beland', 'All'] } : feature)),
  );
  const finding = {
    level: 1,
    kind: 'orphans',
    count: 1,
    example: `${source.slice(folder.length + 1)}: layer ADM_1, fid 3 has GID_0 XXX, which no unit of level 0 has`,
  } as const;
  await assertAcceptable(
    source,
    'orphans',
    [finding],
    /lv1: units whose parent is not in the source: 1 \(.*fid 3 has GID_0 XXX/,
  );
});

test('all problems of all levels are listed at once', async () => {
  const layers = countryLayers((n) => `ADM_${n}`);
  const source = writeDataset(join(folder, 'many.gpkg'), 'GPKG', [
    { ...layers[0], name: 'ADM_0', columns: ['GID_0'], features: [{ fid: 1, values: ['AAA'], wkt: null }] },
    {
      name: 'ADM_1',
      columns: ['GID_1', 'GID_0'],
      features: [
        { fid: 1, values: ['A', 'AAA'], wkt: 'POINT(1 1)' },
        { fid: 2, values: ['A', null], wkt: square(0, 0) },
      ],
    },
  ]);
  await assertRefused(source, {
    message:
      /lv0: units without geometry: 1.*lv1: units whose geometry is not a polygon: 1.*lv1: units without a GID.*fid 2.*lv1: units with the GID of another/s,
    remedy: /--accept empty-geometries non-polygonal null-gids duplicate-gids$/,
  });
});

test('oddities that leave a release right are counted with their first example', async () => {
  const odd: FixtureFeature[] = [
    { fid: 1, values: ['?', 'Nowhere'], wkt: square(0, 0) },
    { fid: 2, values: ['BBB', 'Far east'], wkt: square(180.5, 0) },
    { fid: 3, values: ['CCC', 'Round the world'], wkt: 'POLYGON((179 0,-179 0,-179 1,179 1,179 0))' },
    { fid: 4, values: ['DDD', 'Sliver'], wkt: `MULTIPOLYGON(((0 0,1e-9 0,1e-9 1e-9,0 0)),((5 5,6 5,6 6,5 5)))` },
  ];
  const layers: FixtureLayer[] = [
    { name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], features: odd },
    {
      name: 'ADM_2',
      columns: ['GID_2', 'GID_1', 'GID_0'],
      features: [{ fid: 1, values: ['B.1', 'B', 'BBB'], wkt: square(0, 0) }],
    },
    { name: 'roads', columns: ['class'], features: [{ fid: 1, values: ['m'], wkt: 'LINESTRING(0 0,1 1)' }] },
  ];
  const source = writeDataset(join(folder, 'odd.gpkg'), 'GPKG', layers);
  const { quality } = await buildRelease(source, join(folder, 'odd'));
  assert.deepEqual(
    quality.map(({ level, kind, count, example }) => [level, kind, count, example.replace(folder, '')]),
    [
      [0, 'antimeridian-jumps', 1, 'odd.gpkg: layer ADM_0, fid 3, GID CCC'],
      [0, 'collapsed-rings', 1, 'odd.gpkg: layer ADM_0, fid 4, GID DDD'],
      [0, 'out-of-range', 1, 'odd.gpkg: layer ADM_0, fid 2, GID BBB'],
      [0, 'placeholder-gids', 1, 'odd.gpkg: layer ADM_0, fid 1'],
      [0, 'unused-layers', 1, 'odd.gpkg: roads'],
      [1, 'missing-level', 1, 'the source has levels 0 and 2'],
    ],
  );
});

test('far fewer units than in the current release of the same source are refused', async () => {
  const out = join(folder, 'fewer');
  const full = join(folder, 'gadm_410-levels.gpkg');
  copyFileSync(
    countriesWith(9, (features) => features),
    full,
  );
  await buildRelease(full, out);
  const fewer = join(folder, 'gadm_420-levels.gpkg');
  copyFileSync(
    countriesWith(2, (features) => features.slice(0, 3)),
    fewer,
  );
  await assert.rejects(buildRelease(fewer, out, { release: 'r2' }), {
    message: /lv2: units fewer than in the current release: 1 \(3 units, 4 in release r1/,
    remedy: /^complete the source; or, .*--accept fewer-units$/,
  });
  assert.equal(JSON.parse(readFileSync(join(out, 'current.json'), 'utf8')).release, 'r1');
  const { quality } = await buildRelease(fewer, out, { release: 'r2', accept: ['fewer-units'] });
  // A release depends on its source alone, so the comparison is not recorded.
  assert.deepEqual(quality, []);
});

test('a release of another source, such as the sample, is no measure of the number of units', async () => {
  const out = join(folder, 'sample-first');
  const sample = join(folder, 'sample.gpkg');
  copyFileSync(
    countriesWith(9, (features) => features),
    sample,
  );
  await buildRelease(sample, out);
  const own = countriesWith(2, (features) => features.slice(0, 1));
  const { levels } = await buildRelease(own, out, { release: 'r2' });
  assert.equal(levels[2]?.features, 1);
});

test('a source that begins below level 0 is published with a remark that names what is missing', async () => {
  const [, , districts] = countryLayers();
  assert.ok(districts);
  const source = writeDataset(join(folder, 'districts.gpkg'), 'GPKG', [districts]);
  const { quality } = await buildRelease(source, join(folder, 'districts'));
  assert.deepEqual(
    quality.map(({ level, kind, example }) => [level, kind, example]),
    [
      [
        2,
        'missing-parents',
        'the source has no level 0, 1: their units have no names and no shapes, in lists, search and the overview',
      ],
    ],
  );
});

/** A folder of Shapefiles of the small countries. */
function shapefiles(): string {
  const path = join(folder, `shapes-${made++}`);
  mkdirSync(path);
  for (const layer of countryLayers((n) => `adm${n}`)) {
    const features = layer.features.map(({ values, wkt }) => ({ values, wkt }));
    writeDataset(join(path, `${layer.name}.shp`), 'ESRI Shapefile', [{ ...layer, features }]);
  }
  return path;
}

test('a Shapefile that is cut short is refused with its fid, not published without geometry', async () => {
  const path = shapefiles();
  const file = join(path, 'adm2.shp');
  truncateSync(file, readFileSync(file).length / 2);
  await assertRefused(path, {
    message: /adm2\.shp: layer adm2 \(level 2\), fid \d: GDAL reports: .*fread/,
    remedy: /damaged or incomplete/,
  });
});

test('a Shapefile without one of its parts is refused', async () => {
  for (const [missing, message] of [
    ['adm1.dbf', /adm1\.shp: the Shapefile is incomplete: there is no \.dbf file/],
    ['adm1.shx', /adm1\.shp: the Shapefile is incomplete: there is no \.shx file/],
    ['adm1.shp', /adm1\.dbf: the Shapefile is incomplete: there is no \.shp file/],
  ] as const) {
    const path = shapefiles();
    rmSync(join(path, missing));
    await assertRefused(path, { message });
  }
});

test('a file in a folder that GDAL cannot read is refused, not skipped', async () => {
  const whole = writeDataset(join(folder, 'whole.geojson'), 'GeoJSON', countryLayers((n) => `a${n}`).slice(0, 1));
  const text = readFileSync(whole, 'utf8');
  for (const [name, content, message] of [
    ['half.json', text.slice(0, text.length / 2), /half\.json: GDAL cannot open it/],
    [
      'pointer.gpkg',
      'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
      /pointer\.gpkg: is a Git LFS pointer/,
    ],
    ['noise.gpkg', 'no dataset', /noise\.gpkg: GDAL cannot open it/],
    ['empty.json', '', /empty\.json: GDAL cannot open it/],
    ['unknown.bin', 'bytes', /unknown\.bin: GDAL cannot open it/],
  ] as const) {
    const path = shapefiles();
    writeFileSync(join(path, name), content);
    await assertRefused(path, { message });
  }
});

test('every file of a folder is read: a unit that two files have is found', async () => {
  const path = shapefiles();
  writeDataset(join(path, 'more.gpkg'), 'GPKG', countryLayers((n) => `ADM_${n}`).slice(0, 1));
  await assertRefused(path, {
    message: /lv0: units with the GID of another unit: 2 \(e\.g\. fids 1 and 3 both have GID_0 AAA/,
  });
});

test('a file without GID columns is refused, and says which columns it has', async () => {
  const path = shapefiles();
  const roads = { name: 'roads', columns: ['class'], features: [{ values: ['m'], wkt: 'LINESTRING(0 0,1 1)' }] };
  writeDataset(join(path, 'roads.shp'), 'ESRI Shapefile', [roads]);
  await assertRefused(path, {
    message: /roads\.shp: no layer has GID columns .*roads \(class\)/,
    remedy: /--gid-column/,
  });
});

test('of a dataset that needs options, the remedy names the file in generator/examples/', async () => {
  for (const [name, columns, file] of [
    ['ne_10m_admin_0_countries', ['ADM0_A3', 'NAME'], 'natural-earth'],
    ['geoBoundaries-FRA-ADM1', ['shapeGroup', 'shapeID'], 'geoboundaries'],
    ['NUTS_RG_60M_2021_4326', ['NUTS_ID', 'LEVL_CODE'], 'nuts'],
  ] as const) {
    const features = [{ fid: 1, values: ['AAA', 'x'], wkt: square(0, 0) }];
    const source = writeDataset(join(folder, `${name}.gpkg`), 'GPKG', [{ name, columns, features }]);
    await assertRefused(source, {
      message: /no layer has GID columns/,
      remedy: new RegExp(`^copy generator/examples/${file}\\.json, .*--config$`),
    });
  }
});

test('a GeoPackage that is cut short is refused', async () => {
  const file = countriesWith(9, (features) => features);
  const copy = join(folder, 'cut.gpkg');
  cpSync(file, copy);
  truncateSync(copy, Math.floor(readFileSync(file).length * 0.6));
  await assertRefused(copy, { message: /cut\.gpkg: / });
});

test('a geometry without a GeoJSON form is refused with its fid and type', async () => {
  const csv = join(folder, 'tin.csv');
  writeFileSync(csv, 'GID_0,WKT\nAAA,"POLYGON((5 5,6 5,6 6,5 5))"\nBBB,"TIN(((0 0,0 1,1 0,0 0)))"\n');
  const source = join(folder, 'tin.gpkg');
  const dataset = gdal.open(csv);
  gdal.vectorTranslate(source, dataset, ['-f', 'GPKG', '-a_srs', 'EPSG:4326', '-nln', 'ADM_0']).close();
  dataset.close();
  await assertRefused(source, {
    message: /tin\.gpkg: layer ADM_0 .*fid 2, GID BBB: geometries of type TIN have no GeoJSON form/,
  });
});

test('verify reports the errors of GDAL while it reads the source', async () => {
  const path = shapefiles();
  const out = join(folder, `out-${made++}`);
  await buildRelease(path, out);
  const file = join(path, 'adm2.shp');
  truncateSync(file, readFileSync(file).length / 2);
  const { findings } = await verify({ out, source: { source: [path] }, workers: 0 }, SILENT);
  const ofShapefile = findings.filter((finding) => finding.path === file).map(({ problem }) => problem);
  assert.match(ofShapefile.join('\n'), /layer adm2, fid \d: GDAL reports: .*fread/);
});
