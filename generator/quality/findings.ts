// The kinds of data problems that a build looks for, and their collection while a level is read: counts by kind, and
// the first example of each. Problems that make a release wrong fail the build unless they are accepted by name
// (--accept); the others are warnings. All are recorded in release.json.

import type { Finding } from '../../format/findings.ts';
import { CHECKED_MAX_POSITIONS } from '../../format/level-json.ts';
import type { Level } from '../../format/levels.ts';
import { beginningOf, NAMES_TEXT_MAX_CHARS } from '../../format/names.ts';
import type { GeometryQuality } from '../geojson/geometry.ts';
import type { Overlaps } from '../store/level-store.ts';

/** Units of a problem that are named, or pairs of units; the most characters of a GID, and of an example. */
export const UNITS_MAX = 100;
const GID_CHARS = 200;
const EXAMPLE_CHARS = 1_000;

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
    this.#byKind.set(kind, { level: this.#level, kind, count, example: shortened(text, EXAMPLE_CHARS) });
  }

  /** Counts a problem of a unit, and names it by its GID. */
  addUnit(kind: FindingKind, example: string | (() => string), gid: string | null): void {
    this.add(kind, example);
    const found = this.#byKind.get(kind);
    const units = found?.units ?? [];
    if (found === undefined || gid === null || units.length === UNITS_MAX) return;
    found.units = [...units, beginningOf(gid, GID_CHARS)];
  }

  /**
   * Counts pairs of units that have an area in common, and names those with the most by their GIDs.
   * @param gidAt the GID of the unit at a position
   * @param foundAt says where in the source it is
   */
  addOverlaps(
    { count, km2: all, first, named }: Overlaps,
    gidAt: (position: number) => string | null,
    foundAt: (position: number) => string,
  ): void {
    if (first === undefined) return;
    const { units, km2: most } = first;
    const sum = count === 1 ? '' : `; ${kilometres(all)} in all pairs`;
    const example = () => `${foundAt(units[0])}, and ${shownGid(gidAt(units[1]))}: ${kilometres(most)}${sum}`;
    this.add('overlapping', example, count);
    const found = this.#byKind.get('overlapping');
    if (found === undefined) return;
    found.pairs = named.map((pair) => ({
      gids: pair.units.map((unit) => beginningOf(gidAt(unit) ?? '', GID_CHARS)),
      km2: pair.km2,
    }));
  }

  /** What was found, in order of first occurrence. */
  list(): Finding[] {
    return [...this.#byKind.values()];
  }
}

/** How messages name a unit; of a long GID its beginning. */
export function unitNamed(fid: number, gid: string | null): string {
  return `fid ${fid}, ${shownGid(gid)}`;
}

