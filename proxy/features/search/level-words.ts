// The words of a level's names in memory.
import { wordsPath } from '../../../format/layout.ts';
import { decodingWords, Words } from '../../../format/words.ts';
import type { Part } from '../../data/loaded-release.ts';
import { inTurns } from '../../work/in-turns.ts';

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
