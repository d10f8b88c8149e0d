// Writes the overview of a release as TopoJSON once all levels are read: the highest two that have features. Runs in a
// child process.
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { deflateWhole, MEMBER_FRAME_BYTES } from '../../format/gzip.ts';
import { OVERVIEW_FILE } from '../../format/layout.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { RelatedUnit } from '../../format/names.ts';
import { overviewLevels, overviewProperties } from '../../format/overview.ts';
import type { WholeFile } from '../../format/release.ts';
import type { Box } from '../geojson/bbox.ts';
import { writeWholeFile } from '../release/output-file.ts';
import { extentOf, type LevelRings, readLevelRings, unitsOf } from '../shapes/level-rings.ts';
import type { Grid } from '../shapes/shared-arcs.ts';
import { newSimplifier } from '../shapes/simplify-level.ts';
import { LevelStore } from '../store/level-store.ts';
import { type LevelUnits, namedUnits, relativesOf } from './named-units.ts';
import { joinLevels, type Shape, type SharedShapes } from './topology.ts';

/** What to write. Plain data: it is sent to a child process. */
export interface OverviewTask {
  /** All levels, ascending. */
  units: readonly LevelUnits[];
  /** Decimals of the coordinates. */
  precision: number;
  /** The release's folder. */
  out: string;
}

/** Bytes of the file, unless names and the smallest shapes alone need more. */
export const OVERVIEW_BYTES_MAX = 300_000;

/** A file of nearly as many bytes is not tried again. */
const BYTES_ENOUGH = 0.97 * OVERVIEW_BYTES_MAX;
const BYTES_AIMED_AT = 0.985 * OVERVIEW_BYTES_MAX;

const TRIES_MAX = 8;

/** The most by which the area of a ring that stays may change, as a share of it. */
const CHANGE_MAX = 0.5;

/** Positions with which no file is as small. */
const POSITIONS_MAX = 300_000;

/** Maximum cells across the extent: more than a screen shows when the world view gives way to single units. */
const CELLS_MAX = 1 << 17;

/** Limits in cells between which one is sought, from step to step: the largest leaves only what has to stay. */
const LIMIT_MIN = 0.5;
const LIMIT_MAX = CELLS_MAX ** 2;
const LIMIT_STEP = 16;

/** The least share of the way between two limits that is taken. */
const SHARE_MIN = 0.05;

/** A limit grows by a factor between these if making polygons valid has made the file too large. */
const LIMIT_MORE = 1.02;
const LIMIT_MOST = 2;

/** A coarser grid is worth it if the file has at most this share of the bytes. */
const COARSER_SHARE = 0.9;

/** Writes the overview. */
export function writeOverview({ units, precision, out }: OverviewTask): WholeFile {
  const levels = overviewLevels(units).map((level) => elementAt(units, level));
  const rings = levels.map(({ store }) => readLevelRings(new LevelStore(store), precision));
  const named = levels.map(({ level, store }) => ({
    level,
    units: Array.from(namedUnits(level, new LevelStore(store), relativesOf(level, units))),
  }));
  const extent = extentOf(rings);
  const [west, south, east, north] = extent;
  let cell = 1;
  while (Math.max(east - west, north - south) > CELLS_MAX * cell) cell *= 2;
  let best = simplest(named, rings, { extent, cell });
  while (best.bytes > OVERVIEW_BYTES_MAX) {
    cell *= 2;
    const coarser = simplest(named, rings, { extent, cell });
    if (coarser.bytes > COARSER_SHARE * best.bytes) break;
    best = coarser;
  }
  return writeWholeFile(join(out, OVERVIEW_FILE), [best.text]);
}

interface Written {
  text: string;
  /** Of its file. */
  bytes: number;
}

/** The text with the most points whose file is small enough; if there is none, the one with the fewest points. */
function simplest(named: readonly OverviewLevel[], rings: readonly LevelRings[], place: Place): Written {
  const scale = rings[0]?.scale ?? 1;
  const simplify = newSimplifier(rings.map(unitsOf), gridOf(place, scale), CHANGE_MAX);
  return fittingText((limit, isFinal) => {
    const { polygons, positions, mend } = simplify(limit);
    if (limit < LIMIT_MAX && positions() > POSITIONS_MAX) return undefined;
    // What fits as it is stays as the source has it.
    if (isFinal) mend(limit > 0);
    let position = 0;
    const shapes = named.map(({ units }) => units.map(() => polygons(position++)));
    return overviewToJson(named, joinLevels(shapes), place, scale);
  });
}

/**
 * The text with the least limit whose file is small enough.
 * @param textOf makes the text; only the final one need be valid. Undefined for one that is far too large
 */
