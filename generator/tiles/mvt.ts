// Writes Mapbox Vector Tiles 2.1 and takes them apart: the layers of a tile, as their specification has them. On top of
// pbf: a library for vector tiles takes objects of each position.
import { PbfReader, PbfWriter } from 'pbf';
import { elementAt, numberAt } from '../../format/element-at.ts';
import { FileError } from '../release-reader/file-error.ts';
import type { OpenPolygon, OpenRing } from '../rings/open-rings.ts';
import { TILE_EXTENT } from './tile-arcs.ts';

/** A value of an attribute; numbers are whole and not negative. */
export type TileValue = string | number | boolean;

type Attributes = Iterable<readonly [string, TileValue]>;

/** Types of geometries. */
const POINT = 1;
const LINES = 2;
const POLYGONS = 3;
/** Commands of geometries. */
const MOVE_TO = 1;
const LINE_TO = 2;
const CLOSE_PATH = 7;
/** Numbers of fields: of a tile, a layer, a feature, a value. */
const LAYER = 3;
const FIELD = { name: 1, feature: 2, key: 3, value: 4, extent: 5, version: 15 } as const;
const FEATURE = { id: 1, tags: 2, type: 3, geometry: 4 } as const;
const VALUE = { text: 1, whole: 5, boolean: 7 } as const;

/** A layer that is written tile by tile, feature by feature. */
export class TileLayer {
  readonly #name: string;
  readonly #layer = new PbfWriter();
  readonly #feature = new PbfWriter();
  readonly #geometry = new PbfWriter();
  readonly #keys = new Map<string, number>();
  readonly #values = new Map<TileValue, number>();
  #count = 0;
  #left = 0;
  #top = 0;

  /** @param name of the layer */
  constructor(name: string) {
    this.#name = name;
  }

