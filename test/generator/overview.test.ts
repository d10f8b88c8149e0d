// The overview of a release: TopoJSON of the highest two levels, with shared borders, every unit, and at most 300 kB. The
// oracle derives its units and what they say of every release that is built here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Polygon as GeoPolygon, MultiPolygon } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Polygon, Topology } from 'topojson-specification';
import { OVERVIEW_FILE, releasePath } from '../../format/layout.ts';
import type { BuildOptions } from '../../generator/build.ts';
import { gdal } from '../../generator/gdal/gdal.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { dice } from '../support/dice.ts';
import { sha256 } from '../support/files.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ragged } from './fields.ts';

const folder = temporaryFolder();
let builds = 0;

type Overview = Topology<{ lv0: GeometryCollection; lv1: GeometryCollection }>;

/** Builds a release of some layers, and reads its overview. */
async function overviewOf(layers: readonly FixtureLayer[], options: Partial<BuildOptions> = {}) {
  const out = join(folder, `out-${builds}`);
  const source = writeDataset(join(folder, `${builds++}.gpkg`), 'GPKG', layers);
  await buildRelease(source, out, options);
  const file = readFileSync(join(out, releasePath('r1'), OVERVIEW_FILE));
  const overview: Overview = JSON.parse(gunzipSync(file).toString());
  return { overview, bytes: file.length };
}

/** The coordinates of each unit of a level. */
function shapesOf(overview: Overview, level: 'lv0' | 'lv1') {
  return overview.objects[level].geometries.map((geometry) => {
    if (geometry.type === null) return null;
    const shape = feature(overview, geometry);
    if (shape.type !== 'Feature') return assert.fail(shape.type);
    const { type, coordinates } = shape.geometry as GeoPolygon | MultiPolygon;
    return type === 'Polygon' ? coordinates : coordinates.flat();
  });
}

test('small data is exact: corners of countries are where they are, on a fine grid', async () => {
  const { overview } = await overviewOf(countryLayers());
  assert.deepEqual(overview.bbox, [0, 0, 14, 4]);
  // The grid has 131,072 cells across 14 degrees at most.
  const size = Math.max(...(overview.transform?.scale ?? []));
  assert.ok(size < 0.0003, String(size));
  for (const [position, west] of [0, 10].entries()) {
    const [exterior = []] = shapesOf(overview, 'lv0')[position] ?? [];
    const corners = new Set(exterior.map(([x, y]) => [Math.round(Number(x)), Math.round(Number(y))].join()));
    for (const corner of [`${west},0`, `${west + 4},0`, `${west + 4},4`, `${west},4`]) assert.ok(corners.has(corner));
    for (const degrees of exterior.flat()) assert.ok(Math.abs(degrees - Math.round(degrees)) <= size, `${degrees}`);
  }
});

test('neighbours share the arc between them, and a unit that is its only part shares all arcs with its parent', async () => {
  const { overview } = await overviewOf(countryLayers());
  const arcsOf = (level: 'lv0' | 'lv1', position: number): Set<number> => {
    const geometry = overview.objects[level].geometries[position];
    assert.ok(geometry?.type === 'Polygon');
    return new Set((geometry as Polygon).arcs.flat().map((arc) => (arc < 0 ? ~arc : arc)));
  };
  assert.deepEqual(arcsOf('lv0', 1), arcsOf('lv1', 2));
  const inner = (['lv0', 'lv1'] as const).map((level) =>
    mesh(overview, overview.objects[level], (a, b) => a !== b).coordinates.map((line) =>
      line.map(([x, y]) => `${Math.round(Number(x))},${Math.round(Number(y))}`).sort(),
    ),
  );
  // The countries do not touch. Two regions are squares of two degrees at (0, 2) and (0, 0).
  assert.deepEqual(inner, [[], [['0,2', '2,2']]]);
});

test('the overview has the highest two levels that have units, wherever they begin; an empty level is none', async () => {
  const [countries, regions, districts] = countryLayers();
  assert.ok(countries && regions && districts);
  // Which levels it has, the oracle says.
  for (const layers of [
    [districts],
    [regions, districts],
    [countries, { ...regions, features: [] }, districts],
    [{ ...countries, features: [] }],
  ])
    await overviewOf(layers, { accept: ['no-units', 'orphans'] });
});

test('units smaller than the grid have a cell of it, within the map', async () => {
  const wkts = [square(-180, -90, 180), square(20, 20, 0.00001), square(179.99999, 89.99999, 0.00001)];
  const features = wkts.map((wkt, i) => ({ fid: i + 1, values: [`A${i}`], wkt }));
  const { overview } = await overviewOf([{ name: 'ADM_0', columns: ['GID_0'], features }]);
  const [, inner = [], atPole = []] = shapesOf(overview, 'lv0').map((shape) => shape?.flat() ?? assert.fail());
  for (const [x, y] of inner)
    assert.ok(Math.abs(Number(x) - 20) < 0.01 && Math.abs(Number(y) - 20) < 0.01, `${x} ${y}`);
  assert.ok(new Set(inner.map(String)).size >= 4);
  for (const [x, y] of atPole) assert.ok(Number(x) <= 180 && Number(y) <= 90, `${x} ${y}`);
});

