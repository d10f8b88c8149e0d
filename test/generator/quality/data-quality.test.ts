// Sources with errors: each is refused with file, layer and fid, or accepted by name; oddities are counted and
// recorded.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import type { BuildOptions } from '../../../generator/build.ts';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { ACCEPTABLE, type Acceptable } from '../../../generator/quality/findings.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import {
  type FixtureFeature,
  layerOf,
  square,
  squares,
  writeDataset,
  writeFiles,
} from '../../support/datasets/write-dataset.ts';
import { buildOptions, buildRelease, WHOLE } from '../../support/releases/build-release.ts';
import { published } from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let made = 0;

type Features = readonly FixtureFeature[];

/** A GeoPackage with the small countries; `change` may change the features of a level. */
function countriesWith(level: number, change: (features: Features) => Features): string {
  const layers = countryLayers().map((layer, n) =>
    n === level ? { ...layer, features: change(layer.features) } : layer,
  );
  return writeDataset(join(folder, `source-${made++}.gpkg`), 'GPKG', layers);
}

interface Refusal {
  message: string | RegExp;
  remedy?: string | RegExp;
}

/** Asserts that a source is refused, that nothing is published, and that a dry run refuses it alike. */
async function assertRefused(source: string, { message, remedy = /./ }: Refusal, options: Partial<BuildOptions> = {}) {
  const expected = { message, remedy };
  const out = join(folder, `out-${made++}`);
  await assert.rejects(buildRelease(source, out, options), expected);
  assert.ok(!existsSync(join(out, 'current.json')));
  await assert.rejects(forecast(buildOptions(source, out, options), SILENT), expected);
}

/** Adds units with the values of the first one. */
function withShapes(features: Features, ...shapes: (string | null)[]): Features {
  return [...features, ...shapes.map((wkt, i) => ({ fid: 9 + i, values: [`XXX${i}`, 'AAA'], wkt }))];
}

/** What is accepted, what is said otherwise of the source, and the features of the level that is named. */
const ACCEPTABLE_CASES: [kind: Acceptable, said: string, (features: Features) => Features][] = [
  [
    'empty-geometries',
    'lv1: 3 units have no geometry (e.g. FILE: layer ADM_1, fid 9, GID XXX0). Maps do not show them, no point is inside.',
    (features) => withShapes(features, null, 'MULTIPOLYGON EMPTY', 'GEOMETRYCOLLECTION EMPTY'),
  ],
  [
    'non-polygonal',
    'lv0: 4 units have a geometry that is not a polygon (e.g. FILE: layer ADM_0, fid 9, GID XXX0). They have no area: no point is inside.',
    (features) => {
      const collection = `GEOMETRYCOLLECTION(${square(0, 0)},POINT(1 1))`;
      return withShapes(features, 'POINT(1 1)', 'LINESTRING(0 0,1 1)', collection, 'MULTIPOINT((1 1),(2 2))');
    },
  ],
  ['no-units', 'lv2: 1 layer has no units (FILE: layer ADM_2). The download may be damaged or incomplete.', () => []],
  [
    'orphans',
    'lv1: 1 unit has a parent that is not in the source (FILE: layer ADM_1, fid 3 has GID_0 XXX, which no unit of level 0 has). If you go from each unit to its children, you do not reach it.',
    (features) => features.with(2, { fid: 3, values: ['BBB.1_1', 'XXX', 'Beland', 'All'], wkt: square(10, 0, 4) }),
  ],
  [
    'contradicting-parents',
    'lv2: 1 unit has parents that contradict each other (FILE: layer ADM_2, fid 3 has GID_0 AAA, but its GID_1 BBB.1_1 has BBB). Listings of both parents have it.',
    (features) => features.with(2, { fid: 3, values: ['B', 'AAA', 'A', 'BBB.1_1', 'All', '東'], wkt: square(10, 0) }),
  ],
  [
    'unreadable-text',
    'lv0: 1 unit has text that is not in the encoding of the file (FILE: layer ADM_0, fid 9, GID ESP). Letters of the names are lost.',
    (features) => [...features, { fid: 9, values: ['ESP', 'Espa\ufffda'], wkt: square(1, 0) }],
  ],
  [
    'collapsed-geometries',
    'lv0: 1 unit has no area at this precision (FILE: layer ADM_0, fid 9, GID XXX0). Maps do not show it, no point is inside; more decimals (--precision) may keep the area, and --make-valid that of a polygon that crosses itself.',
    (features) => withShapes(features, 'POLYGON((0 0,1e-8 0,1e-8 1e-8,0 0))'),
  ],
  [
    'null-gids',
    'lv0: 1 unit lacks a GID or the GID of a parent (FILE: layer ADM_0, fid 9 has no GID_0). Requests by GID and listings of the parent leave it out.',
    (features) => [...features, { fid: 9, values: [null, 'B'], wkt: square(1, 0) }],
  ],
  [
    'duplicate-gids',
    'lv0: 1 unit has the GID of another unit (FILE: layer ADM_0, fids 1 and 9 both have GID_0 AAA). A request for this GID gets several units, and a table that is joined by it gets rows twice.',
    (features) => [...features, { fid: 9, values: ['AAA', 'B'], wkt: square(1, 0) }],
  ],
];

