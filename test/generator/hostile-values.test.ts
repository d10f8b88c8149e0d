// Values that break other services, published and asked for: every GID and every name comes back as it is, and none
// reaches another file than its own.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import naughtyStrings from 'big-list-of-naughty-strings';
import { buildRelease, square, temporaryFolder, writeDataset } from '../support/fixture.ts';
import { AUTHORIZED, startService } from '../support/in-process-proxy.ts';

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
    'release.json',
  ]);
});

test('a unit whose geometry is missing, empty, invalid or three-dimensional is published; one without a place is refused', async () => {
  const cases: [string, string | null, unknown][] = [
    ['null', null, null],
    ['empty', 'MULTIPOLYGON EMPTY', null],
    [
      'bow tie',
      'POLYGON((0 0,1 1,1 0,0 2,0 0))',
      [
        [
          [0, 0],
          [1, 1],
          [1, 0],
          [0, 2],
          [0, 0],
        ],
      ],
    ],
    [
      '3D',
      'POLYGON Z((0 0 9,1 0 9,1 1 9,0 0 9))',
      [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    ],
  ];
  const features = cases.map(([name, wkt], i) => ({ fid: i + 1, values: [name], wkt }));
  const file = writeDataset(join(folder, 'odd.gpkg'), 'GPKG', [{ name: 'ADM_0', columns: ['GID_0'], features }]);
  const odd = join(folder, 'odd');
  await buildRelease(file, odd);
  const { url } = await startService(odd);
  const answer = await fetch(`${url}/api/v1/fc/lv0`, { headers: AUTHORIZED });
  const got: { geometry: { coordinates: unknown } | null }[] = JSON.parse(await answer.text()).features;
  assert.deepEqual(
    got.map((feature) => feature.geometry?.coordinates ?? null),
    cases.map(([, , coordinates]) => coordinates),
  );
  for (const [name, wkt, message] of [
    ['metres', 'POINT(500000 4649776)', /fid 1, GID A: \[500000, 4649776\] is not a longitude and latitude/],
    [
      'line',
      'POLYGON((0 0,0.00000001 0,0.00000001 0.00000001,0 0))',
      /fid 1: its geometry has no area left at 7 decimals/,
    ],
  ] as const) {
    const bad = writeDataset(join(folder, `${name}.gpkg`), 'GPKG', [
      { name: 'ADM_0', columns: ['GID_0'], features: [{ fid: 1, values: ['A'], wkt }] },
    ]);
    await assert.rejects(buildRelease(bad, join(folder, name)), { message });
  }
});
