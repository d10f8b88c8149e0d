// Verifies the counts in release.json against the manifests and feature indexes.
import type { FeatureIndex } from '../../format/feature-index.ts';
import { manifestPath, RELEASE_FILE } from '../../format/layout.ts';
import { FORMATS, type Level } from '../../format/levels.ts';
import { listingsOf } from '../../format/listing.ts';
import type { Manifest } from '../../format/manifest.ts';
import type { Release } from '../../format/release.ts';

/** Adds a problem of a file of the release. */
type OnFault = (path: string, problem: string) => void;

/** Compares the counts of a level with its verified manifest. */
export function checkManifestCounts(
  { level, columns, features, pages }: Manifest,
  { levels }: Release,
  fault: OnFault,
): void {
  const summary = levels[level];
  const listings = listingsOf(level, features, columns).filter((listing) => listing.features > 0).length;
  const bytes = FORMATS.flatMap((format) => pages[format].bytes).reduce((sum, size) => sum + size, 0);
  const counts = [
    ['features', summary?.features, features],
    ['listings', summary?.listings, listings],
    ['bytes', summary?.bytes, bytes],
    ...FORMATS.map((format) => [`${format} pages`, summary?.pages[format], pages[format].bytes.length] as const),
  ] as const;
  for (const [what, has, expected] of counts) {
    if (has !== expected) fault(RELEASE_FILE, `level ${level} has ${has} ${what}, its manifest ${expected}`);
  }
}

/** Compares the counts of a level's feature files with its verified index. */
export function checkIndexCounts(level: Level, index: FeatureIndex, { levels }: Release, fault: OnFault): void {
  const counts = { files: index.files, bytes: index.bytesOf({ first: 0, end: index.features }) };
  for (const what of ['files', 'bytes'] as const) {
    const has = levels[level]?.featureFiles[what];
    if (has !== counts[what])
      fault(RELEASE_FILE, `level ${level} has ${has} ${what} of features, its index ${counts[what]}`);
  }
}

/** release.json and the manifests must have the same `storedPages`. If all manifests differ, release.json is damaged. */
export function checkStoredPages(
  { storedPages }: Release,
  manifests: readonly (Manifest | undefined)[],
  fault: OnFault,
): void {
  const read = manifests.filter((manifest) => manifest !== undefined);
  const different = read.filter((manifest) => manifest.storedPages !== storedPages);
  const [first] = different;
  if (first !== undefined && different.length === read.length)
    fault(RELEASE_FILE, `storedPages is ${storedPages}, the manifests have ${first.storedPages}`);
  else
    for (const manifest of different)
      fault(manifestPath(manifest.level), `storedPages is ${manifest.storedPages}, ${RELEASE_FILE} has ${storedPages}`);
}
