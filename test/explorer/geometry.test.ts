// The geometry of the explorer's map: colours of neighbours, boxes and units at the antimeridian, places for names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MultiPolygon, Polygon, Position } from 'geojson';
import { inOnePiece } from '../../proxy/explorer/map/geometry/antimeridian.js';
import { areaKm2 } from '../../proxy/explorer/map/geometry/area.js';
import { type Box, overlaps, unionOf } from '../../proxy/explorer/map/geometry/box.js';
import { colourist, colourNeighbours } from '../../proxy/explorer/map/geometry/colours.js';
import { labelPlace, labelZoom } from '../../proxy/explorer/map/geometry/labels.js';
import { mainBox } from '../../proxy/explorer/map/geometry/main-part.js';
import { boxOf } from '../../proxy/explorer/map/geometry/unit-box.js';
import { bordersOffset, createDensity } from '../../proxy/explorer/map/style/density.js';

/** Positions as WKT has them: `0 0, 1 0.5`. */
function line(text: string): Position[] {
  return text.split(', ').map((place) => place.split(' ').map(Number));
}

/** A polygon of these rings, as WKT has them. */
function polygon(...rings: string[]): Polygon {
  return { type: 'Polygon', coordinates: rings.map(line) };
}

function ringOf(x: number, y: number, size: number): string {
  return `${x} ${y}, ${x + size} ${y}, ${x + size} ${y + size}, ${x} ${y + size}, ${x} ${y}`;
}

function square(x: number, y: number, size = 1): Polygon {
  return polygon(ringOf(x, y, size));
}

function multi(...polygons: Polygon[]): MultiPolygon {
  return { type: 'MultiPolygon', coordinates: polygons.map(({ coordinates }) => coordinates) };
}

/** 178 to -178 degrees, cut at the antimeridian. */
const CUT = multi(polygon('178 0, 180 0, 180 1, 178 1, 178 0'), polygon('-180 0, -178 0, -178 1, -180 1, -180 0'));

test('units of pages: neighbours in a field of 2,304 have different colours, each colour is used, the order decides alone', () => {
  // A multiple of the six colours: numbering them in turn would give columns of one colour.
  const WIDE = 48;
  const colours = (): number[] => {
    const colourOf = colourist();
    return Array.from({ length: WIDE ** 2 }, (_, i) => colourOf(square(i % WIDE, Math.floor(i / WIDE)), i + 1));
  };
  const found = colours();
  for (const [i, colour] of found.entries()) {
    if (i % WIDE > 0) assert.notEqual(colour, found[i - 1], `${i} and the one to the west`);
    assert.notEqual(colour, found[i - WIDE], `${i} and the one to the south`);
  }
  assert.equal(new Set(found).size, 6);
  assert.deepEqual(colours(), found);
});

test('units of the overview: neighbours have different colours in a wheel and in a star, and eight that all touch use all six', () => {
  const rim = Array.from({ length: 7 }, (_, i) => [0, 1 + ((i + 1) % 7), 1 + ((i + 6) % 7)]);
  const wheel = [[1, 2, 3, 4, 5, 6, 7], ...rim];
  const star = [Array.from({ length: 20 }, (_, i) => i + 1), ...Array.from({ length: 20 }, () => [0])];
  for (const map of [wheel, star]) {
    const colours = colourNeighbours(map);
    for (const [unit, neighbours] of map.entries())
      for (const other of neighbours) assert.notEqual(colours[unit], colours[other], `${unit} and ${other}`);
  }
  const all = Array.from({ length: 8 }, (_, unit) => [0, 1, 2, 3, 4, 5, 6, 7].filter((other) => other !== unit));
  assert.equal(new Set(colourNeighbours(all)).size, 6);
});

test('boxes: the union goes the short way round the globe, and round all of it where there is no gap', () => {
  const boxesIn = (text: string) => line(text).map(([w = 0, s = 0, e = 0, n = 0]): Box => [w, s, e, n]);
  for (const [boxes, union] of [
    ['0 0 1 1, 5 -2 6 3', '0 -2 6 3'],
    ['170 0 175 1, -175 0 -170 1', '170 0 -170 1'],
    ['179 0 -179 1', '179 0 -179 1'],
    ['-180 0 0 1, 0 0 180 1', '-180 0 180 1'],
  ] as const)
    assert.equal(unionOf(boxesIn(boxes))?.join(' '), union);
  assert.equal(unionOf([]), undefined);
  assert.ok(overlaps([170, 0, -170, 1], [-175, 0, -174, 1]));
  assert.ok(overlaps([-175, 0, -174, 1], [170, 0, -170, 1]));
  assert.ok(!overlaps([170, 0, -170, 1], [0, 0, 10, 1]));
});

