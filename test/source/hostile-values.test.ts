// Values that break other services, published and asked for: every GID and every name comes back as it is, and none
// reaches another file than its own.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import naughtyStrings from 'big-list-of-naughty-strings' with { type: 'json' };
import { ACCEPTABLE, type Acceptable } from '../../generator/quality/findings.ts';
import { square, writeDataset } from '../support/datasets/write-dataset.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const naughty: readonly string[] = naughtyStrings;
const OWN = [
  '?',
  '.',
  '..',
  '../../current.json',
  '/etc/passwd',
  'AAA',
  'aaa',
  'aAa',
  'A.1_1',
  'A.1_1 ',
  ' A.1_1',
  'A%2E1_1',
  'A+B',
  'A&gid-0=B',
  '~41',
  '~h',
  'é',
  'e\u0301',
  '東京',
  '🗺',
  'a\nb',
  'tab\t',
  'X'.repeat(5_000),
  `${'X'.repeat(4_999)}Y`,
];
// GDAL ends text at a NUL, and a GID cannot be empty.
const gids = [...new Set([...OWN, ...naughty])].filter((gid) => gid !== '' && !gid.includes('\0'));

const source = writeDataset(join(folder, 'hostile.gpkg'), 'GPKG', [
  {
    name: 'ADM_0',
    columns: ['GID_0', 'COUNTRY'],
    features: gids.map((gid, i) => ({ fid: i + 1, values: [gid, `name ${gid}`], wkt: square(i % 170, 0) })),
  },
  {
    name: 'ADM_1',
    columns: ['GID_1', 'GID_0'],
    features: gids.map((gid, i) => ({ fid: i + 1, values: [`${gid}/child`, gid], wkt: square(i % 170, 0) })),
  },
]);
const out = join(folder, 'output');
await buildRelease(source, out);
const service = await startService(out);

async function featuresAt(
  path: string,
  query: Record<string, string>,
): Promise<{ id: number; properties: Record<string, unknown> }[]> {
  const answer = await fetch(`${service.url}${path}?${new URLSearchParams(query)}`, { headers: AUTHORIZED });
  const body = await answer.text();
  assert.equal(answer.status, 200, body);
  return JSON.parse(body).features;
}

test(`each of ${gids.length} hostile GIDs selects its own unit and its own child, and nothing else`, async () => {
  for (const [i, gid] of gids.entries()) {
    const own = await featuresAt('/api/v1/fc/lv0', { 'gid-0': gid });
    assert.deepEqual(
      own.map((feature) => [feature.id, feature.properties]),
      [[i + 1, { fid: i + 1, GID_0: gid, COUNTRY: `name ${gid}` }]],
    );
    const children = await featuresAt('/api/v1/fc/lv1', { 'gid-0': gid });
    assert.deepEqual(
      children.map((feature) => [feature.id, feature.properties['GID_1']]),
      [[i + 1, `${gid}/child`]],
    );
  }
});

test('a GID of 10 KB is published, but no request line is long enough to ask for it', async () => {
  const gid = 'Z'.repeat(10_000);
  const features = [{ fid: 1, values: [gid], wkt: square(0, 0) }];
  const file = writeDataset(join(folder, 'long.gpkg'), 'GPKG', [{ name: 'ADM_0', columns: ['GID_0'], features }]);
  await buildRelease(file, join(folder, 'long'));
  const { url } = await startService(join(folder, 'long'));
  const all = await fetch(`${url}/api/v1/fc/lv0`, { headers: AUTHORIZED });
  assert.equal(JSON.parse(await all.text()).features[0].properties.GID_0, gid);
  const one = await fetch(`${url}/api/v1/fc/lv0?gid-0=${gid}`, { headers: AUTHORIZED });
  assert.equal(one.status, 414);
  await one.text();
});

test('each hostile GID has one folder of plain characters, none inside or outside another', () => {
  const folders = readdirSync(join(out, 'releases/r1/lv1/fc/gid-0'));
  assert.equal(folders.length, gids.length);
  assert.equal(new Set(folders.map((name) => name.toLowerCase())).size, gids.length);
  for (const name of folders) assert.match(name, /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,119}$/);
  assert.deepEqual(readdirSync(join(out, 'releases/r1')).sort(), [
    'checksums.txt',
    'lv0',
    'lv1',
    'lv2',
    'lv3',
    'lv4',
    'lv5',
    'overview.json.gz',
    'release.json',
  ]);
});

const SQUARE = [
  [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ],
];

