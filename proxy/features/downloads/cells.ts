// The cells of a level as a file that is saved.
import type { Cells } from '../../../format/cells.ts';
import { f64At } from '../../../format/element-at.ts';
import { cellsPath } from '../../../format/layout.ts';
import type { Answer } from '../../bodies/answer.ts';
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
    const stream = (cells: Cells, reads: QueuedReads, client: Recipient) =>
      this.#stream(cells, reads, client, offset, offset + length);
    const read: StreamedPart['read'] = (reads, client) =>
      reads.later(client, async () => stream(await this.#load(), reads, client));
    // A piece takes as much memory for one of its bytes as for all.
    return { bytes: this.bytes, read };
  }

  async *#stream(
    cells: Cells,
    reads: QueuedReads,
    client: Recipient,
    offset: number,
    to: number,
  ): AsyncGenerator<Buffer> {
    const { directory, arrays } = cells;
    const startOf = (cell: number): number => f64At(arrays.start, cell);
    for (let at = offset, end: number; at < Math.min(to, directory.length); at = end) {
      end = Math.min(to, directory.length, at + reads.pieceBytes);
      yield Buffer.from(directory.subarray(at, end));
    }
    const take = reads.pieceMemory();
    for (let cell = cells.cellOfByte(offset), next: number; startOf(cell) < to; cell = next) {
      const from = startOf(cell);
      next = cell + 1;
      while (startOf(next) < to && startOf(next + 1) - from <= reads.pieceBytes) next++;
      const range = { offset: from, length: startOf(next) - from };
      if (range.length === 0) continue;
      const memory = take(range.length);
      const bytes = reads.now(this.path, range, memory, 0, true) ? memory : await reads.read(this.path, range, client);
      for (let own = cell; own < next; own++)
        if (!cells.hasBytes(own, bytes.subarray(startOf(own) - from, startOf(own + 1) - from)))
          throw reads.damaged(this.path, `cell ${own}`);
      yield bytes.subarray(Math.max(0, offset - from), to - from);
    }
  }
}
