// Makes the tiles of a level at a zoom: a file with their contents, each once, and a record of which tiles have them.
// Runs in child processes, one for each level and zoom; archive.ts joins the zooms.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { f64At, i32At } from '../../format/element-at.ts';
import { gzipMember } from '../../format/gzip.ts';
import type { Level } from '../../format/levels.ts';
import { tileDigestOf } from '../../format/tiles.ts';
import type { Box } from '../geojson/bbox.ts';
import { NumberList } from '../geojson/number-list.ts';
import { createOutputFile } from '../release/output-file.ts';
import { joinAtAntimeridian } from '../shapes/antimeridian-tiles.ts';
import { boxesOfArcs, boxesOfUnits, meets } from '../shapes/arcs.ts';
import type { OpenRing } from '../shapes/assemble-polygons.ts';
import type { ZoomArcs } from '../shapes/cut-arcs.ts';
import type { LabelPlaces } from '../shapes/label-places.ts';
import { endBefore } from '../shapes/level-rings.ts';
import { readPreparedTiles, readZoomArcs } from '../shapes/prepare-tiles.ts';
import {
  type BorderLine,
  type LabelPlace,
  type SquareContent,
  type TileRun,
  tilesOf,
  type UnitShape,
} from '../shapes/quarter-tiles.ts';
import { MERCATOR_LATITUDE, mercatorX, mercatorY, TILE_EXTENT } from '../shapes/tile-arcs.ts';
import { NO_UNIT, zoomRings } from '../shapes/zoom-rings.ts';
import { LevelStore } from '../store/level-store.ts';
import { writeSerialized } from '../store/serialized-file.ts';
import type { Relatives } from './named-units.ts';
import { readTileAttributes, type TileAttributes } from './tile-attributes.ts';
import { encodeTile, type TileLayers } from './tile-layers.ts';

/** What to make. Plain data: it is sent to a child process. */
export interface CutTilesTask {
  level: Level;
  /** Path of the level's store. */
  store: string;
  relatives: Relatives;
  /** The work folder, with what `prepareTiles` wrote. */
  work: string;
  zoom: number;
  /** The deepest zoom. */
  deepest: number;
  /** Whether borders are drawn. */
  hasBorders: boolean;
  /** Path of the file for the contents; that of the record ends in `.record`. */
  file: string;
}

/** The tiles of a level at a zoom, ascending by id. Plain data. */
export interface ZoomRecord {
  /** The first tile of each run, how many follow each other, and the number of their content. */
  id: Float64Array;
  run: Uint32Array;
  content: Uint32Array;
  /** Of each content its length, gzipped and as text, its digest and CRC-32, in their order in the file. */
  length: Uint32Array;
  textLength: Uint32Array;
  digest: Uint8Array;
  crc: Uint32Array;
  /** Bytes of the largest content, without borders and as it is. */
  largest: { withoutBorders: number; whole: number };
  /** Units that are in any tile. */
  units: number;
}

/** Shapes of more places are made for the squares of this zoom, one after the other: of fewer they take 500 MB. */
const WHOLE_MAX_PLACES = 8_000_000;
const PARTED = 2;
/** Of an arc that is no border. */
const NO_GROUP = -1;
/** Names of units are in the polygons at so many of the deepest zooms. */
const NAMED_ZOOMS = 3;

/** Writes the tiles of a zoom, and their record. */
export function cutTiles({ level, zoom, deepest, hasBorders, file, ...task }: CutTilesTask): void {
  const store = new LevelStore(task.store);
  const prepared = readPreparedTiles(task.work);
  const own = prepared.levels.find((described) => described.level === level);
  if (own === undefined) throw new RangeError(`level ${level} was not prepared`);
  const labels = store.readLabels<LabelPlaces>();
  const attributes = readTileAttributes(level, store, task.relatives, labels, own.colours);
  const arcs = readZoomArcs(task.work, zoom);
  const rings = zoomRings(prepared, arcs, own.first, own.colours.length, zoom === deepest);
  const side = TILE_EXTENT * 2 ** zoom;
  const places = [...labelsOf(labels, side)];
  const borders = bordersOf(arcs, rings.sides, attributes);
  const arcBoxes = boxesOfArcs(arcs);
  const unitBoxes = boxesOfUnits(prepared, arcBoxes, own.first, own.colours.length);
  // Shapes are several times as large as their arcs.
  const contentIn = (box: Box): SquareContent => {
    const shapes: UnitShape[] = [];
    for (let unit = 0; unit < own.colours.length; unit++) {
      if (!meets(unitBoxes, unit, box)) continue;
      const polygons = joinAtAntimeridian(rings.polygons(unit), side);
      if (polygons.length > 0) shapes.push({ unit, polygons });
    }
    const lines: BorderLine[] = [];
    for (const [arc, group] of borders.groupOf.entries())
      if (group !== NO_GROUP && meets(arcBoxes, arc, box)) lines.push({ group, line: lineOf(arcs, arc) });
    return { shapes, borders: lines, labels: places };
  };
  const names = zoom > deepest - NAMED_ZOOMS;
  const layers: TileLayers = { attributes, borders: borders.byGroup, hasNames: names };
  const output = newZoomWriter(file);
  const parted = arcs.x.length > WHOLE_MAX_PLACES ? PARTED : 0;
  for (const run of tilesOf(zoom, parted, contentIn)) output.add(run, encodeTile(run, layers), hasBorders);
  writeSerialized(recordFile(file), output.end());
}