for (const [kind, said, change] of ACCEPTABLE_CASES)
  test(`${kind}: refused, or accepted by name and recorded, in a dry run too`, async () => {
    const source = countriesWith(Number(said.at(2)), change);
    const line = said.replace('FILE', basename(source));
    const helps: Partial<Record<Acceptable, string>> = {
      'duplicate-gids': 'GID_0 is probably no code of level 0: AAA is Aland and B; or ',
      'null-gids': 'B has no GID_0, and is probably a unit: GID_0 is then not the code of level 0; or ',
      'non-polygonal':
        "points and lines that are no units are left out by --sql \"lv0=SELECT * FROM {layer} WHERE OGR_GEOMETRY NOT IN ('POINT','MULTIPOINT','LINESTRING','MULTILINESTRING')\"; or ",
    };
    const expected = {
      message: `${source}: not published, because of the data:\n  ${line}`,
      remedy: `${helps[kind] ?? ''}fix the source, or publish it unchanged with --accept ${kind}`,
    };
    await assertRefused(source, expected, { accept: ACCEPTABLE.filter((other) => other !== kind) });
    const { release, quality } = await published(source, { accept: [kind] });
    const [, level, count, example] = /^(lv\d): (\d) .*? \((?:e\.g\. )?(.*)\)\. [A-Z].*\.$/.exec(line) ?? [];
    assert.deepEqual(quality, [`${level} ${kind} ${count} ${example}`]);
    const dry = await forecast(buildOptions(source, folder, { accept: [kind] }), SILENT);
    assert.deepEqual(dry.quality, release.quality);
  });

test('a parent whose GID several units have contradicts none of their parents', async () => {
  const twin = { fid: 9, values: ['BBB.1_1', 'AAA', 'Aland', 'All'], wkt: square(0, 0) };
  const layers = countryLayers();
  const [region, district] = [elementAt(layers, 1), elementAt(layers, 2)];
  const moved = district.features.with(2, { fid: 3, values: ['B', 'AAA', 'A', 'BBB.1_1', '', ''], wkt: square(0, 0) });
  const source = writeDataset(join(folder, 'twins.gpkg'), 'GPKG', [
    elementAt(layers, 0),
    { ...region, features: [...region.features, twin] },
    { ...district, features: moved },
  ]);
  const { quality } = await published(source, { accept: ['duplicate-gids'] });
  assert.equal(quality.length, 1);
});

const RING = [...[0, 1, 2].map((x) => [x, x * x]), [0, 0]];
const LONG_RING = Array.from({ length: 200_000 }, (_, i) => [i / 1e6, i % 2]);

const HALF = { type: 'Polygon', coordinates: [[[null, 0]]] };

/** Geometries of which GDAL leaves out a part or all without a word, in a ring or anywhere, and how that is called. */
const DAMAGED: [damage: string, geometry: object][] = [
  ['the position [null,0]', { type: 'Polygon', coordinates: [[...RING, [null, 0]]] }],
  ['the position [0]', { type: 'Polygon', coordinates: [RING, [[0], ...RING]] }],
  ['null among its coordinates', { type: 'Polygon', coordinates: [[...RING, null]] }],
  ['the position ["1",0]', { type: 'MultiPolygon', coordinates: [[RING], [[...RING, ['1', 0]]]] }],
  ['the position [null,0]', { type: 'GeometryCollection', geometries: [HALF] }],
  // At the end of megabytes.
  ['the position [0]', { type: 'Polygon', coordinates: [[...LONG_RING, [0]]] }],
  ['the type "Poligon"', { type: 'Poligon', coordinates: [RING] }],
];

