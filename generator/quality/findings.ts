// The kinds of data problems that a build looks for, and their collection while a level is read: counts by kind, and
// the first example of each. Problems that make a release wrong fail the build unless they are accepted by name
// (--accept); the others are warnings. All are recorded in release.json.
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

/** Problems in the order of release.json: by level and kind. */
export function byLevel(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => a.level - b.level || (a.kind < b.kind ? -1 : 1));
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

/** The kinds that fail a build unless they are accepted, and what was found, for a table: `<count> <what>`. */
const FAILING = {
  'no-units': 'layers without any unit',
  'empty-geometries': 'units without geometry',
  'non-polygonal': 'units whose geometry is not a polygon',
  'collapsed-geometries': 'units without area at this precision',
  'null-gids': 'units without a GID or the GID of a parent',
  'duplicate-gids': 'units with the GID of another unit',
  'unreadable-text': 'units with text that could not be read in the encoding of its file',
  orphans: 'units whose parent is not in the source',
  'contradicting-parents': 'units whose parents contradict each other',
  'fewer-units': 'units fewer than in the current release',
} as const;

/** Every kind, likewise. */
export const KINDS = {
  ...FAILING,
  'collapsed-rings': 'rings without area at this precision',
  'placeholder-gids': 'units with the GID ?',
  'out-of-range': 'units with coordinates beyond 180 or 90 degrees',
  'antimeridian-jumps':
    'units with a ring that jumps across the antimeridian; cut it there: ogr2ogr -wrapdateline -datelineoffset 10',
  'missing-parents': 'levels above the first one of the source',
  'no-names': 'units of a level without names: no search finds them; --name-column says which column has them',
  'fitting-parents': 'units whose point is not in exactly one unit of the level above, with the parent that fits best',
  'missing-level': 'level missing between others',
  'invalid-polygons': 'units whose polygons are not valid: they cross or cover themselves; --make-valid repairs them',
  'crowded-borders': 'units with borders so close together that a point near them is found slowly',
  'drawn-apart':
    'places, of 1,000 along borders of one unit alone, with another unit within 100 m that it does not touch',
  'renamed-columns': 'columns fid under another name, because their values are not whole and distinct',
  'renumbered-fids': 'units with a new fid, because fids of several layers collide',
  'repaired-geometries': 'units that were made valid before they were dissolved',
  'unused-layers': 'layers of the source that are not used',
  'system-files': 'files of operating systems in the source, which are skipped',
  'gdal-warnings': 'warnings from GDAL',
} as const;

/** The name of a kind. */
type FindingKind = keyof typeof KINDS;

/** The kinds that fail a build, and may be accepted. */
export type Acceptable = keyof typeof FAILING;

/** Their names, for --accept. */
export const ACCEPTABLE = Object.keys(FAILING) as readonly Acceptable[];
