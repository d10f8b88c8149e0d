// The plane that cells divide (cells.ts): its points, exactly, and on which side of an edge they lie; the grid, and the
// keys of its cells. Described in README.md, 'Cells'.

/**
 * A point of the plane in units, east of longitude -180 and north of latitude -90: whole units and fractions of one.
 */
export interface Point {
  /** Whole units, rounded down. */
  x: number;
  y: number;
  /** What is left, in parts of a unit. */
  fractionX: bigint;
  fractionY: bigint;
  /** Parts of a unit: a power of ten, at least 10. */
  parts: bigint;
  /** The fractions, and both together, to the precision of a double. */
  restX: number;
  restY: number;
  nearX: number;
  nearY: number;
}

/** Most decimals of coordinates: with more, scaled degrees of longitude exceed the 53 bits of a double. */
export const PRECISION_MAX = 12;

/** Most bits of a cell's number in one direction: a key has twice as many, which a double holds exactly. */
const DEPTH_MAX = 26;

/** The grid of a precision. A unit is the last decimal of the coordinates. */
export interface Grid {
  /** Units in 360 degrees. */
  full: number;
  /** Units along a side of the square that everything lies in. */
  width: number;
  /** Units along a side of the smallest cell. */
  finest: number;
}

/** @param precision decimals of the coordinates */
export function gridOf(precision: number): Grid {
  const full = 360 * 10 ** precision;
  const bits = Math.ceil(Math.log2(full + 1));
  return { full, width: 2 ** bits, finest: 2 ** Math.max(0, bits - DEPTH_MAX) };
}

/** A number in plain decimal notation. More decimals than any measurement has would be work without use. */
export const DECIMAL = /^(-?)(\d{1,3})(?:\.(\d{1,40}))?$/;

/** Most decimals of a plain one, as DECIMAL reads it. */
const DECIMALS_MAX = 40;
const EXPONENT = /^(-?)(\d{1,20})(?:\.(\d{1,40}))?e([+-]?\d{1,3})$/i;

/**
 * A decimal without its exponent, exactly but for digits after the 40th decimal: pandas, Python and R write 7.5e-05. Any
 * other text is returned as it is.
 */
export function plainDecimal(text: string): string {
  const [, minus = '', whole, fraction = '', exponent = ''] = EXPONENT.exec(text) ?? [];
  if (whole === undefined) return text;
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padStart(whole.length + fraction.length + Math.max(0, -point), '0');
  const at = Math.max(0, point);
  const before =
    digits
      .slice(0, at)
      .padEnd(at, '0')
      .replace(/^0+(?=\d)/, '') || '0';
  const after = digits.slice(at, at + DECIMALS_MAX);
  return minus + before + (after === '' ? '' : `.${after}`);
}

