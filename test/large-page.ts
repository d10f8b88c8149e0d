// A page of any size in a release, for tests of what is passed on without being looked into.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestPath, pagePath, RELEASE_FILE, releasePath } from '../format/layout.ts';
import { DIGEST_CHARS, digestOf } from '../format/manifest.ts';

/** Puts a page of `bytes` in the place of the first one of fc/lv0, in the manifest and in release.json too. */
export function enlargePage(folder: string, bytes: number): { page: Buffer; file: string } {
  const release = join(folder, releasePath('r1'));
  const file = join(release, pagePath(0, 'fc', 'all', 0));
  const page = Buffer.alloc(bytes, Buffer.from('a page that nobody looks into while it is passed on '));
  writeFileSync(file, page);
  const manifestFile = join(release, manifestPath(0));
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  manifest.pages.fc.bytes[0] = page.length;
  manifest.pages.fc.digests = digestOf(page) + manifest.pages.fc.digests.slice(DIGEST_CHARS);
  const text = JSON.stringify(manifest);
  writeFileSync(manifestFile, text);
  const summaryFile = join(release, RELEASE_FILE);
  const summary = JSON.parse(readFileSync(summaryFile, 'utf8'));
  summary.levels[0].manifest = createHash('sha256').update(text).digest('hex');
  writeFileSync(summaryFile, JSON.stringify(summary));
  return { page, file };
}
