// Which units of a level share a border, and for how many metres, as a table that is saved: the stored file. Used by
// rows.ts.
import { createHash } from 'node:crypto';
import { neighboursTablePath } from '../../../format/layout.ts';
import { LEVELS, levelName } from '../../../format/levels.ts';
import type { Answer } from '../../bodies/answer.ts';
import type { Row } from '../../bodies/row.ts';
import { StoredFile, TAG_CHARS } from '../../bodies/stored-file.ts';
import { Problem } from '../../http/problem.ts';
import { API_PATH } from '../../http/request.ts';
import type { ByteRange, QueuedReads, Recipient } from '../../origin/origin.ts';
import { RELEASE, type SavedEndpoint } from '../downloads/endpoints.ts';
import { answerSaved, type RangedFile, type StreamedPart, savedRow } from '../downloads/saved.ts';
import type { Listing } from '../pages/listing.ts';

/** How names of tables end. */
export const TABLE_EXTENSION = '.neighbours.csv.gz';

/** The endpoints that return the tables of neighbours. */
export const TABLE_ENDPOINTS: readonly SavedEndpoint[] = LEVELS.map((level) => ({
  path: `${API_PATH}/download/${levelName(level)}${TABLE_EXTENSION}`,
  level,
  mediaType: 'application/gzip',
  parameters: [RELEASE],
  extension: TABLE_EXTENSION,
}));

/** The row of an endpoint. */
export function tableRow(endpoint: SavedEndpoint): Row {
  return savedRow(endpoint, [], answerTable);
}

/**
 * The answer with the table of a level, whole or a range. Reading its body throws OriginError.
 * @throws Problem range-not-satisfiable; not-found if the release has none
 */
function answerTable(listing: Listing<SavedEndpoint>): Answer {
  const { level, representation } = listing;
  const { neighbours, features } = level.summary;
  if (neighbours === undefined)
    throw new Problem(
      'not-found',
      `Release ${representation.release.id} has no neighbours: it was built with --no-neighbours.`,
    );
  const { bytes, sha256 } = neighbours.table;
  const path = `${level.folder}/${neighboursTablePath(level.index.level)}`;
  return answerSaved(listing, new StoredTable(path, bytes, sha256.slice(0, TAG_CHARS)), features);
}

/** A stored file of which ranges are sent. What describes it is its SHA-256, so it is read as a whole for each. */
class StoredTable extends StoredFile implements RangedFile {
  part({ offset, length }: ByteRange): StreamedPart {
    const read: StreamedPart['read'] = (reads, client) =>
      reads.later(client, () => this.#cut(reads, client, offset, offset + length));
    return { bytes: this.bytes, read };
  }

  /** The last bytes of a range are withheld until the whole file has its digest. */
  async *#cut(reads: QueuedReads, client: Recipient, from: number, to: number): AsyncGenerator<Buffer> {
    const sha256 = createHash('sha256');
    const pieces = reads.pieces(this.path, { offset: 0, length: this.bytes }, client, (chunk, isLast) => {
      sha256.update(chunk);
      return !isLast || sha256.digest('hex').startsWith(this.tag);
    });
    let at = 0;
    let withheld: Buffer | undefined;
    for await (const piece of pieces) {
      // Its memory is used again.
      const own = Buffer.from(piece.subarray(Math.max(0, from - at), Math.max(0, to - at)));
      at += piece.length;
      if (own.length === 0) continue;
      if (withheld !== undefined) yield withheld;
      withheld = own;
    }
    if (withheld !== undefined) yield withheld;
  }
}