test('the box of a unit is its bbox, but for one that is cut at the antimeridian', () => {
  assert.deepEqual(boxOf({ bbox: [0, 0, 1, 1], geometry: square(0, 0) }), [0, 0, 1, 1]);
  assert.deepEqual(boxOf({ bbox: [-180, 0, 180, 1], geometry: CUT }), [178, 0, -178, 1]);
  assert.deepEqual(boxOf({ geometry: square(3, 4) }), [3, 4, 4, 5]);
  assert.equal(boxOf({ geometry: null }), undefined);
});

test('a unit that is cut at the antimeridian is one piece, and its outline has no edge along the cut', () => {
  const { geometry, outline } = inOnePiece(CUT);
  const longitudes = geometry.coordinates.flat(2).map(([x = 0]) => x);
  assert.deepEqual([Math.min(...longitudes), Math.max(...longitudes)], [178, 182]);
  for (const line of outline.coordinates)
    for (const [i, [x = 0]] of line.entries()) assert.ok(i === 0 || x !== 180 || line[i - 1]?.[0] !== 180);
  assert.equal(outline.coordinates.flat().length, 9);
});

test('a ring that steps across the antimeridian goes the short way, with its holes', () => {
  const ring = '179 0, -179 0, -179 2, 179 2, 179 0';
  const hole = '-179.8 0.5, -179.8 1, -179.5 1, -179.8 0.5';
  const { geometry } = inOnePiece(polygon(ring, hole));
  const spans = geometry.coordinates.flat().map((positions) => {
    const longitudes = positions.map(([x = 0]) => x);
    return [Math.min(...longitudes), Math.max(...longitudes)].map((x) => Math.round(x * 10) / 10);
  });
  assert.deepEqual(spans, [
    [179, 181],
    [180.2, 180.5],
  ]);
});

test('a ring round a pole is closed by way of the pole, a rectangle round the world stays', () => {
  const { geometry, outline } = inOnePiece(polygon('-120 -70, 0 -75, 120 -70, -120 -70'));
  const positions = geometry.coordinates.flat(2);
  assert.equal(positions.filter(([, y]) => y === -90).length, 2);
  assert.ok(outline.coordinates.flat().every(([, y = 0]) => y > -90));
  const world = polygon('-180 -60, 180 -60, 180 -90, -180 -90, -180 -60');
  assert.deepEqual(inOnePiece(world).geometry.coordinates, [world.coordinates]);
});

test('a ring that goes along a pole, as that of Antarctica in Natural Earth, stays: the step there is no way round the globe', () => {
  const coast = '180 -84.7, 178 -84.5, 90 -66, -60 -75, -178 -84.5, -180 -84.7';
  const antarctica = polygon(`-180 -84.7, -180 -90, 180 -90, ${coast}`);
  const { geometry, outline } = inOnePiece(antarctica);
  assert.deepEqual(geometry.coordinates, [antarctica.coordinates]);
  assert.deepEqual(outline.coordinates, [line(coast)]);
  assert.deepEqual(boxOf({ bbox: [-180, -90, 180, -66], geometry: antarctica }), [-180, -90, 180, -66]);
});

test('a name is written inside of the largest part of its unit, where there is room, and not in a hole', () => {
  // A C that is open to the east: its middle is outside.
  const c = polygon('0 0, 10 0, 10 3, 2 3, 2 7, 10 7, 10 10, 0 10, 0 0');
  const [x, y] = labelPlace(multi(square(50, 0), c))?.point ?? [];
  assert.ok(x !== undefined && y !== undefined);
  assert.ok((y < 3 || y > 7) && x > 3 && x < 7, `${x}, ${y}`);
  const place = labelPlace(polygon(ringOf(0, 0, 10), ringOf(2, 2, 6)))?.point ?? assert.fail();
  assert.ok(
    place.some((at) => at < 2 || at > 8),
    `${place}`,
  );
  assert.equal(labelPlace({ type: 'Point', coordinates: [0, 0] }), undefined);
});

test('a name is written at the point that the service gives, with the room that there is on its line', () => {
  const place = labelPlace(polygon('0 0, 10 0, 10 1, 2 10, 0 10, 0 0'), [1, 9]);
  assert.deepEqual(place?.point, [1, 9]);
  assert.ok(place.width > 2 && place.width < 4, `${place.width}`);
});

test('the zoom of a name grows by one as its unit is half as wide, and with the letters of the name', () => {
  assert.equal(labelZoom('Spain', 1) - labelZoom('Spain', 2), 1);
  assert.ok(labelZoom('Liechtenstein', 1) > labelZoom('Chad', 1));
  assert.equal(labelZoom('', 1), 0);
});

