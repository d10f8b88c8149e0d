// The rings of a level's units as they are published, in a feature store beside that of the texts: cells, simplified
// geometries, validity and tiles are made of them in child processes, while the level's files are written. Simplified
// polygons are kept in the same way.
import { VarintReader } from '../../format/cell-numbers.ts';
import type { Ranges } from '../../format/positions.ts';
import { VARINT_BYTES, writeSigned, writeVarint } from '../../format/write/varints.ts';
import { newText, reserve } from '../geojson/byte-writer.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { Coordinates } from '../rings/coordinates.ts';
import { createSideStore, openStore } from './feature-store.ts';
import type { OffsetIndex } from './store-index.ts';

/** Takes the rings of one unit after the other. */
export interface RingStoreWriter extends RingSink {
  /** Ends a unit, also one without rings. */
  unit(fid: number): void;
  close(): OffsetIndex;
}

const AREA_BYTES = 8;

/**
 * Creates a ring store. A ring is twice the number of its positions, plus 1 for a hole, then twice its signed area as a
 * double, then each position as the difference from the one before it in the unit: 6 bytes instead of the 16 of
 * doubles, at 7 decimals and a border of the usual detail.
 */
export function createRingStore(file: string): RingStoreWriter {
  const writer = createSideStore(file, Number.POSITIVE_INFINITY);
  const text = newText();
  let [x, y] = [0, 0];
  return {
    ring(positions, isHole, area) {
      reserve(text, VARINT_BYTES + AREA_BYTES + 2 * VARINT_BYTES * positions.count);
      const { bytes } = text;
      let at = writeVarint(bytes, text.length, 2 * positions.count + (isHole ? 1 : 0));
      at = bytes.writeDoubleLE(area, at);
      for (let i = 0; i < positions.count; i++) {
        const [east, north] = [positions.x(i), positions.y(i)];
        at = writeSigned(bytes, at, east - x);
        at = writeSigned(bytes, at, north - y);
        [x, y] = [east, north];
      }
      text.length = at;
    },
    unit(fid) {
      // The store keeps the bytes until it writes them.
      writer.append(fid, [Buffer.from(text.bytes.subarray(0, text.length))]);
      text.length = 0;
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
  const units = reader.features;
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
  const from = new VarintReader(bytes);
  let [x, y] = [0, 0];
  while (!from.isAtEnd) {
    const head = from.next();
    const isHole = head % 2 === 1;
    const area = bytes.readDoubleLE(from.at);
    from.at += AREA_BYTES;
    const count = (head - (isHole ? 1 : 0)) / 2;
    positions.resize(count);
    for (let i = 0; i < count; i++) {
      x += from.nextSigned();
      y += from.nextSigned();
      positions.set(i, x, y);
    }
    sink.ring(positions, isHole, area);
  }
}
