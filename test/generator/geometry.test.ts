// The coordinate writer: WKB in, GeoJSON geometry and bounding box out.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { GeometryWriter } from '../../generator/geojson/geometry.ts';
import { CurveMet, readGeometry } from '../../generator/geojson/read-geometry.ts';
import { GeometryError, unsupportedType } from '../../generator/geojson/wkb-reader.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

function wkbFrom(wkt: string): Buffer {
  return gdal.Geometry.fromWKT(wkt).toWKB('LSB', 'ISO');
}

function written(wkt: string, precision = 7) {
  const { json, box, quality } = new GeometryWriter(precision).write(wkbFrom(wkt));
  const degrees = box?.map((corner) => corner / 10 ** precision);
  return {
    text: json?.toString(),
    geometry: json && JSON.parse(json.toString()),
    bbox: degrees,
    quality,
  };
}

test('writes 7 decimals without trailing zeros, and no negative zero', () => {
  assert.equal(written('POINT(1.5 -0.00000001)').text, '{"type":"Point","coordinates":[1.5,0]}');
  assert.equal(written('POINT(-0.0000001 12.12345675)').text, '{"type":"Point","coordinates":[-0.0000001,12.1234568]}');
  assert.equal(written('POINT(-179.9999999 90)').text, '{"type":"Point","coordinates":[-179.9999999,90]}');
  assert.equal(written('POINT(100 -10)').text, '{"type":"Point","coordinates":[100,-10]}');
});

test('writes any coordinate at any precision as rounding would', () => {
  const degrees = fc.double({ min: -90, max: 90, noNaN: true });
  fc.assert(
    fc.property(degrees, degrees, fc.integer({ min: 0, max: 12 }), (x, y, precision) => {
      const point = new gdal.Point(x, y).toWKB('LSB', 'ISO');
      const { json } = new GeometryWriter(precision).write(point);
      const text = json?.toString() ?? '';
      assert.doesNotMatch(text, /-0[\],]|\.\d*0[\],]/);
      const scale = 10 ** precision;
      const expected = [x, y].map((value) => Math.round(value * scale) / scale + 0);
      assert.deepEqual(JSON.parse(text).coordinates, expected);
    }),
  );
});

test('turns exterior rings counter-clockwise and interior ones clockwise', () => {
  const clockwise = 'POLYGON((0 0,0 9,9 9,9 0,0 0),(1 1,2 1,2 2,1 2,1 1))';
  const turned = [
    [
      [0, 0],
      [9, 0],
      [9, 9],
      [0, 9],
      [0, 0],
    ],
    [
      [1, 1],
      [1, 2],
      [2, 2],
      [2, 1],
      [1, 1],
    ],
  ];
  assert.deepEqual(written(clockwise).geometry, { type: 'Polygon', coordinates: turned });
  const right = 'POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,1 2,2 2,2 1,1 1))';
  assert.deepEqual(written(right).geometry, { type: 'Polygon', coordinates: turned });
});

test('leaves out Z and M', () => {
  const triangle = [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ];
  assert.deepEqual(written('POLYGON Z((0 0 5,1 0 5,1 1 5,0 0 5))').geometry.coordinates, triangle);
  assert.deepEqual(written('POLYGON M((0 0 5,1 0 5,1 1 5,0 0 5))').geometry.coordinates, triangle);
  assert.deepEqual(written('POLYGON ZM((0 0 5 6,1 0 5 6,1 1 5 6,0 0 5 6))').geometry.coordinates, triangle);
});

test('writes every simple-feature type', () => {
  const collection =
    'GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1),MULTIPOINT(3 4,5 6),MULTILINESTRING((0 0,1 1),(2 2,3 3)))';
  assert.deepEqual(written(collection).geometry, {
    type: 'GeometryCollection',
    geometries: [
      { type: 'Point', coordinates: [1, 2] },
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
      {
        type: 'MultiPoint',
        coordinates: [
          [3, 4],
          [5, 6],
        ],
      },
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [0, 0],
            [1, 1],
          ],
          [
            [2, 2],
            [3, 3],
          ],
        ],
      },
    ],
  });
});

