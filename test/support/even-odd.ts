// The oracle for cells: which units contain a point, by the even-odd rule over all edges of all rings, in BigInt. It shares
// no code with the generator or format/.

/** A closed ring in units of the last decimal. */
export type Ring = readonly (readonly [x: number, y: number])[];

/** The positions of the units that contain a point, ascending. */
export type EvenOdd = (longitude: string, latitude: string) => number[];

type Edge = readonly [x1: bigint, y1: bigint, x2: bigint, y2: bigint];

/**
 * @param units the rings of each unit
 * @param precision decimals of the rings
 * @param decimals most decimals of the points, more than `precision`
 */
export function evenOdd(units: readonly (readonly Ring[])[], precision: number, decimals: number): EvenOdd {
  const parts = 10n ** BigInt(decimals - precision);
  const half = 180n * 10n ** BigInt(decimals);
  const edges = units.map((rings) => rings.flatMap((ring) => edgesOf(ring, BigInt(10 ** precision), parts)));
  return (longitude, latitude) => {
    let x = scaled(longitude, decimals);
    let y = scaled(latitude, decimals);
    if (x === half) x = -half;
    if (y === half / 2n) y -= parts / 2n;
    const found: number[] = [];
    for (const [unit, own] of edges.entries()) if (isOdd(own, x, y, 2n * half)) found.push(unit);
    return found;
  };
}

/** Counts the edges east of a point, in each of the turns that the longitudes of a ring may be written in. */
function isOdd(edges: readonly Edge[], px: bigint, y: bigint, full: bigint): boolean {
  let odd = false;
  for (const [x1, y1, x2, y2] of edges) {
    if (y1 > y === y2 > y) continue;
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
function edgesOf(ring: Ring, unitsInDegree: bigint, parts: bigint): Edge[] {
  const edges: Edge[] = [];
  const degree = unitsInDegree * parts;
  const points = ring.map(([x, y]): [bigint, bigint] => [BigInt(x) * parts, BigInt(y) * parts]);
  const jumps = points.some(([x, y], i) => {
    const [before, north] = points[i - 1] ?? [x, y];
    const isAtPole = y === north && (y === 90n * degree || y === -90n * degree);
    return !isAtPole && (x - before > 180n * degree || before - x > 180n * degree);
  });
  let turns = 0n;
  let north = 0n;
  for (const [i, [x, y]] of points.entries()) {
    north += y;
    const last = points[i - 1];
    if (last === undefined) continue;
    const start = last[0] + turns;
    if (jumps && x - last[0] > 180n * degree) turns -= 360n * degree;
    if (jumps && last[0] - x > 180n * degree) turns += 360n * degree;
    edges.push([start, last[1], x + turns, y]);
  }
  const [first] = points;
  if (turns === 0n || first === undefined) return edges;
  const pole = north > 0n ? 90n * degree : -90n * degree;
  const [x, y] = first;
  edges.push([x + turns, y, x + turns, pole], [x + turns, pole, x, pole], [x, pole, x, y]);
  return edges;
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
