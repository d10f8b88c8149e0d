// Boxes of all sizes around the units of a release, and what the proxy finds in them without HTTP, whether cells are read
// at once or later. Used beside the model of integers and beside GDAL.
import assert from 'node:assert/strict';
import { type Box, boxFrom } from '../../../format/boxes.ts';
import { elementAt } from '../../../format/element-at.ts';
import type { Level } from '../../../format/levels.ts';
import { positionsIn } from '../../../format/positions.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import { findingInBox } from '../../../proxy/features/places/find-in-box.ts';
import { BOXES, CELLS } from '../../../proxy/features/places/level-places.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { QueuedReads } from '../../../proxy/origin/origin.ts';
import { inTurns } from '../../../proxy/work/in-turns.ts';
import { dice } from '../dice.ts';
import { inBox, type PlacedLevel } from '../places.ts';

/** Positions of the units in a box: west, south, east, north as decimals of degrees. */
export type Find = (bbox: string) => Promise<number[]>;

const CLIENT = { principal: 'one', isClosed: false, exchange: undefined };

/** As the proxy finds them in the current release of a folder: the same, whenever cells are read. */
export async function proxyFind(folder: string, number: Level): Promise<Find> {
  // Its clock stands still, so that no read is slow: all are made at once.
  const origin = directoryOrigin(folder, () => 0);
  const releases = new Releases(origin);
  await releases.refresh();
  const level = await releases.requireCurrent().load(number);
  const boxes = await level.load(BOXES);
  const ways = await Promise.all(
    [origin, { read: origin.read }].map(async (of) => ({ reads: new QueuedReads(of), cells: await CELLS.load(level) })),
  );
  return async (bbox) => {
    const decimals = bbox.split(',');
    const rounded: Box = boxFrom(decimals) ?? assert.fail(bbox);
    const found: number[][] = [];
    for (const { reads, cells } of ways) {
      const positions = await inTurns(findingInBox({ decimals, rounded }, boxes, cells, reads, CLIENT));
      found.push([...positionsIn(positions.slice(0, positions.count))]);
    }
    const [atOnce = [], later] = found;
    assert.deepEqual(later, atOnce, bbox);
    return atOnce;
  };
}

/** Least and greatest size of a box in degrees; all between are as likely by their number of digits. */
const SIZES = [0.001, 60] as const;

/** Boxes around positions of units, wider or higher, some across 180 degrees. */
export function* boxesOf({ rings }: PlacedLevel, precision: number, seed: number): Generator<string> {
  const roll = dice(seed);
  const share = (): number => roll(1e6) / 1e6;
  const size = (): number => SIZES[0] * (SIZES[1] / SIZES[0]) ** share();
  const places = rings.flatMap((own) => own.flatMap((ring) => ring.slice(0, 1)));
  for (;;) {
    const [x, y] = elementAt(places, roll(places.length));
    const [width, height] = [size(), size()];
    const west = x / 10 ** precision - width * share();
    const south = Math.max(-90, Math.min(90, y / 10 ** precision - height * share()));
    const turned = (value: number): number => (value > 180 ? value - 360 : value < -180 ? value + 360 : value);
    const sides = [turned(west), south, turned(west + width), Math.min(90, south + height)];
    // Half of them at positions that units may have.
    yield sides.map((side) => side.toFixed(roll(2) === 0 ? precision : precision + 3)).join();
  }
}

/** Compares some boxes with the model. @returns how many units were found in all */
export async function assertBoxes(find: Find, placed: PlacedLevel, count: number, seed: number): Promise<number> {
  const boxes = boxesOf(placed, placed.precision, seed);
  let units = 0;
  for (let i = 0; i < count; i++) {
    const bbox: string = boxes.next().value;
    const found = await find(bbox);
    assert.deepEqual(found, inBox(placed, bbox), bbox);
    units += found.length;
  }
  return units;
}
