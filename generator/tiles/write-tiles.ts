// Makes the tiles of a level at a zoom: a file with their contents, each once, and a record of which tiles have them.
// Runs in child processes, one for each level and zoom; archive.ts joins the zooms.
import { hash } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { f64At, i32At, u32At } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import { languageAttribute, tileDigestOf } from '../../format/tiles.ts';
import { gzipMember } from '../../format/write/gzip.ts';
import { createOutputFile, type OutputFile } from '../files/output-file.ts';
import { readSerialized, writeSerialized } from '../files/serialized-file.ts';
import type { Relatives } from '../names/named-units.ts';
import { gunzipWithin, readAt } from '../release-reader/inflate.ts';
import { UnitClock, type UnitSeconds } from '../report/unit-clock.ts';
import type { Box } from '../rings/bbox.ts';
import { NumberList } from '../rings/number-list.ts';
import type { OpenRing } from '../rings/open-rings.ts';
import type { LabelPlaces } from '../simplify/label-places.ts';
import { LevelStore } from '../store/level-store.ts';
import { boxesOfArcs, boxesOfUnits, meets } from '../topology/arcs.ts';
import { endBefore } from '../topology/level-rings.ts';
import { joinAtAntimeridian } from './antimeridian-tiles.ts';
import type { LargestTile } from './first-zoom.ts';
import { attributeBytesIn, withoutLayer } from './mvt.ts';
import { readPreparedTiles, readZoomArcs } from './prepare-tiles.ts';
import { type BorderLine, type LabelPlace, type SquareContent, tilesOf, type UnitShape } from './quarter-tiles.ts';
import type { ZoomArcs } from './simplify-zoom.ts';
import { MERCATOR_LATITUDE, mercatorX, mercatorY, TILE_EXTENT } from './tile-arcs.ts';
import { readTileAttributes, type TileAttributes, type TileLanguage } from './tile-attributes.ts';
import { encodeTile, type TileLayers } from './tile-layers.ts';
import { type ArcOwners, NO_UNIT, zoomRings } from './zoom-rings.ts';

/** What to make. Plain data: it is sent to a child process. */
export interface WriteTilesTask {
  level: Level;
  /** Path of the level's store. */
  store: string;
  relatives: Relatives;
  /** The work folder, with what `prepareTiles` wrote. */
  work: string;
  zoom: number;
  /** The deepest zoom. */
  deepest: number;
  /** The languages whose names are in it besides the default ones. */
  languages: readonly TileLanguage[];
  /** Path of the file for the contents; that of the record ends in `.record`. */
  file: string;
}

/** The tiles of a level at a zoom, ascending by id. Plain data. */
export interface ZoomRecord {
  /** The first tile of each run, how many follow each other, and the number of their content. */
  id: Float64Array;
  run: Uint32Array;
  content: Uint32Array;
  /**
   * Of each content its length, gzipped and as text, how much of the text are names in languages, its digest and CRC-32,
   * in their order in the file.
   */
  length: Uint32Array;
  textLength: Uint32Array;
  languageLength: Uint32Array;
  digest: Uint8Array;
  crc: Uint32Array;
  largest: LargestTile;
  /** Units that have a polygon in any tile. */
  units: number;
}

/** Shapes of more places are made for the squares of this zoom, one after the other: of fewer they take 60 MB. */
const WHOLE_MAX_PLACES = 1_000_000;
const PARTED = 2;
/** Of an arc that is no border. */
const NO_GROUP = -1;
/** Names of units are in the polygons at so many of the deepest zooms. */
const NAMED_ZOOMS = 3;

/** Writes the tiles of a zoom, and their record. @returns what units take that take long, and the largest tile */
export function writeTiles({ level, zoom, deepest, file, ...task }: WriteTilesTask): {
  seconds: UnitSeconds;
  largest: LargestTile;
} {
  const store = new LevelStore(task.store);
  const prepared = readPreparedTiles(task.work);
  const own = prepared.levels.find((described) => described.level === level);
  if (own === undefined) throw new RangeError(`level ${level} was not prepared`);
  const labels = store.readLabels<LabelPlaces>();
  const attributes = readTileAttributes(level, store, task.relatives, labels, own.colours, task.languages);
  const arcs = readZoomArcs(task.work, zoom);
  const rings = zoomRings(prepared, arcs, own.first, own.colours.length, zoom === deepest);
  const side = TILE_EXTENT * 2 ** zoom;
  const places = [...labelsOf(labels, side)];
  const borders = bordersOf(arcs, rings.owners, attributes);
  const arcBoxes = boxesOfArcs(arcs);
  const unitBoxes = boxesOfUnits(prepared, arcBoxes, own.first, own.colours.length);
  const clock = new UnitClock();
  // Shapes are several times as large as their arcs.
  const contentIn = (box: Box): SquareContent => {
    const shapes: UnitShape[] = [];
    for (let unit = 0; unit < own.colours.length; unit++) {
      if (!meets(unitBoxes, unit, box)) continue;
      const isAtBothEdges = i32At(unitBoxes, 4 * unit) <= 0 && i32At(unitBoxes, 4 * unit + 2) >= side;
      const polygons = clock.during(unit, () => {
        const own = rings.polygons(unit);
        return isAtBothEdges ? joinAtAntimeridian(own, side) : own;
      });
      if (polygons.length > 0) shapes.push({ unit, polygons });
    }
    const lines: BorderLine[] = [];
    // Without an iterator, which makes a pair for each of a million arcs.
    for (let arc = 0; arc < borders.groupOf.length; arc++) {
      const group = i32At(borders.groupOf, arc);
      if (group !== NO_GROUP && meets(arcBoxes, arc, box)) lines.push({ group, line: lineOf(arcs, arc) });
    }
    return { shapes, borders: lines, labels: places };
  };
  const names = zoom > deepest - NAMED_ZOOMS;
  const layers: TileLayers = { attributes, borders: borders.byGroup, hasNames: names };
  const output = new ZoomWriter(file, task.languages);
  const units = new Set<number>();
  const parted = arcs.x.length > WHOLE_MAX_PLACES ? PARTED : 0;
  for (const run of tilesOf(zoom, parted, contentIn, clock)) {
    for (const { unit } of run.content.shapes) units.add(unit);
    const tile = encodeTile(run, layers);
    const hasBorders = tile.borders.length > 0;
    const without = hasBorders ? () => Buffer.concat([tile.units, tile.labels]) : undefined;
    output.add(run.id, run.count, output.content(Buffer.concat([tile.units, tile.borders, tile.labels]), without));
  }
  const record: ZoomRecord = { ...output.end(), units: units.size };
  writeSerialized(recordFile(file), record);
  return { seconds: clock.seconds(), largest: record.largest };
}

