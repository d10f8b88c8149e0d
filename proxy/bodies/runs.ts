// Runs of features, of one level or of several, in the order of a body: where the data of each is, and what all of them
// add up to. It follows from indexes alone: at once, or in steps where there are very many runs.
import { elementAt, numberAt } from '../../format/element-at.ts';
import type { FeatureData, FeatureTable } from '../../format/feature-table.ts';
import { type FrameData, MEMBER_HEADER } from '../../format/gzip.ts';
import type { Positions } from '../../format/positions.ts';
import type { Steps } from '../../format/steps.ts';
import type { LoadedTable } from '../data/loaded-release.ts';
import { tagOf } from './answer.ts';

/** Runs that are gone through in a step: some 100 microseconds. */
const STEP_RUNS = 512;

/** Data of features that follow one another in a file and in the body. */
export interface Piece {
  data: FeatureData;
  path: string;
  /** The first position, and the one after the last. */
  first: number;
  end: number;
  /** Where it begins in the body. */
  at: number;
}

export function bytesOf({ data, first, end }: Omit<Piece, 'at'>): number {
  return data.bytes(first, end);
}

export class Runs {
  /** The files that each run is cut from; the last ones are those of all further runs. */
  readonly #sources: readonly LoadedTable[];
  readonly #frame: FrameData;
  /** Pairs of the first position of a run and the one after its last, each of its own level. */
  readonly #ranges: number[];
  /** Where the data of each run begins in the body, and where the last one ends. */
  readonly #starts: number[];
  /** Where the data of the first one begins in the body. */
  readonly begin: number;
  /** Where that of the last one ends. */
  end: number;
  /** How many features they have. */
  features = 0;
  /** Bytes of their text. */
  textBytes = 0;
  /** Derived once: a listing that is asked for again has the same runs. */
  #tag: string | undefined;
  #crc: number | undefined;

  /**
   * @param frame what is around them
   * @param ranges pairs of the first position of a run and the one after its last; theirs from now on
   */
  constructor(sources: readonly LoadedTable[], frame: FrameData, ranges: number[]) {
    this.#sources = sources;
    this.#frame = frame;
    this.#ranges = ranges;
    this.begin = MEMBER_HEADER.length + frame.before.data.length;
    this.end = this.begin;
    this.#starts = [this.begin];
    this.#measure(0, this.count);
  }

  /** How many they are. */
  get count(): number {
    return this.#ranges.length / 2;
  }

  /** Adds those of a listing, to none, and finds tag and CRC in the same steps. */
  *adding(positions: Positions): Steps<void> {
    const digests: Uint8Array[] = [];
    let [chained, crc] = [0, this.#frame.before.crc];
    for (let from = 0, to: number; from < positions.runs; from = to) {
      if (from > 0) yield;
      to = Math.min(from + STEP_RUNS, positions.runs);
      for (let run = from; run < to; run++) this.#ranges.push(positions.firstOf(run), positions.endOf(run));
      this.#measure(from, to);
      digests.push(this.#digests(from, to));
      chained = this.#chainedCrc(from, to, chained);
      crc = this.#textCrc(from, to, crc);
    }
    this.#tag = this.#tagOf(joined(digests), chained);
    this.#crc = crc;
  }

  /** What tells them from others in an entity tag: the same in every release with the same bytes. */
  get tag(): string {
    this.#tag ??= this.#tagOf(this.#digests(0, this.count), this.#chainedCrc(0, this.count, 0));
    return this.#tag;
  }

  /** CRC-32 of the text before them and of theirs, as if all features had separators. */
  get crc(): number {
    this.#crc ??= this.#textCrc(0, this.count, this.#frame.before.crc);
    return this.#crc;
  }

  #tagOf(digests: Uint8Array, chained: number): string {
    // One feature needs no digest of its digest.
    if (this.features === 1) return Buffer.from(digests).toString('base64url');
    return `${tagOf(digests)}-${chained.toString(36)}`;
  }

  #sourceOf(run: number): LoadedTable {
    return elementAt(this.#sources, Math.min(run, this.#sources.length - 1));
  }

  /** Goes over the runs `from` up to but not including `to`. */
  #each(from: number, to: number, visit: (table: FeatureTable, first: number, end: number) => void): void {
    for (let run = from; run < to; run++)
      visit(this.#sourceOf(run).table, numberAt(this.#ranges, 2 * run), numberAt(this.#ranges, 2 * run + 1));
  }

  #measure(from: number, to: number): void {
    this.#each(from, to, (table, first, end) => {
      this.features += end - first;
      this.textBytes += table.textBytes(first, end);
      this.end += table.runBytes(first, end);
      this.#starts.push(this.end);
    });
  }

  #digests(from: number, to: number): Uint8Array {
    const parts: Uint8Array[] = [];
    this.#each(from, to, (table, first, end) => parts.push(table.digests(first, end)));
    return joined(parts);
  }

  /** CRC-32 of their chained data, behind other data: unlike the features it can have other bytes in another release. */
  #chainedCrc(from: number, to: number, before: number): number {
    let crc = before;
    this.#each(from, to, (table, first, end) => {
      if (end > first + 1) crc = table.chained.crc(first + 1, end, crc);
    });
    return crc;
  }

  #textCrc(from: number, to: number, before: number): number {
    let crc = before;
    this.#each(from, to, (table, first, end) => {
      crc = table.textCrc(first, end, crc, this.#frame.format);
    });
    return crc;
  }

  /**
   * The data among some bytes of the body: of each run the first feature alone, then the others as they are in feature
   * files.
   * @param maxBytes of a piece, unless it is one feature
   */
  *pieces(from: number, to: number, maxBytes: number): Generator<Piece> {
    let low = 0;
    for (let high = this.#starts.length; high - low > 1; ) {
      const middle = (low + high) >>> 1;
      if (numberAt(this.#starts, middle) <= from) low = middle;
      else high = middle;
    }
    for (let run = low; run < this.count; run++) {
      let [at, first] = [numberAt(this.#starts, run), numberAt(this.#ranges, 2 * run)];
      if (at >= to) return;
      const source = this.#sourceOf(run);
      const { table } = source;
      const { chained, alone } = table;
      const last = numberAt(this.#ranges, 2 * run + 1);
      if (table.aloneAt(first) === alone) {
        const piece = { data: alone, path: source.file(table.fileOf(first), 'alone'), first, end: ++first, at };
        at += bytesOf(piece);
        if (at > from) yield piece;
      }
      const skipped = at < from ? chained.positionAt(from - at, first, last) : first;
      at += chained.bytes(first, skipped);
      for (let end = skipped; end < last && at < to; at += chained.bytes(first, end)) {
        first = end;
        const file = table.fileOf(first);
        const most = Math.min(last, table.fileEnd(file));
        const asked = chained.positionAt(to - at - 1, first, most) + 1;
        end = Math.max(first + 1, Math.min(asked, chained.positionAt(maxBytes, first, most)));
        yield { data: chained, path: source.file(file, 'features'), first, end, at };
      }
    }
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = parts;
  return parts.length > 1 ? Buffer.concat(parts) : first;
}
