// Writes page files, one gzip member each. The text of short features is deflated together; the deflate data of large
// features is copied from the store.
import { sumOf } from '../../format/crc32.ts';
import { type DeflatedText, deflateText, FRAME_DATA, MemberWriter } from '../../format/gzip.ts';
import { type Format, FRAMES } from '../../format/levels.ts';
import type { Ranges } from '../../format/positions.ts';
import { createOutputFile, type WrittenFile } from '../release/output-file.ts';
import type { StoreReader } from '../store/feature-store.ts';

/** A part of a format's frame, as text and as deflate data. */
interface FramePart {
  text: Buffer;
  deflated: DeflatedText;
}

const FRAME_PARTS = { geojsonl: framePartsOf('geojsonl'), fc: framePartsOf('fc') };

/**
 * Writes one page. Holds at most its short features and one large one, compressed.
 * @param ranges the positions of its features
 */
export function writePage(file: string, format: Format, ranges: Ranges, store: StoreReader): WrittenFile {
  const frame = FRAME_PARTS[format];
  const output = createOutputFile(file);
  const member = new MemberWriter(output.write);
  let pending: Buffer[] = [frame.before.text];

  function writePending(): void {
    const text = Buffer.concat(pending);
    pending = [];
    // Between two large features there is only a separator, whose deflate data is known.
    const part = Object.values(frame).find((candidate) => candidate.text.equals(text));
    member.add(part?.deflated ?? { data: deflateText(text), ...sumOf(text) });
  }

  let isFirst = true;
  for (const { bytes, deflated } of store.read(ranges)) {
    if (!isFirst) pending.push(frame.between.text);
    isFirst = false;
    if (deflated === undefined) {
      pending.push(bytes);
    } else {
      writePending();
      member.add({ data: bytes, ...deflated });
    }
  }
  pending.push(frame.after.text);
  writePending();
  member.end();
  return output.close();
}

function framePartsOf(format: Format): Record<'before' | 'between' | 'after', FramePart> {
  const part = (name: 'before' | 'between' | 'after'): FramePart => ({
    text: Buffer.from(FRAMES[format][name]),
    deflated: FRAME_DATA[format][name],
  });
  return { before: part('before'), between: part('between'), after: part('after') };
}
