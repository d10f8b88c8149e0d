// The datasets that the project makes itself, read back through GDAL: the sample of real boundaries, and the synthetic
// dataset that holds what real files hold by accident.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, type Level } from '../format/levels.ts';
import { columnsOf } from '../generator/gadm.ts';
import { gdal } from '../generator/gdal.ts';
import { attributionOf } from '../generator/geopackage.ts';
import { SAMPLE_ATTRIBUTION, writeSample } from '../generator/sample.ts';
import { SYNTHETIC_ATTRIBUTION, writeSynthetic } from '../generator/synthetic.ts';
import { temporaryFolder } from './fixture.ts';

const folder = temporaryFolder();
const sampleFile = join(folder, 'sample.gpkg');
const summary = writeSample(sampleFile);
const sample = readUnits(sampleFile);
const smallFile = join(folder, 'small.gpkg');
writeSynthetic(smallFile, 60);
const small = readUnits(smallFile);
const middleFile = join(folder, 'middle.gpkg');
const middleCounts = writeSynthetic(middleFile, 2000, { verticesScale: 0.2 });
const middle = readUnits(middleFile);

/** A unit as GDAL reads it. */
interface ReadUnit {
  fid: number;
  fields: Readonly<Record<string, string | null>>;
  /** Its extent; null without a geometry. */
  box: { minX: number; maxX: number; minY: number; maxY: number } | null;
  parts: number;
  rings: number;
  isValid: boolean;
}