/** Is a text a plain decimal from -`most` to `most`? */
export function isDecimal(text: string, most: number): boolean {
  const [, , whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  return Number(whole) < most || (Number(whole) === most && !/[1-9]/.test(fraction));
}

/**
 * The point at a longitude and latitude, exactly. 180 degrees east are 180 degrees west; the north pole, where no unit
 * has a northern side, is looked up half a unit south of it.
 * @param longitude,latitude plain decimals of degrees
 * @returns undefined if they are no such decimals, or out of range
 */
export function pointAt(longitude: string, latitude: string, precision: number): Point | undefined {
  const [x, y] = [DECIMAL.exec(longitude), DECIMAL.exec(latitude)];
  if (x === null || y === null) return undefined;
  const decimals = Math.max(precision + 1, x[3]?.length ?? 0, y[3]?.length ?? 0);
  const degree = 10n ** BigInt(decimals);
  const parts = 10n ** BigInt(decimals - precision);
  const partsOf = ([, minus, whole = '', fraction = '']: RegExpExecArray): bigint => {
    const value = BigInt(whole + fraction.padEnd(decimals, '0'));
    return minus === '-' ? -value : value;
  };
  let east = partsOf(x) + 180n * degree;
  let north = partsOf(y) + 90n * degree;
  if (east < 0n || east > 360n * degree || north < 0n || north > 180n * degree) return undefined;
  if (east === 360n * degree) east = 0n;
  if (north === 180n * degree) north -= parts / 2n;
  return pointFrom(Number(east / parts), Number(north / parts), east % parts, north % parts, parts);
}

/** The point half a unit south-west of a grid point: there are the corners of cells, and no edge ends there. */
export function cornerAt(x: number, y: number): Point {
  return pointFrom(x - 1, y - 1, 5n, 5n, 10n);
}

/** @param x,y whole units */
export function pointFrom(x: number, y: number, fractionX: bigint, fractionY: bigint, parts: bigint): Point {
  const [restX, restY] = [Number(fractionX) / Number(parts), Number(fractionY) / Number(parts)];
  return movedTo(x, y, { fractionX, fractionY, parts, restX, restY });
}

/** A point with such fractions. All are made here: the engine knows one kind. @param x,y whole units */
export function movedTo(x: number, y: number, fractions: Omit<Point, 'x' | 'y' | 'nearX' | 'nearY'>): Point {
  const { fractionX, fractionY, parts, restX, restY } = fractions;
  return { x, y, fractionX, fractionY, parts, restX, restY, nearX: x + restX, nearY: y + restY };
}

/** A way from a point north or south to the latitude of another, and from there east or west to it. */
export interface Way {
  from: Point;
  /** At the longitude of `from` and the latitude of `to`. */
  turn: Point;
  to: Point;
}

/** Seen from a cell's grid point, the point half a unit south-west of it. */
const CORNER = cornerAt(0, 0);

/** The way to a point of a cell from the corner of the cell. @param to seen from the cell's grid point */
export function wayTo(to: Point): Way {
  const { y, fractionY, parts, restY } = to;
  const turn = movedTo(-1, y, { fractionX: parts / 2n, fractionY, parts, restX: 0.5, restY });
  return { from: CORNER, turn, to };
}

/** Does an edge change sides on the way? Crossing it twice is not a change. */
export function separates(x1: number, y1: number, x2: number, y2: number, { from, turn, to }: Way): boolean {
  let isOther = false;
  if (x1 > from.x !== x2 > from.x) isOther = isLeft(x1, y1, x2, y2, from) !== isLeft(x1, y1, x2, y2, turn);
  if (y1 > to.y !== y2 > to.y && isLeft(x1, y1, x2, y2, turn) !== isLeft(x1, y1, x2, y2, to)) isOther = !isOther;
  return isOther;
}

/** More than what rounding contributes to the sum of two products, each of a difference and an exact factor. */
const ROUNDING = 2e-15;

/**
 * Is a point left of a line? Points on it are taken as lying a little farther east, and far less farther north.
 * @param x1,y1,x2,y2 whole units
 */
function isLeft(x1: number, y1: number, x2: number, y2: number, point: Point): boolean {
  const dx = x2 - x1;
  const dy = y2 - y1;
  const { nearX, nearY } = point;
  const area = dx * (nearY - y1) - dy * (nearX - x1);
  const bound =
    ROUNDING * (Math.abs(dx) * (Math.abs(nearY) + Math.abs(y1)) + Math.abs(dy) * (Math.abs(nearX) + Math.abs(x1)));
  if (area > bound) return true;
  return area < -bound ? false : isLeftExactly(x1, y1, dx, dy, point);
}

function isLeftExactly(x1: number, y1: number, dx: number, dy: number, point: Point): boolean {
  const { x, y, fractionX, fractionY, parts } = point;
  const north = BigInt(y - y1) * parts + fractionY;
  const east = BigInt(x - x1) * parts + fractionX;
  const area = BigInt(dx) * north - BigInt(dy) * east;
  if (area !== 0n) return area > 0n;
  return dy === 0 ? dx > 0 : dy < 0;
}

/** Bits of a number in each half of a key. */
const HALF_BITS = DEPTH_MAX / 2;

/**
 * The key of the smallest cell that a grid point is in: the bits of its numbers, counted from west and from south, take
 * turns, north before east (a Morton code).
 * @param x,y whole units
 */
export function keyAt(x: number, y: number, finest: number): number {
  const column = Math.floor(x / finest);
  const row = Math.floor(y / finest);
  const low = 2 ** HALF_BITS - 1;
  const high = spread(column >>> HALF_BITS) + 2 * spread(row >>> HALF_BITS);
  return high * 4 ** HALF_BITS + spread(column & low) + 2 * spread(row & low);
}

/** The key of the smallest cell that a point is in: borders of cells lie half a unit south-west of grid points. */
export function keyOf({ x, y, fractionX, fractionY, parts }: Point, finest: number): number {
  const half = parts / 2n;
  return keyAt(fractionX < half ? x : x + 1, fractionY < half ? y : y + 1, finest);
}

/** The south-western grid point of the smallest cell with a key. */
export function gridPointOf(key: number, finest: number): { x: number; y: number } {
  const high = Math.floor(key / 4 ** HALF_BITS);
  const low = key % 4 ** HALF_BITS;
  const x = gather(high) * 2 ** HALF_BITS + gather(low);
  const y = gather(high >>> 1) * 2 ** HALF_BITS + gather(low >>> 1);
  return { x: x * finest, y: y * finest };
}

/** Moves each bit of a number to twice its place. */
function spread(bits: number): number {
  let all = bits;
  all = (all | (all << 8)) & 0x00ff00ff;
  all = (all | (all << 4)) & 0x0f0f0f0f;
  all = (all | (all << 2)) & 0x33333333;
  return (all | (all << 1)) & 0x55555555;
}

/** The opposite of `spread`. */
function gather(bits: number): number {
  let all = bits & 0x55555555;
  all = (all | (all >>> 1)) & 0x33333333;
  all = (all | (all >>> 2)) & 0x0f0f0f0f;
  all = (all | (all >>> 4)) & 0x00ff00ff;
  return (all | (all >>> 8)) & 0x0000ffff;
}
