// Bodies with units of several levels: a FeatureCollection made of the data that each feature has alone, as one gzip
// member. Nothing is inflated or deflated. Used by api/units.ts and api/search.ts.
import { crc32 } from 'node:zlib';
import { joinCrcs } from '../../format/crc32.ts';
import type { FeatureData } from '../../format/feature-table.ts';
import type { DeflatedText } from '../../format/gzip.ts';
import {
  FRAME_DATA,
  MEMBER_END_BYTES,
  MEMBER_HEADER,
  SEPARATORS,
  storedBlock,
  writeMemberEnd,
} from '../../format/gzip.ts';
import { levelName } from '../../format/levels.ts';
import type { LoadedTable } from '../data/load-release.ts';
import type { ByteRange, Client, Reads } from '../origin/origin.ts';
import { type Body, type BodySource, tagOf } from './answer.ts';
import { WHOLE_MAX_BYTES, withholdLast } from './stored-file.ts';

/** A unit: a feature of a level, with the geometry that its table is of. */
export interface Unit {
  source: LoadedTable;
  position: number;
}

/** Where the data of a unit is, and where it goes in the body. */
interface Piece extends Unit {
  data: FeatureData;
  path: string;
  range: ByteRange;
  at: number;
}

/** Units as one gzip member. */
export class Units implements BodySource {
  readonly bytes: number;
  readonly textBytes: number;
  readonly #pieces: readonly Piece[];
  readonly #after: DeflatedText;

  /** @param units in the order of the body */
  constructor(units: readonly Unit[]) {
    const { before } = FRAME_DATA.fc;
    const levels = units.map(({ source }) => levelName(source.table.level));
    this.#after = storedBlock(`],"levels":${JSON.stringify(levels)}}\n`);
    let [at, textBytes] = [MEMBER_HEADER.length + before.data.length, before.length + this.#after.length];
    this.#pieces = units.map(({ source, position }) => {
      const { table } = source;
      const data = table.aloneAt(position);
      const path = source.file(table.fileOf(position), data === table.alone ? 'alone' : 'features');
      const range = { offset: data.offsetAt(position), length: data.bytes(position, position + 1) };
      const piece = { source, position, data, path, range, at };
      at += range.length;
      textBytes += table.textBytes(position, position + 1);
      return piece;
    });
    this.textBytes = textBytes;
    this.bytes = at + this.#after.data.length + MEMBER_END_BYTES;
  }

  /** Entity tag without quotes: the same in every release with the same bytes. */
  get tag(): string {
    const digests = this.#pieces.map(({ source, position }) => source.table.digests(position, position + 1));
    return `${tagOf(Buffer.concat([...digests, this.#after.data]))}-units`;
  }

  read(reads: Reads, client: Client): Body | Promise<Body> {
    if (this.bytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads, client));
    const body = reads.buffer(this.bytes);
    const isRead = this.#pieces.every((piece) => {
      if (!reads.now(piece.path, piece.range, body, piece.at, true)) return false;
      this.#finish(piece, body.subarray(piece.at, piece.at + piece.range.length), reads);
      return true;
    });
    return isRead ? this.#framed(body) : reads.later(client, () => this.#readLater(reads, client));
  }

  /** The body, read side by side in the thread pool or from a host. */
  async #readLater(reads: Reads, client: Client): Promise<Buffer> {
    const body = Buffer.allocUnsafe(this.bytes);
    const readOne = async (piece: Piece): Promise<void> => {
      const bytes = await reads.read(piece.path, piece.range, client);
      this.#finish(piece, bytes, reads);
      bytes.copy(body, piece.at);
    };
    await Promise.all(this.#pieces.map(readOne));
    return this.#framed(body);
  }

  /** The body in chunks, one unit after another: a unit may be larger than what is held in memory. */
  async *#stream(reads: Reads, client: Client): AsyncGenerator<Buffer, void, undefined> {
    let before = Buffer.concat([MEMBER_HEADER, FRAME_DATA.fc.before.data]);
    for (const piece of this.#pieces) {
      const { data, position, path, range } = piece;
      let crc = data.crcBefore(position);
      let left = range.length;
      const chunks = withholdLast(
        reads.origin.stream(path, range, { gone: client.gone }),
        (chunk) => {
          crc = crc32(chunk, crc);
        },
        () => {
          if (crc !== data.crcBefore(position + 1)) throw reads.damaged(path);
        },
      );
      for await (const chunk of chunks) {
        left -= chunk.length;
        if (left === 0) this.#separate(piece, chunk);
        yield before.length === 0 ? chunk : Buffer.concat([before, chunk]);
        before = Buffer.alloc(0);
      }
    }
    yield this.#end();
  }

  /** Checks the data of a unit, and sets its separator. */
  #finish(piece: Piece, bytes: Buffer, reads: Reads): void {
    const { data, position, path } = piece;
    if (!data.isIntact(bytes, position, position + 1)) throw reads.damaged(path);
    this.#separate(piece, bytes);
  }

  #separate(piece: Piece, bytes: Buffer): void {
    if (piece !== this.#pieces.at(-1)) bytes[bytes.length - 1] = SEPARATORS.fc;
  }

  #framed(body: Buffer): Buffer {
    FRAME_DATA.fc.before.data.copy(body, MEMBER_HEADER.copy(body));
    const end = this.#end();
    end.copy(body, body.length - end.length);
    return body;
  }

  /** What follows the units. */
  #end(): Buffer {
    let { crc } = FRAME_DATA.fc.before;
    for (const { source, position } of this.#pieces.slice(0, -1))
      crc = source.table.textCrc(position, position + 1, crc, 'fc');
    const last = this.#pieces.at(-1);
    if (last !== undefined) crc = last.source.table.textCrc(last.position, last.position + 1, crc);
    const { data, crc: afterCrc, length } = this.#after;
    const end = Buffer.allocUnsafe(data.length + MEMBER_END_BYTES);
    writeMemberEnd(end, data.copy(end), joinCrcs(crc, afterCrc, length), this.textBytes);
    return end;
  }
}