/** The record beside a file of contents. */
export function recordFile(file: string): string {
  return `${file}.record`;
}

/** For each arc that two units have the group of its attributes, or NO_GROUP; and of each group these. */
function bordersOf(
  { arcEnds }: ZoomArcs,
  [first, second]: readonly [Int32Array, Int32Array],
  attributes: TileAttributes,
): { groupOf: Int32Array; byGroup: Map<number, ReturnType<TileAttributes['border']>> } {
  const groupOf = new Int32Array(arcEnds.length).fill(NO_GROUP);
  const byGroup = new Map<number, ReturnType<TileAttributes['border']>>();
  for (let arc = 0; arc < arcEnds.length; arc++) {
    const [a, b] = [i32At(first, arc), i32At(second, arc)];
    if (a === NO_UNIT || b === NO_UNIT || i32At(arcEnds, arc) - endBefore(arcEnds, arc) < 2) continue;
    const border = attributes.border(a, b);
    groupOf[arc] = border.group;
    byGroup.set(border.group, border);
  }
  return { groupOf, byGroup };
}

function lineOf({ x, y, arcEnds }: ZoomArcs, arc: number): OpenRing {
  const line: number[] = [];
  for (let i = endBefore(arcEnds, arc); i < i32At(arcEnds, arc); i++) line.push(i32At(x, i), i32At(y, i));
  return line;
}

function* labelsOf({ longitude, latitude }: LabelPlaces, side: number): Generator<LabelPlace> {
  for (let unit = 0; unit < longitude.length; unit++) {
    const degrees = f64At(latitude, unit);
    // Also of NaN.
    if (!(Math.abs(degrees) < MERCATOR_LATITUDE)) continue;
    const most = side - 1;
    yield {
      unit,
      x: Math.min(most, Math.floor(mercatorX(f64At(longitude, unit)) * side)),
      y: Math.min(most, Math.floor(mercatorY(degrees) * side)),
    };
  }
}

/** Tiles that follow each other and have the same content, ascending by id. */
export class TileRuns {
  readonly #id = new NumberList(Float64Array);
  readonly #run = new NumberList(Uint32Array);
  readonly #content = new NumberList(Uint32Array);

  /** Adds `count` tiles from an id on, behind those that there are. @param content the number of their content */
  add(id: number, count: number, content: number): void {
    const last = this.#id.length - 1;
    if (last >= 0 && this.#content.at(last) === content && this.#id.at(last) + this.#run.at(last) === id)
      this.#run.set(last, this.#run.at(last) + count);
    else {
      this.#id.push(id);
      this.#run.push(count);
      this.#content.push(content);
    }
  }

  values(): Pick<ZoomRecord, 'id' | 'run' | 'content'> {
    const [id, run, content] = [this.#id.values().slice(), this.#run.values().slice(), this.#content.values().slice()];
    return { id, run, content };
  }
}

/** Gzips contents, each once, and keeps the record. */
function newZoomWriter(file: string) {
  const output = createOutputFile(file);
  const runs = new TileRuns();
  const lengths = new NumberList(Uint32Array);
  const textLengths = new NumberList(Uint32Array);
  const crcs = new NumberList(Uint32Array);
  const digests: Buffer[] = [];
  const known = new Map<string, number>();
  const units = new Set<number>();
  const largest = { withoutBorders: 0, whole: 0 };
  return {
    add(
      { id, count, content }: TileRun,
      tile: { units: Buffer; borders: Buffer; labels: Buffer },
      hasBorders: boolean,
    ) {
      for (const { unit } of content.shapes) units.add(unit);
      const bytes = Buffer.concat([tile.units, ...(hasBorders ? [tile.borders] : []), tile.labels]);
      if (bytes.length === 0) return;
      const textKey = hash('sha256', bytes, 'base64');
      let number = known.get(textKey);
      if (number === undefined) {
        number = known.size;
        known.set(textKey, number);
        const member = gzipMember(bytes);
        output.write(member);
        lengths.push(member.length);
        textLengths.push(bytes.length);
        digests.push(tileDigestOf(member));
        crcs.push(crc32(member));
        largest.whole = Math.max(largest.whole, member.length);
        const isLarge = hasBorders && member.length > largest.withoutBorders && tile.borders.length > 0;
        const without = isLarge ? gzipMember(Buffer.concat([tile.units, tile.labels])).length : member.length;
        largest.withoutBorders = Math.max(largest.withoutBorders, without);
      }
      runs.add(id, count, number);
    },
    end(): ZoomRecord {
      output.close();
      return {
        ...runs.values(),
        length: lengths.values().slice(),
        textLength: textLengths.values().slice(),
        digest: Buffer.concat(digests),
        crc: crcs.values().slice(),
        largest,
        units: units.size,
      };
    },
  };
}