/** Writes the tiles of a zoom anew, without borders, which have no names. @returns the record */
export function withoutBorders(
  { file: from, languages }: Pick<WriteTilesTask, 'file' | 'languages'>,
  { units, ...record }: ZoomRecord,
  file: string,
): ZoomRecord {
  const output = new ZoomWriter(file, languages);
  const contents: (number | undefined)[] = [];
  for (const bytes of contentsOf(from, record)) {
    const text = gunzipWithin(bytes, u32At(record.textLength, contents.length));
    contents.push(output.content(withoutLayer(text, 'borders')));
  }
  for (const [i, id] of record.id.entries()) output.add(id, u32At(record.run, i), contents[u32At(record.content, i)]);
  return { ...output.end(), units };
}

/** The contents of a zoom, in their order in the file. */
export function* contentsOf(file: string, record: Pick<ZoomRecord, 'length'>): Generator<Buffer> {
  const handle = openSync(file, 'r');
  try {
    let offset = 0;
    for (const length of record.length) {
      yield readAt(handle, offset, length);
      offset += length;
    }
  } finally {
    closeSync(handle);
  }
}

/** The record of a zoom; undefined if it was not made. */
export function readRecord(file: string): ZoomRecord | undefined {
  return existsSync(recordFile(file)) ? readSerialized(recordFile(file)) : undefined;
}

/** The record beside a file of contents. */
export function recordFile(file: string): string {
  return `${file}.record`;
}

/** For each arc that two units have the group of its attributes, or NO_GROUP; and of each group these. */
function bordersOf(
  { arcEnds }: ZoomArcs,
  { first, second }: ArcOwners,
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
  // As long as it is: one that has grown keeps room for more.
  return line.slice();
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
class ZoomWriter {
  readonly #output: OutputFile;
  readonly #runs = new TileRuns();
  readonly #lengths = new NumberList(Uint32Array);
  readonly #textLengths = new NumberList(Uint32Array);
  readonly #languageLengths = new NumberList(Uint32Array);
  readonly #crcs = new NumberList(Uint32Array);
  readonly #digests: Buffer[] = [];
  /** The numbers of contents, by the digests of their texts. */
  readonly #known = new Map<string, number>();
  readonly #largest: LargestTile = { withoutBorders: 0, whole: 0 };

  readonly #languages: ReadonlySet<string>;

  /** @param languages whose names are in its contents */
  constructor(file: string, languages: readonly TileLanguage[]) {
    this.#output = createOutputFile(file);
    this.#languages = new Set(languages.map(({ tag }) => languageAttribute(tag)));
  }

  /**
   * The number of a content; undefined of one without layers.
   * @param without makes the same without borders, if it has some
   */
  content(text: Uint8Array, without?: () => Buffer): number | undefined {
    if (text.length === 0) return undefined;
    const key = hash('sha256', text, 'base64');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const number = this.#known.size;
    this.#known.set(key, number);
    const member = gzipMember(text);
    this.#output.write(member);
    this.#lengths.push(member.length);
    this.#textLengths.push(text.length);
    const isLanguage = (key: string): boolean => this.#languages.has(key);
    this.#languageLengths.push(this.#languages.size === 0 ? 0 : attributeBytesIn(text, isLanguage));
    this.#digests.push(tileDigestOf(member));
    this.#crcs.push(crc32(member));
    const largest = this.#largest;
    largest.whole = Math.max(largest.whole, member.length);
    const isLarge = without !== undefined && member.length > largest.withoutBorders;
    largest.withoutBorders = Math.max(largest.withoutBorders, isLarge ? gzipMember(without()).length : member.length);
    return number;
  }

  /** Adds `count` tiles from an id on. @param content undefined for none */
  add(id: number, count: number, content: number | undefined): void {
    if (content !== undefined) this.#runs.add(id, count, content);
  }

  end(): Omit<ZoomRecord, 'units'> {
    this.#output.close();
    return {
      ...this.#runs.values(),
      length: this.#lengths.values().slice(),
      textLength: this.#textLengths.values().slice(),
      languageLength: this.#languageLengths.values().slice(),
      digest: Buffer.concat(this.#digests),
      crc: this.#crcs.values().slice(),
      largest: this.#largest,
    };
  }
}