  /** Begins a tile. @param left,top where its upper left corner is in the positions that follow */
  begin(left: number, top: number): this {
    this.#layer.pos = 0;
    this.#layer.writeVarintField(FIELD.version, 2);
    this.#layer.writeStringField(FIELD.name, this.#name);
    this.#keys.clear();
    this.#values.clear();
    [this.#count, this.#left, this.#top] = [0, left, top];
    return this;
  }

  point(id: number, attributes: Attributes, x: number, y: number): void {
    this.#geometry.pos = 0;
    this.#path([x, y], this.#left, this.#top);
    this.#add(POINT, id, attributes);
  }

  lines(attributes: Attributes, lines: readonly OpenRing[]): void {
    this.#geometry.pos = 0;
    let [x, y] = [this.#left, this.#top];
    for (const line of lines) {
      this.#path(line, x, y);
      [x, y] = [numberAt(line, line.length - 2), numberAt(line, line.length - 1)];
    }
    this.#add(LINES, undefined, attributes);
  }

  polygons(id: number, attributes: Attributes, polygons: readonly OpenPolygon[]): void {
    this.#geometry.pos = 0;
    let [x, y] = [this.#left, this.#top];
    for (const polygon of polygons)
      for (const ring of polygon) {
        this.#path(ring, x, y);
        this.#geometry.writeVarint(CLOSE_PATH + 8);
        [x, y] = [numberAt(ring, ring.length - 2), numberAt(ring, ring.length - 1)];
      }
    this.#add(POLYGONS, id, attributes);
  }

  /** The layer as a tile has it; no bytes if it has no features. */
  bytes(): Uint8Array {
    if (this.#count === 0) return new Uint8Array();
    const layer = this.#layer;
    for (const key of this.#keys.keys()) layer.writeStringField(FIELD.key, key);
    for (const value of this.#values.keys()) layer.writeMessage(FIELD.value, writeValue, value);
    layer.writeVarintField(FIELD.extent, TILE_EXTENT);
    const tile = new PbfWriter();
    tile.writeBytesField(LAYER, writtenBy(layer));
    return tile.finish();
  }

  /** A way from one position to others. */
  #path(places: OpenRing, fromX: number, fromY: number): void {
    let [x, y] = [fromX, fromY];
    const geometry = this.#geometry;
    for (let i = 0; i < places.length; i += 2) {
      if (i === 0) geometry.writeVarint(MOVE_TO + 8);
      if (i === 2) geometry.writeVarint(LINE_TO + 8 * (places.length / 2 - 1));
      const [toX, toY] = [numberAt(places, i), numberAt(places, i + 1)];
      geometry.writeSVarint(toX - x);
      geometry.writeSVarint(toY - y);
      [x, y] = [toX, toY];
    }
  }

  #add(type: number, id: number | undefined, attributes: Attributes): void {
    const feature = this.#feature;
    const tags: number[] = [];
    for (const [name, value] of attributes) tags.push(numberOf(this.#keys, name), numberOf(this.#values, value));
    // What differs from feature to feature by little stands together: a tile deflates to 2 % less. GDAL wants the type
    // first.
    feature.pos = 0;
    feature.writeVarintField(FEATURE.type, type);
    feature.writeBytesField(FEATURE.geometry, writtenBy(this.#geometry));
    if (id !== undefined) feature.writeVarintField(FEATURE.id, id);
    feature.writePackedVarint(FEATURE.tags, tags);
    this.#layer.writeBytesField(FIELD.feature, writtenBy(feature));
    this.#count++;
  }
}

/** What has been written; it is written over by what follows. */
function writtenBy({ buf, pos }: PbfWriter): Uint8Array {
  return buf.subarray(0, pos);
}

/** The number of an entry, which it is given when it is first asked for. */
function numberOf<T>(known: Map<T, number>, entry: T): number {
  const number = known.get(entry) ?? known.size;
  known.set(entry, number);
  return number;
}

function writeValue(value: TileValue, writer: PbfWriter): void {
  if (typeof value === 'string') writer.writeStringField(VALUE.text, value);
  else writer.writeVarintField(typeof value === 'number' ? VALUE.whole : VALUE.boolean, Number(value));
}

/** A tile without a layer. @throws FileError if it is cut */
export function withoutLayer(tile: Uint8Array, name: string): Uint8Array {
  const left = new PbfWriter();
  for (const { name: own, bytes } of layersOf(tile)) if (own !== name) left.writeBytesField(LAYER, bytes);
  return left.finish();
}

/** The ids of the features of a tile, with the names of the layers that they are in. @throws FileError if it is cut */
export function featureIdsIn(tile: Uint8Array): { id: number; layer: string }[] {
  const found: { id: number; layer: string }[] = [];
  for (const { name: layer, bytes } of layersOf(tile))
    readMessage(bytes, (field, reader) => {
      if (field !== FIELD.feature) return;
      readMessage(reader.readBytes(), (own, feature) => {
        if (own === FEATURE.id) found.push({ id: feature.readVarint(), layer });
      });
    });
  return found;
}

/**
 * The bytes of attributes in a tile: their keys, the values that no other attribute has, and the numbers of both in the
 * features.
 * @param isCounted says of a key whether its attribute is counted
 * @throws FileError if the tile is cut
 */
export function attributeBytesIn(tile: Uint8Array, isCounted: (key: string) => boolean): number {
  return layersOf(tile).reduce((sum, { bytes }) => sum + attributeBytesOf(bytes, isCounted), 0);
}

function attributeBytesOf(layer: Uint8Array, isCounted: (key: string) => boolean): number {
  const keys: string[] = [];
  const values: Uint8Array[] = [];
  const tags: number[] = [];
  readMessage(layer, (field, reader) => {
    if (field === FIELD.key) keys.push(reader.readString());
    if (field === FIELD.value) values.push(reader.readBytes());
    if (field !== FIELD.feature) return;
    readMessage(reader.readBytes(), (own, feature) => {
      if (own === FEATURE.tags) feature.readPackedVarint(tags);
    });
  });
  const counted = new PbfWriter();
  const [own, shared] = [new Set<number>(), new Set<number>()];
  for (let i = 0; i < tags.length; i += 2) {
    const [key, value] = [numberAt(tags, i), numberAt(tags, i + 1)];
    const isOne = isCounted(elementAt(keys, key));
    (isOne ? own : shared).add(value);
    if (isOne) for (const number of [key, value]) counted.writeVarint(number);
  }
  for (const key of keys.filter(isCounted)) counted.writeStringField(FIELD.key, key);
  for (const value of own) if (!shared.has(value)) counted.writeBytesField(FIELD.value, elementAt(values, value));
  return counted.pos;
}

function layersOf(tile: Uint8Array): { name: string; bytes: Uint8Array }[] {
  const layers: { name: string; bytes: Uint8Array }[] = [];
  readMessage(tile, (field, reader) => {
    if (field !== LAYER) return;
    const layer = { name: '', bytes: reader.readBytes() };
    readMessage(layer.bytes, (own, fields) => {
      if (own === FIELD.name) layer.name = fields.readString();
    });
    layers.push(layer);
  });
  return layers;
}

/** Reads the fields of a message. @throws FileError if it is cut */
function readMessage(message: Uint8Array, read: (field: number, reader: PbfReader) => void): void {
  const reader = new PbfReader(message);
  try {
    reader.readFields((field) => read(field, reader), undefined);
  } catch (error) {
    throw error instanceof FileError ? error : new FileError('has a tile that is cut');
  }
  if (reader.pos !== reader.length) throw new FileError('has a tile that is cut');
}
