// The files of an upload in order, and what a target is given of each. Files that name others follow them, so that an
// upload that ends early leaves nothing incomplete to serve.
import { createHash, hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKSUMS_FILE, CURRENT_PATH, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { readChecksums } from '../release/checksums.ts';
import { BuildError } from '../report/errors.ts';

/** A file of a release that is to be uploaded. */
export interface ReleaseFile {
  /** Relative to the output folder. */
  path: string;
  /** In hex, from checksums.txt; undefined for that file itself. */
  sha256: string | undefined;
}

/** A file as a target gets it. */
export interface Content {
  /** Relative to the target. */
  path: string;
  bytes: Buffer;
  /** In hex. */
  sha256: string;
  md5: string;
}

/** How a file is served. */
export interface ServedAs {
  contentType: string;
  cacheControl: string;
}

/** Pages and feature files stay gzip files, without Content-Encoding: hosts and caches must not inflate them. */
const CONTENT_TYPES: readonly (readonly [ending: string, type: string])[] = [
  ['.gz', 'application/gzip'],
  ['.bin', 'application/octet-stream'],
  ['.json', 'application/json'],
  ['.txt', 'text/plain'],
];

/** Media type and Cache-Control of a file: those of a release never change, current.json does. */
export function servedAs(path: string): ServedAs {
  const contentType = CONTENT_TYPES.find(([ending]) => path.endsWith(ending))?.[1] ?? 'application/octet-stream';
  return {
    contentType,
    cacheControl: path === CURRENT_PATH ? 'no-cache' : 'public, max-age=31536000, immutable',
  };
}

/**
 * The files of a release in steps; the files of a step follow all files of the one before: pages and feature files, then
 * indexes and manifests, checksums.txt, release.json.
 * @throws BuildError if it is not in the output folder, or its checksums.txt is damaged
 */
export function releaseSteps(out: string, release: string): ReleaseFile[][] {
  const folder = releasePath(release);
  if (!existsSync(join(out, folder, CHECKSUMS_FILE)))
    throw new BuildError(
      `${join(out, folder)}: no such release`,
      'run list to see the releases; activate one that is there, or build this one again',
    );
  const { sums, problems } = readChecksums(join(out, folder));
  if (problems[0] !== undefined) throw damaged(join(folder, CHECKSUMS_FILE), problems[0], release);
  const files = [...sums].map(([path, sha256]) => ({ path: `${folder}/${path}`, sha256 }));
  const isDescription = ({ path }: ReleaseFile): boolean => path === `${folder}/${RELEASE_FILE}`;
  return [
    files.filter(({ path }) => path.endsWith('.gz')),
    files.filter((file) => !file.path.endsWith('.gz') && !isDescription(file)),
    [{ path: `${folder}/${CHECKSUMS_FILE}`, sha256: undefined }],
    files.filter(isDescription),
  ];
}

/** The size of a file, in bytes. @throws BuildError if it is missing */
export async function sizeOf(out: string, release: string, { path }: ReleaseFile): Promise<number> {
  const status = await stat(join(out, path)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw damaged(path, 'is missing', release);
    throw error;
  });
  return status.size;
}

/** Reads a file. @throws BuildError if it does not have its checksum */
export async function readContent(out: string, release: string, { path, sha256 }: ReleaseFile): Promise<Content> {
  const content = contentFrom(path, await readFile(join(out, path)));
  if (sha256 === undefined || sha256 === content.sha256) return content;
  throw damaged(path, `has the SHA-256 ${content.sha256}, expected ${sha256}`, release);
}

/** Some bytes as the content of a file. */
export function contentFrom(path: string, bytes: Buffer): Content {
  return { path, bytes, sha256: hash('sha256', bytes, 'hex'), md5: createHash('md5').update(bytes).digest('hex') };
}

function damaged(path: string, problem: string, release: string): BuildError {
  return new BuildError(
    `${path}: ${problem}`,
    `run verify --release ${release} to see all problems, then build the release again under another id`,
  );
}
