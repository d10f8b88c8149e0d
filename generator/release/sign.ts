// Signs a release: reads all its files once, writes what ranges of them are checked by (blocks.bin), when it was signed
// (signed.json), and signatures. `verify --trusted-key` reads it again.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BLOCK_BYTES, blockDigest, FILE_BYTES, HEAD_BYTES, keyOf, MAGIC } from '../../format/blocks.ts';
import {
  BLOCKS_FILE,
  CHECKSUMS_FILE,
  RELEASE_FILE,
  releasePath,
  SIGNATURE_ENDING,
  SIGNED_FILE,
} from '../../format/layout.ts';
import { FormatError, objectFrom, textIn } from '../../format/parse.ts';
import { readChecksums, sha256Of } from '../files/checksums.ts';
import { renameDurably, writeDurably } from '../files/fsync.ts';
import { piecesOf } from '../release-reader/inflate.ts';
import { BuildError, toBuildError } from '../report/errors.ts';
import { signChanges } from './changes-files.ts';
import { withLock } from './output-lock.ts';
import { publishedReleases, removeFolder, requireDescription, requireRelease, stagingPath } from './staging.ts';

/** The files that have a signature, release.json last: a reader that finds its signature finds the others. */
const SIGNED_FILES = [SIGNED_FILE, BLOCKS_FILE, CHECKSUMS_FILE, RELEASE_FILE] as const;

/** The files that a signed release has besides. */
export const SIGNATURE_FILES: readonly string[] = [
  SIGNED_FILE,
  BLOCKS_FILE,
  ...SIGNED_FILES.map((file) => `${file}${SIGNATURE_ENDING}`),
];

/** What begins the problem of a signature that is of another key or of other content. */
export const NO_SIGNATURE = 'is no signature by a trusted key';

/** Reads a private Ed25519 key (PEM, PKCS #8). @throws BuildError if it is none */
export function readSigningKey(file: string): KeyObject {
  return readKey(file, 'private', createPrivateKey);
}

/** Reads a public Ed25519 key (PEM, SPKI). @throws BuildError if it is none */
export function readTrustedKey(file: string): KeyObject {
  return readKey(file, 'public', createPublicKey);
}

function readKey(file: string, kind: 'private' | 'public', parse: (pem: string) => KeyObject): KeyObject {
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    throw new BuildError(
      `${file}: ${error instanceof Error ? error.message : error}`,
      `name the file of a ${kind} key`,
    );
  }
  // A private key has a public one, which is not what is to be handed around.
  const isKind = pem.includes('PRIVATE KEY') === (kind === 'private');
  try {
    const key = isKind ? parse(pem) : undefined;
    if (key?.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // It is no key at all.
  }
  const [make, show] = ['openssl genpkey -algorithm ed25519 -out private.pem', 'openssl pkey -in private.pem -pubout'];
  throw new BuildError(
    `${file}: not a ${kind} Ed25519 key in PEM`,
    kind === 'private' ? make : `${show} -out public.pem`,
  );
}

/**
 * Signs a published release, and the changes that lead to it.
 * @param time as for `writeSignatures`
 * @throws BuildError if there is none with this id, or a file is not what was published
 */
export async function signRelease(out: string, release: string, key: KeyObject, time?: string): Promise<void> {
  await withLock(out, async (lock) => {
    requireRelease(out, release);
    requireDescription(out, release);
    lock.assertHeld();
    await writeSignatures(out, release, key, time);
    await signChanges(out, release, key);
  });
}

/**
 * Writes the signatures of a release, in the place of those that it has. The caller holds the lock.
 * @param time when it is signed, in the form of `Date.toISOString`; without it now, and later than any other of the
 *   folder
 * @throws BuildError if a file is not what was published, or another release was signed at this time
 */