function fittingText(textOf: (limit: number, isFinal: boolean) => string | undefined): Written {
  const tried = (limit: number, isFinal = false): Written & { limit: number } => {
    const text = textOf(limit, isFinal);
    if (text === undefined) return { limit, text: '', bytes: Infinity };
    return { limit, text, bytes: deflateWhole(Buffer.from(text)).length + MEMBER_FRAME_BYTES };
  };
  const exact = tried(0, true);
  if (exact.bytes <= OVERVIEW_BYTES_MAX) return exact;
  let large = { ...exact, limit: LIMIT_MIN };
  let small = tried(LIMIT_MIN * LIMIT_STEP);
  while (small.bytes > OVERVIEW_BYTES_MAX && small.limit < LIMIT_MAX) {
    large = small;
    small = tried(small.limit * LIMIT_STEP);
  }
  for (let tries = 0; tries < TRIES_MAX && small.bytes < BYTES_ENOUGH; tries++) {
    // The bytes are about proportional to a power of the limit.
    const share = Math.log(large.bytes / BYTES_AIMED_AT) / Math.log(large.bytes / small.bytes);
    const between = large.bytes === Infinity ? 0.5 : Math.min(Math.max(share, SHARE_MIN), 1 - SHARE_MIN);
    const next = tried(large.limit * (small.limit / large.limit) ** between);
    if (next.bytes > OVERVIEW_BYTES_MAX) large = next;
    else small = next;
  }
  // The bytes fall with this power of the limit.
  const power = Math.log(large.bytes / small.bytes) / Math.log(small.limit / large.limit);
  for (let { limit } = small; ; ) {
    const final = tried(limit, true);
    if (final.bytes <= OVERVIEW_BYTES_MAX || limit >= LIMIT_MAX) return final;
    const more = Number.isFinite(power) ? (final.bytes / BYTES_AIMED_AT) ** (1 / power) : LIMIT_MORE;
    limit *= Math.min(Math.max(more, LIMIT_MORE), LIMIT_MOST);
  }
}

/** The units of a level in order of fid. */
interface OverviewLevel {
  level: Level;
  units: readonly RelatedUnit[];
}

/** Where the cells are. */
export interface Place {
  /** The extent of all rings in scaled degrees. */
  extent: Box;
  /** Size of a cell in scaled degrees. */
  cell: number;
}

function gridOf({ extent, cell }: Place, scale: number): Grid {
  const [left, bottom, right, top] = extent.map((edge) => Math.round(edge / cell)) as [number, number, number, number];
  return { cell, scale, left, bottom, right, top };
}

/**
 * The text of the overview.
 * @param levels in the order of `shapes`
 * @param scale scaled degrees of a degree
 */
export function overviewToJson(
  levels: readonly OverviewLevel[],
  { arcs, shapes }: SharedShapes,
  place: Place,
  scale: number,
): string {
  const objects = levels.map(({ level, units }, at) => {
    const ofLevel = elementAt(shapes, at);
    const geometries = units.map((unit, position) => ({
      ...geometryOf(elementAt(ofLevel, position)),
      id: unit.fid,
      properties: overviewProperties(unit, at === 0),
    }));
    return [levelName(level), { type: 'GeometryCollection', geometries }] as const;
  });
  const topology = {
    type: 'Topology',
    ...(arcs.length === 0 ? {} : degreesOf(place, scale)),
    objects: Object.fromEntries(objects),
    arcs: arcs.map(differences),
  };
  return `${JSON.stringify(topology)}\n`;
}

function geometryOf(shape: Shape) {
  const [only] = shape;
  if (only === undefined) return { type: null };
  return shape.length === 1 ? { type: 'Polygon', arcs: only } : { type: 'MultiPolygon', arcs: shape };
}

/** The place of the grid in degrees: its edges are exactly those of the extent, so that no unit crosses ±180. */
function degreesOf(place: Place, scale: number) {
  const { left, bottom, right, top } = gridOf(place, scale);
  const [west, south, east, north] = place.extent;
  const size = (from: number, to: number, cells: number): number =>
    (cells === 0 ? place.cell : (to - from) / cells) / scale;
  return {
    bbox: place.extent.map((edge) => edge / scale),
    transform: {
      scale: [size(west, east, right - left), size(south, north, top - bottom)],
      translate: [west / scale, south / scale],
    },
  };
}

function differences(arc: SharedShapes['arcs'][number]): number[][] {
  let [x0, y0] = [0, 0];
  return arc.map(([x = NaN, y = NaN]) => {
    const difference = [x - x0, y - y0];
    [x0, y0] = [x, y];
    return difference;
  });
}
