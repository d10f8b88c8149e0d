// What is made of any partition of the plane into counties and an ocean, of a cell or many each, so with enclaves,
// exclaves, lakes and islands; in countries; across 180 degrees or not; at three precisions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boxFrom, indexingBoxes } from '../../../format/boxes.ts';
import { elementAt } from '../../../format/element-at.ts';
import { LENGTHS_PER_METRE } from '../../../format/neighbours.ts';
import { positionsIn } from '../../../format/positions.ts';
import { resultOf } from '../../../format/steps.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { isValid } from '../../../generator/gdal/valid-polygons.ts';
import { GeometryWriter } from '../../../generator/geojson/geometry.ts';
import { UnitClock } from '../../../generator/report/unit-clock.ts';
import { Extent, indexBox } from '../../../generator/rings/bbox.ts';
import { Coordinates } from '../../../generator/rings/coordinates.ts';
import type { OpenPolygon } from '../../../generator/rings/open-rings.ts';
import { decimalsOf, simplifierOf } from '../../../generator/simplify/simplified-geometry.ts';
import { eachArc } from '../../../generator/tiles/adjacent-units.ts';
import { COLOURS } from '../../../generator/tiles/colours.ts';
import { colourLevels } from '../../../generator/tiles/prepare-tiles.ts';
import { TILE_BUFFER, tilesOf } from '../../../generator/tiles/quarter-tiles.ts';
import { makeZoomArcs, meetingAtDeepest } from '../../../generator/tiles/simplify-zoom.ts';
import { placedArcs, shareTileArcs, TILE_EXTENT, weighTileArcs } from '../../../generator/tiles/tile-arcs.ts';
import { zoomRings } from '../../../generator/tiles/zoom-rings.ts';
import { arcNumber } from '../../../generator/topology/arcs.ts';
import { newRingCollector, type RingsByUnit } from '../../../generator/topology/level-rings.ts';
import {
  assertAgrees,
  neighboursOfUnits,
  patchwork,
  pointsNear,
  rectangle,
} from '../../support/datasets/made-up-levels.ts';
import { dice } from '../../support/dice.ts';
import { evenOdd, type Ring } from '../../support/even-odd.ts';
import { assertMetres, neighboursOf } from '../../support/releases/neighbours-oracle.ts';
import { seedsOf } from '../../support/slice.ts';

const COLUMNS = 5;
const MOST_ROWS = 4;
const COUNTIES = 8;
const COUNTRIES = 3;
/** The deepest zoom of tiles, and others. */
const [DEEPEST, ...ZOOMS] = [6, 5, 2] as const;
/** Points of a partition, of which a slice tries some. */
const POINTS = 400;
const RUNS = 10;

const HERE = { steps: 3, seed: 1, countries: [0, 0, 1, 2, 2, 1, 0, 0] };
/** What is drawn next to never: enclaves in a county of their own country and of another one, and islands in a lake. */
const HOLES = [
  { ...HERE, precision: 7, west: 0, owners: [0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 3, 8, 4, 4] },
  {
    ...HERE,
    precision: 12,
    west: 177.5,
    owners: [0, 0, 0, 0, 0, 0, 8, 8, 8, 0, 0, 8, 1, 8, 0, 0, 8, 8, 8, 0, 0, 0, 0, 0, 0],
  },
];

const drawn = fc.record({
  precision: fc.constantFrom(7, 3, 12),
  /** Degrees of the western side. The land goes north from the equator. */
  west: fc.constantFrom(0, 177.5, -182.5),
  /** Edges of a side of a cell. */
  steps: fc.integer({ min: 1, max: 12 }),
  seed: fc.nat(1e6),
  /** The county of each cell, row by row; the last one is the ocean. */
  owners: fc
    .array(fc.nat(COUNTIES), { minLength: COLUMNS, maxLength: MOST_ROWS * COLUMNS })
    .map((owners) => [0, ...owners.slice(1, owners.length - (owners.length % COLUMNS))]),
  /** The country of each county. */
  countries: fc.array(fc.nat(COUNTRIES - 1), { minLength: COUNTIES, maxLength: COUNTIES }),
});