export async function writeSignatures(out: string, release: string, key: KeyObject, time?: string): Promise<void> {
  const root = join(out, releasePath(release));
  const staging = stagingPath(out, release);
  try {
    const at = timeOfSigning(out, release, time);
    mkdirSync(staging);
    const blocks = readBlocks(root);
    const written = new Map<string, Uint8Array>([
      [SIGNED_FILE, Buffer.from(signedToJson(root, blocks, at))],
      [BLOCKS_FILE, blocks],
    ]);
    for (const [file, content] of written) writeDurably(join(staging, file), content);
    for (const file of SIGNED_FILES) {
      const content = written.get(file) ?? readFileSync(join(root, file));
      writeDurably(join(staging, `${file}${SIGNATURE_ENDING}`), sign(null, content, key));
    }
    // Without this signature a release has no time; with one of another time it could not be read.
    rmSync(join(root, `${SIGNED_FILE}${SIGNATURE_ENDING}`), { force: true });
    for (const file of SIGNATURE_FILES) await renameDurably(join(staging, file), join(root, file));
  } catch (error) {
    throw toBuildError(error, out);
  } finally {
    removeFolder(staging);
  }
}

/** The text of signed.json. @param time when it is signed */
function signedToJson(root: string, blocks: Uint8Array, time: string): string {
  const digest = sha256Of(readFileSync(join(root, RELEASE_FILE)));
  return `${JSON.stringify({ digest, blocksBytes: blocks.length, time })}\n`;
}

/** The time in the signed.json of a release; undefined if there is none. @throws FormatError if it is damaged */
export function signedTime(root: string): string | undefined {
  const file = join(root, SIGNED_FILE);
  if (!existsSync(file)) return undefined;
  const time = textIn(objectFrom(readFileSync(file, 'utf8'), SIGNED_FILE), 'time', SIGNED_FILE);
  if (Number.isNaN(Date.parse(time)) || new Date(time).toISOString() !== time)
    throw new FormatError(SIGNED_FILE, `time is ${JSON.stringify(time)}, expected a time in UTC with milliseconds`);
  return time;
}

/**
 * When a release is signed: of two releases proxies take the one that was signed later for the newer one.
 * @param given without it now, and later than any other of the folder
 * @throws BuildError if another one was signed at the given time
 */
function timeOfSigning(out: string, release: string, given: string | undefined): string {
  const times = publishedReleases(out).flatMap((id) => {
    try {
      const time = signedTime(join(out, releasePath(id)));
      return time === undefined ? [] : [{ id, time }];
    } catch (error) {
      // `verify` names it; proxies do not read a release with it.
      if (error instanceof FormatError) return [];
      throw error;
    }
  });
  if (given === undefined) {
    const last = Math.max(0, ...times.map(({ time }) => Date.parse(time)));
    return new Date(Math.max(Date.now(), last + 1)).toISOString();
  }
  const other = times.find(({ id, time }) => id !== release && time === given);
  if (other === undefined) return given;
  throw new BuildError(`--time ${given}: ${other.id} was signed at this time, too`, 'use another time, or omit --time');
}

/**
 * Makes blocks.bin of a release from its files, each of which is compared with checksums.txt.
 * @throws BuildError if one is not what was published
 */
export function readBlocks(root: string): Buffer {
  const { sums, problems } = readChecksums(root);
  if (problems[0] !== undefined) throw damaged(`${join(root, CHECKSUMS_FILE)}: ${problems[0]}`);
  const files = Array.from(sums, ([path, sha256]) => {
    const read = existsSync(join(root, path)) ? blocksOf(join(root, path)) : undefined;
    if (read?.sha256 !== sha256)
      throw damaged(
        `${join(root, path)}: its SHA-256 is ${read?.sha256 ?? 'missing'}, ${CHECKSUMS_FILE} has ${sha256}`,
      );
    return { key: keyOf(path), ...read };
  });
  return encodeBlocks(files);
}

function damaged(message: string): BuildError {
  return new BuildError(message, 'what is damaged is not signed: run verify, and build the release again');
}

/** A file and the digests of its blocks. */
interface FileBlocks {
  /** By which it is found. */
  key: Buffer;
  bytes: number;
  digests: readonly Buffer[];
}