test('GeoJSON of which GDAL would leave out a part is refused by the name of its unit, whatever is accepted', async () => {
  for (const [damage, geometry] of DAMAGED) {
    const features = [
      { type: 'Feature', properties: { GID_0: '}{]["\\' }, geometry: { type: 'Polygon', coordinates: [RING] } },
      { type: 'Feature', properties: { GID_0: 'BBB' }, geometry },
    ];
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } };
    const written = {
      geojson: JSON.stringify({ type: 'FeatureCollection', crs, features }),
      geojsonl: features.map((feature) => `${JSON.stringify(feature)}\n`).join(''),
      // A single feature, whose properties look like a collection.
      json: JSON.stringify({ ...features[1], collection: { features: [features[0]] } }),
    };
    for (const [ending, text] of Object.entries(written)) {
      const source = join(folder, `damaged-${made++}.${ending}`);
      writeFileSync(source, text);
      const message = `${source}: feature ${ending === 'json' ? 1 : 2}, {"GID_0":"BBB"}: its geometry has ${damage}, which GDAL would leave out`;
      const remedy = 'the file is damaged: download it again, or correct the feature';
      await assert.rejects(buildRelease(source, join(folder, 'damaged'), { accept: ACCEPTABLE }), { message, remedy });
    }
  }
});

test('a unit of TopoJSON that GDAL would leave out is refused by its name, and one that is its object is published', async () => {
  const unit = (GID_0: string, geometry: object) => ({ ...geometry, properties: { GID_0, type: { type: null } } });
  const polygon = { type: 'Polygon', arcs: [[0]] };
  const alone = unit('AAA', polygon);
  const topology = (objects: object) => JSON.stringify({ type: 'Topology', crs: {}, arcs: [RING], objects });
  const source = join(folder, 'units.topojson');
  writeFileSync(source, topology({ alone }));
  assert.equal((await buildRelease(source, join(folder, 'topojson'))).levels[0]?.features, 1);
  for (const [type, left] of Object.entries({
    null: { type: null },
    '"GeometryCollection"': { type: 'GeometryCollection', geometries: [polygon] },
    '"Polygon"': { type: 'Polygon' },
  }))
    for (const [at, objects] of Object.entries({
      'object "a b", geometry 2': {
        alone,
        'a b': { type: 'GeometryCollection', geometries: [alone, unit('BBB', left)] },
      },
      ...(type !== '"GeometryCollection"' && { 'object "a b"': { alone, 'a b': unit('BBB', left) } }),
    })) {
      writeFileSync(source, topology(objects));
      const properties = '{"GID_0":"BBB","type":{"type":null}}';
      await assert.rejects(buildRelease(source, join(folder, 'topojson'), { accept: ACCEPTABLE }), {
        message: `${source}: ${at}, ${properties}: it has the type ${type} and no arcs, so GDAL would leave it out`,
        remedy: `convert it to GeoJSON: npx -p topojson-client topo2geo 'a b=a b.geojson' < ${source}`,
      });
    }
});

test('GeoJSON without geometries, and with properties that look like one, is read as it is', async () => {
  const source = join(folder, 'odd.geojson');
  const properties = { GID_0: 'AAA', geometry: { type: 'Polygon', coordinates: [null] } };
  const features = [
    { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [RING] } },
    { type: 'Feature', properties: { GID_0: 'BBB' }, geometry: null },
    { type: 'Feature', properties: { GID_0: 'CCC' } },
    { type: 'Feature', properties: { GID_0: 'DDD' }, geometry: { type: 'MultiPolygon', coordinates: [] } },
  ];
  writeFileSync(source, JSON.stringify({ type: 'FeatureCollection', features }));
  const { quality } = await published(source, { accept: ['empty-geometries'] });
  assert.deepEqual(quality, [
    'lv0 empty-geometries 3 odd.geojson: layer odd, fid 1, GID BBB',
    'lv0 no-names 4 odd.geojson: layer odd',
  ]);
});

