// Values that break other services, published and asked for: every GID and every name comes back as it is, and none
// reaches another file than its own.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import naughtyStrings from 'big-list-of-naughty-strings' with { type: 'json' };
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { layerOf, square, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { AUTHORIZED, startService } from '../../support/http/in-process-proxy.ts';
import { buildRelease, buildUnchecked } from '../../support/releases/build-release.ts';
import { featuresOf, openTiles, readTiles } from '../../support/releases/read-tiles.ts';
import { textOf } from '../../support/releases/reseal.ts';
import { sliceOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
/** Of the big list a slice is tried. */
const naughty: readonly string[] = naughtyStrings;
const OWN = [
  ...['?', '.', '..', '../../current.json', '/etc/passwd', 'AAA', 'aaa', 'aAa', 'A.1_1', 'A.1_1 ', ' A.1_1'],
  ...['A%2E1_1', 'A+B', 'A&gid-0=B', '~41', '~h', 'é', 'e\u0301', '東京', '🗺', '\ufb00', 'a\nb', 'tab\t'],
  // Names of files and folders of a level.
  ...['all', 'features', 'none', '000001', 'gid-0', 'names.jsonl.gz', 'X'.repeat(5_000), `${'X'.repeat(4_999)}Y`],
];
// GDAL ends text at a NUL, and a GID cannot be empty.
const gids = [...new Set([...OWN, ...sliceOf(naughty)])].filter((gid) => gid !== '' && !gid.includes('\0'));

const place = square(0, 0);
const units = gids.map((gid): [string[], string] => [[gid, `name ${gid}`], place]);
const children = gids.map((gid): [string[], string] => [[`${gid}/child`, gid], place]);
const source = writeDataset(join(folder, 'hostile.gpkg'), 'GPKG', [
  layerOf('ADM_0', ['GID_0', 'COUNTRY'], units),
  layerOf('ADM_1', ['GID_1', 'GID_0'], children),
]);
const out = join(folder, 'output');
await buildRelease(source, out, { storedPages: 'all' });
const service = await startService(out);

/** The fids and the properties of the units of a level that a GID selects. */
async function unitsOf(level: string, gid: string): Promise<{ id: number; properties: Record<string, unknown> }[]> {
  const query = new URLSearchParams({ 'gid-0': gid });
  const answer = await fetch(`${service.url}/api/v1/fc/${level}?${query}`, { headers: AUTHORIZED });
  const body = await answer.text();
  assert.equal(answer.status, 200, body);
  return JSON.parse(body).features.map(({ id, properties }: { id: number; properties: object }) => ({
    id,
    properties,
  }));
}

test(`each of ${gids.length} hostile GIDs selects its own unit and its own child, and nothing else`, async () => {
  for (const [i, gid] of gids.entries()) {
    const [id, fid] = [i + 1, i + 1];
    assert.deepEqual(await unitsOf('lv0', gid), [{ id, properties: { fid, GID_0: gid, COUNTRY: `name ${gid}` } }]);
    assert.deepEqual(await unitsOf('lv1', gid), [{ id, properties: { fid, GID_1: `${gid}/child`, GID_0: gid } }]);
  }
});

test('a GID of 10 KB is published, but no request line is long enough to ask for it', async () => {
  const gid = 'Z'.repeat(10_000);
  const file = writeDataset(join(folder, 'long.gpkg'), 'GPKG', [squares('ADM_0', ['GID_0'], [gid])]);
  await buildRelease(file, join(folder, 'long'));
  const { url } = await startService(join(folder, 'long'));
  const all = await fetch(`${url}/api/v1/fc/lv0`, { headers: AUTHORIZED });
  assert.equal(JSON.parse(await all.text()).features[0].properties.GID_0, gid);
  const one = await fetch(`${url}/api/v1/fc/lv0?gid-0=${gid}`, { headers: AUTHORIZED });
  assert.equal(one.status, 414);
  await one.text();
});

test('GIDs and names above 10,000 characters are a finding, and are cut in names and tiles', async () => {
  const cut = (text: string): string => text.slice(0, 10_000);
  const [gid, name] = ['Z'.repeat(30_000), `${'ab'.repeat(4_999)}a🗺b`];
  const file = writeDataset(join(folder, 'longer.gpkg'), 'GPKG', [
    layerOf(
      'ADM_0',
      ['GID_0', 'COUNTRY'],
      [
        [[gid, 'Name'], place],
        [['AAA', name], place],
        [['BBB', 'Other'], place],
      ],
    ),
    layerOf('ADM_1', ['GID_1', 'GID_0'], [[['A', gid], place]]),
  ]);
  const longer = join(folder, 'longer');
  const { quality } = await buildUnchecked(file, longer, { tiles: 1 });
  const found = quality.filter(({ kind }) => kind === 'long-texts');
  assert.deepEqual(
    found.map(({ level, count }) => [level, count]),
    [
      [0, 2],
      [1, 1],
    ],
  );
  assert.ok(JSON.stringify(quality).length < 3_000);
  const names = [0, 1].flatMap((level) =>
    textOf(join(longer, 'releases/r1'), `lv${level}/names.jsonl.gz`).trimEnd().split('\n').slice(1),
  );
  // The name would end in half a character.
  const expected = [
    [1, cut(gid), 'Name', null],
    [2, 'AAA', name.slice(0, 9_999), null],
    [3, 'BBB', 'Other', null],
    [1, 'A', null, cut(gid)],
  ];
  const seen = names.map((line) => JSON.parse(line)).map(([fid, own, text, , parent]) => [fid, own, text, parent]);
  assert.deepEqual(seen, expected);
  assert.deepEqual((await verify({ out: longer, workers: 0 }, SILENT)).findings, []);
  const inTiles = new Map<unknown, unknown>();
  for await (const { tile } of readTiles(openTiles(join(longer, 'releases/r1/lv0/tiles.pmtiles'))))
    for (const { id, properties } of featuresOf(tile.layers['labels']))
      inTiles.set(id, [properties['gid'], properties['name']]);
  assert.deepEqual(
    [...inTiles],
    expected.slice(0, 3).map(([fid, ...texts]) => [fid, texts.slice(0, 2)]),
  );
});

test('each hostile GID has one folder of plain characters, none inside or outside another', () => {
  const folders = readdirSync(join(out, 'releases/r1/lv1/fc/gid-0'));
  assert.equal(folders.length, gids.length);
  assert.equal(new Set(folders.map((name) => name.toLowerCase())).size, gids.length);
  for (const name of folders) assert.match(name, /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,119}$/);
  const levels = [0, 1, 2, 3, 4, 5].map((level) => `lv${level}`);
  const files = ['checksums.txt', ...levels, 'release.json'];
  assert.deepEqual(readdirSync(join(out, 'releases/r1')).sort(), files);
});