test('a ring that jumps across the antimeridian is cut there, as those of other geometries are', async () => {
  const wkts = [
    // The far east of a country that ends beyond the antimeridian, by a step from 180 to -180.
    'POLYGON((30 50,140 50,180 65,-180 65,-170 66,-180 70,180 70,30 72,30 50))',
    // Its parts have an edge from the pole in common: they are one polygon.
    'POLYGON((0 70,100 75,179 70,-179 70,-100 75,0 70))',
  ];
  const features = wkts.map((wkt, i) => ({ fid: i + 1, values: [`A${i}`], wkt }));
  const { overview } = await overviewOf([{ name: 'ADM_0', columns: ['GID_0'], features }]);
  const extents = shapesOf(overview, 'lv0').map((rings) =>
    (rings ?? []).map((ring) => {
      const [x = [], y = []] = [0, 1].map((axis) => ring.map((position) => Math.round(Number(position[axis]))));
      return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)].join();
    }),
  );
  assert.deepEqual(extents, [['30,50,180,72', '-180,65,-170,70'], ['-180,70,180,90']]);
  assert.deepEqual(overview.bbox?.map(Math.round), [-180, 50, 180, 90]);
});

/** Of a side. */
const POINTS = 400;

/** A GID that compresses badly, so that names take a good part of the file. */
function longGid(unit: number): string {
  return Array.from({ length: 28 }, (_, i) => sha256(`${unit} ${i}`)).join('');
}

test('data with too many points is simplified to 300 kB: no unit is lost, one that crosses itself is mended, and neighbours still share their borders', async () => {
  const draw = dice(1);
  const rings = ragged(10, 10, (column, row, isAcross) =>
    Array.from({ length: POINTS }, (_, i) => {
      const [along, across] = [0.4 - 0.8 * (draw(1e6) / 1e6), 0.04 - 0.08 * (draw(1e6) / 1e6)];
      const [far, off] = i === 0 ? [0, 0] : [(2 * (i + along)) / POINTS, across];
      return isAcross ? `${2 * column + far} ${2 * row + off}` : `${2 * column + off} ${2 * row + far}`;
    }),
  );
  const features = rings.map((ring, i) => ({ fid: i + 1, values: [longGid(i)], wkt: `POLYGON(${ring})` }));
  const tiny = { fid: 1000, values: ['tiny'], wkt: square(-1, -1, 0.001) };
  // The source has this one already so that it crosses itself.
  const crossed = { fid: 1001, values: ['crossed'], wkt: 'POLYGON((-8 -8,-4 -8,-4 -6,-6 -8.0003,-8 -6,-8 -8))' };
  const { overview, bytes } = await overviewOf([
    { name: 'ADM_0', columns: ['GID_0'], features: [...features, tiny, crossed] },
  ]);
  assert.ok(bytes <= 300_000 && bytes > 270_000, `${bytes} bytes`);
  const shapes = shapesOf(overview, 'lv0');
  assert.equal(shapes.length, 102);
  assert.ok(shapes.every((shape) => shape !== null));
  const last = overview.objects.lv0.geometries.at(-1);
  const shape = last && last.type !== null && feature(overview, last);
  assert.ok(shape && 'geometry' in shape && gdal.Geometry.fromGeoJson(shape.geometry).isValid());
  // Of 220 sides 180 are borders of two squares: none is there twice.
  const lines = mesh(overview, overview.objects.lv0, (a, b) => a !== b).coordinates;
  const inner = lines.reduce((sum, line) => sum + line.length - 1, 0);
  const all = mesh(overview, overview.objects.lv0).coordinates.reduce((sum, line) => sum + line.length - 1, 0);
  assert.ok(inner / all > 0.79 && inner / all < 0.85, `${inner} of ${all} segments are shared`);
});

test('of units with long names the smallest shapes are kept, even if they need more than 300 kB', async () => {
  const features = Array.from({ length: 400 }, (_, i) => ({
    fid: i + 1,
    values: [longGid(i)],
    wkt: square((i % 30) * 5 - 150, Math.floor(i / 30) * 5 - 40, 0.5),
  }));
  const { overview, bytes } = await overviewOf([{ name: 'ADM_0', columns: ['GID_0'], features }]);
  assert.ok(bytes > 300_000, `${bytes} bytes`);
  assert.ok(shapesOf(overview, 'lv0').every((shape) => shape !== null));
});