test('a polygon that crosses itself and has no area is refused with --make-valid as a remedy, which gives it one', async () => {
  const bowTie = layerOf('ADM_0', ['GID_0'], [[['AAA'], 'POLYGON((0 0,2 2,2 0,0 2,0 0))']]);
  const source = writeDataset(join(folder, 'bow-tie.gpkg'), 'GPKG', [bowTie]);
  await assertRefused(source, { message: /1 unit has no area .*--make-valid that of a polygon that crosses itself/ });
  const { quality } = await buildRelease(source, join(folder, 'made-valid'), { makeValid: true });
  assert.ok(quality.every(({ kind }) => kind !== 'collapsed-geometries'));
});

test('WKT that does not parse is a unit without geometry', async () => {
  const source = join(folder, 'wkt.csv');
  writeFileSync(source, 'WKT,GID_0\n"POLYGON((0 0,1 0,1 1,0 0))",AAA\n"POLYGON((0 0,1",BBB\n');
  await assertRefused(source, { message: /wkt\.csv: .*(1 unit has no geometry|GDAL reports)/s });
});

test('all problems of all levels are listed at once', async () => {
  const empty = countryLayers().map((layer) => ({ ...layer, features: [] }));
  await assertRefused(writeDataset(join(folder, 'empty.gpkg'), 'GPKG', empty), {
    message: /lv0: 1 layer has no units .*lv1: .*lv2: /s,
    remedy: /--accept no-units$/,
  });
  const others: [unknown[], string][] = [
    [['A', 'AAA'], 'POINT(1 1)'],
    [['A', null], square(0, 0)],
  ];
  const source = writeDataset(join(folder, 'many.gpkg'), 'GPKG', [
    layerOf('ADM_0', ['GID_0'], [[['AAA'], null]]),
    layerOf('ADM_1', ['GID_1', 'GID_0'], others),
  ]);
  await assertRefused(source, {
    message:
      /lv0: 1 unit has no geometry .*lv1: 1 unit has a geometry that is not a polygon .*lv1: 1 unit lacks a GID .*fid 2.*lv1: 1 unit has the GID of another /s,
    remedy: /--accept empty-geometries non-polygonal null-gids duplicate-gids$/,
  });
});

test('oddities that leave a release right are counted with their first example', async () => {
  // Its teeth are 7 degrees long and lie 2e-7 degrees apart.
  const teeth = Array.from(
    { length: 3000 },
    (_, i) => `${(i / 2.5e6).toFixed(7)} 57,${(i / 2.5e6 + 2e-7).toFixed(7)} 50`,
  );
  const odd: [unknown[], string][] = [
    [['?', 'Nowhere'], square(0, 0)],
    [['BBB', 'Far east'], square(180.5, 0)],
    [['CCC', 'Round the world'], 'POLYGON((179 0,-179 0,-179 1,179 1,179 0))'],
    [['DDD', 'Sliver'], 'MULTIPOLYGON(((0 0,1e-9 0,1e-9 1e-9,0 0)),((5 5,6 5,6 6,5 5)))'],
    [['EEE', 'Comb'], `POLYGON((0 58,${teeth.join()},0.01 58,0 58))`],
  ];
  const source = writeDataset(join(folder, 'odd.gpkg'), 'GPKG', [
    layerOf('ADM_0', ['GID_0', 'COUNTRY'], odd),
    squares('ADM_2', ['GID_2', 'GID_1', 'GID_0'], ['B.1', 'B', 'BBB']),
    { name: 'roads', columns: ['class'], features: [{ fid: 1, values: ['m'], wkt: 'LINESTRING(0 0,1 1)' }] },
  ]);
  // Crowded borders are found where cells are made.
  assert.deepEqual((await published(source, { cells: true })).quality, [
    'lv0 antimeridian-jumps 1 odd.gpkg: layer ADM_0, fid 3, GID CCC',
    'lv0 collapsed-rings 1 odd.gpkg: layer ADM_0, fid 4, GID DDD',
    'lv0 crowded-borders 1 fid 5',
    'lv0 invalid-polygons 1 odd.gpkg: layer ADM_0, fid 4, GID DDD',
    'lv0 out-of-range 1 odd.gpkg: layer ADM_0, fid 2, GID BBB',
    'lv0 placeholder-gids 1 odd.gpkg: layer ADM_0, fid 1',
    'lv0 unused-layers 1 odd.gpkg: roads',
    'lv1 missing-level 1 the source has levels 0 and 2',
    'lv2 no-names 1 odd.gpkg: layer ADM_2',
  ]);
  const districts = countryLayers().slice(2);
  const low = writeDataset(join(folder, 'districts.gpkg'), 'GPKG', districts);
  const missing = 'the source has no level 0, 1: their units have no names and no shapes, ';
  const { quality } = await published(low);
  const isMissing = [quality.length, quality[0]?.replace(/^lv2 missing-parents \d+ /, '').startsWith(missing)];
  assert.deepEqual(isMissing, [1, true]);
});

