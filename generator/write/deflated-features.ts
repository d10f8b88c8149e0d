// The deflate data of features, alone and chained to the feature before them: the feature files and pages of a task are
// put together from it. Used by write-files.ts and the estimate of a build.
import { sumOf, type TextSum } from '../../format/crc32.ts';
import { numberAt } from '../../format/element-at.ts';
import { deflateLine } from '../../format/gzip.ts';
import type { Ranges } from '../../format/positions.ts';
import type { StoredFeature, StoreReader } from '../store/feature-store.ts';

/** A feature behind others. */
export interface DeflatedFeature {
  /** Its data alone, which refers to nothing before it. */
  alone: Buffer;
  /** Its data chained to the feature before it; undefined if that is another one here, or if it is not chained. */
  chained: Buffer | undefined;
  /** Of its text. */
  sum: TextSum;
}

/** A feature is chained if that saves this share of its data. */
const SAVED_MIN = 0.1;

/**
 * The data of a feature that refers to the one before it; undefined if it is to be in the feature file alone. That of a
 * long text is: its coordinates are most of it.
 * @param line,before their texts; undefined if they are long
 * @param alone its data
 */
export function chainedData(line: Buffer | undefined, before: Buffer | undefined, alone: Buffer): Buffer | undefined {
  if (line === undefined || before === undefined) return undefined;
  const chained = deflateLine(line, before);
  return chained.length <= (1 - SAVED_MIN) * alone.length ? chained : undefined;
}

/** A feature with its data. */
interface Made {
  /** Its text; undefined if it is long. */
  line: Buffer | undefined;
  alone: Buffer;
  sum: TextSum;
  /** Asked for behind the feature before it, for the first time. */
  chained?: { data: Buffer | undefined };
}

/**
 * How many short features are kept: a few feature files. The files of a task come by first position, so that each
 * feature is compressed once for nearly all that hold it.
 */
const KEPT_FEATURES = 3000;

/** The features in a store, with their deflate data. */
export class DeflatedFeatures {
  readonly #store: StoreReader;
  readonly #perFile: number;
  /** By position, in the order in which they were read. */
  readonly #kept = new Map<number, Made>();

  /** @param perFile features in each feature file: the first of each is not chained */
  constructor(store: StoreReader, perFile: number) {
    this.#store = store;
    this.#perFile = perFile;
  }

  /** The features at some positions, in order. */
  *read(ranges: Ranges): Generator<DeflatedFeature> {
    let before: Made | undefined;
    let next = 0;
    for (let i = 0; i < ranges.length; i += 2) {
      const [first, end] = [numberAt(ranges, i), numberAt(ranges, i + 1)];
      if (first !== next) before = undefined;
      next = first;
      for (const made of this.#run(first, end)) {
        if (next++ % this.#perFile === 0) before = undefined;
        yield { alone: made.alone, sum: made.sum, chained: before && chainedTo(before, made) };
        before = made;
      }
    }
  }

  /** Those of one range: what is not kept is read from the store. */
  *#run(first: number, end: number): Generator<Made> {
    for (let position = first; position < end; ) {
      const kept = this.#kept.get(position);
      if (kept !== undefined) {
        yield kept;
        position++;
        continue;
      }
      let stop = position + 1;
      while (stop < end && !this.#kept.has(stop)) stop++;
      for (const stored of this.#store.read([position, stop])) yield this.#made(position++, stored);
    }
  }

  #made(position: number, { bytes, deflated }: StoredFeature): Made {
    if (deflated !== undefined) return { line: undefined, alone: bytes, sum: deflated };
    // Not a view of what was read together, which would be kept as a whole.
    const line = Buffer.from(bytes);
    const made = { line, alone: deflateLine(line), sum: sumOf(line) };
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size === KEPT_FEATURES) this.#kept.delete(oldest);
    this.#kept.set(position, made);
    return made;
  }
}

function chainedTo(before: Made, made: Made): Buffer | undefined {
  made.chained ??= { data: chainedData(made.line, before.line, made.alone) };
  return made.chained.data;
}
