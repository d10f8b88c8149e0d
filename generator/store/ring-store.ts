// The rings of a level's units as they are published, in a feature store beside that of the texts: cells, simplified
// geometries, validity and tiles are made of them in child processes, while the level's files are written. Simplified
// polygons are kept in the same way.
import { u8At } from '../../format/element-at.ts';
import type { Ranges } from '../../format/positions.ts';
import { newText, reserve, type Text } from '../geojson/byte-writer.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { Coordinates } from '../rings/coordinates.ts';
import { createSideStore, openStore } from './feature-store.ts';
import type { StoreIndex } from './store-index.ts';

/** Takes the rings of one unit after the other. */
export interface RingStoreWriter extends RingSink {
  /** Ends a unit, also one without rings. */
  unit(fid: number): void;
  close(): StoreIndex;
}

/** Most bytes of a whole number below 2^53, of which 7 bits are in each. */
const VARINT_BYTES = 8;
const AREA_BYTES = 8;

/**
 * Creates a ring store. A ring is twice the number of its positions, plus 1 for a hole, then twice its signed area as a
 * double, then each position as the difference from the one before it in the unit: 6 bytes instead of the 16 of
 * doubles, at 7 decimals and a border of the usual detail.
 */
export function createRingStore(file: string): RingStoreWriter {
  const writer = createSideStore(file, Number.POSITIVE_INFINITY);
  const bytes = newText();
  let [x, y] = [0, 0];
  return {
    ring(positions, isHole, area) {
      reserve(bytes, VARINT_BYTES + AREA_BYTES + 2 * VARINT_BYTES * positions.count);
      writeVarint(bytes, 2 * positions.count + (isHole ? 1 : 0));
      bytes.length = bytes.bytes.writeDoubleLE(area, bytes.length);
      for (let i = 0; i < positions.count; i++) {
        const [east, north] = [positions.x(i), positions.y(i)];
        writeSigned(bytes, east - x);
        writeSigned(bytes, north - y);
        [x, y] = [east, north];
      }
    },
    unit(fid) {
      // The store keeps the bytes until it writes them.
      writer.append(fid, [Buffer.from(bytes.bytes.subarray(0, bytes.length))]);
      bytes.length = 0;
      [x, y] = [0, 0];
    },
    close: () => writer.close(),
  };
}

/** The rings of a level's units, by position. */
export interface RingStoreReader {
  units: number;
  /** Gives the rings of units to a sink, those at some positions or all, and yields after those of each unit. */
  read(sink: RingSink, ranges?: Ranges): Generator<void>;
  /**
   * For each unit, of those at some positions, a function that gives its rings to a sink until the next one is asked
   * for.
   */
  unitsAt(ranges: Ranges): Generator<(sink: RingSink) => void>;
  close(): void;
}

/** Opens a ring store. */
export function openRingStore(file: string): RingStoreReader {
  const reader = openStore(file);
  const units = reader.index.features;
  const positions = new Coordinates();

  function* unitsAt(ranges: Ranges): Generator<(sink: RingSink) => void> {
    for (const { bytes } of reader.read(ranges)) yield (sink) => giveRings(bytes, positions, sink);
  }

  return {
    units,
    *read(sink, ranges = [0, units]) {
      for (const give of unitsAt(ranges)) {
        give(sink);
        yield;
      }
    },
    unitsAt,
    close: () => reader.close(),
  };
}

/** Gives the rings in the bytes of a unit to a sink. @param positions are used for each of them */
function giveRings(bytes: Buffer, positions: Coordinates, sink: RingSink): void {
  const from: Reading = { bytes, at: 0 };
  let [x, y] = [0, 0];
  while (from.at < bytes.length) {
    const head = readVarint(from);
    const isHole = head % 2 === 1;
    const area = bytes.readDoubleLE(from.at);
    from.at += AREA_BYTES;
    const count = (head - (isHole ? 1 : 0)) / 2;
    positions.resize(count);
    for (let i = 0; i < count; i++) {
      x += readSigned(from);
      y += readSigned(from);
      positions.set(i, x, y);
    }
    sink.ring(positions, isHole, area);
  }
}

/** 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ... */
function writeSigned(text: Text, value: number): void {
  writeVarint(text, value < 0 ? -2 * value - 1 : 2 * value);
}

/** 7 bits a byte, the lowest first; the highest bit of a byte says that more follow. The caller has reserved them. */
function writeVarint(text: Text, value: number): void {
  const { bytes } = text;
  let at = text.length;
  let rest = value;
  // Operators on bits take 31 of them.
  for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) bytes[at++] = 128 + (rest % 128);
  for (; rest >= 128; rest >>>= 7) bytes[at++] = 128 | (rest & 127);
  bytes[at++] = rest;
  text.length = at;
}

interface Reading {
  bytes: Buffer;
  at: number;
}

function readSigned(from: Reading): number {
  const value = readVarint(from);
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
}

function readVarint(from: Reading): number {
  const { bytes } = from;
  let byte = u8At(bytes, from.at++);
  let value = byte & 127;
  let scale = 128;
  while (byte >= 128) {
    byte = u8At(bytes, from.at++);
    value += (byte & 127) * scale;
    scale *= 128;
  }
  return value;
}