test('units without a shape, and those with one that the source does not have, are named by their GIDs', async () => {
  // The second and the third are smaller than a cell of the grid of `low`, the third than one of `medium`, too.
  const shapes = [
    null,
    square(5, 5, 0.0004),
    square(6, 5, 0.00004),
    square(7, 5, 0.5),
    'POLYGON((0 0,1e-9 0,1e-9 1e-9,0 0))',
  ];
  const units = shapes.map((wkt, i) => [[`U${i}`, 'Unit'], wkt] as const);
  const source = writeDataset(join(folder, 'small.gpkg'), 'GPKG', [layerOf('ADM_0', ['GID_0', 'COUNTRY'], units)]);
  const accept = ['empty-geometries', 'collapsed-geometries'] as const;
  const { quality, levels } = await buildRelease(source, join(folder, 'small'), { ...WHOLE, accept });
  const said = quality.map(({ kind, count, example, units }) => [kind, count, units, example]);
  const place = (i: number): string => `small.gpkg: layer ADM_0, fid ${i + 1}, GID U${i}`;
  assert.deepEqual(said, [
    ['cell-shapes', 2, ['U1', 'U2'], `${place(1)}, geometry low`],
    ['collapsed-geometries', 1, ['U4'], place(4)],
    ['empty-geometries', 1, ['U0'], place(0)],
  ]);
  const none = await buildRelease(source, join(folder, 'small-full'), { accept });
  assert.deepEqual(
    none.quality.map(({ kind }) => kind),
    ['collapsed-geometries', 'empty-geometries'],
  );
  // What each geometry has of the positions of the full one.
  const [{ positions, geometries } = assert.fail()] = levels;
  assert.deepEqual([positions, geometries.medium?.positions, geometries.point?.positions], [19, 15, undefined]);
});

test('of thousands of units without a shape a hundred are named, and all are counted', async () => {
  const units = Array.from({ length: 150 }, (_, i) => [[`U${i}`, 'Unit'], i === 0 ? square(0, 0) : null] as const);
  const source = writeDataset(join(folder, 'many.gpkg'), 'GPKG', [layerOf('ADM_0', ['GID_0', 'COUNTRY'], units)]);
  const { quality } = await buildRelease(source, join(folder, 'many'), { accept: ['empty-geometries'] });
  const [{ count, units: named = [] } = assert.fail()] = quality;
  assert.deepEqual([count, named.length, named.at(-1)], [149, 100, 'U100']);
});

