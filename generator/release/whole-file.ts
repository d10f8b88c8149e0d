// Writes a file that is served whole, as one gzip member: the names of a level, the overview.
import { sumOf } from '../../format/crc32.ts';
import { deflateWhole, MemberWriter } from '../../format/gzip.ts';
import type { WholeFile } from '../../format/release.ts';
import { createOutputFile } from './output-file.ts';

/** Characters that are compressed together: the text of a large level is never in memory as a whole. */
const CHUNK_CHARS = 1 << 20;

/** Writes a file. @param texts its text in pieces */
export function writeWholeFile(file: string, texts: Iterable<string>): WholeFile {
  const output = createOutputFile(file);
  const member = new MemberWriter(output.write);
  let pending: string[] = [];
  let chars = 0;

  function flush(): void {
    const text = Buffer.from(pending.join(''));
    if (text.length > 0) member.add({ data: deflateWhole(text), ...sumOf(text) });
    pending = [];
    chars = 0;
  }

  for (const text of texts) {
    pending.push(text);
    chars += text.length;
    if (chars >= CHUNK_CHARS) flush();
  }
  flush();
  const { textBytes } = member;
  member.end();
  const { bytes, sha256 } = output.close();
  return { bytes, textBytes, sha256: sha256.toString('hex') };
}
