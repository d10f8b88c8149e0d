// The origin of signed releases in a place where others may write: each block of each file is checked before it is
// used. Wraps any other origin where there are trusted keys; what is not signed looks damaged to everything else.
import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { BLOCK_BYTES, Blocks } from '../../format/blocks.ts';
import { BLOCKS_FILE, RELEASE_FILE, RELEASES_PATH, SIGNATURE_ENDING } from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import type { ByteRange, Origin, Reader } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import { type Clock, Loaded } from './loaded.ts';

/** Maximum size of a file that is read whole to be checked: blocks.bin has a thousandth of the bytes of its release. */
const SIGNED_MAX_BYTES = 512 * 1024 * 1024;
/** Bytes of an Ed25519 signature. */
const SIGNATURE_BYTES = 64;
/** In the thread pool: blocks.bin may have 20 MB. */
const verified = promisify(verify);
/** What is not signed is read again after this time, in milliseconds, at the earliest: `Releases` tries more seldom. */
const RETRY_MS = 500;
/**
 * The blocks of a release whose files are others are read again after this time, in milliseconds: its id may have been
 * used again.
 */
const REREAD_MS = 5000;

/** A public Ed25519 key in PEM; undefined if the text is none. */
export function trustedKey(pem: string): KeyObject | undefined {
  try {
    const key = pem.includes('PRIVATE KEY') ? undefined : createPublicKey(pem);
    return key?.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** What is known of the release in a folder. */
interface Signed {
  blocks: Blocks;
  /** When it was read. */
  readAt: number;
}

/** A range of a file, and the blocks that it is in. */
interface Place {
  signed: Signed;
  folder: string;
  file: { at: number; bytes: number };
  /** From the beginning of a block to the end of one, or of the file. */
  aligned: ByteRange;
}

/**
 * Wraps an origin: of its releases only what is signed with one of the keys can be read.
 * @param now milliseconds of a monotonic clock
 */
export function signedOrigin(origin: Origin, keys: readonly KeyObject[], now: Clock = () => performance.now()): Origin {
  const releases = new Loaded<string, Signed>(now, { retryMs: () => RETRY_MS });
  const signedIn = (folder: string): Promise<Signed> =>
    releases.load(folder, async () => ({ blocks: await readBlocks(origin, folder, keys), readAt: now() }));

  /** @throws OriginError if the release has no such file, or it ends before the range does */
  const placeOf = (signed: Signed, folder: string, path: string, extent: ByteRange | number): Place => {
    const file = signed.blocks.fileOf(path.slice(folder.length + 1));
    if (file === undefined) throw new OriginError('missing', path, 'is not signed');
    const range = typeof extent === 'number' ? { offset: 0, length: file.bytes } : extent;
    const end = range.offset + range.length;
    if (end > file.bytes) throw new OriginError('damaged', path, `ends before byte ${end}`);
    if (typeof extent === 'number' && file.bytes > extent)
      throw new OriginError('damaged', path, `more than ${extent} bytes`);
    const offset = range.offset - (range.offset % BLOCK_BYTES);
    const length = Math.min(file.bytes, Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES) - offset;
    return { signed, folder, file, aligned: { offset, length } };
  };
  const check = ({ signed, folder, file }: Place, path: string, offset: number, bytes: Uint8Array): void => {
    if (signed.blocks.areIntact(file, offset, bytes)) return;
    // The operator may replace the file by an intact one, or the release by another.
    origin.close?.(path);
    if (now() - signed.readAt >= REREAD_MS) releases.free(folder);
    throw new OriginError('damaged', path, 'is not what was signed');
  };
  /** A page is sent as it is read if it is read whole. */
  const readerOf = ({ file, aligned }: Place, reader: Reader): Reader =>
    aligned.offset === 0 && aligned.length === file.bytes ? reader : { gone: reader.page?.gone ?? reader.gone };

  const { readNow } = origin;
  return {
    async read(path, extent, reader = {}) {
      const folder = folderOf(path);
      if (folder === undefined) return origin.read(path, extent, reader);
      const place = placeOf(await signedIn(folder), folder, path, extent);
      const { aligned, file } = place;
      const wanted = typeof extent === 'number' ? { offset: 0, length: file.bytes } : extent;
      if (wanted.length === 0) return Buffer.alloc(0);
      const bytes = await origin.read(path, aligned, readerOf(place, reader));
      check(place, path, aligned.offset, bytes);
      return bytes.subarray(wanted.offset - aligned.offset, wanted.offset - aligned.offset + wanted.length);
    },
    async *stream(path, range, reader = {}) {
      const folder = folderOf(path);
      if (folder === undefined) return yield* origin.stream(path, range, reader);
      const place = placeOf(await signedIn(folder), folder, path, range);
      const end = place.aligned.offset + place.aligned.length;
      let at = place.aligned.offset;
      let waiting: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of origin.stream(path, place.aligned, readerOf(place, reader))) {
        waiting.push(chunk);
        bytes += chunk.length;
        const whole = at + bytes === end ? bytes : bytes - (bytes % BLOCK_BYTES);
        if (whole === 0) continue;
        const all = Buffer.concat(waiting);
        check(place, path, at, all.subarray(0, whole));
        const wanted = all.subarray(Math.max(0, range.offset - at), Math.min(whole, range.offset + range.length - at));
        waiting = [all.subarray(whole)];
        bytes -= whole;
        at += whole;
        if (wanted.length > 0) yield wanted;
      }
    },
    ...(readNow && {
      readNow(path, range, target, at, staysOpen) {
        const folder = folderOf(path);
        const signed = folder === undefined ? undefined : releases.get(folder);
        if (folder === undefined || signed === undefined) return false;
        const place = placeOf(signed, folder, path, range);
        const { aligned } = place;
        const bytes = Buffer.allocUnsafe(aligned.length);
        if (!readNow(path, aligned, bytes, 0, staysOpen)) return false;
        check(place, path, aligned.offset, bytes);
        bytes.copy(target, at, range.offset - aligned.offset, range.offset - aligned.offset + range.length);
        return true;
      },
    }),
    close(path) {
      for (const [folder] of releases.entries()) if (path === '' || path === folder) releases.free(folder);
      origin.close?.(path);
    },
  };
}

/** The folder of the release that a file is of; undefined of current.json. */
function folderOf(path: string): string | undefined {
  if (!path.startsWith(`${RELEASES_PATH}/`)) return undefined;
  return path.slice(0, path.indexOf('/', RELEASES_PATH.length + 1));
}

/**
 * Reads blocks.bin of a release, once it and release.json are known to be signed.
 * @throws OriginError if they are not
 */
async function readBlocks(origin: Origin, folder: string, keys: readonly KeyObject[]): Promise<Blocks> {
  await readSigned(origin, `${folder}/${RELEASE_FILE}`, keys);
  const path = `${folder}/${BLOCKS_FILE}`;
  const blocks = await readSigned(origin, path, keys);
  try {
    return new Blocks(blocks, path);
  } catch (error) {
    throw error instanceof FormatError ? new OriginError('damaged', path, error.message) : error;
  }
}

async function readSigned(origin: Origin, path: string, keys: readonly KeyObject[]): Promise<Buffer> {
  const content = await origin.read(path, SIGNED_MAX_BYTES);
  const file = `${path}${SIGNATURE_ENDING}`;
  const signature = await origin.read(file, SIGNATURE_BYTES).catch((error: unknown) => {
    throw error instanceof OriginError && error.mayBeGone ? notSigned(file, keys) : error;
  });
  for (const key of keys) if (await verified(null, content, key, signature)) return content;
  throw notSigned(file, keys);
}

/** Keys are called by the SHA-256 of their DER, as `openssl pkey -pubin -outform DER | sha256sum` has it. */
function notSigned(file: string, keys: readonly KeyObject[]): OriginError {
  const names = keys.map((key) => hash('sha256', key.export({ format: 'der', type: 'spki' }), 'hex'));
  return new OriginError('damaged', file, `not signed; expected one of the keys with SHA-256 ${names.join(', ')}`);
}
