// Reads a file that is served whole, names or the overview, and compares it with release.json and checksums.txt.
import { RELEASE_FILE } from '../../format/layout.ts';
import type { WholeFile } from '../../format/release.ts';
import { inflateMember } from '../reader/inflate.ts';
import { problemOf } from '../report/faults.ts';
import { type Metadata, readBelieved } from './metadata.ts';

/**
 * Reads a file. Its faults are reported.
 * @param promised what release.json says of it; undefined if release.json is damaged
 * @returns its text; undefined if it is damaged
 */
export function readWholeFile(path: string, promised: WholeFile | undefined, metadata: Metadata): Buffer | undefined {
  const { fault } = metadata;
  try {
    const { bytes, isBelieved } = readBelieved(path, promised?.sha256, metadata);
    if (!isBelieved) return undefined;
    const text = inflateMember(bytes);
    if (promised !== undefined)
      for (const [what, has, expected] of [
        ['bytes', promised.bytes, bytes.length],
        ['bytes of text', promised.textBytes, text.length],
      ] as const)
        if (has !== expected) fault(RELEASE_FILE, `has ${has} ${what} for ${path}, which has ${expected}`);
    return text;
  } catch (error) {
    fault(path, problemOf(error));
    return undefined;
  }
}
