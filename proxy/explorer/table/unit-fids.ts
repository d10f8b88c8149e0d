// The fids of some units of a level, from the text of its names.
import { nameColumns, valuesIn } from '../../../format/names.ts';

const LINE_FEED = 0x0a;

/** @param wanted by position */
export function fidsOf(text: Uint8Array, wanted: readonly number[], file: string): Float64Array {
  const decoder = new TextDecoder();
  const headEnd = text.indexOf(LINE_FEED) + 1;
  const [column = 0] = nameColumns(decoder.decode(text.subarray(0, headEnd)), ['fid'], file);
  const fids = new Map(wanted.map((position) => [position, Number.NaN]));
  for (let [position, begin] = [0, headEnd]; begin < text.length; position++) {
    const end = text.indexOf(LINE_FEED, begin);
    if (fids.has(position))
      fids.set(position, Number(valuesIn(decoder.decode(text.subarray(begin, end)), file)[column]));
    begin = end + 1;
  }
  return Float64Array.from(wanted, (position) => fids.get(position) ?? Number.NaN);
}