function shownGid(gid: string | null): string {
  return `GID ${gid === null ? 'none' : shortened(gid, GID_CHARS)}`;
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${beginningOf(text, most)}...` : text;
}

/** An area for people, to a square metre. */
function kilometres(km2: number): string {
  return `${Number(km2.toFixed(6))} km2`;
}

/** Problems in the order of release.json: by level and kind. */
export function byLevel(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => a.level - b.level || (a.kind < b.kind ? -1 : 1));
}

/**
 * Counts the problems of a unit's geometry, when it has been written.
 * @param example says where the unit is; called for the first problem of each kind
 * @param gid of the unit, by which one without a shape is named
 */
export function inspectGeometry(
  quality: GeometryQuality,
  example: () => string,
  gid: string | null,
  findings: Findings,
): void {
  if (quality.isEmpty) findings.addUnit('empty-geometries', example, gid);
  else if (!quality.isPolygonal) findings.add('non-polygonal', example);
  if (quality.isCollapsed) findings.addUnit('collapsed-geometries', example, gid);
  else findings.add('collapsed-rings', example, quality.collapsed);
  if (quality.ringPositions > CHECKED_MAX_POSITIONS) findings.add('unchecked-polygons', example);
  if (quality.outOfRange) findings.add('out-of-range', example);
  if (quality.jumps) findings.add('antimeridian-jumps', example);
}

/**
 * How a kind is said: what was found, after its count, and in a sentence what that means for those who use the data. In
 * braces the words for one and for several.
 */
type Words = readonly [found: string, meaning: string];

/** The kinds that fail a build unless they are accepted. */
const FAILING = {
  'no-units': ['{layer has|layers have} no units', 'The download may be damaged or incomplete.'],
  'empty-geometries': ['{unit has|units have} no geometry', 'Maps do not show {it|them}, no point is inside.'],
  'non-polygonal': [
    '{unit has|units have} a geometry that is not a polygon',
    '{It has|They have} no area: no point is inside.',
  ],
  'collapsed-geometries': [
    '{unit has|units have} no area at this precision',
    'Maps do not show {it|them}, no point is inside; more decimals (--precision) may keep the area, and --make-valid that of a polygon that crosses itself.',
  ],
  'null-gids': [
    '{unit lacks|units lack} a GID or the GID of a parent',
    'Requests by GID and listings of the parent leave {it|them} out.',
  ],
  'duplicate-gids': [
    '{unit has|units have} the GID of another unit',
    'A request for this GID gets several units, and a table that is joined by it gets rows twice.',
  ],
  'disagreeing-pieces': [
    '{unit has|units have} pieces with different names',
    'They may be different units, which the release has as one.',
  ],
  'unreadable-text': [
    '{unit has|units have} text that is not in the encoding of the file',
    'Letters of the names are lost.',
  ],
  orphans: [
    '{unit has|units have} a parent that is not in the source',
    'If you go from each unit to its children, you do not reach {it|them}.',
  ],
  'contradicting-parents': [
    '{unit has|units have} parents that contradict each other',
    'Listings of both parents have {it|them}.',
  ],
  'fewer-units': ['{unit|units} fewer than in the current release', 'The source may be incomplete.'],
} as const satisfies Record<string, Words>;

/** Every kind. */
export const KINDS = {
  ...FAILING,
  'collapsed-rings': [
    '{ring has|rings have} no area at this precision',
    'Programs that check geometries refuse {it|them}; more decimals (--precision) may keep the area.',
  ],
  'placeholder-gids': [
    '{unit has|units have} the GID ?',
    'This stands for an unknown code: it does not identify a unit.',
  ],
  'out-of-range': [
    '{unit has|units have} coordinates beyond 180 or 90 degrees',
    'The service finds and draws {it|them} a whole turn to the west or east; other programs may not. The coordinate reference system of the source may be wrong.',
  ],
  'antimeridian-jumps': [
    '{unit has|units have} a ring that jumps across the antimeridian',
    'The service takes the short way; other programs may draw {it|them} around the world. This cuts rings there: ogr2ogr -wrapdateline -datelineoffset 10.',
  ],
  'no-crs': [
    '{layer does|layers do} not say the coordinate reference system',
    'The numbers are taken for degrees of WGS 84: if they are of another datum, units are up to a kilometre away. --crs EPSG:CODE says which they are.',
  ],
  'replaced-crs': [
    '{layer is|layers are} read in another coordinate reference system than the file states',
    'If --crs is wrong, so are all coordinates.',
  ],
  'unknown-accuracy': [
    '{layer comes|layers come} to WGS 84 by an operation of unknown accuracy',
    'Units may be some hundred metres away.',
  ],
  'outside-crs': [
    '{unit is|units are} outside of the area of the coordinate reference system (the first 256 were checked)',
    'The file or --crs may name a wrong one. Look on a map whether the units are where they belong.',
  ],
  'missing-parents': [
    'higher {level is|levels are} not in the source',
    'Listings of {that level|those levels} are empty.',
  ],
  'no-names': [
    '{unit has|units have} no name, as the level has no column of names',
    'No search finds {it|them}; --name-column says which column has the names.',
  ],
  'fitting-parents': [
    '{unit has|units have} a point that is not in exactly one unit of the level above',
    '{It belongs|They belong} to the parent that fits best.',
  ],
  'smaller-parents': [
    '{unit is|units are} more than twice as large as {its parent|their parents}',
    'Levels may be exchanged: --layer says which layer is which level.',
  ],
  'missing-level': ['{level|levels} between two others {is|are} not in the source', 'Its listings are empty.'],
  'invalid-polygons': [
    '{unit has|units have} polygons that cross or cover themselves',
    'Programs that compute with {it|them} may fail; --make-valid repairs {it|them}.',
  ],
  'unchecked-polygons': [
    `{unit has|units have} more than ${CHECKED_MAX_POSITIONS.toLocaleString('en')} positions`,
    'Whether {its polygons are|their polygons are} valid was not checked: it would take minutes.',
  ],
  'cell-shapes': [
    '{unit is|units are} a square in a simplified geometry',
    'Nothing else is left of {it|them}: {it is|they are} smaller than a cell of the grid. Take the full geometry of {it|them}.',
  ],
  'duplicate-codes': [
    '{unit has|units have} a code that another unit of the level has',
    'A search for the code finds several units, and a table that is joined by it gets rows twice.',
  ],
  'long-texts': [
    `{unit has|units have} a GID, a name or a type of more than ${NAMES_TEXT_MAX_CHARS.toLocaleString('en')} characters`,
    'Names and tiles have the beginning of it. This is probably the wrong column.',
  ],
  'crowded-borders': [
    '{unit has|units have} borders very close together',
    'Requests for a point near them take longer; the answers are right.',
  ],
  'drawn-apart': [
    'of 1,000 places on borders that no two units share {is|are} within 100 m of another unit',
    'The source probably draws a shared border twice there: the units are no neighbours, and maps show a gap between them.',
  ],
  'equal-colours': [
    '{unit has|units have} the colour of a neighbour in the tiles',
    'All six colours are beside {it|them}: a map shows two areas as one.',
  ],
  'unsearched-borders': [
    '{level has|levels have} more edges that cross than a build tells apart',
    'In the tiles units have other colours than their neighbours only where their borders are drawn once, and nobody looked for units that overlap.',
  ],
  overlapping: [
    '{pair of units has|pairs of units have} an area in common',
    'A point there is in several units, and a sum of areas counts it several times.',
  ],
  'renamed-columns': [
    '{column|columns} fid {has|have} another name in the release',
    'The values are not whole and distinct, so features have other fids.',
  ],
  'renumbered-fids': [
    '{unit has|units have} a new fid',
    'Several layers have the same fids; with --keep-fids the build is refused.',
  ],
  'repaired-geometries': [
    '{feature was|features were} made valid to be united with others',
    'The shape of the unit may differ a little from the source.',
  ],
  'unused-layers': ['{layer|layers} of the source {is|are} not used', 'The release has nothing of {it|them}.'],
  'system-files': [
    '{file|files} of operating systems {is|are} in the source',
    'The build skips {it|them}; no data is missing.',
  ],
  'gdal-warnings': ['{warning|warnings} came from GDAL', 'What was read there may differ from the source.'],
} as const satisfies Record<string, Words>;

/** The name of a kind. */
type FindingKind = keyof typeof KINDS;

/** The kinds that fail a build, and may be accepted. */
export type Acceptable = keyof typeof FAILING;

/** Their names, for --accept. */
export const ACCEPTABLE = Object.keys(FAILING) as readonly Acceptable[];
