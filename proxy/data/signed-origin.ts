// The origin of signed releases in a place where others may write: each block of each file is checked before it is
// used. Wraps any other origin where there are trusted keys; what is not signed looks damaged to everything else.
import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { BLOCK_BYTES, Blocks, FILE_BYTES, HEAD_BYTES } from '../../format/blocks.ts';
import {
  BLOCKS_FILE,
  CURRENT_PATH,
  RELEASE_FILE,
  RELEASES_PATH,
  releasePath,
  SIGNATURE_ENDING,
  SIGNED_FILE,
} from '../../format/layout.ts';
import { FormatError, numberIn, objectFrom, textIn } from '../../format/parse.ts';
import { type Release, releaseFromJson } from '../../format/release-json.ts';
import type { ByteRange, Origin, ReadOptions } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import { type Clock, Loaded } from './loaded.ts';

/** Maximum sizes of files that are read before anything of their release is known; that of blocks.bin follows. */
const MAX_BYTES = { description: 16 * 1024 * 1024, signed: 1024, file: 16 * 1024 * 1024 } as const;
/** Bytes of a block's digest in blocks.bin. */
const DIGEST_BYTES = 16;
/** Bytes of an Ed25519 signature. */
const SIGNATURE_BYTES = 64;
/** In the thread pool: blocks.bin may have 20 MB. */
const verified = promisify(verify);
/** Bytes of files beside the releases that are kept, once their signatures are verified. */
const FILES_KEPT_BYTES = 32 * 1024 * 1024;
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

/** A file has no signature by a trusted key: to everything else it looks damaged. */
export class SignatureError extends OriginError {
  /** Has it a signature, which is of another key or of other content? */
  readonly isSigned: boolean;

  /** @param file with the signature */
  constructor(file: string, isSigned: boolean, keys: readonly KeyObject[]) {
    super('damaged', file);
    this.name = 'SignatureError';
    this.isSigned = isSigned;
    // Keys are called by the SHA-256 of their DER, as `openssl pkey -pubin -outform DER | sha256sum` has it.
    const names = keys.map((key) => hash('sha256', key.export({ format: 'der', type: 'spki' }), 'hex')).join(', ');
    this.message = isSigned
      ? `${file}: signed with another key, or for another content; expected one of the keys with SHA-256 ${names}`
      : `${file}: missing, so nobody has signed the release; expected one of the keys with SHA-256 ${names}`;
  }
}

/** What is known of the release in a folder. */
interface Signed {
  blocks: Blocks;
  /** When it was read. */
  readAt: number;
}

/** A range of a file, and the blocks that it is in. */
interface SignedRange {
  signed: Signed;
  folder: string;
  file: { at: number; bytes: number };
  /** From the beginning of a block to the end of one, or of the file. */
  aligned: ByteRange;
}

/** The origin of signed releases. */
export interface SignedOrigin extends Origin {
  /**
   * When a release was signed, as it says now: it may have been signed again. Empty if it does not say so.
   * @param digest of its release.json
   * @throws OriginError if that is not signed, or is of another release
   */
  timeOf(release: string, digest: string): Promise<string>;
}

/**
 * Wraps an origin: of its releases only what is signed with one of the keys can be read.
 * @param folders beside the releases, each of whose files has a signature of its own
 * @param now milliseconds of a monotonic clock
 */
