// Takes borders at half the tolerance, and again, until rings keep their shapes: so small units stay recognisable.
import { NumberGroups } from '../rings/number-groups.ts';
import { arcNumber } from '../topology/arcs.ts';
import type { UnitRings } from './unit-rings.ts';

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
  /** Made when a border comes back. */
  let ringsOf: NumberGroups | undefined;
  for (let changed: readonly number[] = all; changed.length > 0; ) {
    const refined = new Set<number>();
    for (const ring of changed) while (!isKept(ring) && rings.refine(ring, refined));
    const next = new Set<number>();
    if (refined.size > 0)
      ringsOf ??= new NumberGroups(rings.shared.arcEnds.length, (take) => {
        for (const ring of all) for (const arc of rings.arcsOf(ring)) take(arcNumber(arc), ring);
      });
    for (const arc of refined) for (const ring of ringsOf?.of(arc) ?? []) next.add(ring);
    changed = [...next].sort((a, b) => a - b);
  }
}
