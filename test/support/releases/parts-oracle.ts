// The oracle of the boxes of an index, those of units and of their parts, by the edges that the published text has.
// Used by oracle.ts, for each release of `buildRelease`.
import assert from 'node:assert/strict';
import { elementAt } from '../../../format/element-at.ts';
import { indexPath } from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import type { PlacedLevel } from '../places.ts';

/** Units of the index in a turn of longitudes. */
const TURN = 3_600_000_000;

/** A number of units of the last decimal in units of the index, rounded down and up. */
type InUnits = (value: number) => [least: number, most: number];

/**
 * Compares boxes and parts of an index with the rings: a box has all of them, each edge is in a part, and each part is
 * no larger than the edges in it. Edges that a unit has an even number of times are in no part.
 */
export function assertParts({ level, arrays: { box, part } }: LevelIndex, { rings, edges, precision }: PlacedLevel) {
  const ofUnits = rings.map((): number[][] => []);
  for (let at = 0; at < part.length; at += 5)
    ofUnits[elementAt(part, at)]?.push([...part.subarray(at + 1, at + 5)]) ?? assert.fail(`part[${at}]`);
  const inUnits: InUnits = (value) => {
    const scaled = precision > 7 ? value / 10 ** (precision - 7) : value * 10 ** (7 - precision);
    return [Math.floor(scaled), Math.ceil(scaled)];
  };
  for (const [position, own] of rings.entries()) {
    const where = `${indexPath(level)}: position ${position}`;
    const parts = elementAt(ofUnits, position);
    assert.ok(parts.length !== 1 && parts.length <= 16 && (own.length > 1 || parts.length === 0), `${where}: parts`);
    const around = [...box.subarray(4 * position, 4 * position + 4)];
    for (const place of own.flat()) assert.ok(areIn(around, place, inUnits), `${where}: its box lacks ${place}`);
    if (parts.length === 0) continue;
    const odd = elementAt(edges, position);
    const covered = new Set<object>();
    for (const sides of parts) {
      const [west = 0, south = 0, east = 0, north = 0] = sides;
      const corners = [west, south, west > east ? east + TURN : east, north];
      assert.ok(
        areIn(around, corners, (value) => [value, value]),
        `${where}: a part beyond its box`,
      );
      const inside = odd.filter((edge) => areIn(sides, edge, inUnits));
      for (const edge of inside) covered.add(edge);
      const latitudes = inside.flatMap(([, y1, , y2]) => [inUnits(y1), inUnits(y2)]);
      const least = latitudes.reduce((value, [low]) => Math.min(value, low), Infinity);
      const most = latitudes.reduce((value, [, high]) => Math.max(value, high), -Infinity);
      assert.deepEqual([least, most], [south, north], `${where}: a part that is no box of edges`);
    }
    assert.equal(covered.size, odd.length, `${where}: edges that no part has`);
  }
}

/** Do positions, one after the other, lie in a box of the index, in one turn of their longitudes? */
function areIn(
  [west = 0, south = 0, to = 0, north = 0]: readonly number[],
  positions: readonly number[],
  inUnits: InUnits,
) {
  const east = west > to ? to + TURN : to;
  const has = (value: number, isLatitude: boolean, turn: number): boolean => {
    const [least, most] = inUnits(value);
    return isLatitude
      ? least >= south && most <= north
      : east - west === TURN || (least + turn >= west && most + turn <= east);
  };
  return [-TURN, 0, TURN].some((turn) => positions.every((value, i) => has(value, i % 2 === 1, turn)));
}
