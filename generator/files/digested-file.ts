// Writes a file, and beside it the digests of its blocks, by which ranges are checked: 8 bytes of SHA-256 each.
import type { CheckedFile } from '../../format/checked-files.ts';
import { tileDigestOf } from '../../format/tiles.ts';
import { createOutputFile } from './output-file.ts';

/** Creates both files; their folders must exist. @param blockBytes of each block but the last */
export function createDigestedFile(file: string, beside: string, blockBytes: number) {
  const [output, digests] = [createOutputFile(file), createOutputFile(beside)];
  let rest = Buffer.alloc(0);
  return {
    write(bytes: Buffer): void {
      output.write(bytes);
      let left = Buffer.concat([rest, bytes]);
      for (; left.length >= blockBytes; left = left.subarray(blockBytes))
        digests.write(tileDigestOf(left.subarray(0, blockBytes)));
      rest = left;
    },
    close(): CheckedFile & { digests: CheckedFile } {
      if (rest.length > 0) digests.write(tileDigestOf(rest));
      return { ...output.close(), digests: digests.close() };
    },
  };
}
