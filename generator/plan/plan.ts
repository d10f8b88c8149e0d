// Plans a level once it is read: its index but for what is known only when files are written, its stored pages, and its
// files in the order in which tasks write them. The task that reads the level plans it, for all that write it.
import { INDEX_SCALE } from '../../format/boxes.ts';
import { elementAt, numberAt } from '../../format/element-at.ts';
import { DIGEST_BYTES, type FeatureArrays, type FeatureTable } from '../../format/feature-table.ts';
import { ownersOf } from '../../format/gid-column.ts';
import { MEMBER_FRAME_BYTES } from '../../format/gzip.ts';
import { lastU32UpTo } from '../../format/last-up-to.ts';
import {
  alonePath,
  cellsPath,
  featureFilePath,
  neighboursPath,
  neighboursTablePath,
  pagePath,
  tableDigestsPath,
  unitsTablePath,
} from '../../format/layout.ts';
import { firstPages, LevelIndex, type PageTable } from '../../format/level-index.ts';
import type { LevelSummary } from '../../format/level-json.ts';
import { FORMATS, type Format, GEOMETRIES, type Geometry, type Level } from '../../format/levels.ts';
import { PAGE_CAPS } from '../../format/page-caps.ts';
import type { Ranges } from '../../format/positions.ts';
import type { ReleaseContents } from '../../format/release-json.ts';
import type { StoreIndex } from '../store/store-index.ts';

/** What decides the files of a release: of its options, or of its description. */
export function releaseContents(release: ReleaseContents): ReleaseContents {
  const { precision, storedPages, geometries, cells, neighbours, parquet, tiles } = release;
  return { precision, storedPages, geometries, cells, neighbours, parquet, ...(tiles !== undefined && { tiles }) };
}

/** The index of a level whose files are not written yet: sums, sizes and digests are 0. */
export function plannedIndex(
  level: Level,
  { storedPages, geometries }: Pick<ReleaseContents, 'storedPages' | 'geometries'>,
  { features, fids, boxes, parts, columns }: StoreIndex,
): LevelIndex {
  const tableOf = (format: Format): PageTable => {
    const listing = firstPages(level, format, features, columns, storedPages);
    const pages = elementAt(listing, listing.length - 1);
    return { listing, bytes: new Uint32Array(pages), digest: new Uint8Array(DIGEST_BYTES * pages) };
  };
  const arrays = {
    fid: fids,
    ...newFeatureArrays(features),
    box: boxes,
    part: parts,
    columns,
    pages: storedPages === 'none' ? undefined : { geojsonl: tableOf('geojsonl'), fc: tableOf('fc') },
  };
  return new LevelIndex(level, storedPages, arrays, geometries.slice(1));
}

/** The arrays of a table of features that are not written yet. */
export function newFeatureArrays(features: number): FeatureArrays {
  return {
    start: new Float64Array(features + 1),
    dataCrc: new Uint32Array(features + 1),
    aloneStart: new Float64Array(features + 1),
    aloneCrc: new Uint32Array(features + 1),
    textStart: new Float64Array(features + 1),
    textCrc: new Uint32Array(features + 1),
    textCrcFc: new Uint32Array(features + 1),
    digest: new Uint8Array(DIGEST_BYTES * features),
  };
}

/** The kinds of files that tasks write: feature files by their geometry, pages by their format. */
export type FileKind = Geometry | Format;

/** In the order of `plannedFiles`. */
const FILE_KINDS = [...GEOMETRIES, ...FORMATS] as const;

/** Is it that of a page? */
export function isFormat(kind: FileKind): kind is Format {
  return kind === 'geojsonl' || kind === 'fc';
}

/** The work of a feature's text with each geometry, as a share of the full one: for the balance among tasks alone. */
const WORK_SHARES: Readonly<Record<FileKind, number>> = {
  full: 1,
  medium: 1 / 2,
  low: 1 / 4,
  point: 1 / 16,
  none: 1 / 16,
  geojsonl: 1,
  fc: 1,
};
/** The same of what is made of borders: with cells, and without. */
const BORDERS_SHARES = { cells: 3 / 4, others: 1 / 4 } as const;
/** The same of the table. */
const TABLE_SHARE = 1 / 2;

