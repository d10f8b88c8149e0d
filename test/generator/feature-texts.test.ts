// The texts of features that are put together of rings, polygons and points are those that were written when the source
// was read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import type { Ranges } from '../../format/positions.ts';
import { gdal } from '../../generator/gdal/gdal.ts';
import { newFeatureWriter } from '../../generator/geojson/feature.ts';
import type { RingSink } from '../../generator/geojson/geometry.ts';
import { createLevelStores } from '../../generator/read/store-level.ts';
import { openTexts } from '../../generator/shapes/feature-texts.ts';
import { simplifyLevels, storePoints } from '../../generator/shapes/store-geometries.ts';
import { storedText } from '../../generator/store/feature-store.ts';
import { LevelStore } from '../../generator/store/level-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRECISION = 12;

function circle(corners: number): string {
  const ring = Array.from({ length: corners + 1 }, (_, i) => {
    const turn = (2 * Math.PI * (i % corners)) / corners;
    return `${10 + Math.cos(turn)} ${20 + Math.sin(turn)}`;
  });
  return `POLYGON((${ring}))`;
}

/** In the order in which they are read; the fids come in another one. */
const WKTS: readonly string[] = [
  'MULTIPOLYGON(((0 0,0 1,1 1,1 0,0 0),(0.25 0.25,0.5 0.25,0.5 0.5,0.25 0.25)),((5 5,6 5,6 6,5 5)))',
  'POLYGON((-0.000000000001 -90,180.123456789012 0,0.1 89.5,-0.000000000001 -90))',
  'POLYGON EMPTY',
  'LINESTRING(0 0,1 1)',
  circle(4000),
  'POLYGON((179 0,-179 0,-179 1,179 1,179 0))',
  'MULTIPOLYGON(((2 2,3 2,3 3,2 2)))',
  'GEOMETRYCOLLECTION(POINT(1 2),POLYGON((0 0,1 0,1 1,0 0)))',
  // Without area, and with fewer positions than a ring has.
  'POLYGON((7 7,8 8,9 9,7 7))',
  'MULTIPOLYGON(((1 1,2 2,1 1)),((4 4,4.5 4,4 4.5,4 4),(4.1 4.1,4.2 4.2,4.1 4.1)))',
];

const store = new LevelStore(join(temporaryFolder(), 'level'));

/** Reads the units into the store. @returns the text of each, in order of fid */
function fill(): string[] {
  const stores = createLevelStores(store, [], PRECISION);
  const column = { name: 'NAME', type: 'plain', fields: [0] } as const;
  const write = newFeatureWriter([column], PRECISION, stores.rings);
  const lines = WKTS.map((wkt, i): [fid: number, line: string] => {
    const fid = (i * 7) % WKTS.length;
    const geometry = gdal.Geometry.fromWKT(wkt);
    const wkb = geometry.isEmpty() ? null : geometry.toWKB('LSB', 'ISO');
    const { box: _, ...written } = write(fid, [`Name ${i}`], wkb);
    const about = { sourceFid: fid, gids: [], name: null, type: null, otherNames: [], place: () => '' };
    stores.feature({ fid, ...about, box: [0, 0, 0, 0], ...written });
    return [fid, Buffer.concat(written.text).toString()];
  });
  stores.close();
  return lines.sort(([a], [b]) => a - b).map(([, line]) => line);
}

const lines = fill();

function texts(geometry: Geometry, ...all: readonly Ranges[]): string[][] {
  const opened = openTexts(store, geometry, PRECISION);
  const read = all.map((ranges) => Array.from(opened.read(ranges), (feature) => storedText(feature).toString()));
  opened.close();
  return read;
}

/** Closed rings in degrees, of whole numbers of 4 decimals. */
function polygonsOf(giveRings: (sink: RingSink) => void): number[][][][] {
  const polygons: number[][][][] = [];
  giveRings({
    ring(positions, isHole) {
      const ring = Array.from({ length: positions.count }, (_, i) => [positions.x(i) / 1e4, positions.y(i) / 1e4]);
      if (isHole) polygons.at(-1)?.push(ring);
      else polygons.push([ring]);
    },
  });
  return polygons;
}

test('full texts are those that were read, of all units or some, again and again; long ones and those of no polygons are kept whole', () => {
  const some = [1, 2, 4, 7];
  const ofSome = [1, 4, 5, 6].map((position) => elementAt(lines, position));
  assert.deepEqual(texts('full', some, some, [5, 6], [0, 10]), [ofSome, ofSome, [lines[5]], lines]);
  assert.equal(store.openFeatures('full').index.features, 3);
});

test('simplified texts have the polygons that were found; what has none, and no geometry, stay as they are', () => {
  simplifyLevels({ stores: [store.path], names: ['medium'], precision: PRECISION });
  storePoints({ store: store.path, precision: PRECISION, points: true, labels: false });
  const [medium = [], again] = texts('medium', [0, 10], [0, 10]);
  assert.deepEqual(again, medium);
  const shapes = store.openShapes('medium');
  let position = 0;
  for (const giveRings of shapes.unitsAt([0, 10])) {
    const closed = polygonsOf(giveRings);
    const [full, own] = [elementAt(lines, position), elementAt(medium, position++)].map((line) => JSON.parse(line));
    assert.deepEqual({ ...own, geometry: undefined }, { ...full, geometry: undefined });
    const isOne = full.geometry?.type !== 'MultiPolygon' && closed.length === 1;
    const expected = { type: isOne ? 'Polygon' : 'MultiPolygon', coordinates: isOne ? closed[0] : closed };
    assert.deepEqual(own.geometry, closed.length === 0 ? full.geometry : expected);
  }
  shapes.close();
  const points = texts('point', [0, 10])[0]?.map((line) => JSON.parse(line).geometry);
  assert.deepEqual(
    points?.map((point) => point?.type),
    medium.map((line) => (line.includes('"geometry":null') ? undefined : 'Point')),
  );
});
