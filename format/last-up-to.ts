// Binary search: the last of some ascending numbers that is not more than one. For one kind of array each, as in
// element-at.ts.
import { f64At, u32At } from './element-at.ts';

/** @param from,end between which numbers it is looked for; `from` if there is none */
export function lastUpTo(numbers: Float64Array, most: number, from = 0, end: number = numbers.length): number {
  let low = from;
  let high = end;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (f64At(numbers, middle) <= most) low = middle;
    else high = middle;
  }
  return low;
}

/** @param from,end as above */
export function lastU32UpTo(numbers: Uint32Array, most: number, from = 0, end: number = numbers.length): number {
  let low = from;
  let high = end;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (u32At(numbers, middle) <= most) low = middle;
    else high = middle;
  }
  return low;
}