test('borders have full weight at a higher zoom the smaller the units are', () => {
  const zoomOf = (degrees: number): number => {
    const density = createDensity();
    for (let i = 0; i < 100; i++) density.add([0, 0, degrees, degrees]);
    return density.readableZoom();
  };
  assert.equal(zoomOf(0.05) - zoomOf(0.1), 1);
  assert.ok(zoomOf(10) < 3 && zoomOf(0.05) > 7);
  assert.equal(createDensity().readableZoom(), 0);
  // Those of the highest level: as of countries where units are as large, later where they are small.
  const offsetOf = (degrees: number): number =>
    bordersOffset(Array.from({ length: 300 }, () => [0, 0, degrees, degrees]));
  assert.equal(offsetOf(10), 0);
  assert.equal(offsetOf(0.05) - offsetOf(0.1), 1.25);
  assert.ok(offsetOf(0.1) > 4);
});

/** Where the map goes, of units that are squares: `x y size` of each of their parts. */
function mainBoxOf(...units: string[]): string | undefined {
  const squaresOf = (unit: string): Polygon[] => line(unit).map(([x = 0, y = 0, size]) => square(x, y, size));
  return mainBox(units.map((unit) => ({ geometry: multi(...squaresOf(unit)) })))?.join(' ');
}

test('the map goes to the part with most units: without islands far away, be they units or parts of one', () => {
  const mainland = ['0 40 4', '4 40 4', '0 44 4', '4 44 4'];
  for (const [what, others, box] of [
    ['nothing more', [], '0 40 8 48'],
    ['units on both sides of it', ['-60 4 2', '55 -21 1'], '0 40 8 48'],
    ['an island of a unit', ['8 48 1, -100 -25 0.2'], '0 40 9 49'],
    ['in one piece across the antimeridian, as Alaska is', ['179 52 1, -180 52 1'], '0 40 8 48'],
  ] as const)
    assert.equal(mainBoxOf(...mainland, ...others), box, what);
});

test('a long country is shown without an islet far beside it, as Chile; a part of some size stays where it is', () => {
  const coast = [-56, -52, -48, -44, -40, -36, -32, -28, -24, -20].map((y) => `-74 ${y} 4`).join(', ');
  assert.equal(mainBoxOf(`${coast}, -109.5 -27.2 0.125, -80.5 -33.8 0.125`), '-80.5 -56 -70 -16');
  assert.equal(mainBoxOf(`${coast}, -109.5 -27.2 9`), '-109.5 -56 -70 -16');
});

test('what is not far, is large, or has most units stays: nothing is left out for a small gain', () => {
  assert.equal(mainBoxOf('0 0 4', '4 0 4', '9 0 1'), '0 0 10 4', 'an island near the coast');
  assert.equal(mainBoxOf('0 0 4', '4 0 4', '30 0 6'), '0 0 36 6', 'a part as large as the rest');
  assert.equal(mainBoxOf('0 0 4', '30 0 1', '32 0 1'), '0 0 33 4', 'a small part with most units');
  // As Mexico has it: 16 states, and 8 on a peninsula.
  const states = Array.from({ length: 16 }, (_, i) => `${-114 + 4 * (i % 4)} ${17 + 4 * Math.floor(i / 4)} 4`);
  const beyond = Array.from({ length: 8 }, (_, i) => `${-95 + 2 * (i % 4)} ${16 + 2 * Math.floor(i / 4)} 2`);
  assert.equal(mainBoxOf(...states, ...beyond), '-114 16 -87 33', 'a third of the units, beyond a gulf');
  assert.equal(mainBox([]), undefined);
  assert.equal(mainBox([{ geometry: null }]), undefined);
});

test('areas are those of the ellipsoid: degrees at the equator and in the north, the globe, without holes, across 180 degrees', () => {
  const rounded = (geometry: Polygon | MultiPolygon): number => Math.round(areaKm2({ geometry }));
  // Of a quadrangle of parallels and meridians; the globe has 510,065,622 km².
  assert.equal(rounded(square(0, 0)), 12_308);
  assert.equal(rounded(square(20, 60)), 6_123);
  assert.equal(rounded(square(20, -61)), 6_123);
  assert.equal(rounded(polygon('-180 -90, 180 -90, 180 90, -180 90, -180 -90')), 510_065_622);
  assert.equal(rounded(polygon(ringOf(0, 0, 4), ringOf(1, 0, 1))), rounded(square(0, 0, 4)) - 12_308);
  assert.equal(rounded(CUT), 49_234);
  assert.equal(areaKm2({ geometry: null }), 0);
});
