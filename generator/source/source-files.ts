// The files of the source with their sizes and SHA-256, for release.json; sorted, so that the order is reproducible.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SourceFile } from '../../format/release.ts';

/** Name, size and SHA-256 of every source file; a file in a folder has a path that begins with the folder's name. */
export async function sourceFiles(source: readonly string[]): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of source) {
    for (const name of namesUnder(path, basename(path))) {
      const file = join(path, '..', name);
      files.push({ name, bytes: statSync(file).size, sha256: await sha256OfFile(file) });
    }
  }
  return files;
}

function namesUnder(path: string, name: string): string[] {
  if (!statSync(path).isDirectory()) return [name];
  return readdirSync(path)
    .sort()
    .flatMap((entry) => namesUnder(join(path, entry), `${name}/${entry}`));
}

/** SHA-256 of a file of any size, in hex. */
export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
