// Takes borders at half the tolerance, and again, until rings keep their shapes: so small units stay recognisable.
import { i32At } from '../../format/element-at.ts';
import { arcNumber, type UnitRings } from './unit-rings.ts';

/**
 * Refines the borders of rings that stay until they keep their shapes; those of small ones, which have neighbours, until
 * they do not run the other way round. A border that comes back changes the ring on its other side, too. This ends, as
 * in each round but the last one an arc is refined: none is for ever, and no point goes here.
 * @param change the most by which the area of a ring may change, as a share of it
 */
export function keepShapes(rings: UnitRings, change: number): void {
  const largest = new Set<number | undefined>();
  for (let unit = 0; unit < rings.units; unit++) largest.add(rings.keepLargest(unit));
  const isKept = (ring: number): boolean => {
    const share = rings.shareLeft(ring);
    return largest.has(ring) || !rings.isSmall(ring) ? Math.abs(share - 1) < change : share >= 0;
  };
  const all = rings.ringsWithArea();
  let ringsOf: ((arc: number) => Int32Array) | undefined;
  for (let changed: readonly number[] = all; changed.length > 0; ) {
    const refined = new Set<number>();
    for (const ring of changed) while (!isKept(ring) && rings.refine(ring, refined));
    const next = new Set<number>();
    if (refined.size > 0) ringsOf ??= ringsByArc(rings, all);
    for (const arc of refined) for (const ring of ringsOf?.(arc) ?? []) next.add(ring);
    changed = [...next].sort((a, b) => a - b);
  }
}

/** @param some rings, ascending @returns a function that gives those of them that have an arc */
function ringsByArc(rings: UnitRings, some: readonly number[]): (arc: number) => Int32Array {
  // The rings of all arcs one after the other: first counted, then put in place from the end.
  const begins = new Int32Array(rings.shared.arcEnds.length + 1);
  const each = (visit: (arc: number, ring: number) => void): void => {
    for (const ring of some) for (const arc of rings.arcsOf(ring)) visit(arcNumber(arc), ring);
  };
  each((arc) => {
    begins[arc] = i32At(begins, arc) + 1;
  });
  for (let arc = 1; arc < begins.length; arc++) begins[arc] = i32At(begins, arc) + i32At(begins, arc - 1);
  const all = new Int32Array(i32At(begins, begins.length - 1));
  each((arc, ring) => {
    const place = i32At(begins, arc) - 1;
    begins[arc] = place;
    all[place] = ring;
  });
  return (arc) => all.subarray(i32At(begins, arc), i32At(begins, arc + 1));
}
