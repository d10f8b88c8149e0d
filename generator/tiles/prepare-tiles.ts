// Prepares the tiles of all levels: one task divides their borders into common arcs, weighs these, searches them for
// edges that meet and colours the units, once; others make the arcs of a zoom each. Their results are files that the
// tasks of all levels and zooms read.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import { readSerialized, writeSerialized } from '../files/serialized-file.ts';
import { LevelStore } from '../store/level-store.ts';
import { arcNumber, readArcs, writeArcs } from '../topology/arcs.ts';
import { openUnitRings } from '../topology/level-rings.ts';
import { adjacentUnits, eachArc, meetingArcs, type UnitRange } from './adjacent-units.ts';
import { colourUnits, type UnitColours, type UnitPairs } from './colours.ts';
import { overlapCandidates } from './overlap-candidates.ts';
import { type FoundMeeting, makeZoomArcs, meetingAtDeepest, type ZoomArcs } from './simplify-zoom.ts';
import { placedArcs, shareTileArcs, TILE_EXTENT, weighTileArcs } from './tile-arcs.ts';
import type { TileRings } from './zoom-rings.ts';

/** Which levels, and how deep. Plain data: it is sent to a child process. */
export interface PrepareTilesTask {
  /** All levels that have units, ascending, with the paths of their stores. */
  levels: readonly { level: Level; store: string }[];
  /** Decimals of the coordinates. */
  precision: number;
  /** The deepest zoom. */
  zoom: number;
  /** The work folder. */
  work: string;
}

/** What is the same at every zoom. */
export interface PreparedTiles extends TileRings {
  /** Of each level that has units: which of all units are its own, and their colours. */
  levels: readonly PreparedLevel[];
}

/** What was found in the tiles of a level. Plain data. */
export interface FoundInTiles {
  level: Level;
  /** The units that have the colour of a neighbour, ascending. */
  crowded: readonly number[];
  /** Were its edges searched for those that meet? If not, too many do. */
  isSearched: boolean;
  /** The pairs of units that may overlap; none where it was not searched. */
  candidates: UnitPairs;
}

interface PreparedLevel extends UnitRange, UnitColours {
  level: Level;
}

/** A zoom whose arcs are to be made, of what `prepareTiles` wrote to a work folder. Plain data. */
export interface ZoomArcsTask {
  zoom: number;
  /** The deepest zoom. */
  deepest: number;
  work: string;
}

/**
 * Writes what is the same at every zoom: which arcs rings are made of, where these are, what their points weigh, which
 * of their edges meet, and the colours of units.
 */
export function prepareTiles({ levels, precision, zoom, work }: PrepareTilesTask): void {
  const units = levels.map(({ store }) => openUnitRings(new LevelStore(store), precision));
  const shared = shareTileArcs(units, zoom);
  for (const level of units) level.close();
  writeFileSync(fileIn(work, 'weights'), weighTileArcs(shared, zoom));
  const { arcs, ringEnds, holes, unitEnds } = shared;
  const rings: TileRings = { arcs, ringEnds, holes, unitEnds };
  const placed = placedArcs(shared);
  writeArcs(fileIn(work, 'arcs'), placed);
  let first = 0;
  const masks = new Uint8Array(placed.arcEnds.length);
  const ranges = levels.map(({ level }, at) => {
    const range = { level, first, count: elementAt(units, at).count };
    eachArc(rings, range, (directed) => {
      const arc = arcNumber(directed);
      masks[arc] = (masks[arc] ?? 0) | (1 << level);
    });
    first += range.count;
    return range;
  });
  writeFileSync(fileIn(work, 'masks'), masks);
  const { arcEnds, ...found } = meetingAtDeepest(placed, masks);
  writeSerialized(fileIn(work, 'meeting'), found satisfies FoundMeeting);
  const side = TILE_EXTENT * 2 ** zoom;
  const coloured = colourLevels(rings, ranges, masks, { arcEnds, ...found });
  const described = coloured.map(({ isSearched, candidates, ...own }): PreparedLevel => {
    const pairs = isSearched ? overlapCandidates(rings, own, placed, side, candidates) : NONE_MEET;
    const said = { level: own.level, crowded: own.crowded, isSearched, candidates: pairs } satisfies FoundInTiles;
    writeSerialized(fileIn(work, `found-${own.level}`), said);
    return own;
  });
  writeSerialized(fileIn(work, 'rings'), { ...rings, levels: described } satisfies PreparedTiles);
}

const NONE_MEET = new Float64Array();

/**
 * Colours the units of levels.
 * @param masks of each arc, a bit for each level that has it
 * @param found what of the arcs meets: of levels that were not searched the colours are by common arcs alone
 */
export function colourLevels(
  rings: TileRings,
  ranges: readonly (UnitRange & { level: Level })[],
  masks: Uint8Array,
  found: ReturnType<typeof meetingAtDeepest>,
): (PreparedLevel & FoundInTiles)[] {
  const meeting = meetingArcs(found.arcEnds, found.meeting);
  return ranges.map((range) => {
    const bit = 1 << range.level;
    const isSearched =
      !found.meeting.hasMore && masks.every((mask, arc) => (mask & bit) === (elementAt(found.levels, arc) & bit));
    const { neighbours, candidates } = adjacentUnits(rings, range, masks.length, isSearched ? meeting : NONE_MEET);
    return { ...range, ...colourUnits(range.count, neighbours), isSearched, candidates };
  });
}

/** Writes the arcs of a zoom. @returns how many places they have */
export function writeZoomArcs({ zoom, deepest, work }: ZoomArcsTask): number {
  const isDeepest = zoom === deepest;
  const weights = isDeepest ? new Float64Array() : readWeights(work);
  const known = isDeepest ? readSerialized<FoundMeeting>(fileIn(work, 'meeting')) : undefined;
  const masks = readFileSync(fileIn(work, 'masks'));
  const { arcs } = makeZoomArcs(readArcs(fileIn(work, 'arcs')), weights, masks, deepest - zoom, { known });
  writeArcs(fileIn(work, `arcs-${zoom}`), arcs);
  return arcs.x.length;
}

/** A file that the tasks of tiles leave for others in the work folder. */
function fileIn(
  work: string,
  name: 'rings' | 'arcs' | 'masks' | 'weights' | 'meeting' | `found-${Level}` | `arcs-${number}`,
): string {
  return join(work, `tiles-${name}`);
}

function readWeights(work: string): Float64Array {
  const { buffer, byteOffset, byteLength } = readFileSync(fileIn(work, 'weights'));
  return new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT);
}

/** Reads what is the same at every zoom. */
export function readPreparedTiles(work: string): PreparedTiles {
  return readSerialized(fileIn(work, 'rings'));
}

/** Reads what was found in the tiles of a level. */
export function readFoundInTiles(work: string, level: Level): FoundInTiles {
  return readSerialized(fileIn(work, `found-${level}`));
}

/** Reads the arcs of a zoom. */
export function readZoomArcs(work: string, zoom: number): ZoomArcs {
  return readArcs(fileIn(work, `arcs-${zoom}`));
}
