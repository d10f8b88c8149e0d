// The files of the source with their sizes and SHA-256, for release.json; sorted, so that the order is reproducible.
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SourceFile } from '../../format/release.ts';
import { fileOrFolder, isHidden, isSystemFile, namesIn } from './local-files.ts';
import { isRemote, sourceName } from './source-options.ts';

/**
 * Name, size and SHA-256 of every source file; a file in a folder has a path that begins with the folder's name. A URL or
 * a connection to a database has its name only, without user, password and query.
 */
export async function sourceFiles(source: readonly string[]): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of source) {
    if (isRemote(path)) {
      files.push({ name: sourceName(path) });
      continue;
    }
    for (const [name, file] of filesUnder(resolve(path), basename(resolve(path))))
      files.push({ name, bytes: statSync(file).size, sha256: await sha256OfFile(file) });
  }
  return files;
}

/** The name of each path of the source, as its files have it in front. */
export function sourceNames(source: readonly string[]): string[] {
  return source.map(sourceName);
}

/** The names of all files under a path, without hidden ones and those of operating systems, and where they are. */
function filesUnder(path: string, name: string): [name: string, file: string][] {
  if (!fileOrFolder(path).isDirectory()) return [[name, path]];
  return namesIn(path)
    .filter((entry) => !isHidden(entry) && !isSystemFile(entry))
    .flatMap((entry) => filesUnder(join(path, entry), `${name}/${entry}`));
}

/** SHA-256 of a file of any size, in hex. */
export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
