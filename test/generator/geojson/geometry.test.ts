// The coordinate writer: WKB in, GeoJSON geometry and bounding box out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { GeometryWriter } from '../../../generator/geojson/geometry.ts';
import { GeometryError } from '../../../generator/rings/wkb-reader.ts';

function wkbFrom(wkt: string): Buffer {
  return gdal.Geometry.fromWKT(wkt).toWKB('LSB', 'ISO');
}

function written(wkt: string | Buffer, precision = 7) {
  const { json, box, quality } = new GeometryWriter(precision).write(typeof wkt === 'string' ? wkbFrom(wkt) : wkt);
  const bbox = box?.map((corner) => corner / 10 ** precision);
  return { text: json?.toString(), bbox, quality };
}

/** The coordinates, or the geometries of a collection, as they are written. */
function partsOf(wkt: string | Buffer): string | undefined {
  return /^\{"type":"\w+","(?:coordinates|geometries)":(.*)\}$/.exec(written(wkt).text ?? '')?.[1];
}

const TRIANGLE = '((0 0,1 0,1 1,0 0))';
const TRIANGLE_JSON = '[[[0,0],[1,0],[1,1],[0,0]]]';
const TURNED = '[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[1,1],[1,2],[2,2],[2,1],[1,1]]]';
const FIJI = '[[[177,-19],[-178,-19],[-178,-16],[177,-16],[177,-19]]]';
const SLIVER = '((5 5,5.00000001 5,5.00000001 5.00000001,5 5))';

for (const [rule, cases] of Object.entries({
  'turns exterior rings counter-clockwise and interior ones clockwise': [
    ['POLYGON((0 0,0 9,9 9,9 0,0 0),(1 1,2 1,2 2,1 2,1 1))', TURNED],
    ['POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,1 2,2 2,2 1,1 1))', TURNED],
  ],
  'turns rings that jump across the antimeridian by their short way': [
    ['POLYGON((177 -19,-178 -19,-178 -16,177 -16,177 -19))', FIJI],
    ['POLYGON((177 -19,177 -16,-178 -16,-178 -19,177 -19))', FIJI],
    ['POLYGON((-120 60,0 60,120 60,-120 60))', '[[[-120,60],[0,60],[120,60],[-120,60]]]'],
  ],
  'leaves out empty parts, and writes rings without area at this precision as they round': [
    [`MULTIPOLYGON(EMPTY,${TRIANGLE})`, `[${TRIANGLE_JSON}]`],
    [`MULTIPOLYGON(${TRIANGLE},${SLIVER})`, `[${TRIANGLE_JSON},[[[5,5],[5,5],[5,5],[5,5]]]]`],
  ],
}))
  test(rule, () => {
    for (const [wkt = '', expected] of cases) assert.equal(partsOf(wkt), expected, wkt);
  });

test('leaves out positions that repeat the one before after rounding, of rings with an area', () => {
  for (const [wkt, expected] of [
    ['POLYGON((0 0,0 0,1 0,1 0.00000001,1 1,1 1,0 0,0 0))', TRIANGLE_JSON],
    ['POLYGON((0 0,0 9,9 9,9 9,9 0,0 0),(1 1,1 1,1 2,2 2,2 1,1 1))', TURNED],
    ['POLYGON((177 -19,-178 -19,-178 -19,-178 -16,177 -16,177 -19))', FIJI],
  ] as const)
    assert.equal(partsOf(wkt), expected, wkt);
});

test('writes any coordinate at any precision as rounding would, without trailing zeros or a negative zero', () => {
  const degrees = fc.double({ min: -90, max: 90, noNaN: true });
  fc.assert(
    fc.property(degrees, degrees, fc.integer({ min: 0, max: 12 }), (x, y, precision) => {
      const { text = '' } = written(new gdal.Point(x, y).toWKB('LSB', 'ISO'), precision);
      assert.doesNotMatch(text, /-0[\],]|\.\d*0[\],]/);
      const scale = 10 ** precision;
      const rounded = [x, y].map((value) => Math.round(value * scale) / scale + 0);
      assert.deepEqual(JSON.parse(text).coordinates, rounded);
    }),
  );
});

test('writes nothing for an empty geometry, and counts rings that have no area at this precision', () => {
  for (const wkt of ['POLYGON EMPTY', 'MULTIPOLYGON EMPTY', 'POINT EMPTY', 'GEOMETRYCOLLECTION(POLYGON EMPTY)']) {
    const { text, bbox, quality } = written(wkt);
    assert.deepEqual([text, bbox], [undefined, undefined], wkt);
    assert.deepEqual([quality.isEmpty, quality.collapsed, quality.isCollapsed], [true, 0, false], wkt);
  }
  for (const [wkt, isCollapsed] of [
    [`MULTIPOLYGON(${TRIANGLE},${SLIVER})`, false],
    [`MULTIPOLYGON(${SLIVER})`, true],
  ] as const) {
    const { quality } = written(wkt);
    assert.deepEqual([quality.collapsed, quality.isCollapsed], [1, isCollapsed], wkt);
  }
});

