// Writes the overview of a release as TopoJSON once all levels are read: the highest two that have features. Runs in a child
// process.
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { deflateWhole, MEMBER_FRAME_BYTES } from '../../format/gzip.ts';
import { OVERVIEW_FILE } from '../../format/layout.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { NamedUnit } from '../../format/names.ts';
import { overviewLevels, overviewProperties } from '../../format/overview.ts';
import type { WholeFile } from '../../format/release.ts';
import { type Box, union } from '../geometries/cut-rings.ts';
import { type LevelUnits, namedUnits, relativesOf } from '../names/named-units.ts';
import { writeWholeFile } from '../release/output-file.ts';
import { readSidecar } from '../store/sidecar.ts';
import { type CoarseLevel, coarsen } from './coarse-rings.ts';
import { keepLargestRings, type Simplified, simplify, weightsOf } from './simplify.ts';
import { thinOut } from './thin-out.ts';
import { type Grid, joinLevels, type Shape } from './topology.ts';

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
const BYTES_MAX = 300_000;

/** A file of nearly as many bytes is not tried again. */
const BYTES_ENOUGH = 0.97 * BYTES_MAX;
const BYTES_AIMED_AT = 0.985 * BYTES_MAX;

const TRIES_MAX = 8;

/** Points of which those of the overview are chosen: more than fit in `BYTES_MAX`. */
const POINTS_MAX = 140_000;

/** The extent of a release without units. */
const NOWHERE: Box = [Infinity, Infinity, -Infinity, -Infinity];

/** A coarser grid is worth it if the file has at most this share of the bytes. */
const COARSER_SHARE = 0.9;

/** Writes the overview. */
export function writeOverview({ units, precision, out }: OverviewTask): WholeFile {
  const levels = overviewLevels(units).map((level) => elementAt(units, level));
  const coarse = levels.map(({ store }) => readSidecar<CoarseLevel>(store, 'rings'));
  const cell = Math.max(1, ...coarse.map((level) => level.cell));
  for (const level of coarse) while (level.cell < cell) coarsen(level);
  const named = levels.map(({ level, store }) => ({
    level,
    units: Array.from(namedUnits(level, store, relativesOf(level, units))),
  }));
  let best = simplest(named, coarse, 10 ** precision);
  while (best.bytes > BYTES_MAX) {
    for (const level of coarse) coarsen(level);
    const coarser = simplest(named, coarse, 10 ** precision);
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
function simplest(named: readonly OverviewLevel[], coarse: readonly CoarseLevel[], scale: number): Written {
  while (thinOut(coarse, POINTS_MAX) > 2 * POINTS_MAX) for (const level of coarse) coarsen(level);
  const extent = coarse.map((level) => level.extent).reduce(union, NOWHERE);
  const grid = { cell: Math.max(1, ...coarse.map(({ cell }) => cell)), extent };
  const joined = joinLevels(coarse, grid);
  const islands = keepLargestRings(joined);
  return fittingText(weightsOf(joined), (least) =>
    overviewToJson(named, simplify(joined, least, islands), grid, scale),
  );
}

/** The text with the least weight whose file is small enough. */
function fittingText(weights: Float64Array, textOf: (least: number) => string): Written {
  const tried = (at: number, least: number) => {
    const text = textOf(least);
    return { at, text, bytes: deflateWhole(Buffer.from(text)).length + MEMBER_FRAME_BYTES };
  };
  let large = tried(0, Number.MIN_VALUE);
  if (large.bytes <= BYTES_MAX) return large;
  let small = tried(weights.length, Infinity);
  for (let tries = 0; tries < TRIES_MAX && small.bytes < BYTES_ENOUGH && small.at - large.at > 1; tries++) {
    // The bytes are about proportional to the number of points.
    const share = (large.bytes - BYTES_AIMED_AT) / (large.bytes - small.bytes);
    const at = Math.round(large.at + share * (small.at - large.at));
    const between = Math.min(Math.max(at, large.at + 1), small.at - 1);
    const next = tried(between, elementAt(weights, between));
    if (next.bytes > BYTES_MAX) large = next;
    else small = next;
  }
  return small;
}

/** The units of a level in order of fid. */
interface OverviewLevel {
  level: Level;
  units: readonly NamedUnit[];
}

/**
 * The text of the overview.
 * @param levels in the order of `simplified.shapes`
 * @param scale scaled degrees of a degree
 */
export function overviewToJson(
  levels: readonly OverviewLevel[],
  { arcs, shapes }: Simplified,
  grid: Grid,
  scale: number,
): string {
  const objects = levels.map(({ level, units }, at) => {
    const ofLevel = elementAt(shapes, at);
    const geometries = units.map((unit) => ({
      ...geometryOf(ofLevel.get(unit.fid)),
      id: unit.fid,
      properties: overviewProperties(unit, at === 0),
    }));
    return [levelName(level), { type: 'GeometryCollection', geometries }] as const;
  });
  const { origin, ...place } = placeOf(grid, scale);
  const topology = {
    type: 'Topology',
    ...(arcs.length === 0 ? {} : place),
    objects: Object.fromEntries(objects),
    arcs: arcs.map((arc) => differences(arc, origin)),
  };
  return `${JSON.stringify(topology)}\n`;
}

function geometryOf(shape: Shape | undefined) {
  if (shape === undefined) return { type: null };
  const [only] = shape;
  return shape.length === 1 ? { type: 'Polygon', arcs: only } : { type: 'MultiPolygon', arcs: shape };
}

/** The place of the grid in degrees: its edges are exactly those of the extent, so that no unit crosses ±180. */
function placeOf({ cell, extent }: Grid, scale: number) {
  const [west, south, east, north] = extent;
  const [left, bottom, right, top] = extent.map((edge) => Math.floor(edge / cell)) as typeof extent;
  const size = (from: number, to: number, cells: number): number => (cells === 0 ? cell : (to - from) / cells) / scale;
  return {
    bbox: extent.map((edge) => edge / scale),
    transform: {
      scale: [size(west, east, right - left), size(south, north, top - bottom)],
      translate: [west / scale, south / scale],
    },
    origin: [left, bottom] as const,
  };
}

function differences(arc: Simplified['arcs'][number], origin: readonly [number, number]): number[][] {
  let [x0, y0] = origin;
  return arc.map(([x, y]) => {
    const difference = [x - x0, y - y0];
    [x0, y0] = [x, y];
    return difference;
  });
}
