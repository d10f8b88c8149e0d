// Divides the map of a zoom into its tiles, quarter by quarter, in the order of tile ids: what lies in each, with a
// buffer. A square that no edge crosses is not divided: all its tiles are alike.
import { elementAt } from '../../format/element-at.ts';
import { firstIdOf, tileIdOf } from '../../format/pmtiles.ts';
import type { UnitClock } from '../report/unit-clock.ts';
import type { Box } from '../rings/bbox.ts';
import { doubledArea, type OpenPolygon, type OpenRing } from '../rings/open-rings.ts';
import { withoutDoubledEdges } from '../topology/cut-edges.ts';
import { type Boxed, boxed, clipLine, clipRing, type HalfPlane, sideOfHalfPlane } from './clip.ts';
import { TILE_EXTENT } from './tile-arcs.ts';

/** Units around a tile that are drawn with it. */
export const TILE_BUFFER = 64;

/** The polygons of a unit in a square, whose index is that of its level. */
export interface UnitShape {
  unit: number;
  /** Undefined if it covers the square and its buffer. */
  polygons: readonly OpenPolygon[] | undefined;
}

/** A border in a square. @param group which attributes it has */
export interface BorderLine {
  group: number;
  line: OpenRing;
}

/** The point of a unit. */
export interface LabelPlace {
  unit: number;
  x: number;
  y: number;
}

/** What lies in a square, in units of the whole map; by unit, by arc, by unit. */
export interface SquareContent {
  shapes: readonly UnitShape[];
  borders: readonly BorderLine[];
  labels: readonly LabelPlace[];
}

/** The same while it is divided. */
interface Square {
  shapes: readonly { unit: number; polygons: readonly (readonly Boxed[])[] | undefined }[];
  borders: readonly { group: number; line: Boxed }[];
  labels: readonly LabelPlace[];
}

/** A run of tiles with the same content. */
export interface TileRun {
  /** Of the first one. */
  id: number;
  count: number;
  /** The place of its upper left corner, in units of the map; of a run of several that of a larger square. */
  left: number;
  top: number;
  content: SquareContent;
}

/**
 * Gives the tiles of a zoom that have a content, in the order of their ids.
 * @param parted the zoom whose squares are taken one after the other, so that memory is for what lies in one: what lies
 *   in several of them takes longer
 * @param contentIn what lies in a box (least x and y, greatest x and y), and perhaps more
 * @param clock gets what each unit takes, by its index
 */
export function* tilesOf(
  zoom: number,
  parted: number,
  contentIn: (box: Box) => SquareContent,
  clock: UnitClock,
): Generator<TileRun> {
  const depth = Math.min(zoom, parted);
  const across = 2 ** depth;
  const side = TILE_EXTENT * 2 ** (zoom - depth);
  const squares = Array.from({ length: across ** 2 }, (_, i) => ({ x: i % across, y: Math.floor(i / across) }));
  for (const { x, y } of squares.sort((a, b) => tileIdOf(depth, a.x, a.y) - tileIdOf(depth, b.x, b.y))) {
    const [left, top] = [x * side - TILE_BUFFER, y * side - TILE_BUFFER];
    const around = side + 2 * TILE_BUFFER;
    const content = contentIn([left, top, left + around, top + around]);
    yield* quarter(zoom, depth, x, y, squareOf(zoom, depth, x, y, squareWith(content)), clock);
  }
}

/** Rings without an area are none. */
function squareWith({ shapes, borders, labels }: SquareContent): Square {
  const areaOf = (ring: OpenRing = []): number => doubledArea(ring);
  return {
    shapes: shapes.map(({ unit, polygons }) => ({
      unit,
      polygons: polygons
        ?.filter(([exterior]) => areaOf(exterior) !== 0)
        .map((rings) => rings.filter((ring) => areaOf(ring) !== 0).map(boxed)),
    })),
    borders: borders.map(({ group, line }) => ({ group, line: boxed(line) })),
    labels,
  };
}

/** What lies in a square, as the squares around it are divided. */
function squareOf(zoom: number, depth: number, x: number, y: number, content: Square): Square {
  const side = TILE_EXTENT * 2 ** (zoom - depth);
  if (depth === 0) {
    const [from, to] = [-TILE_BUFFER, side + TILE_BUFFER];
    return clipped(clipped(content, 0, from, to), 1, from, to);
  }
  const around = squareOf(zoom, depth - 1, x >> 1, y >> 1, content);
  const column = half(around, 0, (x | 1) * side, (x & 1) === 0);
  return withWholes(half(column, 1, (y | 1) * side, (y & 1) === 0), side);
}

