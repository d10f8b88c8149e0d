// Writes Mapbox Vector Tiles 2.1 and takes them apart: the layers of a tile, as their specification has them. Our own, as
// the numbers are here already: a library takes objects of each position.
import { elementAt, numberAt } from '../../format/element-at.ts';
import { FileError } from '../release-reader/file-error.ts';
import type { OpenPolygon, OpenRing } from '../topology/assemble-polygons.ts';
import { TILE_EXTENT } from './tile-arcs.ts';

/** A value of an attribute; numbers are whole and not negative. */
export type TileValue = string | number | boolean;

/** Types of geometries. */
const POINT = 1;
const LINES = 2;
const POLYGONS = 3;
/** Commands of geometries. */
const MOVE_TO = 1;
const LINE_TO = 2;
const CLOSE_PATH = 7;
/** Fields of a layer with their wire type: 0 a number, 2 bytes. */
const FIELD = { name: 0x0a, feature: 0x12, key: 0x1a, value: 0x22, extent: 0x28, version: 0x78 } as const;
/** That of a tile. */
const LAYER = 0x1a;
/** The number of the field with a layer's name. */
const NAME = FIELD.name >> 3;

/** Growing bytes with the numbers of protocol buffers. */
class ProtoWriter {
  #bytes = Buffer.allocUnsafe(1 << 12);
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  get length(): number {
    return this.#length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  number(value: number): void {
    this.#reserve(10);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = 128 + (rest % 128);
    this.#bytes[this.#length++] = rest;
  }

  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  field(tag: number, bytes: Uint8Array): void {
    this.number(tag);
    this.number(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#length + more));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** A layer that is written tile by tile, feature by feature. */
export class TileLayer {
  readonly #name: string;
  readonly #features = new ProtoWriter();
  readonly #feature = new ProtoWriter();
  readonly #geometry = new ProtoWriter();
  readonly #tags = new ProtoWriter();
  readonly #value = new ProtoWriter();
  readonly #end = new ProtoWriter();
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
    this.#features.clear();
    this.#keys.clear();
    this.#values.clear();
    [this.#count, this.#left, this.#top] = [0, left, top];
    return this;
  }

  point(id: number, attributes: Iterable<readonly [string, TileValue]>, x: number, y: number): void {
    this.#geometry.clear();
    this.#path([x, y], this.#left, this.#top);
    this.#add(POINT, id, attributes);
  }

  lines(attributes: Iterable<readonly [string, TileValue]>, lines: readonly OpenRing[]): void {
    this.#geometry.clear();
    let [x, y] = [this.#left, this.#top];
    for (const line of lines) {
      this.#path(line, x, y);
      [x, y] = [numberAt(line, line.length - 2), numberAt(line, line.length - 1)];
    }
    this.#add(LINES, undefined, attributes);
  }

  polygons(id: number, attributes: Iterable<readonly [string, TileValue]>, polygons: readonly OpenPolygon[]): void {
    this.#geometry.clear();
    let [x, y] = [this.#left, this.#top];
    for (const polygon of polygons)
      for (const ring of polygon) {
        this.#path(ring, x, y);
        this.#geometry.number(CLOSE_PATH + 8);
        [x, y] = [numberAt(ring, ring.length - 2), numberAt(ring, ring.length - 1)];
      }
    this.#add(POLYGONS, id, attributes);
  }

  /** The layer as a tile has it; no bytes if it has no features. */
  bytes(): Buffer {
    if (this.#count === 0) return Buffer.alloc(0);
    const [head, end, layer] = [this.#tags, this.#end, this.#feature];
    head.clear();
    head.number(FIELD.version);
    head.number(2);
    head.field(FIELD.name, Buffer.from(this.#name));
    end.clear();
    for (const key of this.#keys.keys()) end.field(FIELD.key, Buffer.from(key));
    for (const value of this.#values.keys()) end.field(FIELD.value, this.#encoded(value));
    end.number(FIELD.extent);
    end.number(TILE_EXTENT);
    layer.clear();
    layer.field(LAYER, Buffer.concat([head.bytes(), this.#features.bytes(), end.bytes()]));
    return Buffer.from(layer.bytes());
  }

  /** A way from one position to others. */
  #path(places: OpenRing, fromX: number, fromY: number): void {
    let [x, y] = [fromX, fromY];
    const geometry = this.#geometry;
    for (let i = 0; i < places.length; i += 2) {
      if (i === 0) geometry.number(MOVE_TO + 8);
      if (i === 2) geometry.number(LINE_TO + 8 * (places.length / 2 - 1));
      const [toX, toY] = [numberAt(places, i), numberAt(places, i + 1)];
      geometry.signed(toX - x);
      geometry.signed(toY - y);
      [x, y] = [toX, toY];
    }
  }

  #add(type: number, id: number | undefined, attributes: Iterable<readonly [string, TileValue]>): void {
    const feature = this.#feature;
    feature.clear();
    this.#tags.clear();
    for (const [name, value] of attributes) {
      let key = this.#keys.get(name);
      if (key === undefined) {
        key = this.#keys.size;
        this.#keys.set(name, key);
      }
      let known = this.#values.get(value);
      if (known === undefined) {
        known = this.#values.size;
        this.#values.set(value, known);
      }
      this.#tags.number(key);
      this.#tags.number(known);
    }
    // What differs from feature to feature by little stands together: a tile deflates to 2 % less. GDAL wants the type
    // first.
    feature.number(0x18);
    feature.number(type);
    feature.field(0x22, this.#geometry.bytes());
    if (id !== undefined) {
      feature.number(0x08);
      feature.number(id);
    }
    feature.field(0x12, this.#tags.bytes());
    this.#features.field(FIELD.feature, feature.bytes());
    this.#count++;
  }

  #encoded(value: TileValue): Buffer {
    const writer = this.#value;
    writer.clear();
    if (typeof value === 'string') writer.field(0x0a, Buffer.from(value));
    else {
      // Unsigned numbers are field 5, booleans field 7.
      writer.number(typeof value === 'number' ? 0x28 : 0x38);
      writer.number(Number(value));
    }
    return writer.bytes();
  }
}

/** A tile without a layer. @throws FileError if it is cut */
export function withoutLayer(tile: Buffer, name: string): Buffer {
  const left = new ProtoWriter();
  for (const [, layer] of messageFields(tile)) if (layerName(layer) !== name) left.field(LAYER, layer);
  return Buffer.from(left.bytes());
}

/** The name of a layer. @throws FileError if it is cut */
export function layerName(layer: Buffer): string | undefined {
  for (const [field, bytes] of messageFields(layer)) if (field === NAME) return bytes.toString();
  return undefined;
}

/** The fields of a message of protocol buffers: bytes, or a number. @throws FileError if it is cut */
export function* messageFields(message: Buffer): Generator<[field: number, bytes: Buffer, number: number]> {
  let at = 0;
  const take = (): number => {
    for (let [value, factor] = [0, 1]; ; factor *= 128) {
      const byte = elementAt(message, at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = take();
    const value = take();
    if ((key & 7) === 0) yield [key >> 3, message.subarray(0, 0), value];
    else {
      if ((key & 7) !== 2 || at + value > message.length) throw new FileError('has a tile that is cut');
      yield [key >> 3, message.subarray(at, at + value), 0];
      at += value;
    }
  }
}