/** A unit, of whole numbers; it may have no polygon. */
type Unit = readonly (readonly Ring[])[];

interface Partition {
  precision: number;
  cells: readonly (readonly Ring[])[];
  /** Of each cell the county, of each county the country. */
  owners: readonly number[];
  countries: readonly number[];
  /** Countries, counties. The last unit of both is the ocean. */
  levels: readonly [readonly Unit[], readonly Unit[]];
}

function partitionFrom(of: typeof drawn extends fc.Arbitrary<infer Drawn> ? Drawn : never): Partition {
  const { precision, west, steps, seed, owners } = of;
  const rows = owners.length / COLUMNS;
  const cells = patchwork(precision, rows, COLUMNS, steps, dice(seed)).map((rings) =>
    rings.map((ring): Ring => ring.map(([x, y]) => [x + west * 10 ** precision, y])),
  );
  const countries = [...of.countries, COUNTRIES];
  const joined = (isOf: (county: number) => boolean) => union(cells.filter((_, cell) => isOf(elementAt(owners, cell))));
  const frame = union([[rectangle(precision, west - 1, -1, west + COLUMNS + 1, rows + 1)]]);
  const ocean = polygonsOf(frame.difference(joined((county) => county !== COUNTIES)));
  const level = (count: number, unitOf: (county: number) => number): Unit[] => [
    ...Array.from({ length: count }, (_, unit) => polygonsOf(joined((county) => unitOf(county) === unit))),
    ocean,
  ];
  const levels = [level(COUNTRIES, (county) => elementAt(countries, county)), level(COUNTIES, Number)] as const;
  return { precision, cells, owners, countries, levels };
}

function union(units: readonly (readonly Ring[])[]) {
  const all = new gdal.MultiPolygon();
  for (const rings of units) all.children.add(gdal.Geometry.fromGeoJson({ type: 'Polygon', coordinates: rings }));
  return all.unionCascaded();
}

function polygonsOf(geometry: { toJSON(): string }): Unit {
  const { type, coordinates } = JSON.parse(geometry.toJSON());
  return type === 'Polygon' && coordinates.length > 0 ? [coordinates] : (coordinates ?? []);
}

const ringsOf = (level: readonly Unit[]): Ring[][] => level.map((polygons) => polygons.flat());

function assertPoints({ precision, cells, owners, levels: [, counties] }: Partition, seed: number): void {
  const units = ringsOf(counties);
  const points = pointsNear(units.slice(0, -1), precision, POINTS, dice(seed));
  const cellsAt = evenOdd(cells, precision, precision + 6);
  const boxes = resultOf(indexingBoxes(Int32Array.from(counties.flatMap((unit) => boxOf(unit, precision)))));
  for (const [i, found] of assertAgrees(units, precision, points).entries()) {
    const [x, y] = elementAt(points, i);
    const inCells = cellsAt(x, y);
    assert.ok(inCells.length <= 1);
    assert.deepEqual(found, [owners[inCells[0] ?? -1] ?? COUNTIES], `${x} ${y}`);
    const touching = boxes.touching(boxFrom([x, y, x, y]) ?? assert.fail());
    assert.ok([...positionsIn(touching.slice(0, touching.count))].includes(found[0] ?? -1), `${x} ${y}`);
  }
}

/** As an index has it. */
function boxOf(unit: Unit, precision: number): number[] {
  const extent = new Extent();
  const positions = new Coordinates();
  for (const [exterior = []] of unit) {
    positions.resize(exterior.length);
    for (const [i, [x, y]] of exterior.entries()) positions.set(i, x, y);
    extent.addPart(positions);
  }
  return indexBox(unit.length === 0 ? undefined : extent.box(10 ** precision), 10 ** precision);
}