/** Length, SHA-256 and blocks of a file of any size. */
function blocksOf(file: string): Omit<FileBlocks, 'key'> & { sha256: string } {
  const handle = openSync(file, 'r');
  try {
    const bytes = fstatSync(handle).size;
    const digests: Buffer[] = [];
    const sum = createHash('sha256');
    // Pieces are whole blocks.
    for (const piece of piecesOf(handle, 0, bytes)) {
      for (let at = 0; at < piece.length; at += BLOCK_BYTES)
        digests.push(blockDigest(piece.subarray(at, at + BLOCK_BYTES)));
      sum.update(piece);
    }
    return { bytes, digests, sha256: sum.digest('hex') };
  } finally {
    closeSync(handle);
  }
}

/** The bytes of blocks.bin, as format/blocks.ts reads them. */
function encodeBlocks(files: readonly FileBlocks[]): Buffer {
  const sorted = files.toSorted((a, b) => a.key.compare(b.key));
  const head = Buffer.alloc(HEAD_BYTES + FILE_BYTES * sorted.length);
  head.writeDoubleLE(sorted.length, MAGIC.copy(head));
  let [at, first] = [HEAD_BYTES, 0];
  for (const { key, bytes, digests } of sorted) {
    head.writeDoubleLE(first, head.writeDoubleLE(bytes, at + key.copy(head, at)));
    first += digests.length;
    at += FILE_BYTES;
  }
  return Buffer.concat([head, ...sorted.flatMap(({ digests }) => digests)]);
}

/**
 * What is wrong with the signatures of a release, by file.
 * @param keys of which one must have signed it; none: any may have
 */
export function signatureProblems(root: string, keys: readonly KeyObject[]): { path: string; problem: string }[] {
  const problems: { path: string; problem: string }[] = [];
  const has = (path: string): boolean => existsSync(join(root, path));
  // Written last: without it what others there are is left of a command that failed.
  if (keys.length === 0 && !has(`${RELEASE_FILE}${SIGNATURE_ENDING}`)) return [];
  // What was signed by version 1.1.0 has no time.
  const hasTime = has(SIGNED_FILE) || has(`${SIGNED_FILE}${SIGNATURE_ENDING}`);
  for (const path of SIGNATURE_FILES)
    if (!has(path) && (hasTime || !path.startsWith(SIGNED_FILE))) problems.push({ path, problem: 'is missing' });
  if (has(SIGNED_FILE) && has(BLOCKS_FILE)) problems.push(...timeProblems(root));
  if (has(BLOCKS_FILE) && !hasItsBlocks(root))
    problems.push({ path: BLOCKS_FILE, problem: 'does not have the blocks of the files of this release' });
  for (const file of SIGNED_FILES) {
    const path = `${file}${SIGNATURE_ENDING}`;
    if (keys.length === 0 || !has(file) || !has(path)) continue;
    const [content, signature] = [readFileSync(join(root, file)), readFileSync(join(root, path))];
    if (!keys.some((key) => verify(null, content, key, signature)))
      problems.push({ path, problem: `${NO_SIGNATURE}: ${keys.map(keyName).join(', ')}` });
  }
  return problems;
}

/** What is wrong with signed.json besides its signature. */
function timeProblems(root: string): { path: string; problem: string }[] {
  const path = SIGNED_FILE;
  try {
    const expected = signedToJson(root, readFileSync(join(root, BLOCKS_FILE)), signedTime(root) ?? '');
    if (readFileSync(join(root, path), 'utf8') === expected) return [];
    return [{ path, problem: `is not of this ${RELEASE_FILE} and ${BLOCKS_FILE}, or not in canonical form` }];
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return [{ path, problem: error.message.slice(`${path}: `.length) }];
  }
}

/** Is blocks.bin that of the files of its release? If one of them is damaged, that is found elsewhere. */
function hasItsBlocks(root: string): boolean {
  try {
    return readBlocks(root).equals(readFileSync(join(root, BLOCKS_FILE)));
  } catch (error) {
    if (error instanceof BuildError) return true;
    throw error;
  }
}

/**
 * What a public key is called in messages: the SHA-256 of its DER, in hex, as `openssl pkey -pubin -outform DER` has
 * it.
 */
function keyName(key: KeyObject): string {
  return `SHA-256 ${sha256Of(key.export({ format: 'der', type: 'spki' }))}`;
}
