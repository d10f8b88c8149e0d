// The values of a table as one text, which goes from thread to thread at once: to learn one of them takes no reading of
// all. And texts of a table as far as they are shown.

/** A cell may have a million. */
const SHOWN_CHARS = 100;

export interface Values {
  text: string;
  /** Where each of them ends. */
  ends: Uint32Array;
}

export function joinValues(values: readonly string[]): Values {
  const ends = new Uint32Array(values.length);
  let end = 0;
  for (const [i, { length }] of values.entries()) {
    end += length;
    ends[i] = end;
  }
  return { text: values.join(''), ends };
}

/** The value of this number; empty if there is none. */
export function valueAt({ text, ends }: Values, i: number | undefined): string {
  return i === undefined ? '' : text.slice(ends[i - 1] ?? 0, ends[i] ?? 0);
}

/** A text as far as it is shown; a cut one says so. */
export function shownText(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
