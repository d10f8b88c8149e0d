// How much of a level's borders is drawn apart: where a source draws both sides of a border by themselves, its units
// have no edge in common and are no neighbours.
import { elementAt, i32At } from '../../format/element-at.ts';
import { SPHERE_METRES } from '../../format/neighbours.ts';
import type { ApartBorders } from '../plan/records.ts';
import { NumberGroups } from '../rings/number-groups.ts';
import { haveCommonPoint } from '../rings/predicates.ts';
import { type Borders, NO_UNITS } from './borders.ts';
import type { LevelBorders } from './level-borders.ts';

/** Places along the borders that are looked at. */
const APART_PLACES = 1000;

/**
 * How far another unit may be, and how far from a border its side begins: another may lie on it, with other vertices.
 */
const APART_METRES = 100;
const SIDE_METRES = 1;

/** A degree of longitude is taken for at least this share of one of latitude: at a pole there is no east. */
const NARROWEST = 1e-3;

/** Edges of a run. */
const RUN_EDGES = 64;

/** Strips of longitude, by which edges find what they concern. */
const STRIPS = 1 << 12;

/** A side of a border that one unit alone has. */
interface Side {
  /** The units that its beginning lies in, by even-odd. */
  inside: Set<number>;
  /** Does a border of another unit meet it? */
  isMet: boolean;
}

/** A place on such a border. x and y are in units of the grid. */
interface Place {
  unit: number;
  x: number;
  y: number;
  sides: readonly Side[];
}

/** A side as a line from the border away. Near 180 degrees it is there on both sides of the map. */
interface Probe {
  x: number;
  y: number;
  endX: number;
  endY: number;
  unit: number;
  side: Side;
}

/**
 * Looks at 1,000 places at equal distances along the edges that one unit alone has, in their order: at how many does a
 * straight line of 100 m, at a right angle to the edge, meet another unit on the outer side?
 * @returns undefined if at none
 */
export function bordersDrawnApart(level: LevelBorders): ApartBorders | undefined {
  const { full } = level.grid;
  const { places, probes } = placesOf(level);
  if (probes.length === 0) return undefined;
  const strips = new Strips(probes);
  for (let edge = 0; edge < level.edges.points; edge++)
    if (level.edges.setOf(edge) !== NO_UNITS) strips.see(level.edges, edge, full);
  const apart = places.filter(({ unit, sides }) =>
    sides.some(({ inside, isMet }) => !inside.has(unit) && (isMet || inside.size > 0)),
  );
  const [first] = apart;
  if (first === undefined) return undefined;
  const degrees = 360 / full;
  return {
    count: apart.length,
    unit: first.unit,
    longitude: first.x * degrees - 180,
    latitude: first.y * degrees - 90,
  };
}

/** Does one unit alone have an edge, of the map or of 180 degrees? */
function isLone(level: LevelBorders, borders: Borders, edge: number): boolean {
  const set = borders.setOf(edge);
  if (set === NO_UNITS || borders.isShared(set)) return false;
  return borders === level.meridian || level.isCounted(edge);
}