/** What is made together of a simplified geometry: points and the labels of tiles are found in the medium one. */
export interface GeometryGroup {
  name: 'medium' | 'low';
  geometries: readonly Geometry[];
  /** Whether to leave the places of labels. */
  labels: boolean;
}

/** `full` is read from the source, and `none` with it. */
const GEOMETRY_GROUPS: readonly Omit<GeometryGroup, 'labels'>[] = [
  { name: 'medium', geometries: ['medium', 'point'] },
  { name: 'low', geometries: ['low'] },
];

/** The geometries to make for a release. */
export function geometryGroups({ geometries, tiles }: Pick<ReleaseContents, 'geometries' | 'tiles'>): GeometryGroup[] {
  return GEOMETRY_GROUPS.map(({ name, geometries: all }) => ({
    name,
    geometries: all.filter((geometry) => geometries.includes(geometry)),
    labels: name === 'medium' && tiles !== undefined,
  })).filter((group) => group.geometries.length > 0 || group.labels);
}

/** When a file can be written: of borders and of full texts at once, others when their geometries are made, or all. */
const STAGES = {
  borders: 0,
  full: 1,
  groups: 2,
  table: 2 + GEOMETRY_GROUPS.length,
  count: 3 + GEOMETRY_GROUPS.length,
} as const;

function stageOf(kind: FileKind): number {
  const group = GEOMETRY_GROUPS.findIndex(({ geometries }) => geometries.some((geometry) => geometry === kind));
  return group === -1 ? STAGES.full : STAGES.groups + group;
}

/** The name of the group of geometries that a stage waits for; undefined for those that wait for none. */
export function groupOfStage(stage: number): GeometryGroup['name'] | undefined {
  return GEOMETRY_GROUPS[stage - STAGES.groups]?.name;
}

/** Is it the stage of the borders, the longest work that cannot be divided? */
export function isOfBorders(stage: number): boolean {
  return stage === STAGES.borders;
}

/** Is it the stage of the table, which waits for all geometries? */
export function isOfTable(stage: number): boolean {
  return stage === STAGES.table;
}

const NO_PAGES: PageTable = { listing: new Uint32Array(1), bytes: new Uint32Array(), digest: new Uint8Array() };

/** A feature file or page to write. */
export interface PlannedFile {
  kind: FileKind;
  /** Number of the feature file of its geometry, or of the page in its format. */
  number: number;
  /** Relative to the release's folder. */
  path: string;
  /** Of a feature file, the one beside it with its chained features alone; undefined of others. */
  alone?: string;
  /** The positions it holds. */
  ranges: Ranges;
}

/** What is made of the borders of a level: one piece of work, even if there is no file. */
export interface PlannedBorders {
  kind: 'borders';
  /** Cells, neighbours and their table, as far as the release has them; relative to the release's folder. */
  paths: readonly string[];
}

/** The table of a level, and its digests. */
export interface PlannedTable {
  kind: 'table';
  paths: readonly string[];
}

/**
 * The files of a level that tasks write, stage by stage: those that are made of its borders, then by first position
 * feature files before geojsonl pages before fc pages, then the table.
 */
export interface FilePlan {
  /** For each stage the index in `order` after its last file. */
  stageEnds: readonly number[];
  /** Which of `plannedFiles` each one is; their number for what is made of borders, one more for the table. */
  order: Uint32Array;
  /** 1 for a page that is identical to the one before it. */
  copies: Uint8Array;
  /** The estimated work of writing each; 0 for a copy. */
  work: Float64Array;
}

/** Estimates the work of writing the features at some positions; the same positions give the same number. */
export type Estimate = (ranges: Ranges) => number;