export function signedOrigin(
  origin: Origin,
  keys: readonly KeyObject[],
  folders: readonly string[] = [],
  now: Clock = () => performance.now(),
): SignedOrigin {
  const releases = new Loaded<string, Signed>(now, { retryMs: () => RETRY_MS });
  const files = new Loaded<string, Buffer>(now, { retryMs: () => RETRY_MS });
  /** A file beside the releases, whole: it is read once for all, and again when current.json is another one. */
  const fileAt = async (path: string): Promise<Buffer> => {
    const content = await files.load(path, () => readSigned(origin, path, MAX_BYTES.file, keys));
    let bytes = 0;
    for (const [kept, { length }] of files.entries().reverse()) {
      bytes += length;
      if (bytes > FILES_KEPT_BYTES) files.free(kept);
    }
    return content;
  };
  let pointer: Buffer | undefined;
  const readPointer = async (...read: Parameters<Origin['read']>): Promise<Buffer> => {
    const content = await origin.read(...read);
    if (pointer?.equals(content) === false) for (const [path] of files.entries()) files.free(path);
    pointer = content;
    return content;
  };
  const signedIn = (folder: string): Promise<Signed> =>
    releases.load(folder, async () => ({ blocks: await readBlocks(origin, folder, keys), readAt: now() }));

  /** @throws OriginError if the release has no such file, or it ends before the range does */
  const placeOf = (signed: Signed, folder: string, path: string, extent: ByteRange | number): SignedRange => {
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
  const check = ({ signed, folder, file }: SignedRange, path: string, offset: number, bytes: Uint8Array): void => {
    if (signed.blocks.areIntact(file, offset, bytes)) return;
    // The operator may replace the file by an intact one, or the release by another.
    origin.close?.(path);
    if (now() - signed.readAt >= REREAD_MS) releases.free(folder);
    throw new OriginError('damaged', path, 'is not what was signed');
  };
  /** A page is sent as it is read if it is read whole. */
  const readerOf = ({ file, aligned }: SignedRange, reader: ReadOptions): ReadOptions =>
    aligned.offset === 0 && aligned.length === file.bytes ? reader : { gone: reader.page?.gone ?? reader.gone };

  const { readNow } = origin;
  return {
    timeOf: async (release, digest) => (await readSigning(origin, releasePath(release), digest, keys))?.time ?? '',
    async read(path, extent, reader = {}) {
      const folder = folderOf(path);
      if (path === CURRENT_PATH) return readPointer(path, extent, reader);
      if (folders.some((own) => path.startsWith(`${own}/`))) return partOf(path, await fileAt(path), extent);
      if (folder === undefined) return origin.read(path, extent, reader);
      const place = placeOf(await signedIn(folder), folder, path, extent);
      const { aligned, file } = place;
      const wanted = typeof extent === 'number' ? { offset: 0, length: file.bytes } : extent;
      if (wanted.length === 0) return Buffer.alloc(0);
      const bytes = await origin.read(path, aligned, readerOf(place, reader));
      check(place, path, aligned.offset, bytes);
      return bytes.subarray(wanted.offset - aligned.offset, wanted.offset - aligned.offset + wanted.length);
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
      files.free(path);
      for (const [folder] of releases.entries()) if (path === '' || path === folder) releases.free(folder);
      origin.close?.(path);
    },
  };
}

/** What is asked for of a file that was read whole. @throws OriginError if it has other bytes */
function partOf(path: string, content: Buffer, extent: ByteRange | number): Buffer {
  const { offset, length } = typeof extent === 'number' ? { offset: 0, length: content.length } : extent;
  if (typeof extent === 'number' ? content.length > extent : content.length < offset + length)
    throw new OriginError('damaged', path, `has ${content.length} bytes`);
  return content.subarray(offset, offset + length);
}

/** The folder of the release that a file is of; undefined of what lies beside the releases. */
function folderOf(path: string): string | undefined {
  if (!path.startsWith(`${RELEASES_PATH}/`)) return undefined;
  return path.slice(0, path.indexOf('/', RELEASES_PATH.length + 1));
}

/**
 * Reads blocks.bin of a release, once it and release.json are known to be signed.
 * @throws OriginError if they are not
 */
async function readBlocks(origin: Origin, folder: string, keys: readonly KeyObject[]): Promise<Blocks> {
  const description = `${folder}/${RELEASE_FILE}`;
  const json = await readSigned(origin, description, MAX_BYTES.description, keys);
  const path = `${folder}/${BLOCKS_FILE}`;
  const signing = await readSigning(origin, folder, hash('sha256', json, 'hex'), keys);
  try {
    const bytes = signing?.blocksBytes ?? mostBlocksBytes(releaseFromJson(json.toString(), description), json.length);
    return new Blocks(await readSigned(origin, path, bytes, keys), path);
  } catch (error) {
    throw error instanceof FormatError ? new OriginError('damaged', path, error.message) : error;
  }
}

/**
 * What signed.json says; undefined if it is not signed: releases that were signed by version 1.1.0 have none.
 * @param digest of release.json
 */
async function readSigning(origin: Origin, folder: string, digest: string, keys: readonly KeyObject[]) {
  const path = `${folder}/${SIGNED_FILE}`;
  const signature = await readSignature(origin, path);
  if (signature === undefined) return undefined;
  const content = await origin.read(path, MAX_BYTES.signed);
  await requireSigned(path, content, signature, keys);
  try {
    const json = objectFrom(content.toString(), path);
    if (textIn(json, 'digest', path) !== digest) throw new FormatError(path, `is of another ${RELEASE_FILE}`);
    return { time: textIn(json, 'time', path), blocksBytes: numberIn(json, 'blocksBytes', path) };
  } catch (error) {
    throw error instanceof FormatError ? new OriginError('damaged', path, error.message) : error;
  }
}

/**
 * The most bytes that blocks.bin of a release may have, by its release.json: each file has at most one block that is
 * not full.
 * @param descriptionBytes of release.json
 */
function mostBlocksBytes({ levels }: Release, descriptionBytes: number): number {
  let files = 1;
  let bytes = descriptionBytes;
  for (const level of levels) {
    const geometries = [level, ...Object.values(level.geometries)];
    for (const { index, featureFiles } of geometries) {
      files += 1 + 2 * featureFiles.files;
      bytes += index.bytes + featureFiles.bytes;
    }
    files += level.pages.geojsonl + level.pages.fc + 10;
    bytes += level.bytes + level.manifest.bytes + level.names.bytes + level.words.bytes + (level.cells?.bytes ?? 0);
    if (level.tiles !== undefined) bytes += level.tiles.bytes + level.tiles.digests.bytes;
    if (level.parquet !== undefined) bytes += level.parquet.bytes + level.parquet.digests.bytes;
    if (level.neighbours !== undefined) bytes += level.neighbours.bytes + level.neighbours.table.bytes;
  }
  return HEAD_BYTES + files * (FILE_BYTES + DIGEST_BYTES) + DIGEST_BYTES * Math.floor(bytes / BLOCK_BYTES);
}

/** Reads a whole file of at most so many bytes. @throws OriginError if it is not signed */
async function readSigned(
  origin: Origin,
  path: string,
  mostBytes: number,
  keys: readonly KeyObject[],
): Promise<Buffer> {
  const content = await origin.read(path, mostBytes);
  await requireSigned(path, content, await readSignature(origin, path), keys);
  return content;
}

/** The signature of a file; undefined if there is none. */
async function readSignature(origin: Origin, path: string): Promise<Buffer | undefined> {
  return origin.read(`${path}${SIGNATURE_ENDING}`, SIGNATURE_BYTES).catch((error: unknown) => {
    if (error instanceof OriginError && error.mayBeGone) return undefined;
    throw error;
  });
}

/** @throws SignatureError if the content of a file has no signature by one of the keys */
async function requireSigned(
  path: string,
  content: Buffer,
  signature: Buffer | undefined,
  keys: readonly KeyObject[],
): Promise<void> {
  if (signature !== undefined) for (const key of keys) if (await verified(null, content, key, signature)) return;
  throw new SignatureError(`${path}${SIGNATURE_ENDING}`, signature !== undefined, keys);
}
