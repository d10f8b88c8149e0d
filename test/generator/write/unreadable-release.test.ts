// A release that its readers would refuse is not published: the build stops, and says what is too much.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CURRENT_PATH } from '../../../format/layout.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A GeoJSON file of squares beside each other with these properties. */
function writeSquaresWith(...units: readonly object[]): string {
  const file = join(temporaryFolder(), 'ADM_0.geojson');
  const features = units.map((properties, i) => {
    const [x, y] = [(i % 50) / 2, Math.floor(i / 50) / 2];
    const ring = [
      [x, y],
      [x + 0.4, y],
      [x + 0.4, y + 0.4],
      [x, y],
    ];
    return { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } };
  });
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
  return file;
}

test('columns whose names are too long for release.json are refused with its limit', async () => {
  const out = temporaryFolder();
  const columns = Array.from({ length: 70 }, (_, i) => `${i}`.padEnd(1_000, 'x'));
  const properties = { GID_0: 'AAA', ...Object.fromEntries(columns.map((name) => [name, name.slice(0, 2)])) };
  await assert.rejects(
    buildRelease(writeSquaresWith(properties), out, {
      searchColumns: columns.map((value) => ({ level: undefined, value })),
    }),
    {
      message:
        /^nobody could read this release: release\.json .*searchColumns has 70000 characters, at most 65536 are possible$/,
      remedy: /^give fewer or shorter names of columns/,
    },
  );
  assert.ok(!existsSync(join(out, CURRENT_PATH)));
});

test('names that are too long for the file of a level are refused with its limit', async () => {
  const out = temporaryFolder();
  const long = '東'.repeat(10_000);
  const units = Array.from({ length: 600 }, (_, i) => ({ GID_0: `A${i}`, COUNTRY: `${i}${long}` }));
  await assert.rejects(buildRelease(writeSquaresWith(...units), out), {
    message: /^lv0\/names\.jsonl\.gz: its text would have 18\d{6} bytes, at most 17391616 are read of 600 units$/,
    remedy: /^shorten the longest names/,
  });
  assert.ok(!existsSync(join(out, CURRENT_PATH)));
});

test('the example of a finding is the beginning of its text', async () => {
  const out = temporaryFolder();
  const gid = 'A'.repeat(100_000);
  const { quality } = await buildRelease(writeSquaresWith({ GID_0: gid }, { GID_0: gid }), out, {
    accept: ['duplicate-gids'],
  });
  const found = quality.find(({ kind }) => kind === 'duplicate-gids');
  assert.deepEqual([found?.count, found?.example.length, found?.example.endsWith('AAA...')], [1, 1_003, true]);
  const { findings } = await verify({ out, release: 'r1', workers: 0 }, SILENT);
  assert.deepEqual(findings, []);
});
