// The kinds of data problems that a build looks for, and their collection while a level is read: counts by kind, and the
// first example of each. Problems that make a release wrong fail the build unless they are accepted by name (--accept); the
// others are warnings. All are recorded in release.json.
import type { Level } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import type { GeometryQuality } from '../geojson/geometry.ts';

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

/** A kind of problem. */
interface Kind {
  /** What was found, for a table: `<count> <what>`. */
  what: string;
  /** Does the build fail unless the kind is accepted? */
  fails: boolean;
}

const KIND_TABLE = {
  'no-units': { what: 'layers without any unit', fails: true },
  'empty-geometries': { what: 'units without geometry', fails: true },
  'non-polygonal': { what: 'units whose geometry is not a polygon', fails: true },
  'collapsed-geometries': { what: 'units without area at this precision', fails: true },
  'null-gids': { what: 'units without a GID or the GID of a parent', fails: true },
  'duplicate-gids': { what: 'units with the GID of another unit', fails: true },
  orphans: { what: 'units whose parent is not in the source', fails: true },
  'fewer-units': { what: 'units fewer than in the current release', fails: true },
  'collapsed-rings': { what: 'rings without area at this precision', fails: false },
  'placeholder-gids': { what: 'units with the GID ?', fails: false },
  'out-of-range': { what: 'units with coordinates beyond 180 or 90 degrees', fails: false },
  'antimeridian-jumps': {
    what: 'units with a ring that jumps across the antimeridian; cut it there: ogr2ogr -wrapdateline -datelineoffset 10',
    fails: false,
  },
  'missing-parents': { what: 'levels above the first one of the source', fails: false },
  'missing-level': { what: 'level missing between others', fails: false },
  'renumbered-fids': { what: 'units with a new fid, because fids of several layers collide', fails: false },
  'repaired-geometries': { what: 'units that were made valid before they were dissolved', fails: false },
  'unused-layers': { what: 'layers of the source that are not used', fails: false },
  'system-files': { what: 'files of operating systems in the source, which are skipped', fails: false },
  'gdal-warnings': { what: 'warnings from GDAL', fails: false },
} as const satisfies Record<string, Kind>;

/** The name of a kind. */
export type FindingKind = keyof typeof KIND_TABLE;

/** Every kind, by name. */
export const KINDS: Readonly<Record<FindingKind, Kind>> = KIND_TABLE;

/** The kinds that fail a build, and may be accepted. */
export type Acceptable = {
  [Name in FindingKind]: (typeof KIND_TABLE)[Name]['fails'] extends true ? Name : never;
}[FindingKind];

/** Their names, for --accept. */
export const ACCEPTABLE: readonly Acceptable[] = Object.entries(KINDS).flatMap(([name, { fails }]) =>
  fails ? [name as Acceptable] : [],
);