test('leaves out rings of fewer than four positions, which have no GeoJSON form', () => {
  const line = wkbFrom(`POLYGON${TRIANGLE}`);
  /** The same polygon without its last positions; of three, which are not closed, four are made. */
  const cut = (positions: number): Buffer => {
    const wkb = Buffer.from(line.subarray(0, line.length - 16 * (4 - positions)));
    wkb.writeUInt32LE(positions, 9);
    return wkb;
  };
  assert.equal(partsOf(cut(3)), TRIANGLE_JSON);
  const { text, quality } = written(cut(2));
  assert.equal(text, undefined);
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

test('gives the box west to east, and of a unit across the antimeridian a west that is east of its east', () => {
  for (const [wkt, ...bbox] of [
    ['MULTIPOLYGON(((-5 40,-4 40,-4 41,-5 40)),((3 39,4 39,4 40,3 39)))', -5, 39, 4, 41],
    ['POLYGON((-180 -90,180 -90,180 -60,-180 -60,-180 -90))', -180, -90, 180, -60],
    [
      'MULTIPOLYGON(((177 -20,180 -20,180 -16,177 -16,177 -20)),((-180 -19,-178 -19,-178 -17,-180 -17,-180 -19)))',
      ...[177, -20, -178, -16],
    ],
    // Islands that do not touch it; a ring that runs past it.
    ['MULTIPOINT(177 -20,-178 -16)', 177, -20, -178, -16],
    ['POLYGON((170 0,190 0,190 5,170 5,170 0))', 170, 0, -170, 5],
    // Rings that jump from one side of the map to the other, the second around a pole.
    ['POLYGON((177 -19,-178 -19,-178 -16,177 -16,177 -19))', 177, -19, -178, -16],
    ['POLYGON((-120 60,0 60,120 60,-120 60))', -180, 60, 180, 90],
    ['MULTIPOLYGON(((20 60,180 60,180 70,20 60)),((-180 65,-170 65,-170 66,-180 65)))', 20, 60, -170, 70],
    // Territories around the globe are no crossing.
    ['MULTIPOINT(2 48,-61 16,55 -21,165 -21,-149 -17,-178 -13)', -178, -21, 165, 48],
  ] as const)
    assert.deepEqual(written(wkt).bbox, bbox, wkt);
});

for (const [what, flag, marked, others] of [
  [
    'says whether a geometry is a Polygon or a MultiPolygon',
    'isPolygonal',
    [`POLYGON${TRIANGLE}`, `MULTIPOLYGON Z(${TRIANGLE})`, 'POLYGON EMPTY'],
    ['POINT(1 2)', 'MULTILINESTRING((0 0,1 1))', `GEOMETRYCOLLECTION(POLYGON${TRIANGLE})`],
  ],
  [
    'reports positions beyond longitude 180 or latitude 90, also those that round to the limit',
    'outOfRange',
    [
      'POINT(180.00000001 0)',
      'POINT(-180.5 0)',
      'LINESTRING(0 0,1 90.00000001)',
      'POLYGON((0 0,9 0,9 9,0 0),(1 1,2 1,2 -90.00000001,1 1))',
    ],
    ['MULTIPOINT(180 90,-180 -90,0 0)'],
  ],
  [
    'reports rings with a segment of more than 180 degrees of longitude, except along a pole',
    'jumps',
    [
      'POLYGON((170 0,-170 0,-170 5,170 5,170 0))',
      'POLYGON((-170 0,-170 5,170 5))',
      'POLYGON((-10 0,175 0,175 5,-10 0))',
      'POLYGON((-180 -80,180 -80,180 -89.99,-180 -89.99,-180 -80))',
      'POLYGON((-180 -90,0 -60,180 89,-180 -90))',
      `MULTIPOLYGON(${TRIANGLE},((0 0,1 0,1 1,0 0),(170 0,170 5,-170 5,170 0)))`,
      `MULTIPOLYGON(((170 0,170 5,-170 5,170 0)),${TRIANGLE})`,
    ],
    [
      'POLYGON((-180 -90,0 -90,180 -90,180 -60,0 -60,-180 -60,-180 -90))',
      'POLYGON((-180 -90,180 -90,180 -60,0 -70,-180 -60,-180 -90))',
      'POLYGON((180 90,-180 89.9999995,-180 60,0 60,180 60,180 90))',
      'MULTIPOLYGON(((170 0,180 0,180 5,170 0)),((-180 0,-170 0,-170 5,-180 0)))',
      'POLYGON((-90 0,90 0,90 5,-90 0))',
      'LINESTRING(170 0,-170 0)',
    ],
  ],
] as const)
  test(`${what}, of each geometry for itself`, () => {
    const writer = new GeometryWriter(7);
    const isMarked = (wkt: string): boolean => writer.write(wkbFrom(wkt)).quality[flag];
    for (const wkt of marked) {
      assert.ok(isMarked(wkt), wkt);
      for (const other of others) assert.ok(!isMarked(other), `${other} after ${wkt}`);
    }
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