function* quarter(
  zoom: number,
  depth: number,
  x: number,
  y: number,
  content: Square,
  clock: UnitClock,
): Generator<TileRun> {
  const { shapes, borders, labels } = content;
  if (shapes.length + borders.length + labels.length === 0) return;
  const side = TILE_EXTENT * 2 ** (zoom - depth);
  const count = 4 ** (zoom - depth);
  const isPlain = borders.length + labels.length === 0 && shapes.every(({ polygons }) => polygons === undefined);
  if (isPlain || depth === zoom) {
    const id = firstIdOf(zoom) + (tileIdOf(depth, x, y) - firstIdOf(depth)) * count;
    const [left, top] = [x * side, y * side];
    yield { id, count, left, top, content: tidied(content, left, top, clock) };
    return;
  }
  const middle = [(2 * x + 1) * (side / 2), (2 * y + 1) * (side / 2)] as const;
  const columns = [0, 1].map((east) => half(content, 0, middle[0], east === 0));
  const quarters = [0, 1, 2, 3].map((number) => {
    const [east, south] = [number & 1, number >> 1];
    return { east, south, id: tileIdOf(depth + 1, 2 * x + east, 2 * y + south) };
  });
  for (const { east, south } of quarters.sort((a, b) => a.id - b.id)) {
    const own = half(elementAt(columns, east), 1, middle[1], south === 0);
    yield* quarter(zoom, depth + 1, 2 * x + east, 2 * y + south, withWholes(own, side / 2), clock);
  }
}

/** What lies in a tile, without edges there and back along its cut. */
function tidied({ shapes, borders, labels }: Square, left: number, top: number, clock: UnitClock): SquareContent {
  const lines = [left, top].flatMap((at, i) =>
    [at - TILE_BUFFER, at + TILE_EXTENT + TILE_BUFFER].map((edge) => ({ axis: i === 0 ? 0 : 1, at: edge }) as const),
  );
  const own = shapes.map(({ unit, polygons }): UnitShape => {
    const rings = polygons?.map((polygon) => polygon.map(({ places }) => places));
    return { unit, polygons: rings && clock.during(unit, () => withoutDoubledEdges(rings, lines)) };
  });
  return {
    shapes: own.filter(({ polygons }) => polygons?.length !== 0),
    borders: borders.map(({ group, line }) => ({ group, line: line.places })),
    labels,
  };
}

/** What lies on one side of a column or row, with its buffer; a label is on one side alone. */
function half(content: Square, axis: 0 | 1, middle: number, isBelow: boolean): Square {
  const plane = { axis, at: isBelow ? middle + TILE_BUFFER : middle - TILE_BUFFER, isBelow };
  const shapes: Square['shapes'][number][] = [];
  for (const shape of content.shapes) {
    if (shape.polygons === undefined) {
      shapes.push(shape);
      continue;
    }
    const polygons: (readonly Boxed[])[] = [];
    let isSame = true;
    for (const polygon of shape.polygons) {
      const left = clipPolygon(polygon, plane);
      isSame &&= left === polygon;
      if (left !== undefined) polygons.push(left);
    }
    if (isSame) shapes.push(shape);
    else if (polygons.length > 0) shapes.push({ unit: shape.unit, polygons });
  }
  const borders: Square['borders'][number][] = [];
  for (const border of content.borders) {
    const { group, line } = border;
    const side = sideOfHalfPlane(line, plane);
    if (side === 1) borders.push(border);
    else if (side === 0) for (const part of clipLine(line, plane)) borders.push({ group, line: part });
  }
  const labels = content.labels.filter((label) => (axis === 0 ? label.x : label.y) < middle === isBelow);
  return { shapes, borders, labels };
}

/** The part of a polygon on a side: itself if it is all of it. */
function clipPolygon(polygon: readonly Boxed[], plane: HalfPlane): readonly Boxed[] | undefined {
  let left: Boxed[] | undefined;
  for (let i = 0; i < polygon.length; i++) {
    const ring = elementAt(polygon, i);
    const part = clipRing(ring, plane);
    if (part === ring) {
      left?.push(ring);
      continue;
    }
    left ??= polygon.slice(0, i);
    if (part !== undefined && doubledArea(part.places) !== 0) left.push(part);
    // Without its exterior there is nothing that holes could be in.
    else if (i === 0) return undefined;
  }
  return left ?? polygon;
}

/** What lies between two columns or rows. */
function clipped(content: Square, axis: 0 | 1, from: number, to: number): Square {
  const left = half(content, axis, to - TILE_BUFFER, true);
  const { shapes, borders } = half({ ...left, labels: [] }, axis, from + TILE_BUFFER, false);
  return { shapes, borders, labels: content.labels };
}

/** The same with units that cover the square and its buffer said so, and without those of which it is a hole. */
function withWholes({ shapes, ...others }: Square, side: number): Square {
  const whole = side + 2 * TILE_BUFFER;
  const isAll = ({ places, left, top, right, bottom }: Boxed): boolean =>
    right - left === whole && bottom - top === whole && Math.abs(doubledArea(places)) === 2 * whole ** 2;
  const told: Square['shapes'][number][] = [];
  const isHoleAll = (rings: readonly Boxed[]): boolean => rings.length > 1 && rings.slice(1).some(isAll);
  for (const shape of shapes) {
    const { unit, polygons } = shape;
    const left = polygons?.some(isHoleAll) ? polygons.filter((rings) => !isHoleAll(rings)) : polygons;
    if (left?.length === 0) continue;
    const [first] = left ?? [];
    const isWhole = left?.length === 1 && first?.length === 1 && first[0] !== undefined && isAll(first[0]);
    if (isWhole) told.push({ unit, polygons: undefined });
    else told.push(left === polygons ? shape : { unit, polygons: left });
  }
  return { shapes: told, ...others };
}
