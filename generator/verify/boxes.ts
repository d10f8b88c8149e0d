// Verifies the boxes of an index: those of parts against the boxes of their units, and both against the rings that they
// have to cover (format/README.md, 'Index'). Used by metadata.ts and files.ts.
import { boxAt, boxesOf, FULL_TURN, liesWithin } from '../../format/boxes.ts';
import { elementAt, i32At } from '../../format/element-at.ts';
import { type LevelIndex, PART_NUMBERS, PARTS_MAX } from '../../format/level-index.ts';
import { MAX_PRECISION } from '../geojson/geometry.ts';
import { isObject, listOf } from '../release-reader/parse-feature.ts';

/** Units in a degree, of which every coordinate that a release can have is a whole number. */
const SCALE = 10 ** MAX_PRECISION;
/** Of them in a unit of the index. */
const STEP = SCALE / 1e7;

/** What is wrong with the parts of an index, whose positions ascend. */
export function partProblems({ arrays: { box, part } }: LevelIndex): string[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < part.length; at += PART_NUMBERS) {
    const position = i32At(part, at);
    counts.set(position, (counts.get(position) ?? 0) + 1);
    if (!liesWithin(boxAt(part, at + 1), boxAt(box, 4 * position)))
      return [`part[${at}] does not lie in the box of position ${position}`];
  }
  const [position, count] = [...counts].find(([, count]) => count === 1 || count > PARTS_MAX) ?? [];
  return count === undefined ? [] : [`position ${position} has ${count} parts, expected none, or 2 to ${PARTS_MAX}`];
}

/**
 * An edge that the boxes of a unit do not cover, as text; undefined if they cover all but those that it has an even
 * number of times. @param geometry of the unit, as it was published
 */
export function edgeBeyondBoxes(index: LevelIndex, position: number, geometry: unknown): string | undefined {
  const covers = boxesOf(index, position).map(({ west, south, east, north }) => {
    const [low, high, from, to] = [south * STEP, north * STEP, west * STEP, east * STEP];
    const turn = FULL_TURN * STEP;
    const has = (x: number): boolean =>
      (x >= from && x <= to) || (x + turn >= from && x + turn <= to) || (x - turn >= from && x - turn <= to);
    return (x: number, y: number): boolean => y >= low && y <= high && has(x);
  });
  let last = elementAt(covers, 0);
  const left = new Set<string>();
  for (const ring of ringsOf(geometry)) {
    let [x1, y1] = scaled(ring[0]);
    for (const place of ring) {
      const [x2, y2] = scaled(place);
      if (!last(x1, y1) || !last(x2, y2)) {
        const other = covers.find((has) => has(x1, y1) && has(x2, y2));
        last = other ?? last;
        if (other === undefined && (x1 !== x2 || y1 !== y2)) {
          const ends = [`${x1 / SCALE},${y1 / SCALE}`, `${x2 / SCALE},${y2 / SCALE}`];
          const edge = ends.sort().join(' to ');
          if (!left.delete(edge)) left.add(edge);
        }
      }
      [x1, y1] = [x2, y2];
    }
  }
  const [edge] = left;
  return edge;
}

function ringsOf(geometry: unknown): (readonly unknown[])[] {
  if (!isObject(geometry)) return [];
  if (geometry['type'] === 'GeometryCollection') return listOf(geometry['geometries']).flatMap(ringsOf);
  const coordinates = listOf(geometry['coordinates']);
  if (geometry['type'] === 'Polygon') return coordinates.map(listOf);
  return geometry['type'] === 'MultiPolygon' ? coordinates.flatMap((polygon) => listOf(polygon).map(listOf)) : [];
}

function scaled(position: unknown): [x: number, y: number] {
  const [x, y] = listOf(position);
  return [Math.round(Number(x) * SCALE), Math.round(Number(y) * SCALE)];
}
