// The coordinate writer: WKB in, GeoJSON geometry and bounding box out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GeometryError, newGeometryWriter } from '../../generator/geojson/geometry.ts';
import { gdal } from '../../generator/source/gdal.ts';

function wkbFrom(wkt: string): Buffer {
  return gdal.Geometry.fromWKT(wkt).toWKB('LSB', 'ISO');
}

function written(wkt: string, precision = 7) {
  const { json, box, collapsed, isCollapsed } = newGeometryWriter(precision)(wkbFrom(wkt));
  const degrees = box?.map((corner) => corner / 10 ** precision);
  return {
    text: json?.toString(),
    geometry: json && JSON.parse(json.toString()),
    bbox: degrees,
    collapsed,
    isCollapsed,
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
      const { json } = newGeometryWriter(precision)(point);
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
  const nothing = { text: undefined, bbox: undefined, collapsed: 0, isCollapsed: false };
  for (const wkt of [
    'POLYGON EMPTY',
    'MULTIPOLYGON EMPTY',
    'POINT EMPTY',
    'GEOMETRYCOLLECTION EMPTY',
    'GEOMETRYCOLLECTION(POLYGON EMPTY)',
  ]) {
    const { text, bbox, collapsed, isCollapsed } = written(wkt);
    assert.deepEqual({ text, bbox, collapsed, isCollapsed }, nothing, wkt);
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
  assert.deepEqual([kept.collapsed, kept.isCollapsed], [1, false]);
  assert.deepEqual(kept.geometry.coordinates[1], [Array.from({ length: 4 }, () => [5, 5])]);
  const gone = written(`MULTIPOLYGON(${sliver})`);
  assert.deepEqual([gone.collapsed, gone.isCollapsed], [1, true]);
});

test('leaves out rings of fewer than four positions, which have no GeoJSON form', () => {
  const line = gdal.Geometry.fromWKT('POLYGON((0 0,1 0,1 1,0 0))').toWKB('LSB', 'ISO');
  // The same polygon with three positions: count 3 instead of 4, the last one cut off, not closed but closable to 4.
  const open = Buffer.from(line.subarray(0, line.length - 16));
  open.writeUInt32LE(3, 9);
  assert.deepEqual(JSON.parse(String(newGeometryWriter(7)(open).json)).coordinates, [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ]);
  const two = Buffer.from(line.subarray(0, line.length - 32));
  two.writeUInt32LE(2, 9);
  const { json, collapsed, isCollapsed } = newGeometryWriter(7)(two);
  assert.deepEqual({ json, collapsed, isCollapsed }, { json: undefined, collapsed: 1, isCollapsed: true });
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
    assert.throws(() => newGeometryWriter(7)(line.toWKB('LSB', 'ISO')), GeometryError, `${x} ${y}`);
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
