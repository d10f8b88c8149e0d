// The order of texts in the files of a release: that of their UTF-8 bytes.
import { elementAt } from '../element-at.ts';

/** Code units from here on are surrogates, or sort after them although their UTF-8 bytes sort before. */
const LAST_SIMPLE_UNIT = /[\ud800-\uffff]/;

/** The indexes of texts in ascending order of their UTF-8 bytes; equal ones keep their order. */
export function ascendingTexts(texts: readonly string[]): number[] {
  const order = [...texts.keys()];
  if (texts.some((text) => LAST_SIMPLE_UNIT.test(text))) {
    const bytes = texts.map((text) => Buffer.from(text));
    return order.sort((a, b) => Buffer.compare(elementAt(bytes, a), elementAt(bytes, b)));
  }
  return order.sort((a, b) => {
    const one = elementAt(texts, a);
    const other = elementAt(texts, b);
    return one < other ? -1 : one > other ? 1 : 0;
  });
}
