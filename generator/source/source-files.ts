// Where a release's data came from: the source's files with their SHA-256, in an order that no folder listing changes.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SourceFile } from '../../format/release.ts';

/** Names and sums every file of the source; the files of a folder are named relative to it, with its own name first. */
export async function sourceFiles(source: readonly string[]): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of source) {
    for (const name of namesUnder(path, basename(path))) {
      const file = join(path, '..', name);
      files.push({ name, bytes: statSync(file).size, sha256: await sha256Of(file) });
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

/** A file's SHA-256 in hex. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