test('writes nothing for an empty geometry and leaves out empty parts', () => {
  for (const wkt of [
    'POLYGON EMPTY',
    'MULTIPOLYGON EMPTY',
    'POINT EMPTY',
    'GEOMETRYCOLLECTION EMPTY',
    'GEOMETRYCOLLECTION(POLYGON EMPTY)',
  ]) {
    const { text, bbox, quality } = written(wkt);
    assert.deepEqual([text, bbox], [undefined, undefined], wkt);
    assert.deepEqual([quality.isEmpty, quality.collapsed, quality.isCollapsed], [true, 0, false], wkt);
  }
  assert.deepEqual(written('MULTIPOLYGON(EMPTY,((0 0,1 0,1 1,0 0)))').geometry.coordinates, [
    [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  ]);
});

test('counts rings that have no area at this precision and writes them as they round', () => {
  const sliver = '((5 5,5.00000001 5,5.00000001 5.00000001,5 5))';
  const kept = written(`MULTIPOLYGON(((0 0,1 0,1 1,0 0)),${sliver})`);
  assert.deepEqual([kept.quality.collapsed, kept.quality.isCollapsed], [1, false]);
  assert.deepEqual(kept.geometry.coordinates[1], [Array.from({ length: 4 }, () => [5, 5])]);
  const gone = written(`MULTIPOLYGON(${sliver})`);
  assert.deepEqual([gone.quality.collapsed, gone.quality.isCollapsed], [1, true]);
});

test('leaves out rings of fewer than four positions, which have no GeoJSON form', () => {
  const line = gdal.Geometry.fromWKT('POLYGON((0 0,1 0,1 1,0 0))').toWKB('LSB', 'ISO');
  // The same polygon with three positions: count 3 instead of 4, the last one cut off, not closed but closable to 4.
  const open = Buffer.from(line.subarray(0, line.length - 16));
  open.writeUInt32LE(3, 9);
  assert.deepEqual(JSON.parse(String(new GeometryWriter(7).write(open).json)).coordinates, [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ]);
  const two = Buffer.from(line.subarray(0, line.length - 32));
  two.writeUInt32LE(2, 9);
  const { json, quality } = new GeometryWriter(7).write(two);
  assert.equal(json, undefined);
  assert.deepEqual([quality.isEmpty, quality.collapsed, quality.isCollapsed], [true, 1, true]);
});

test('refuses coordinates that are no longitude and latitude', () => {
  for (const [x, y] of [
    [NaN, 0],
    [0, Infinity],
    [-Infinity, 0],
    [500000, 4649776],
    [0, 90.5],
  ]) {
    const line = new gdal.LineString();
    line.points.add(0, 0);
    line.points.add(x ?? 0, y ?? 0);
    assert.throws(() => new GeometryWriter(7).write(line.toWKB('LSB', 'ISO')), GeometryError, `${x} ${y}`);
  }
});

test('gives the box of a unit on one side of the antimeridian west to east', () => {
  assert.deepEqual(written('MULTIPOLYGON(((-5 40,-4 40,-4 41,-5 40)),((3 39,4 39,4 40,3 39)))').bbox, [-5, 39, 4, 41]);
  assert.deepEqual(written('POLYGON((-180 -90,180 -90,180 -60,-180 -60,-180 -90))').bbox, [-180, -90, 180, -60]);
});

test('gives the box of a unit across the antimeridian a west that is east of its east', () => {
  const cut =
    'MULTIPOLYGON(((177 -20,180 -20,180 -16,177 -16,177 -20)),((-180 -19,-178 -19,-178 -17,-180 -17,-180 -19)))';
  assert.deepEqual(written(cut).bbox, [177, -20, -178, -16]);
  assert.deepEqual(written('MULTIPOINT(177 -20,-178 -16)').bbox, [177, -20, -178, -16], 'islands that do not touch it');
  assert.deepEqual(
    written('POLYGON((170 0,190 0,190 5,170 5,170 0))').bbox,
    [170, 0, -170, 5],
    'a ring that runs past it',
  );
  const wide = 'MULTIPOLYGON(((20 60,180 60,180 70,20 60)),((-180 65,-170 65,-170 66,-180 65)))';
  assert.deepEqual(written(wide).bbox, [20, 60, -170, 70]);
});

test('does not take territories around the globe for a crossing', () => {
  assert.deepEqual(written('MULTIPOINT(2 48,-61 16,55 -21,165 -21,-149 -17,-178 -13)').bbox, [-178, -21, 165, 48]);
});

test('says whether a geometry is a Polygon or a MultiPolygon', () => {
  const ring = '((0 0,1 0,1 1,0 0))';
  for (const wkt of [`POLYGON${ring}`, `MULTIPOLYGON Z(${ring})`, 'POLYGON EMPTY'])
    assert.ok(written(wkt).quality.isPolygonal, wkt);
  for (const wkt of ['POINT(1 2)', 'MULTILINESTRING((0 0,1 1))', `GEOMETRYCOLLECTION(POLYGON${ring})`])
    assert.ok(!written(wkt).quality.isPolygonal, wkt);
});

test('reports positions beyond longitude 180 or latitude 90 of that geometry, also those that round to the limit', () => {
  const writer = new GeometryWriter(7);
  const isOutOfRange = (wkt: string): boolean => writer.write(wkbFrom(wkt)).quality.outOfRange;
  for (const wkt of [
    'POINT(180.00000001 0)',
    'POINT(-180.5 0)',
    'LINESTRING(0 0,1 90.00000001)',
    'POLYGON((0 0,9 0,9 9,0 0),(1 1,2 1,2 -90.00000001,1 1))',
  ]) {
    assert.ok(isOutOfRange(wkt), wkt);
    assert.ok(!isOutOfRange('MULTIPOINT(180 90,-180 -90,0 0)'), `after ${wkt}`);
  }
});

test('reports rings with a segment of more than 180 degrees of longitude, except along a pole', () => {
  const jumping = [
    'POLYGON((170 0,-170 0,-170 5,170 5,170 0))',
    'POLYGON((-170 0,-170 5,170 5))',
    'POLYGON((-10 0,175 0,175 5,-10 0))',
    'POLYGON((-180 -80,180 -80,180 -89.99,-180 -89.99,-180 -80))',
    'POLYGON((-180 -90,0 -60,180 89,-180 -90))',
    'MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((0 0,1 0,1 1,0 0),(170 0,170 5,-170 5,170 0)))',
    'MULTIPOLYGON(((170 0,170 5,-170 5,170 0)),((0 0,1 0,1 1,0 0)))',
  ];
  const cut = [
    'POLYGON((-180 -90,0 -90,180 -90,180 -60,0 -60,-180 -60,-180 -90))',
    'POLYGON((-180 -90,180 -90,180 -60,0 -70,-180 -60,-180 -90))',
    'POLYGON((180 90,-180 89.9999995,-180 60,0 60,180 60,180 90))',
    'MULTIPOLYGON(((170 0,180 0,180 5,170 0)),((-180 0,-170 0,-170 5,-180 0)))',
    'POLYGON((-90 0,90 0,90 5,-90 0))',
    'LINESTRING(170 0,-170 0)',
  ];
  const writer = new GeometryWriter(7);
  for (const wkt of jumping) assert.ok(writer.write(wkbFrom(wkt)).quality.jumps, wkt);
  for (const wkt of cut) assert.ok(!writer.write(wkbFrom(wkt)).quality.jumps, wkt);
});

test('names the type of a geometry that has no GeoJSON form', () => {
  const inside = (wkt: string): void => {
    new GeometryWriter(7).write(wkbFrom(`GEOMETRYCOLLECTION(${wkt})`));
  };
  for (const [wkt, type] of [
    ['TIN(((0 0,1 0,1 1,0 0)))', 'TIN'],
    ['POLYHEDRALSURFACE Z(((0 0 0,1 0 0,1 1 0,0 0 0)))', 'PolyhedralSurface'],
    ['TRIANGLE((0 0,1 0,1 1,0 0))', 'Triangle'],
    ['CIRCULARSTRING(0 0,1 1,2 0)', 'CircularString'],
  ] as const) {
    const message = `geometries of type ${type} have no GeoJSON form`;
    assert.throws(() => inside(wkt), new GeometryError(message), wkt);
  }
});

test('reads geometries that gdal-async has no class for as an error that names the type, and curves as CurveMet', () => {
  for (const [wkt, error] of [
    ['TIN Z(((0 0 0,1 0 0,1 1 0,0 0 0)))', unsupportedType('TIN')],
    ['POLYHEDRALSURFACE Z(((0 0 0,1 0 0,1 1 0,0 0 0)))', unsupportedType('POLYHEDRALSURFACE')],
    ['TRIANGLE((0 0,1 0,1 1,0 0))', unsupportedType('TRIANGLE')],
    ['CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0))', CurveMet],
    ['MULTISURFACE(((0 0,1 0,1 1,0 0)))', CurveMet],
  ] as const) {
    writeFileSync(join(folder, 'shapes.csv'), `GID_0,WKT\nAAA,POINT(1 2)\nBBB,"${wkt}"\n`);
    const table = gdal.open(join(folder, 'shapes.csv'));
    const name = 'a "layer"';
    const file = join(folder, `${wkt.slice(0, 4)}.gpkg`);
    const dataset = gdal.vectorTranslate(file, table, ['-f', 'GPKG', '-a_srs', 'EPSG:4326', '-nln', name]);
    const layer = dataset.layers.get(0);
    const read = (fid: number): unknown => readGeometry(layer.features.get(fid), { layer, transformation: undefined });
    assert.ok(read(1), wkt);
    assert.throws(() => read(2), error, wkt);
    dataset.close();
  }
});
