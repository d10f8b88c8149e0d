// Prepares the tiles of all levels: one task divides their borders into common arcs and weighs these once, others cut
// them for a zoom each. Their results are files that the tasks of all levels and zooms read.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt, i32At } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import { readSerialized, writeSerialized } from '../files/serialized-file.ts';
import { NumberList } from '../rings/number-list.ts';
import { LevelStore } from '../store/level-store.ts';
import { readArcs, writeArcs } from '../topology/arcs-file.ts';
import { endBefore, openUnitRings } from '../topology/level-rings.ts';
import { colourUnits } from './colours.ts';
import { cutZoomArcs, type ZoomArcs } from './cut-arcs.ts';
import { placedArcs, shareTileArcs, weighTileArcs } from './tile-arcs.ts';
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
  /** Of each level that has units: the index of its first one, and the colours of its units. */
  levels: readonly { level: Level; first: number; colours: Uint8Array }[];
}

/** A zoom to be cut, of what `prepareTiles` wrote to a work folder. Plain data. */
export interface CutZoomTask {
  zoom: number;
  /** The deepest zoom. */
  deepest: number;
  work: string;
}

/** Writes what is the same at every zoom: which arcs rings are made of, where these are, and what their points weigh. */
export function prepareTiles({ levels, precision, zoom, work }: PrepareTilesTask): void {
  const units = levels.map(({ store }) => openUnitRings(new LevelStore(store), precision));
  const shared = shareTileArcs(units, zoom);
  for (const level of units) level.close();
  let first = 0;
  const masks = new Uint8Array(shared.arcEnds.length);
  const described = levels.map(({ level }, at) => {
    const { count } = elementAt(units, at);
    const colours = colourUnits(count, neighboursOf(shared, first, count, masks, 1 << level));
    const own = { level, first, colours };
    first += count;
    return own;
  });
  const { arcs, ringEnds, holes, unitEnds } = shared;
  writeSerialized(preparedFile(work), { arcs, ringEnds, holes, unitEnds, levels: described } satisfies PreparedTiles);
  writeArcs(sharedFile(work), placedArcs(shared));
  writeFileSync(masksFile(work), masks);
  writeFileSync(weightsFile(work), weighTileArcs(shared, zoom));
}

/** Writes the arcs of a zoom. */
export function cutZoom({ zoom, deepest, work }: CutZoomTask): void {
  const weights = zoom === deepest ? new Float64Array() : readWeights(work);
  const cut = cutZoomArcs(readArcs(sharedFile(work)), weights, readFileSync(masksFile(work)), deepest - zoom);
  writeArcs(zoomFile(work, zoom), cut.arcs);
}

/** Pairs of units of a level that have an arc in common. @param masks gets a bit for each arc that the level has */
function neighboursOf(
  { arcs, ringEnds, unitEnds, arcEnds }: ReturnType<typeof shareTileArcs>,
  first: number,
  units: number,
  masks: Uint8Array,
  bit: number,
): Int32Array {
  const pairs = new NumberList(Int32Array);
  const last = new Int32Array(arcEnds.length).fill(-1);
  for (let unit = 0; unit < units; unit++)
    for (let ring = endBefore(unitEnds, first + unit); ring < i32At(unitEnds, first + unit); ring++)
      for (let i = endBefore(ringEnds, ring); i < i32At(ringEnds, ring); i++) {
        const arc = i32At(arcs, i) < 0 ? ~i32At(arcs, i) : i32At(arcs, i);
        masks[arc] = (masks[arc] ?? 0) | bit;
        const other = i32At(last, arc);
        if (other !== -1 && other !== unit) {
          pairs.push(other);
          pairs.push(unit);
        }
        last[arc] = unit;
      }
  return pairs.values();
}

function preparedFile(work: string): string {
  return join(work, 'tiles-rings');
}

function sharedFile(work: string): string {
  return join(work, 'tiles-arcs');
}

function masksFile(work: string): string {
  return join(work, 'tiles-masks');
}

function weightsFile(work: string): string {
  return join(work, 'tiles-weights');
}

function readWeights(work: string): Float64Array {
  const { buffer, byteOffset, byteLength } = readFileSync(weightsFile(work));
  return new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT);
}

function zoomFile(work: string, zoom: number): string {
  return join(work, `tiles-arcs-${zoom}`);
}

/** Reads what is the same at every zoom. */
export function readPreparedTiles(work: string): PreparedTiles {
  return readSerialized(preparedFile(work));
}

/** Reads the arcs of a zoom. */
export function readZoomArcs(work: string, zoom: number): ZoomArcs {
  return readArcs(zoomFile(work, zoom));
}
