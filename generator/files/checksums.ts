// Reads checksums.txt: the SHA-256 of every other file of a release, by path.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedFile } from '../../format/checked-files.ts';
import { CHECKSUMS_FILE } from '../../format/layout.ts';

/** The content of checksums.txt. */
export interface Checksums {
  /** Path relative to the release to SHA-256 in hex. */
  sums: ReadonlyMap<string, string>;
  /** Problems of the file itself, by line. */
  problems: readonly string[];
}

/**
 * A path has segments of plain characters, none of them `.` or `..`: joined to the release's folder, it stays inside.
 */
const LINE = /^([0-9a-f]{64}) {2}((?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*)$/;

/** SHA-256 of some content, in hex. */
export function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** What release.json and current.json say of a file with this content. */
export function checkedFile(content: Uint8Array): CheckedFile {
  return { bytes: content.length, sha256: sha256Of(content) };
}

/** Reads the checksums of the release in `folder`. Malformed lines are reported in `problems` and skipped. */
export function readChecksums(folder: string): Checksums {
  const lines = readFileSync(join(folder, CHECKSUMS_FILE), 'latin1').split('\n');
  const sums = new Map<string, string>();
  const problems: string[] = [];
  if (lines.pop() !== '') problems.push('its last line does not end in a line feed');
  let previous = '';
  for (const [i, line] of lines.entries()) {
    const [, sha256, path] = LINE.exec(line) ?? [];
    if (sha256 === undefined || path === undefined) {
      problems.push(
        `line ${i + 1} is ${JSON.stringify(line.slice(0, 100))}, expected a SHA-256, two spaces and a path inside the release`,
      );
      continue;
    }
    if (path <= previous) problems.push(`line ${i + 1}: ${path} follows ${previous}; paths must ascend`);
    previous = path;
    sums.set(path, sha256);
  }
  return { sums, problems };
}
