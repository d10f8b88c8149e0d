// The kinds of data problems that a build looks for. Those that make a release wrong fail the build unless they are
// accepted by name (--accept); the others are warnings. All are recorded in release.json.

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