test('far fewer units than in the current release of the same source are refused; one of another source is no measure', async () => {
  const named = (file: string, units: number): string => {
    const path = join(folder, file);
    renameSync(
      countriesWith(2, (features) => features.slice(0, units)),
      path,
    );
    return path;
  };
  const out = join(folder, 'fewer');
  await buildRelease(named('gadm_410-levels.gpkg', 4), out);
  const fewer = named('gadm_420-levels.gpkg', 3);
  await assert.rejects(buildRelease(fewer, out, { release: 'r2' }), {
    message: /lv2: 1 unit fewer than in the current release \(3 units, 4 in release r1/,
    remedy: /^complete the source; or, .*--accept fewer-units$/,
  });
  assert.equal(JSON.parse(readFileSync(join(out, 'current.json'), 'utf8')).release, 'r1');
  const { quality } = await buildRelease(fewer, out, { release: 'r2', accept: ['fewer-units'] });
  // A release depends on its source alone, so the comparison is not recorded.
  assert.deepEqual(quality, []);
  const own = named('own.gpkg', 1);
  assert.equal((await buildRelease(own, out, { release: 'r3' })).levels[2]?.features, 1);
});

function shapefiles(): string {
  const path = join(folder, `shapes-${made++}`);
  writeFiles(
    path,
    'ESRI Shapefile',
    countryLayers((n) => `adm${n}`),
  );
  return path;
}

function cut(file: string, share: number): void {
  truncateSync(file, Math.floor(statSync(file).size * share));
}

const UNREADABLE = (name: string): RegExp => new RegExp(`${name}: GDAL cannot open it`);
const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';

/** What happens to a folder of Shapefiles, how it is refused, and what to do. */
const FOLDER_CASES: [string, (path: string) => void, RegExp, RegExp?][] = [
  [
    'with a Shapefile that is cut short',
    (path) => cut(join(path, 'adm2.shp'), 0.5),
    /adm2\.shp: layer adm2 \(level 2\), fid \d: GDAL reports: .*fread/,
    /damaged or incomplete/,
  ],
  ...['.dbf', '.shx', '.shp'].map((part): (typeof FOLDER_CASES)[number] => [
    `without adm1${part}`,
    (path) => rmSync(join(path, `adm1${part}`)),
    new RegExp(`adm1.${part === '.shp' ? 'dbf' : 'shp'}: the Shapefile is incomplete: there is no ${part} file`),
  ]),
  ...(
    [
      ['half.json', '{"type":"FeatureCollection","features":[{"type":"Feature","pro', UNREADABLE('half.json')],
      ['pointer.gpkg', LFS, /pointer\.gpkg: is a Git LFS pointer/],
      ['noise.gpkg', 'no dataset', UNREADABLE('noise.gpkg')],
      ['empty.json', '', UNREADABLE('empty.json')],
      ['unknown.bin', 'bytes', UNREADABLE('unknown.bin')],
    ] as const
  ).map(([name, content, message]): (typeof FOLDER_CASES)[number] => [
    `with a file ${name} that GDAL cannot read`,
    (path) => writeFileSync(join(path, name), content),
    message,
  ]),
  [
    'with another file that has units of it',
    (path) => writeDataset(join(path, 'more.gpkg'), 'GPKG', countryLayers().slice(0, 1)),
    /lv0: 2 units have the GID of another unit \(e\.g\. fids 1 and 3 both have GID_0 AAA/,
  ],
  [
    'with a file without GID columns',
    (path) => writeDataset(join(path, 'roads.shp'), 'ESRI Shapefile', [squares('roads', ['class'], ['m'])]),
    /roads\.shp: no layer has GID columns .*roads \(class\)/,
    /--gid-column/,
  ],
];

for (const [what, change, message, remedy] of FOLDER_CASES)
  test(`a folder ${what} is refused`, async () => {
    const path = shapefiles();
    change(path);
    await assertRefused(path, { message, ...(remedy && { remedy }) });
  });

test('of a dataset that needs options, the remedy names the file in generator/examples/', async () => {
  for (const [name, columns, file] of [
    ['ne_10m_admin_0_countries', ['ADM0_A3', 'NAME'], 'natural-earth'],
    ['geoBoundaries-FRA-ADM1', ['shapeGroup', 'shapeID'], 'geoboundaries'],
    ['NUTS_RG_60M_2021_4326', ['NUTS_ID', 'LEVL_CODE'], 'nuts'],
  ] as const) {
    const source = writeDataset(join(folder, `${name}.gpkg`), 'GPKG', [squares(name, columns, ['AAA', 'x'])]);
    const remedy = new RegExp(`^copy generator/examples/${file}\\.json, .*--config$`);
    await assertRefused(source, { message: /no layer has GID columns/, remedy });
  }
  // Maps that were made of one have its columns, or its names: the file does not fit.
  for (const [name, columns] of [
    ['countries', ['adm0_a3', 'name']],
    ['ne_110m_land', ['featurecla']],
  ] as const) {
    const source = writeDataset(join(folder, `${name}.gpkg`), 'GPKG', [
      squares(name, columns, ['AAA', 'x'].slice(0, columns.length)),
    ]);
    await assertRefused(source, { message: /no layer has GID columns/, remedy: /^name the column with the GIDs/ });
  }
});