function placesOf(level: LevelBorders): { places: Place[]; probes: Probe[] } {
  const { full } = level.grid;
  const perMetre = full / (2 * Math.PI * SPHERE_METRES);
  /** What a unit of longitude is of one of latitude. */
  const narrowing = (y: number): number => Math.max(NARROWEST, Math.sin((2 * Math.PI * y) / full));
  const lengthOf = (borders: Borders, edge: number): number => {
    const [y1, y2] = [borders.y(edge), borders.y(edge + 1)];
    const across = (borders.x(edge + 1) - borders.x(edge)) * narrowing((y1 + y2) / 2);
    return Math.sqrt(across * across + (y2 - y1) * (y2 - y1));
  };
  const all = [level.edges, level.meridian];
  // By runs of edges: most have no place.
  const runs = all.map((borders) => {
    const lengths = new Float64Array(Math.ceil(borders.points / RUN_EDGES));
    for (let edge = 0, run = 0; run < lengths.length; run++) {
      let length = 0;
      for (const end = Math.min(edge + RUN_EDGES, borders.points); edge < end; edge++)
        if (isLone(level, borders, edge)) length += lengthOf(borders, edge);
      lengths[run] = length;
    }
    return { borders, lengths };
  });
  const total = runs.map(({ lengths }) => lengths.reduce((sum, length) => sum + length, 0)).reduce((a, b) => a + b);
  const places: Place[] = [];
  const probes: Probe[] = [];
  const addPlace = (borders: Borders, edge: number, share: number): void => {
    const [x1, y1, x2, y2] = [borders.x(edge), borders.y(edge), borders.x(edge + 1), borders.y(edge + 1)];
    const [x, y] = [x1 + share * (x2 - x1), y1 + share * (y2 - y1)];
    const narrow = narrowing(y);
    const length = Math.sqrt(((x2 - x1) * narrow) ** 2 + (y2 - y1) ** 2);
    const unit = elementAt(borders.unitsOf(borders.setOf(edge)), 0);
    const sides = [perMetre, -perMetre].map((metre) => {
      const side: Side = { inside: new Set(), isMet: false };
      const [east, north] = [((y1 - y2) / length / narrow) * metre, (((x2 - x1) * narrow) / length) * metre];
      const ends = [SIDE_METRES, APART_METRES].map((metres) => [x + metres * east, y + metres * north] as const);
      const [[startX, startY], [endX, endY]] = [elementAt(ends, 0), elementAt(ends, 1)];
      const [west, most] = [Math.min(startX, endX), Math.max(startX, endX)];
      for (const turn of [0, ...(west < 0 ? [full] : []), ...(most >= full ? [-full] : [])])
        probes.push({ x: startX + turn, y: startY, endX: endX + turn, endY, unit, side });
      return side;
    });
    places.push({ unit, x, y, sides });
  };
  /** The next place, from the beginning of the first edge. */
  const next = (): number => ((places.length + 0.5) * total) / APART_PLACES;
  let before = 0;
  for (const { borders, lengths } of runs)
    for (const [run, length] of lengths.entries()) {
      if (next() < before + length) {
        let start = before;
        for (let edge = RUN_EDGES * run; edge < RUN_EDGES * (run + 1) && edge < borders.points; edge++) {
          if (!isLone(level, borders, edge)) continue;
          const own = lengthOf(borders, edge);
          while (places.length < APART_PLACES && next() < start + own) addPlace(borders, edge, (next() - start) / own);
          start += own;
        }
      }
      before += length;
    }
  return { places, probes };
}

/** Probes by the strips of longitude that they lie in. */
class Strips {
  readonly #west: number;
  readonly #perUnit: number;
  readonly #probes: readonly Probe[];
  /** The numbers of the probes in each strip. */
  readonly #numbers: NumberGroups;

  constructor(probes: readonly Probe[]) {
    this.#probes = probes;
    this.#west = probes.reduce((west, { x, endX }) => Math.min(west, x, endX), Infinity);
    const east = probes.reduce((most, { x, endX }) => Math.max(most, x, endX), -Infinity);
    this.#perUnit = Math.min(1, STRIPS / (east - this.#west));
    this.#numbers = new NumberGroups(STRIPS, (take) => {
      for (const [number, { x, endX }] of probes.entries()) {
        const [from, to] = [this.#stripOf(Math.min(x, endX)), this.#stripOf(Math.max(x, endX))];
        for (let strip = from; strip <= to; strip++) take(strip, number);
      }
    });
  }

  /** Takes an edge of the level: it may meet probes, and separates places north of it from those south of it. */
  see(borders: Borders, edge: number, full: number): void {
    const [x1, x2] = [borders.x(edge), borders.x(edge + 1)];
    const [west, east] = x1 < x2 ? [x1, x2] : [x2, x1];
    const [from, to] = [this.#stripOf(west), this.#stripOf(east)];
    const { begins } = this.#numbers;
    if (i32At(begins, from) === i32At(begins, to + 1)) return;
    for (let strip = from; strip <= to; strip++)
      for (const number of this.#numbers.of(strip)) {
        const { x, y, endX, endY, unit, side } = elementAt(this.#probes, number);
        if (Math.max(x, endX) < west || Math.min(x, endX) > east) continue;
        const [y1, y2] = [borders.y(edge), borders.y(edge + 1)];
        const units = borders.unitsOf(borders.setOf(edge));
        // A line straight to the south; what it has twice is no border. Each edge is seen in one of the strips.
        if (x >= west && x < east && x >= 0 && x < full && this.#stripOf(x) === strip) {
          if (y1 + ((x - x1) / (x2 - x1)) * (y2 - y1) < y)
            for (const own of units) if (!side.inside.delete(own)) side.inside.add(own);
        }
        if (side.isMet || Math.max(y, endY) < Math.min(y1, y2) || Math.min(y, endY) > Math.max(y1, y2)) continue;
        side.isMet = units.some((own) => own !== unit) && haveCommonPoint(x, y, endX, endY, x1, y1, x2, y2);
      }
  }

  #stripOf(x: number): number {
    const strip = Math.floor((x - this.#west) * this.#perUnit);
    return strip < 0 ? 0 : strip < STRIPS ? strip : STRIPS - 1;
  }
}