/** @returns the neighbours of each unit */
function assertNeighbours(level: readonly Unit[], precision: number): number[][] {
  const found = neighboursOfUnits(ringsOf(level), precision);
  const features = level.map((unit) => ({
    geometry: { type: 'MultiPolygon', coordinates: inDegrees(unit, precision) },
  }));
  return neighboursOf(features, precision).map((expected, unit) => {
    assert.deepEqual([...found.of(unit)], [...expected.keys()]);
    for (const [i, metres] of [...expected.values()].entries())
      assertMetres(elementAt(found.lengthsOf(unit), i) / LENGTHS_PER_METRE, metres, `${unit}`);
    return [...expected.keys()];
  });
}

function inDegrees(unit: Unit, precision: number): number[][][][] {
  return unit.map((rings) => rings.map((ring) => ring.map((place) => place.map((own) => own / 10 ** precision))));
}

/** Its units as they are read from a store. */
function flatLevel(level: readonly Unit[], precision: number): RingsByUnit {
  const collector = newRingCollector(precision);
  const writer = new GeometryWriter(precision, collector);
  const units = level.map((unit) => {
    const geometry = { type: 'MultiPolygon', coordinates: inDegrees(unit, precision) };
    writer.write(gdal.Geometry.fromGeoJson(geometry).toWKB('LSB', 'ISO'));
    return structuredClone(collector.unit());
  });
  const { scale } = elementAt(units, 0);
  return { scale, count: units.length, all: () => units, at: (position) => elementAt(units, position) };
}

type Edge = readonly [x1: number, y1: number, x2: number, y2: number];

function* edgesOf(polygons: readonly OpenPolygon[]): Generator<Edge> {
  for (const ring of polygons.flat())
    for (let i = 0; i < ring.length; i += 2) {
      const [x1 = NaN, y1 = NaN, x2 = ring[0] ?? NaN, y2 = ring[1] ?? NaN] = ring.slice(i, i + 4);
      yield [x1, y1, x2, y2];
    }
}

/** The polygons of each unit. */
type Shapes = readonly (readonly OpenPolygon[])[];

/**
 * Asserts that each edge is of two units, in opposite directions, and that the countries have those that their counties
 * have with others.
 * @param isCut of edges that are not compared
 */
function assertShared(levels: readonly Shapes[], countries: readonly number[], isCut: (edge: Edge) => boolean): void {
  const between = levels.map((level, number) => {
    const owners = new Map<string, number>();
    for (const [unit, polygons] of level.entries())
      for (const edge of edgesOf(polygons)) {
        if (isCut(edge)) continue;
        assert.ok(!owners.has(edge.join(' ')), `${edge} of ${unit} and ${owners.get(edge.join(' '))}`);
        owners.set(edge.join(' '), unit);
      }
    const countryOf = (unit: number): number => (number === 0 ? unit : elementAt(countries, unit));
    return [...owners].flatMap(([edge, unit]) => {
      const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN] = edge.split(' ').map(Number);
      const other = owners.get([x2, y2, x1, y1].join(' '));
      const isFrame = unit === level.length - 1 && (x1 === x2 || y1 === y2);
      assert.ok(
        other === undefined ? isFrame || isCut([x1, y1, x2, y2]) : other !== unit,
        `${edge} of ${unit}, ${other}`,
      );
      return other === undefined || countryOf(unit) === countryOf(other) ? [] : [edge];
    });
  });
  assert.deepEqual(between[0]?.sort(), between[1]?.sort());
}

function assertSimplified(flat: readonly RingsByUnit[], { precision, countries }: Partition): void {
  const simplify = simplifierOf(flat);
  for (const name of ['medium', 'low'] as const) {
    const { shape, invalid } = simplify(name);
    assert.deepEqual(invalid, []);
    let first = 0;
    const shapes = flat.map(({ count, at }) => {
      first += count;
      return Array.from({ length: count }, (_, unit) => {
        const { polygons, isCell } = shape(first - count + unit);
        assert.ok(!isCell && polygons.length > 0 === at(unit).x.length > 0 && isValid(polygons));
        return polygons;
      });
    });
    const antimeridian = 180 * 10 ** decimalsOf(name, precision);
    assertShared(shapes, countries, ([x1, , x2]) => x1 === x2 && Math.abs(x1) === antimeridian);
  }
}

