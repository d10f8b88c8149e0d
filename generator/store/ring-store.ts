// The rings of a level's units as they are published, in a feature store beside that of the texts: cells, simplified
// geometries and the overview are made of them in child processes, while the level's files are written.
import { elementAt } from '../../format/element-at.ts';
import type { Ranges } from '../../format/positions.ts';
import { Coordinates } from '../geojson/coordinates.ts';
import type { RingSink } from '../geojson/geometry.ts';
import { NumberList } from '../geojson/number-list.ts';
import { createSideStore, openStore } from './feature-store.ts';
import type { StoreIndex } from './store-index.ts';

/** Takes the rings of one unit after the other. */
export interface RingStoreWriter extends RingSink {
  /** Ends a unit, also one without rings. */
  unit(fid: number): void;
  close(): StoreIndex;
}

/** Numbers before the positions of a ring: how many positions, 1 for a hole, and twice its signed area. */
const HEAD_NUMBERS = 3;

/** Creates a ring store. */
export function createRingStore(file: string): RingStoreWriter {
  const writer = createSideStore(file, Number.POSITIVE_INFINITY);
  const numbers = new NumberList(Float64Array);
  return {
    ring(positions, isHole, area) {
      for (const number of [positions.count, isHole ? 1 : 0, area]) numbers.push(number);
      for (let i = 0; i < positions.count; i++) {
        numbers.push(positions.x(i));
        numbers.push(positions.y(i));
      }
    },
    unit(fid) {
      // The store keeps the bytes until it writes them.
      const bytes = Buffer.from(numbers.values().slice().buffer);
      writer.append(fid, [bytes]);
      numbers.length = 0;
    },
    close: () => writer.close(),
  };
}

/** The rings of a level's units, by position. */
export interface RingStoreReader {
  units: number;
  /** Gives the rings of units to a sink, those at some positions or all, and yields after those of each unit. */
  read(sink: RingSink, ranges?: Ranges): Generator<void>;
  close(): void;
}

/** Opens a ring store. */
export function openRingStore(file: string): RingStoreReader {
  const reader = openStore(file);
  const units = reader.index.features;
  return {
    units,
    *read(sink, ranges = [0, units]) {
      const positions = new Coordinates();
      for (const { bytes } of reader.read(ranges)) {
        const numbers = new Float64Array(bytes.length / 8);
        new Uint8Array(numbers.buffer).set(bytes);
        for (let at = 0; at < numbers.length; ) {
          const count = elementAt(numbers, at);
          const isHole = numbers[at + 1] === 1;
          const area = elementAt(numbers, at + 2);
          at += HEAD_NUMBERS;
          positions.resize(count);
          for (let i = 0; i < count; i++, at += 2) positions.set(i, elementAt(numbers, at), elementAt(numbers, at + 1));
          sink.ring(positions, isHole, area);
        }
        yield;
      }
    },
    close: () => reader.close(),
  };
}
