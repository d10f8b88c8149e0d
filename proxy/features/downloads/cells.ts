// The cells of a level as a file that is saved.
import type { Cells } from '../../../format/cells.ts';
import { f64At } from '../../../format/element-at.ts';
import { cellsPath } from '../../../format/layout.ts';
import type { Answer } from '../../bodies/answer.ts';
import { type BodyPart, checkedStream, memoryParts, rangePart } from '../../bodies/checked-stream.ts';
import type { Row } from '../../bodies/row.ts';
import { StoredFile, TAG_CHARS } from '../../bodies/stored-file.ts';
import { Problem } from '../../http/problem.ts';
import type { ByteRange, QueuedReads, Recipient } from '../../origin/origin.ts';
import type { Listing } from '../pages/listing.ts';
import { CELLS } from '../places/level-places.ts';
import type { SavedEndpoint } from './endpoints.ts';
import { answerSaved, type RangedFile, type StreamedPart, savedRow } from './saved.ts';

/** The row of an endpoint. */
export function cellsRow(endpoint: SavedEndpoint): Row {
  return savedRow(endpoint, [], answerCells);
}

/**
 * The answer with the cells of a level, whole or a range. Reading its body throws OriginError or FormatError.
 * @throws Problem range-not-satisfiable; not-found if the release has none
 */
function answerCells(listing: Listing<SavedEndpoint>): Answer {
  const { level, representation } = listing;
  const { cells, features } = level.summary;
  if (cells === undefined)
    throw new Problem('not-found', `Release ${representation.release.id} has no cells: it was built with --no-cells.`);
  const path = `${level.folder}/${cellsPath(level.index.level)}`;
  const load = async (): Promise<Cells> => (await level.load(CELLS)).cells;
  return answerSaved(listing, new StoredCells(path, cells.bytes, cells.sha256.slice(0, TAG_CHARS), load), features);
}

/** A file of cells, of which ranges are sent: its directory from memory, each cell once it is read and checked. */
export class StoredCells extends StoredFile implements RangedFile {
  readonly #load: () => Promise<Cells>;

  /** @param load brings the directory into memory */
  constructor(path: string, bytes: number, tag: string, load: () => Promise<Cells>) {
    super(path, bytes, tag);
    this.#load = load;
  }

  part({ offset, length }: ByteRange): StreamedPart {
    const to = offset + length;
    const read: StreamedPart['read'] = (reads, client) =>
      reads.later(client, async () => {
        const parts = this.#parts(await this.#load(), reads, client, offset, to);
        return checkedStream(reads, parts, offset, to);
      });
    // A piece takes as much memory for one of its bytes as for all.
    return { bytes: this.bytes, read };
  }

  *#parts(cells: Cells, reads: QueuedReads, client: Recipient, from: number, to: number): Generator<BodyPart> {
    const { directory, arrays } = cells;
    yield* memoryParts(reads, directory, from, to);
    const startOf = (cell: number): number => f64At(arrays.start, cell);
    for (let cell = cells.cellOfByte(from), end: number; startOf(cell) < to; cell = end) {
      const [first, at] = [cell, startOf(cell)];
      end = cell + 1;
      while (startOf(end) < to && startOf(end + 1) - at <= reads.pieceBytes) end++;
      const [last, range] = [end, { offset: at, length: startOf(end) - at }];
      if (range.length === 0) continue;
      yield rangePart({ reads, client, path: this.path, range, at, staysOpen: true }, (bytes) => {
        for (let own = first; own < last; own++)
          if (!cells.hasBytes(own, bytes.subarray(startOf(own) - at, startOf(own + 1) - at))) return false;
        return true;
      });
    }
  }
}
