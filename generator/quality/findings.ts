// Collects the problems of a level while it is read: counts by kind, and the first example of each.
import type { Level } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import type { GeometryQuality } from '../geojson/geometry.ts';
import type { FindingKind } from './kinds.ts';

/** The problems of a level. */
export class Findings {
  readonly #level: Level;
  readonly #byKind = new Map<FindingKind, Finding>();

  constructor(level: Level) {
    this.#level = level;
  }

  /**
   * Counts a problem.
   * @param example where it is, or a function that says so; used for the first problem of the kind
   */
  add(kind: FindingKind, example: string | (() => string), count = 1): void {
    if (count === 0) return;
    const known = this.#byKind.get(kind);
    if (known !== undefined) {
      known.count += count;
      return;
    }
    const text = typeof example === 'string' ? example : example();
    this.#byKind.set(kind, { level: this.#level, kind, count, example: text });
  }

  /** What was found, in order of first occurrence. */
  list(): Finding[] {
    return [...this.#byKind.values()];
  }
}

/**
 * Counts the problems of a unit's geometry, when it has been written.
 * @param example says where the unit is; called for the first problem of each kind
 */
export function inspectGeometry(quality: GeometryQuality, example: () => string, findings: Findings): void {
  if (quality.isEmpty) findings.add('empty-geometries', example);
  else if (!quality.isPolygonal) findings.add('non-polygonal', example);
  if (quality.isCollapsed) findings.add('collapsed-geometries', example);
  else findings.add('collapsed-rings', example, quality.collapsed);
  if (quality.outOfRange) findings.add('out-of-range', example);
  if (quality.jumps) findings.add('antimeridian-jumps', example);
}
