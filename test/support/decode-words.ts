// The words of a level in one step.
import { resultOf } from '../../format/steps.ts';
import { decodingWords, type Words } from '../../format/words.ts';

/** The words of a level from its file. @throws FormatError */
export function decodeWords(...file: Parameters<typeof decodingWords>): Words {
  return resultOf(decodingWords(...file));
}