/** Plans the files of a level. */
export function planFiles(index: LevelIndex, contents: ReleaseContents, estimate: Estimate): FilePlan {
  const stages: number[] = [];
  const firsts: number[] = [];
  const works: number[] = [];
  const files = [...plannedFiles(index)];
  for (const { kind, ranges } of files) {
    stages.push(stageOf(kind));
    firsts.push(numberAt(ranges, 0));
    works.push(Math.round(WORK_SHARES[kind] * estimate(ranges)));
  }
  stages.push(STAGES.borders);
  firsts.push(0);
  works.push(Math.round(BORDERS_SHARES[contents.cells ? 'cells' : 'others'] * estimate([0, index.features])));
  if (tablePaths(index, contents).length > 0) {
    stages.push(STAGES.table);
    firsts.push(0);
    works.push(Math.round(TABLE_SHARE * estimate([0, index.features])));
  }
  // Files with the same first position keep their order.
  const order = Uint32Array.from(firsts.keys()).sort(
    (a, b) => numberAt(stages, a) - numberAt(stages, b) || numberAt(firsts, a) - numberAt(firsts, b),
  );
  const stageEnds = Array.from({ length: STAGES.count }, (_, stage) => stages.filter((own) => own <= stage).length);
  const copies = order.map((file, at) => (at > 0 && isSame(elementAt(order, at - 1), file) ? 1 : 0));
  function isSame(one: number, other: number): boolean {
    if (stages[one] !== stages[other] || firsts[one] !== firsts[other] || works[one] !== works[other]) return false;
    const [a, b] = [elementAt(files, one), elementAt(files, other)];
    return a.kind === b.kind && String(a.ranges) === String(b.ranges);
  }
  const work = Float64Array.from(order, (file, at) => (copies[at] === 1 ? 0 : numberAt(works, file)));
  return { stageEnds, order, copies: Uint8Array.from(copies), work };
}

/**
 * Every file of a level that tasks write but those that are made of borders: the feature files of each geometry by
 * number, then the pages of each format.
 * @param from,to which of them
 */
export function* plannedFiles(index: LevelIndex, from = 0, to = Number.POSITIVE_INFINITY): Generator<PlannedFile> {
  for (let file = from; file < to; file++) {
    const planned = plannedAt(index, file);
    if (typeof planned === 'number') return;
    yield planned;
  }
}

/** The paths of a file, and of the one beside it; or of those that are made of borders; or of the table. */
export function pathsOf(planned: PlannedFile | PlannedBorders | PlannedTable): readonly string[] {
  if (planned.kind === 'borders' || planned.kind === 'table') return planned.paths;
  const { path, alone } = planned;
  return alone === undefined ? [path] : [path, alone];
}

function filesOf(index: LevelIndex, kind: FileKind): number {
  if (isFormat(kind)) return pagesOf(index, kind).bytes.length;
  return kind === 'full' || index.geometries.includes(kind) ? index.files : 0;
}

/** Number of listings that have features: every parent has a unit; only the unfiltered listing can be empty. */
export function filledListings({ features, listings }: LevelIndex): number {
  return features === 0 ? 0 : listings;
}

/** What release.json counts of a level, from its complete index. @param isHighest has no level above units? */
export function levelCounts(
  index: LevelIndex,
  isHighest: boolean,
): Pick<LevelSummary, 'features' | 'orphans' | 'listings' | 'pages' | 'bytes' | 'featureFiles' | 'extent'> {
  const { features } = index;
  const [geojsonl, fc] = [pagesOf(index, 'geojsonl').bytes, pagesOf(index, 'fc').bytes];
  return {
    features,
    orphans: isHighest ? 0 : orphansIn(index),
    listings: filledListings(index),
    pages: { geojsonl: geojsonl.length, fc: fc.length },
    bytes: sum(geojsonl) + sum(fc),
    featureFiles: featureFilesOf(index),
    ...extentOf(index),
  };
}

/** Number of units with no GID in any column of a level above. */
function orphansIn({ level, columns, features }: LevelIndex): number {
  const isBelow = new Uint8Array(features);
  for (const column of columns.slice(0, level))
    for (const [position, owner] of ownersOf(column, features).entries()) if (owner !== -1) isBelow[position] = 1;
  return features - isBelow.reduce((count, own) => count + own, 0);
}