/** All units of a dataset, by level. */
function readUnits(file: string): ReadUnit[][] {
  const dataset = gdal.open(file);
  const levels = LEVELS.map((level) =>
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

function find(level: Level, column: string, value: string): ReadUnit {
  const unit = sample[level]?.find(({ fields }) => fields[column] === value);
  assert.ok(unit, `${column} ${value} at level ${level}`);
  return unit;
}

function sha256Of(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Ranks of the units whose parent is also an earlier unit's, but not that of the one before. */
function strays(level: Level, units: readonly ReadUnit[]): number[] {
  const parents = units.map(({ fields }) => fields[`GID_${level - 1}`]);
  return [...parents.keys()].filter((i) => i > 0 && parents[i] !== parents[i - 1] && parents.indexOf(parents[i]) < i);
}

const DATASETS = { sample, small, middle };

for (const [name, levels] of Object.entries(DATASETS)) {
  test(`every unit of the ${name} dataset has a GID of its own and parents that are there`, () => {
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

  test(`units of the ${name} dataset carry the country and the parents of their parent`, () => {
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

  test(`nothing in the ${name} dataset leaves the map, and every level is in order of fid`, () => {
    for (const unit of levels.flat()) {
      if (unit.box === null) continue;
      const { minX, maxX, minY, maxY } = unit.box;
      assert.ok(minX >= -180 && maxX <= 180 && minY >= -90 && maxY <= 90, JSON.stringify(unit));
    }
    for (const units of levels) for (const [i, { fid }] of units.entries()) assert.ok(fid > (units[i - 1]?.fid ?? 0));
  });
}

test('the sample has four real levels of about 12,000 units, and two empty ones', () => {
  assert.deepEqual(
    sample.map((units) => units.length),
    [255, 159, 3194, 8212, 0, 0],
  );
  assert.deepEqual(summary.units, [255, 159, 3194, 8212, 0, 0]);
});

test('the sample has the layers and columns of GADM, the empty ones too', () => {
  const dataset = gdal.open(sampleFile);
  const layers = dataset.layers.map((layer) => ({
    name: layer.name,
    columns: layer.fields.getNames(),
    epsg: layer.srs?.getAuthorityCode(),
  }));
  assert.deepEqual(
    layers,
    LEVELS.map((level) => ({ name: `ADM_${level}`, columns: columnsOf(level), epsg: '4326' })),
  );
  dataset.close();
});

test('the sample names places as they are', () => {
  assert.equal(find(0, 'GID_0', 'ESP').fields['COUNTRY'], 'Spain');
  assert.equal(find(0, 'GID_0', 'XKO').fields['COUNTRY'], 'Kosovo');
  const autauga = find(2, 'CC_2', '01001').fields;
  assert.deepEqual(
    ['GID_0', 'NAME_1', 'NAME_2', 'TYPE_2', 'GID_2'].map((column) => autauga[column]),
    ['USA', 'Alabama', 'Autauga', 'County', 'USA.1.1_1'],
  );
  const ponce = find(1, 'CC_1', '72113').fields;
  assert.deepEqual(
    ['GID_0', 'COUNTRY', 'NAME_1', 'ENGTYPE_1'].map((column) => ponce[column]),
    ['PRI', 'Puerto Rico', 'Ponce', 'Municipality'],
  );
  const valladolid = find(3, 'CC_3', '47186').fields;
  assert.deepEqual(
    ['COUNTRY', 'NAME_1', 'NAME_2', 'NAME_3', 'GID_1'].map((column) => valladolid[column]),
    ['Spain', 'Castilla y León', 'Valladolid', 'Valladolid', 'ESP.7_1'],
  );
});

test('every municipality of the sample lies in the province that its code begins with', () => {
  const provinces = new Map(sample[2]?.map(({ fields }) => [fields['GID_2'], fields['CC_2']]));
  const placed = sample[3]?.filter(({ fields }) => !fields['CC_3']?.startsWith('53')) ?? [];
  assert.equal(placed.length, 8131);
  for (const { fields } of placed) assert.equal(fields['CC_3']?.slice(0, 2), provinces.get(fields['GID_2'] ?? ''));
});

test('the sample is cut where it crosses the antimeridian, and reaches the pole', () => {
  for (const gid of ['RUS', 'FJI', 'USA']) {
    const { box } = find(0, 'GID_0', gid);
    assert.ok(box !== null && box.minX < -179 && box.maxX > 179, gid);
  }
  assert.deepEqual({ ...find(0, 'GID_0', 'ATA').box, maxY: 0 }, { minX: -180, maxX: 180, minY: -90, maxY: 0 });
  assert.ok(find(0, 'GID_0', 'ATA').isValid);
});

test('the sample keeps units whose outline its source has as a mere line, without a geometry', () => {
  const shapeless = sample.map((units) => units.filter(({ box }) => box === null).length);
  assert.deepEqual(shapeless, [1, 0, 1, 28, 0, 0]);
  assert.ok(summary.collapsed > 0);
});

test('who must be named can be read from the file, through GDAL and with SQL', () => {
  for (const [file, expected] of [
    [sampleFile, SAMPLE_ATTRIBUTION],
    [smallFile, SYNTHETIC_ATTRIBUTION],
  ] as const) {
    const dataset = gdal.open(file);
    assert.deepEqual(attributionOf(dataset), expected);
    const [row] = dataset.executeSQL('SELECT metadata FROM gpkg_metadata').features.map((feature) => feature.fields);
    for (const line of expected) assert.ok(row?.get('metadata').includes(line));
    dataset.close();
  }
});

test('a dataset that says nothing of it has nobody to be named', () => {
  const file = join(folder, 'plain.geojson');
  writeFileSync(file, '{"type":"FeatureCollection","features":[]}');
  const dataset = gdal.open(file);
  assert.deepEqual(attributionOf(dataset), []);
  dataset.close();
});

test('the same size and seed always give the same bytes, another seed gives others', () => {
  const again = join(folder, 'again.gpkg');
  writeSynthetic(again, 60);
  assert.equal(sha256Of(again), sha256Of(smallFile));
  writeSynthetic(again, 60, { seed: 2, overwrite: true });
  assert.notEqual(sha256Of(again), sha256Of(smallFile));
  writeSample(again, { overwrite: true });
  assert.equal(sha256Of(again), sha256Of(sampleFile));
});

test('a synthetic dataset has about as many units as asked for, at all six levels', () => {
  assert.deepEqual(middleCounts, [3, 20, 240, 740, 720, 260]);
  assert.deepEqual(
    middle.map((units) => units.length),
    middleCounts,
  );
  for (const units of small) assert.ok(units.length >= 3);
  assert.ok(small.flat().length < 75);
});

test('even a small synthetic dataset has several parents at each level, gaps in fids and strays', () => {
  for (const level of LEVELS.slice(1)) {
    const units = small[level] ?? [];
    assert.ok(new Set(units.map(({ fields }) => fields[`GID_${level - 1}`])).size > 1);
    assert.ok((units.at(-1)?.fid ?? 0) > units.length, `gaps at level ${level}`);
  }
  assert.ok(LEVELS.slice(1).some((level) => strays(level, small[level] ?? []).length > 0));
});

test('one synthetic unit in two hundred stands away from its siblings', () => {
  for (const level of [3, 4] as const) assert.ok(strays(level, middle[level] ?? []).length >= 3);
});

test('some synthetic countries end at level 2', () => {
  const reach = LEVELS.map((level) => new Set(middle[level]?.map(({ fields }) => fields['GID_0'])).size);
  assert.deepEqual(reach, [3, 3, 3, 2, 2, 2]);
});

test('synthetic GIDs hold what breaks paths and URLs', () => {
  const gids = middle.flatMap((units, level) => units.map((unit) => unit.fields[`GID_${level}`] ?? ''));
  for (const odd of [/^\?$/, /\/\.\.\//, /^[a-z]/, / /, /%2F/, /[^\x20-\x7e]/])
    assert.ok(gids.some((gid) => odd.test(gid)));
  const folded = new Set(gids.map((gid) => gid.toLowerCase()));
  assert.ok(folded.size < new Set(gids).size, 'two GIDs that differ only in case');
  assert.ok(middle[2]?.some(({ fields }) => fields['GID_1'] === '?'));
});

test('synthetic names come in every script, with quotes, control characters and emoji, empty and null', () => {
  const names = middle.flatMap((units, level) => units.map(({ fields }) => fields[`NAME_${level}`]));
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Arabic}/u, /\p{Script=Hebrew}/u];
  const odd = [/"/, /'/, /\\/, /\t/, /\n/, /\r\n/, /\u0007/, /\u2028/, /^\ufeff/, /\p{Emoji_Presentation}/u, /^$/];
  for (const pattern of [...scripts, ...odd])
    assert.ok(
      names.some((name) => name != null && pattern.test(name)),
      String(pattern),
    );
  assert.ok(names.includes(null));
});

test('synthetic geometries are valid; some are null, some have holes, some have parts, some cross the antimeridian', () => {
  const units = middle.flat();
  assert.ok(units.every(({ isValid }) => isValid));
  assert.ok(units.some(({ box }) => box === null));
  assert.ok(units.some(({ parts }) => parts > 1));
  assert.ok(units.some(({ parts, rings }) => rings > parts));
  assert.ok(small.flat().some(({ box }) => box !== null && box.minX === -180 && box.maxX === 180));
  assert.ok(small.flat().some(({ box }) => box === null));
});

test('progress ends with all features of all', () => {
  const seen: (readonly [number, number])[] = [];
  writeSynthetic(join(folder, 'progress.gpkg'), 2000, {
    verticesScale: 0.1,
    onProgress: (done, total) => seen.push([done, total]),
  });
  assert.deepEqual(seen, [
    [1000, 1983],
    [1983, 1983],
  ]);
});

test('a file that is there is not replaced unless asked to, and nothing half-written stays', () => {
  const file = join(folder, 'kept.gpkg');
  writeFileSync(file, 'mine');
  assert.throws(() => writeSynthetic(file, 60), /kept\.gpkg exists already/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  const onProgress = (): void => {
    throw new Error('stopped');
  };
  assert.throws(() => writeSynthetic(file, 60, { overwrite: true, onProgress }), /stopped/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('.')),
    [],
  );
  writeSynthetic(file, 60, { overwrite: true });
  assert.equal(sha256Of(file), sha256Of(smallFile));
});
