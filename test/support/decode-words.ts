// The words of a level in one step.
import { decodingWords, type Words } from '../../format/words.ts';

/** The words of a level from its file. @throws FormatError */
export function decodeWords(...file: Parameters<typeof decodingWords>): Words {
  const steps = decodingWords(...file);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
