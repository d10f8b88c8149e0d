// Units as GDAL reads them, and what must hold of every dataset that the project makes itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../../format/levels.ts';
import { gdal } from '../../../generator/source/gdal.ts';

/** A unit as GDAL reads it. */
export interface ReadUnit {
  fid: number;
  fields: Readonly<Record<string, string | null>>;
  /** Its extent; null without a geometry. */
  box: { minX: number; maxX: number; minY: number; maxY: number } | null;
  parts: number;
  rings: number;
  isValid: boolean;
}

/** All units of a dataset, by level, as far down as it has layers. */
export function readUnits(file: string): ReadUnit[][] {
  const dataset = gdal.open(file);
  const levels = LEVELS.slice(0, dataset.layers.count()).map((level) =>
    dataset.layers.get(`ADM_${level}`).features.map((feature): ReadUnit => {
      const geometry = feature.getGeometry();
      const polygons = geometry instanceof gdal.MultiPolygon ? geometry.children.map((child) => child) : [];
      return {
        fid: feature.fid,
        fields: feature.fields.toObject(),
        box: geometry?.getEnvelope() ?? null,
        parts: polygons.length,
        rings: polygons.reduce(
          (sum, polygon) => sum + (polygon instanceof gdal.Polygon ? polygon.rings.count() : 0),
          0,
        ),
        isValid: geometry?.isValid() ?? true,
      };
    }),
  );
  dataset.close();
  return levels;
}

function ownGid(level: Level, unit: ReadUnit): string {
  return unit.fields[`GID_${level}`] ?? '';
}

/** Tests that the dataset is a hierarchy on one map. */
export function testHierarchy(name: string, levels: readonly ReadUnit[][]): void {
  test(`every unit of ${name} has a GID of its own and parents that are there`, () => {
    for (const level of LEVELS) {
      const units = levels[level] ?? [];
      assert.equal(new Set(units.map((unit) => ownGid(level, unit))).size, units.length);
      for (const above of LEVELS.slice(0, level)) {
        const gids = new Set(levels[above]?.map((unit) => ownGid(above, unit)));
        const orphan = units.find(({ fields }) => !gids.has(fields[`GID_${above}`] ?? ''));
        assert.equal(orphan, undefined);
      }
    }
  });

  test(`units of ${name} carry the country and the parents of their parent`, () => {
    for (const level of LEVELS.slice(1)) {
      const above = new Map(levels[level - 1]?.map(({ fields }) => [fields[`GID_${level - 1}`], fields]));
      for (const { fields } of levels[level] ?? []) {
        const parent = above.get(fields[`GID_${level - 1}`] ?? '') ?? {};
        assert.equal(fields['COUNTRY'], parent['COUNTRY']);
        for (const column of Object.keys(parent).filter((key) => /^(GID|NAME)_/.test(key)))
          assert.equal(fields[column], parent[column]);
      }
    }
  });

  test(`nothing in ${name} leaves the map, and every level is in order of fid`, () => {
    for (const unit of levels.flat()) {
      if (unit.box === null) continue;
      const { minX, maxX, minY, maxY } = unit.box;
      assert.ok(minX >= -180 && maxX <= 180 && minY >= -90 && maxY <= 90, JSON.stringify(unit));
    }
    for (const units of levels) for (const [i, { fid }] of units.entries()) assert.ok(fid > (units[i - 1]?.fid ?? 0));
  });
}
