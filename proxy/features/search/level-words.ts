// The words of a level's names in memory. Used by search.ts.
import { setImmediate } from 'node:timers/promises';
import { wordsPath } from '../../../format/layout.ts';
import { decodingWords, Words } from '../../../format/words.ts';
import type { Part } from '../../data/release.ts';

/** Other events are handled after this time of work, in milliseconds. */
const TURN_MS = 1;

/** They are brought into memory for the first search. */
export const WORDS: Part<Words> = {
  name: 'words',
  type: Words,
  async load(level) {
    const { summary, folder, index } = level;
    const path = wordsPath(index.level);
    const bytes = await level.read(path, summary.words);
    return inTurns(decodingWords(bytes, summary.features, `${folder}/${path}`));
  },
};

/** Runs to the end, with other events between the turns. */
async function inTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (let began = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}
