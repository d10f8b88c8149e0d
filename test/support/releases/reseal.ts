// Changes a page or a manifest of a finished release and seals the release again: every length, digest and checksum is
// right, so that only the content can give the change away.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { deflateText, joinMember, sumOf } from '../../../format/gzip-members.ts';
import { CHECKSUMS_FILE, manifestPath, namesPath, OVERVIEW_FILE, RELEASE_FILE } from '../../../format/layout.ts';
import { FORMATS, LEVELS, type Level, levelName } from '../../../format/levels.ts';
import { DIGEST_CHARS, digestOf, type Manifest, manifestFromJson, manifestToJson } from '../../../format/manifest.ts';
import { type Release, releaseFromJson, releaseToJson } from '../../../format/release.ts';
import { pagesOf } from '../../../generator/verify/content/pages.ts';
import { sha256, sha256Of } from '../files.ts';

/** A page's text. */
export function textOf(root: string, path: string): string {
  return gunzipSync(readFileSync(join(root, path))).toString();
}

/** A page file of these texts, each deflated by itself. */
export function packPage(texts: readonly string[]): Buffer {
  const buffers = texts.map((text) => Buffer.from(text));
  return joinMember(buffers.map((text) => ({ data: deflateText(text), ...sumOf(text) })));
}

/** Puts `bytes` in a page's place. */
export function replacePage(root: string, path: string, bytes: Buffer): void {
  const level = LEVELS.find((candidate) => path.startsWith(`${levelName(candidate)}/`));
  if (level === undefined) throw new Error(`${path} is not in the folder of a level`);
  writeFileSync(join(root, path), bytes);
  resealLevel(root, level, (manifest) => {
    const page = [...pagesOf(manifest, 0, 1)].find((candidate) => candidate.path === path);
    if (page === undefined) throw new Error(`${path} is not a page`);
    const { bytes: sizes, digests } = manifest.pages[page.format];
    const at = page.number * DIGEST_CHARS;
    const table = {
      bytes: sizes.with(page.number, bytes.length),
      digests: digests.slice(0, at) + digestOf(bytes) + digests.slice(at + DIGEST_CHARS),
    };
    return { ...manifest, pages: { ...manifest.pages, [page.format]: table } };
  });
}

/** Changes a level's manifest, then release.json and checksums.txt to match. */
export function resealLevel(root: string, level: Level, change: (manifest: Manifest) => Manifest): void {
  const file = manifestPath(level);
  const manifest = change(manifestFromJson(readFileSync(join(root, file), 'utf8'), file));
  const json = manifestToJson(manifest);
  writeFileSync(join(root, file), json);
  const bytes = FORMATS.flatMap((format) => manifest.pages[format].bytes).reduce((sum, size) => sum + size, 0);
  resealRelease(root, (release) => ({
    ...release,
    levels: release.levels.with(level, { ...summaryOf(release, level), bytes, manifest: sha256(json) }),
  }));
}

/** Changes release.json, then checksums.txt to match. */
export function resealRelease(root: string, change: (release: Release) => Release): void {
  const release = change(releaseFromJson(readFileSync(join(root, RELEASE_FILE), 'utf8'), RELEASE_FILE));
  writeFileSync(join(root, RELEASE_FILE), releaseToJson(release));
  const file = join(root, CHECKSUMS_FILE);
  const paths = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(66));
  writeFileSync(file, paths.map((path) => `${sha256Of(join(root, path))}  ${path}\n`).join(''));
}

/** Changes the text of the names of a level, or of the overview, then release.json and checksums.txt to match. */
export function replaceWholeFile(root: string, level: Level | 'overview', change: (text: string) => string): void {
  const path = level === 'overview' ? OVERVIEW_FILE : namesPath(level);
  const text = Buffer.from(change(textOf(root, path)));
  const bytes = joinMember([{ data: deflateText(text), ...sumOf(text) }]);
  writeFileSync(join(root, path), bytes);
  const file = { bytes: bytes.length, textBytes: text.length, sha256: sha256(bytes) };
  resealRelease(root, (release) =>
    level === 'overview'
      ? { ...release, overview: file }
      : { ...release, levels: release.levels.with(level, { ...summaryOf(release, level), names: file }) },
  );
}

export function summaryOf(release: Release, level: Level): Release['levels'][number] {
  const summary = release.levels[level];
  if (summary === undefined) throw new Error(`release.json lacks level ${level}`);
  return summary;
}
