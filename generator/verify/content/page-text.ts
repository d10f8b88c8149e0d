// Checks a page's text line by line: the frame of its format, and the features in it.
import { type Format, FRAMES } from '../../../format/levels.ts';
import { type Runs, valuesOf } from '../../../format/runs.ts';
import { FileError } from '../../reader/inflate.ts';

/** Takes a feature's text, its line feed included. */
export type OnFeature = (line: Buffer, position: number) => void;

/** Takes a page's text. */
export interface TextCheck {
  /** Takes the next line, its line feed included. */
  line(bytes: Buffer): void;
  /** Ends the page. @param rest the text after the last line feed */
  end(rest: Buffer): void;
}

/**
 * Makes a check for one page. Its functions throw FileError.
 * @param positions positions of the features that the page should hold
 */
export function newTextCheck(format: Format, positions: Runs, onFeature: OnFeature): TextCheck {
  const expected = linesOf(format, positions);
  let lines = 0;
  return {
    line(bytes) {
      lines++;
      const next = expected.next();
      if (next.done) throw new FileError(`line ${lines} follows its end`);
      const { begin, position } = next.value;
      const got = bytes.subarray(0, begin.length);
      if (!got.equals(begin)) {
        throw new FileError(`line ${lines} begins with ${quoted(got)}, expected ${quoted(begin)}`);
      }
      const rest = bytes.subarray(begin.length);
      if (position !== undefined) onFeature(rest, position);
      else if (rest.length > 0) throw new FileError(`line ${lines} ends with ${quoted(rest)}, expected nothing more`);
    },
    end(rest) {
      if (!expected.next().done) throw new FileError(`ends after ${lines} lines, expected more`);
      if (rest.length > 0) throw new FileError(`ends with ${quoted(rest)}, expected a line feed`);
    },
  };
}

/** The beginning of each line, and the position of the feature after it; undefined for a line without a feature. */
function* linesOf(format: Format, positions: Runs): Generator<{ begin: Buffer; position: number | undefined }> {
  const { before, between, after } = FRAMES[format];
  if (before !== '') yield { begin: Buffer.from(before), position: undefined };
  let begin: Buffer = Buffer.of();
  for (const position of valuesOf(positions)) {
    yield { begin, position };
    begin = Buffer.from(between);
  }
  if (after !== '') yield { begin: Buffer.from(after), position: undefined };
}

function quoted(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('utf8', 0, 40));
}