/**
 * The box of all units of a level, west, south, east and north in degrees; all longitudes if one crosses the
 * antimeridian. None without geometry.
 */
export function extentOf({ arrays: { box }, features }: LevelIndex): Pick<LevelSummary, 'extent'> {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < 4 * features; i += 4) {
    const [w, s, e, n] = [elementAt(box, i), elementAt(box, i + 1), elementAt(box, i + 2), elementAt(box, i + 3)];
    if (s > n) continue;
    west = Math.min(west, w > e ? -180 * INDEX_SCALE : w);
    east = Math.max(east, w > e ? 180 * INDEX_SCALE : e);
    south = Math.min(south, s);
    north = Math.max(north, n);
  }
  return south > north ? {} : { extent: [west, south, east, north].map((edge) => edge / INDEX_SCALE) };
}

/** Number of feature files of a table, and their bytes with those of the files beside them. */
export function featureFilesOf(table: FeatureTable): LevelSummary['featureFiles'] {
  const { files, features, chained, alone } = table;
  return { files, bytes: chained.bytes(0, features) + files * MEMBER_FRAME_BYTES + alone.bytes(0, features) };
}

/** `reduce` of a typed array adds doubles: no overflow at 2^32. */
function sum(sizes: Uint32Array): number {
  return sizes.reduce((total, size) => total + size, 0);
}

/** A file by its number among `plannedFiles`, after which those that are made of borders come, and the table. */
export function fileAt(
  index: LevelIndex,
  contents: ReleaseContents,
  file: number,
): PlannedFile | PlannedBorders | PlannedTable {
  const planned = plannedAt(index, file);
  if (typeof planned !== 'number') return planned;
  if (planned === 1) return { kind: 'table', paths: tablePaths(index, contents) };
  if (planned > 1) throw new RangeError(`level ${index.level} has no file ${file}`);
  return { kind: 'borders', paths: borderPaths(index.level, contents) };
}

/** The files that are made of the borders of a level. */
export function borderPaths(
  level: Level,
  { cells, neighbours }: Pick<ReleaseContents, 'cells' | 'neighbours'>,
): string[] {
  return [
    ...(cells ? [cellsPath(level)] : []),
    ...(neighbours ? [neighboursPath(level), neighboursTablePath(level)] : []),
  ];
}

/** The table of a level that has units, and its digests. */
export function tablePaths(
  { level, features }: Pick<LevelIndex, 'level' | 'features'>,
  { parquet }: Pick<ReleaseContents, 'parquet'>,
): string[] {
  return parquet && features > 0 ? [unitsTablePath(level), tableDigestsPath(level)] : [];
}

/** One of `plannedFiles`, or by how much it is beyond the last. */
function plannedAt(index: LevelIndex, file: number): PlannedFile | number {
  let number = file;
  for (const kind of FILE_KINDS) {
    const files = filesOf(index, kind);
    if (number < files) return fileOf(index, kind, number);
    number -= files;
  }
  return number;
}

function fileOf(index: LevelIndex, kind: FileKind, number: number): PlannedFile {
  const { level } = index;
  if (!isFormat(kind)) {
    const ranges = [number * index.perFile, index.fileEnd(number)];
    const [path, alone] = [featureFilePath(level, number, kind), alonePath(level, number, kind)];
    return { kind, number, path, alone, ranges };
  }
  const { listing: firsts } = pagesOf(index, kind);
  // The last listing whose first page has at most this number.
  const listing = lastU32UpTo(firsts, number);
  const page = number - elementAt(firsts, listing);
  const positions = index.listingPositions(listing);
  const cap = PAGE_CAPS[kind][level];
  const ranges = positions.slice(page * cap, Math.min(cap, positions.count - page * cap));
  return { kind, number, path: pagePath(level, kind, index.listingKey(listing), page), ranges };
}

function pagesOf({ arrays }: LevelIndex, format: Format): PageTable {
  return arrays.pages?.[format] ?? NO_PAGES;
}
