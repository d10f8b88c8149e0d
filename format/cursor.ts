// Cursors: opaque positions that clients send back. A cursor names a release, a level and a position in that level; it
// works with any format and filter, and keeps a traversal on the release on which it began.
import { crc32 } from 'node:zlib';
import { isReleaseId } from './layout.ts';
import type { Level } from './levels.ts';
import { LEVELS } from './levels.ts';

/** The content of a cursor. */
export interface Cursor {
  release: string;
  /** `contentOf` the release: the id of a release that was removed may be used again for another one. */
  content: string;
  level: Level;
  /** The page starts at the first matching feature at or after this position (0-based, in order of fid). */
  position: number;
}

// The prefix is never all digits, and no single changed character makes it so: a cursor cannot be taken for a fid.
const PREFIX = 'c_';
const CURSOR_VERSION = 2;
// version, level, position, content, then the release id, then the CRC-32 of all before.
const POSITION_AT = 2;
const CONTENT_AT = 6;
const HEAD_BYTES = 10;
const CHECK_BYTES = 4;
const CONTENT_CHARS = 2 * (HEAD_BYTES - CONTENT_AT);

/**
 * The content of a release, as cursors have it.
 * @param digest the SHA-256 of release.json in hex
 */
export function contentOf(digest: string): string {
  return digest.slice(0, CONTENT_CHARS);
}

/** Encodes cursors of one level of a release: everything but position and CRC is written once. */
export class CursorWriter {
  readonly #bytes: Buffer;
  /** All but the CRC. */
  readonly #body: Buffer;

  constructor({ release, content, level }: Omit<Cursor, 'position'>) {
    this.#bytes = Buffer.alloc(HEAD_BYTES + release.length + CHECK_BYTES);
    this.#bytes[0] = CURSOR_VERSION;
    this.#bytes[1] = level;
    this.#bytes.write(content, CONTENT_AT, 'hex');
    this.#bytes.write(release, HEAD_BYTES, 'latin1');
    this.#body = this.#bytes.subarray(0, -CHECK_BYTES);
  }

  /** The cursor of a position, in URL-safe characters. */
  write(position: number): string {
    this.#body.writeUInt32BE(position, POSITION_AT);
    this.#bytes.writeUInt32BE(crc32(this.#body), this.#body.length);
    return PREFIX + this.#bytes.toString('base64url');
  }
}

/** Encodes a cursor. */
export function encodeCursor({ position, ...level }: Cursor): string {
  return new CursorWriter(level).write(position);
}

/** Decodes a cursor; undefined for any text that `encodeCursor` does not produce. */
export function decodeCursor(text: string): Cursor | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64url');
  // Decoding ignores stray characters and loose last bits; only the spelling of `encodeCursor` is accepted.
  if (bytes.toString('base64url') !== encoded || bytes.length <= HEAD_BYTES + CHECK_BYTES) return undefined;
  const body = bytes.subarray(0, -CHECK_BYTES);
  if (bytes.readUInt32BE(body.length) !== crc32(body) || body.readUInt8(0) !== CURSOR_VERSION) return undefined;
  const level = LEVELS.find((known) => known === body.readUInt8(1));
  const release = body.subarray(HEAD_BYTES).toString('latin1');
  if (level === undefined || !isReleaseId(release)) return undefined;
  const content = body.toString('hex', CONTENT_AT, HEAD_BYTES);
  return { release, content, level, position: body.readUInt32BE(POSITION_AT) };
}
