// Places and shapes of the units of the synthetic dataset: inside the parent, irregular, with holes, islands and a long
// tail of large units, like real boundaries.
import type { Position } from 'geojson';
import { elementAt } from '../../../../format/element-at.ts';
import type { Level } from '../../../../format/levels.ts';
import { cutAtAntimeridian } from '../../../../generator/sample/antimeridian.ts';
import type { Coordinates } from '../../../../generator/sample/write-geopackage.ts';
import { newRandom, type Random } from './random.ts';
import { pathOf, sizeOf, type Tree } from './tree.ts';

/** A disc in degrees that holds the unit's main part. */
interface Place {
  x: number;
  y: number;
  radius: number;
}

/** One in this many units has no geometry, islands or a hole; the rank of the first one. */
const NULL_EVERY = 500;
const NULL_RANK = 7;
const ISLANDS_EVERY = 9;
const ISLANDS_RANK = 1;
const ISLANDS_MAX = 3;
const HOLE_EVERY = 11;
const HOLE_RANK = 2;

/** The country that lies on the antimeridian. */
const ANTIMERIDIAN_COUNTRY = 1;

/** Positions of a ring: the fewest, and the slope of the long tail (smaller is longer); the mean is about 65. */
const RING_LEAST = 20;
const RING_TAIL = 1.43;
const RING_MOST = 20_000;
const COUNTRY_FACTOR = 20;

/** The unit's polygons, or null for the few without a geometry. */
export function coordinatesOf(
  tree: Tree,
  level: Level,
  rank: number,
  seed: number,
  verticesScale: number,
): Coordinates | null {
  if (level > 0 && rank % NULL_EVERY === NULL_RANK) return null;
  const place = placeOf(tree, level, rank, seed);
  const random = newRandom(seed, 'shape', level, rank);
  const drawn = Math.min(RING_MOST, RING_LEAST / (1 - random()) ** (1 / RING_TAIL));
  const positions = Math.max(8, Math.round(drawn * verticesScale * (level === 0 ? COUNTRY_FACTOR : 1)));
  const main = [ringAround(place, positions, random)];
  if (rank % HOLE_EVERY === HOLE_RANK) {
    const hole = ringAround({ ...place, radius: place.radius * 0.3 }, 8 + (positions >> 3), random);
    main.push(hole.toReversed());
  }
  const polygons = [main];
  if (rank % ISLANDS_EVERY === ISLANDS_RANK) {
    const islands = 1 + Math.floor(random() * ISLANDS_MAX);
    for (let i = 0; i < islands; i++) {
      const island = discAt(place, (i / islands) * 2 * Math.PI, place.radius * 1.2, place.radius * 0.15);
      polygons.push([ringAround(island, 8 + (positions >> 3), random)]);
    }
  }
  return polygons.flatMap((polygon) => cutAtAntimeridian(polygon));
}

/** Follows the unit's ancestors down from its country. */
function placeOf(tree: Tree, level: Level, rank: number, seed: number): Place {
  const [country = 0, ...below] = pathOf(tree, level, rank);
  let place = placeOfCountry(country, sizeOf(tree, 0));
  for (const [i, unit] of below.entries()) {
    const random = newRandom(seed, 'place', i + 1, unit);
    const siblings = elementAt(elementAt(tree.siblings, i + 1), unit);
    const distance = place.radius * 0.7 * Math.sqrt(random());
    place = discAt(place, random() * 2 * Math.PI, distance, (place.radius * 0.8) / Math.sqrt(siblings + 1));
  }
  return place;
}

/** Spreads the countries evenly: multiples of irrational numbers fill a range without clusters. */
function placeOfCountry(country: number, countries: number): Place {
  const x = country === ANTIMERIDIAN_COUNTRY ? 180 : -170 + ((country * 0.6180339887) % 1) * 340;
  return { x, y: -60 + ((country * 0.7548776662) % 1) * 130, radius: Math.min(8, 60 / Math.sqrt(countries)) };
}

function discAt(from: Place, angle: number, distance: number, radius: number): Place {
  return { x: from.x + Math.cos(angle) * distance, y: from.y + Math.sin(angle) * distance, radius };
}

/** A closed counter-clockwise ring within the disc, further out than 0.4 of its radius, that never crosses itself. */
function ringAround(place: Place, positions: number, random: Random): Position[] {
  const phases = [random(), random(), random()].map((phase) => phase * 2 * Math.PI);
  const [second = 0, third = 0, fifth = 0] = phases;
  const ring: Position[] = [];
  for (let i = 0; i < positions; i++) {
    const angle = ((i + 0.8 * random()) / positions) * 2 * Math.PI;
    const waves =
      0.12 * Math.sin(2 * angle + second) + 0.08 * Math.sin(3 * angle + third) + 0.06 * Math.sin(5 * angle + fifth);
    const distance = place.radius * (0.7 + waves + 0.03 * random());
    ring.push([place.x + Math.cos(angle) * distance, place.y + Math.sin(angle) * distance]);
  }
  const first = ring[0];
  if (first !== undefined) ring.push([...first]);
  return ring;
}
