// The oracle for cells: which units contain a point, by the even-odd rule over all edges of all rings: those at its
// latitude in BigInt. It shares no code with the generator or format/.

/** A closed ring in units of the last decimal. */
export type Ring = readonly (readonly [x: number, y: number])[];

/** The positions of the units that contain a point, ascending. */
export type EvenOdd = (longitude: string, latitude: string) => number[];

/** x1, y1, x2 and y2 of each edge in units of the last decimal: whole numbers, exact. */
type Edges = readonly number[];

/**
 * @param units the rings of each unit
 * @param precision decimals of the rings
 * @param decimals most decimals of the points, more than `precision`
 */
export function evenOdd(units: readonly (readonly Ring[])[], precision: number, decimals: number): EvenOdd {
  const parts = 10n ** BigInt(decimals - precision);
  const half = 180n * 10n ** BigInt(decimals);
  const edges = units.map((rings) => {
    const all: number[] = [];
    for (const ring of rings) addEdges(all, ring, 10 ** precision);
    return all;
  });
  return (longitude, latitude) => {
    let x = scaled(longitude, decimals);
    let y = scaled(latitude, decimals);
    if (x === half) x = -half;
    if (y === half / 2n) y -= parts / 2n;
    const found: number[] = [];
    for (const [unit, own] of edges.entries()) if (isOdd(own, x, y, parts, 2n * half)) found.push(unit);
    return found;
  };
}

/** The edges of a unit but for those that it has an even number of times: each as x1, y1, x2, y2. */
export function oddEdges(rings: readonly Ring[], precision: number): [number, number, number, number][] {
  const all: number[] = [];
  for (const ring of rings) addEdges(all, ring, 10 ** precision);
  const odd = new Map<string, [number, number, number, number]>();
  for (let at = 0; at < all.length; at += 4) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = all.slice(at, at + 4);
    const isForward = x1 < x2 || (x1 === x2 && y1 < y2);
    const key = (isForward ? [x1, y1, x2, y2] : [x2, y2, x1, y1]).join();
    if (!odd.delete(key) && (x1 !== x2 || y1 !== y2)) odd.set(key, [x1, y1, x2, y2]);
  }
  return [...odd.values()];
}

/** Counts the edges east of a point, in each of the turns that the longitudes of a ring may be written in. */
function isOdd(edges: Edges, px: bigint, y: bigint, parts: bigint, full: bigint): boolean {
  let odd = false;
  // A whole number is above a fraction if it is above the whole number below that.
  const below = Number(y / parts) - (y % parts < 0n ? 1 : 0);
  for (let at = 0; at < edges.length; at += 4) {
    if ((edges[at + 1] ?? NaN) > below === (edges[at + 3] ?? NaN) > below) continue;
    const [x1 = 0n, y1 = 0n, x2 = 0n, y2 = 0n] = edges.slice(at, at + 4).map((value) => BigInt(value) * parts);
    const dy = y2 - y1;
    for (let turn = -2n; turn <= 2n; turn++) {
      const x = px + turn * full;
      const east = (x1 - x) * dy + (y - y1) * (x2 - x1);
      if (dy > 0n ? east > 0n : east < 0n) odd = !odd;
    }
  }
  return odd;
}

/** The edges of a ring with continuous longitudes; one that goes around a pole is closed by way of it. */
function addEdges(edges: number[], ring: Ring, degree: number): void {
  const jumps = ring.some(([x, y], i) => {
    const [before, north] = ring[i - 1] ?? [x, y];
    const isAtPole = y === north && Math.abs(y) === 90 * degree;
    return !isAtPole && Math.abs(x - before) > 180 * degree;
  });
  let turns = 0;
  let north = 0;
  for (const [i, [x, y]] of ring.entries()) {
    north += y;
    const last = ring[i - 1];
    if (last === undefined) continue;
    const start = last[0] + turns;
    if (jumps && x - last[0] > 180 * degree) turns -= 360 * degree;
    if (jumps && last[0] - x > 180 * degree) turns += 360 * degree;
    edges.push(start, last[1], x + turns, y);
  }
  const [first] = ring;
  if (turns === 0 || first === undefined) return;
  const pole = (north > 0 ? 90 : -90) * degree;
  const [x, y] = first;
  edges.push(x + turns, y, x + turns, pole, x + turns, pole, x, pole, x, pole, x, y);
}

/** A decimal as an integer of its last decimal. */
export function scaled(decimal: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** The opposite of `scaled`. */
export function decimalOf(value: bigint, decimals: number): string {
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