/** A GeoPackage of one unit with this geometry, between two valid ones: only fid 2 is odd. */
function writeOdd(name: string, wkt: string | null): string {
  const features = [square(20, 0), wkt, square(30, 0)].map((geometry, i) => ({
    fid: i + 1,
    values: [`A${i + 1}`],
    wkt: geometry,
  }));
  return writeDataset(join(folder, `${name}.gpkg`), 'GPKG', [{ name: 'ADM_0', columns: ['GID_0'], features }]);
}

/** The published geometry of the odd unit. */
async function publishedOdd(file: string, name: string, accept: readonly Acceptable[]): Promise<unknown> {
  const odd = join(folder, name);
  const release = await buildRelease(file, odd, { accept });
  assert.deepEqual(
    release.quality.filter(({ kind }) => ACCEPTABLE.some((other) => other === kind)),
    accept.map((kind) => ({ level: 0, kind, count: 1, example: `${name}.gpkg: layer ADM_0, fid 2, GID A2` })),
  );
  const { url } = await startService(odd);
  const answer = await fetch(`${url}/api/v1/fc/lv0`, { headers: AUTHORIZED });
  const features: { id: number; geometry: { coordinates?: unknown } | null }[] = JSON.parse(
    await answer.text(),
  ).features;
  assert.deepEqual(
    features.map(({ id }) => id),
    [1, 2, 3],
  );
  return features[1]?.geometry;
}

test('a unit whose geometry is missing, empty, no polygon or without area is refused by layer and fid, and published once accepted', async () => {
  const cases: [name: string, wkt: string | null, kind: Acceptable, what: string, geometry: unknown][] = [
    ['null', null, 'empty-geometries', 'units without geometry', null],
    ['empty', 'MULTIPOLYGON EMPTY', 'empty-geometries', 'units without geometry', null],
    ['empty-parts', 'MULTIPOLYGON(EMPTY,EMPTY)', 'empty-geometries', 'units without geometry', null],
    [
      'point',
      'POINT(1 2)',
      'non-polygonal',
      'units whose geometry is not a polygon',
      { type: 'Point', coordinates: [1, 2] },
    ],
    [
      'line',
      'LINESTRING(1 2,3 4)',
      'non-polygonal',
      'units whose geometry is not a polygon',
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'collection',
      'GEOMETRYCOLLECTION(POLYGON((0 0,1 0,1 1,0 0)))',
      'non-polygonal',
      'units whose geometry is not a polygon',
      { type: 'GeometryCollection', geometries: [{ type: 'Polygon', coordinates: SQUARE }] },
    ],
    [
      'collapsed',
      'POLYGON((0 0,0.00000001 0,0.00000001 0.00000001,0 0))',
      'collapsed-geometries',
      'units without area at this precision',
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [0, 0],
            [0, 0],
            [0, 0],
          ],
        ],
      },
    ],
  ];
  for (const [name, wkt, kind, what, geometry] of cases) {
    const file = writeOdd(name, wkt);
    const others = ACCEPTABLE.filter((other) => other !== kind);
    await assert.rejects(
      buildRelease(file, join(folder, name), { accept: others }),
      {
        message: `${file}: not published, because of the data:\n  lv0: ${what}: 1 (${name}.gpkg: layer ADM_0, fid 2, GID A2)`,
        remedy: `fix the source, or publish it unchanged with --accept ${kind}`,
      },
      name,
    );
    assert.ok(!existsSync(join(folder, name, 'current.json')), name);
    assert.deepEqual(await publishedOdd(file, name, [kind]), geometry, name);
  }
});

test('a polygon that is not valid or three-dimensional is published as it is, without acceptance', async () => {
  const bowTie = [
    [
      [0, 0],
      [1, 1],
      [1, 0],
      [0, 2],
      [0, 0],
    ],
  ];
  const tie = writeOdd('bow-tie', 'POLYGON((0 0,1 1,1 0,0 2,0 0))');
  assert.deepEqual(await publishedOdd(tie, 'bow-tie', []), { type: 'Polygon', coordinates: bowTie });
  const high = writeOdd('high', 'POLYGON Z((0 0 9,1 0 9,1 1 9,0 0 9))');
  assert.deepEqual(await publishedOdd(high, 'high', []), { type: 'Polygon', coordinates: SQUARE });
});

test('a unit in metres is refused by layer and fid, whatever is accepted', async () => {
  for (const [name, wkt] of [
    ['metre-point', 'POINT(500000 4649776)'],
    ['metre-polygon', square(500_000, 4_649_776, 100)],
  ] as const) {
    const file = writeOdd(name, wkt);
    await assert.rejects(buildRelease(file, join(folder, name), { accept: ACCEPTABLE }), {
      message: /layer ADM_0 \(level 0\), fid 2, GID A2: \[500000, 4649776\] is not a longitude and latitude/,
    });
    assert.ok(!existsSync(join(folder, name, 'current.json')), name);
  }
});
