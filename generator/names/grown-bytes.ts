// By how many bytes languages and codes make the names, the words and the tiles of a release larger.

import type { LevelSummary } from '../../format/level-json.ts';
import type { Level } from '../../format/levels.ts';
import type { BordersRecord } from '../plan/records.ts';
import type { LevelStore } from '../store/level-store.ts';
import { plainNamesBytes, type Relatives } from './named-units.ts';
import { encodeWords } from './words.ts';

/** Bytes by which files are larger than without languages and codes. */
export interface GrownBytes {
  names: number;
  words: number;
  /** Of the attributes, before tiles are compressed. */
  tiles: number;
}

/**
 * What languages and codes cost a level, whose names and words are made once more without them.
 * @param tiles bytes of names in languages in its tiles
 * @returns undefined of a level that has none
 */
export function measureGrown(
  level: Level,
  store: LevelStore,
  relatives: Relatives,
  borders: Pick<BordersRecord, 'views' | 'areas'>,
  { nameColumns, codeColumns, names, words }: LevelSummary,
  tiles = 0,
): GrownBytes | undefined {
  if (nameColumns === undefined && codeColumns === undefined) return undefined;
  const plainWords = nameColumns === undefined ? words.bytes : encodeWords(store.readNames().all(false)).length;
  return {
    names: names.bytes - plainNamesBytes(level, store, relatives, borders),
    words: words.bytes - plainWords,
    tiles,
  };
}

/** What a build says of it, of all levels together: one line, none without languages and codes. */
export function grownLines(
  levels: readonly { summary: Pick<LevelSummary, 'names' | 'words'>; grown: GrownBytes | undefined }[],
): string[] {
  if (levels.every(({ grown }) => grown === undefined)) return [];
  const total = (bytesOf: (level: (typeof levels)[number]) => number): string =>
    levels.reduce((sum, level) => sum + bytesOf(level), 0).toLocaleString('en');
  const names = `${total(({ grown }) => grown?.names ?? 0)} of ${total(({ summary }) => summary.names.bytes)} bytes of names`;
  const words = `${total(({ grown }) => grown?.words ?? 0)} of ${total(({ summary }) => summary.words.bytes)} bytes of words`;
  const tiles = levels.some(({ grown }) => (grown?.tiles ?? 0) > 0)
    ? [`${total(({ grown }) => grown?.tiles ?? 0)} bytes of tiles before their compression`]
    : [];
  return [`languages and codes take ${[names, words, ...tiles].join(', ')}`];
}