/** @param neighbours of each county */
function assertTiles(levels: readonly RingsByUnit[], countries: readonly number[], neighbours: readonly number[][]) {
  const shared = shareTileArcs(levels, DEEPEST);
  const weights = weighTileArcs(shared, DEEPEST);
  const placed = placedArcs(shared);
  const masks = new Uint8Array(placed.arcEnds.length);
  const ranges = levels.map(({ count }, i) => {
    const range = { level: i === 0 ? (0 as const) : (1 as const), first: i === 0 ? 0 : COUNTRIES + 1, count };
    eachArc(shared, range, (directed) => {
      masks[arcNumber(directed)] = (masks[arcNumber(directed)] ?? 0) | (1 << range.level);
    });
    return range;
  });
  const known = meetingAtDeepest(placed, masks);
  const { colours, crowded } = elementAt(colourLevels(shared, ranges, masks, known), 1);
  for (const [unit, own] of neighbours.entries()) {
    const taken = new Set(own.map((other) => colours[other]));
    if (taken.has(colours[unit])) assert.ok([unit, ...own].some((other) => crowded.includes(other)));
    if (crowded.includes(unit)) assert.equal(taken.size, COLOURS);
  }
  for (const zoom of [DEEPEST, ...ZOOMS]) {
    const isDeepest = zoom === DEEPEST;
    const made = makeZoomArcs(placed, isDeepest ? new Float64Array() : weights, masks, DEEPEST - zoom, {
      known: isDeepest ? known : undefined,
    });
    assert.equal(made.crossings, 0);
    const tiles = new Map<number, { left: number; top: number; levels: OpenPolygon[][][] }>();
    for (const { level, first, count } of ranges) {
      const { polygons } = zoomRings(shared, made.arcs, first, count, isDeepest);
      const shapes = Array.from({ length: count }, (_, unit) => ({ unit, polygons: polygons(unit) }));
      const tilesIn = (parted: number) => [
        ...tilesOf(zoom, parted, () => ({ shapes, borders: [], labels: [] }), new UnitClock()),
      ];
      const whole = tilesIn(0);
      // What is taken square by square gives the same tiles.
      if (level === 1 && !isDeepest) assert.deepEqual(tilesIn(1), whole);
      for (const { id, left, top, content } of whole) {
        const tile = tiles.get(id) ?? { left, top, levels: levels.map((of) => Array.from(of.all(), () => [])) };
        for (const { unit, polygons } of content.shapes) elementAt(tile.levels, level)[unit] = [...(polygons ?? [])];
        tiles.set(id, tile);
      }
    }
    for (const { left, top, levels } of tiles.values()) {
      const isCut = (a: number, b: number, from: number): boolean =>
        a === b && [from - TILE_BUFFER, from + TILE_EXTENT + TILE_BUFFER, 0, TILE_EXTENT * 2 ** zoom].includes(a);
      assertShared(levels, countries, ([x1, y1, x2, y2]) => isCut(x1, x2, left) || isCut(y1, y2, top));
    }
  }
}

test('each point is in one unit, boxes cover, neighbours are mutual, colours differ, and borders are shared in every cut and zoom, where countries are their counties', () => {
  const property = fc.property(drawn, (of) => {
    const partition = partitionFrom(of);
    const { precision, levels, countries } = partition;
    assertPoints(partition, of.seed);
    assertNeighbours(levels[0], precision);
    const neighbours = assertNeighbours(levels[1], precision);
    const flat = levels.map((level) => flatLevel(level, precision));
    assertSimplified(flat, partition);
    assertTiles(flat, countries, neighbours);
  });
  const examples = HOLES.map((of): [typeof of] => [of]);
  for (const seed of seedsOf(1))
    fc.assert(property, { seed, examples, numRuns: examples.length + RUNS, includeErrorInReport: true });
});
