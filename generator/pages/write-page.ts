// Writes page files, one gzip member each. The text of short features is deflated together; the deflate data of large
// features is copied from the store.
import { type DeflatedText, deflateText, FRAME_DATA, MemberAssembly, sumOf } from '../../format/gzip-members.ts';
import { type Format, FRAMES } from '../../format/levels.ts';
import type { Runs } from '../../format/runs.ts';
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
 * @param runs the positions of its features
 */
export function writePage(file: string, format: Format, runs: Runs, store: StoreReader): WrittenFile {
  const frame = FRAME_PARTS[format];
  const output = createOutputFile(file);
  const assembly = new MemberAssembly();
  let pending: Buffer[] = [frame.before.text];

  function write(piece: DeflatedText): void {
    assembly.add(piece);
    for (const part of assembly.take()) output.write(part);
  }

  function writePending(): void {
    const text = Buffer.concat(pending);
    pending = [];
    // Between two large features there is only a separator, whose deflate data is known.
    const part = Object.values(frame).find((candidate) => candidate.text.equals(text));
    write(part?.deflated ?? { data: deflateText(text), ...sumOf(text) });
  }

  let isFirst = true;
  for (const { bytes, deflated } of store.read(runs)) {
    if (!isFirst) pending.push(frame.between.text);
    isFirst = false;
    if (deflated === undefined) {
      pending.push(bytes);
    } else {
      writePending();
      write({ data: bytes, ...deflated });
    }
  }
  pending.push(frame.after.text);
  writePending();
  assembly.end();
  for (const part of assembly.take()) output.write(part);
  return output.close();
}

function framePartsOf(format: Format): Record<'before' | 'between' | 'after', FramePart> {
  const part = (name: 'before' | 'between' | 'after'): FramePart => ({
    text: Buffer.from(FRAMES[format][name]),
    deflated: FRAME_DATA[format][name],
  });
  return { before: part('before'), between: part('between'), after: part('after') };
}
