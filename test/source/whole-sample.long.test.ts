// The whole sample, cut and dissolved, and its parents found by place: what the small cases of dissolve.test.ts and
// parents-by-place.test.ts show, for every unit.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type * as gdalTypes from 'gdal-async';
import { gdal } from '../../generator/gdal/gdal.ts';
import { sourceOptionsFrom } from '../../generator/option-texts.ts';
import { writeSample } from '../../generator/sample/sample.ts';
import { areaOf } from '../support/datasets/area-of.ts';
import { runSql } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { featuresIn } from '../support/releases/features-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const whole = join(folder, 'sample.gpkg');
writeSample(whole);

test("the sample's municipalities, cut into pieces and dissolved, are the units that they were", async () => {
  const cut = join(folder, 'cut.gpkg');
  copyFileSync(whole, cut);
  const dataset = gdal.open(cut, 'r+');
  const layer = dataset.layers.get('ADM_3');
  const side = (west: number, east: number): gdalTypes.Geometry =>
    gdal.Geometry.fromWKT(`POLYGON((${west} -90,${east} -90,${east} 90,${west} 90,${west} -90))`);
  runSql(dataset, 'BEGIN');
  for (const feature of layer.features.map((one) => one)) {
    const geometry = feature.getGeometry();
    if (geometry === null || !geometry.isValid()) continue;
    const { minX, maxX } = geometry.getEnvelope();
    const middle = (minX + maxX) / 2;
    const pieces = [side(-180, middle), side(middle, 180)].map((half) => geometry.intersection(half));
    if (!pieces.every(({ name }) => name.endsWith('POLYGON'))) continue;
    for (const [i, piece] of pieces.entries()) {
      const copy = i === 0 ? feature : feature.clone();
      copy.setGeometry(piece);
      if (i === 0) layer.features.set(copy);
      else {
        copy.fid = 100_000 + feature.fid;
        layer.features.add(copy);
      }
    }
  }
  runSql(dataset, 'COMMIT');
  const layerCount = layer.features.count();
  dataset.close();
  const few = {
    levels: [3],
    storedPages: 'none',
    precision: 12,
    accept: ['collapsed-geometries'],
  } as const;
  const [before, after] = [join(folder, 'before'), join(folder, 'after')];
  await buildRelease(whole, before, few);
  await buildRelease(cut, after, { ...few, ...sourceOptionsFrom({ dissolve: ['lv3'] }) });
  const [old, united] = [before, after].map((out) => featuresIn(out, 3));
  const byGid = new Map(old?.map((unit) => [unit.properties.GID_3, unit]));
  assert.ok(layerCount > 16_000 && united?.length === byGid.size, `${layerCount} pieces`);
  for (const unit of united ?? []) {
    const { fid: _, ...properties } = unit.properties;
    const { fid: __, ...expected } = byGid.get(properties.GID_3).properties;
    assert.deepEqual(properties, expected);
    assert.ok(Math.abs(areaOf(unit) - areaOf(byGid.get(properties.GID_3))) < 1e-9, properties.GID_3);
  }
});

test('of the 11,565 units of the sample below level 0, all get the parent of their column', async () => {
  const few = { storedPages: 'none', geometries: ['full', 'none'], cells: false, workers: 0 } as const;
  const byColumn = join(folder, 'by-column');
  await buildRelease(whole, byColumn, few);
  const byPlace = join(folder, 'by-place');
  const dropped = sourceOptionsFrom({ columns: ['-GID_0,-GID_1,-GID_2'], 'parent-by-place': ['lv1,lv2,lv3'] });
  await buildRelease(whole, byPlace, { ...few, ...dropped });
  for (const level of [1, 2, 3] as const) {
    const gids = (out: string) =>
      featuresIn(out, level).map(({ id, properties }) => [id, properties[`GID_${level - 1}`]]);
    assert.deepEqual(gids(byPlace), gids(byColumn));
  }
});
