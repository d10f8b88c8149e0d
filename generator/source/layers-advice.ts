// Which options tell layers apart that one option made a single level of, as files of several levels often name the
// column of their codes alike; and which columns may be named in the place of one that holds no codes.
import { shellWord } from '../../format/command-line/messages.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { LevelSource } from './level-source.ts';
import { sourceName } from './source-options.ts';

const DEEPEST: Level = 5;

/**
 * The options that make a level of each layer, the one with fewest units first; undefined if there are too many of them,
 * or only one.
 */
export function layersAdvice({ level, layers }: LevelSource): string | undefined {
  if (layers.length < 2 || level + layers.length - 1 > DEEPEST) return undefined;
  const ordered = layers.toSorted((a, b) => a.features - b.features);
  const isNamedOnce = new Set(layers.map(({ layer }) => layer)).size === layers.length;
  const options = ordered.map(({ path, layer, gidColumns }, i) => {
    const name = `lv${level + i}`;
    return {
      layer: shellWord(`${name}=${isNamedOnce ? layer : `${sourceName(path)}:${layer}`}`),
      column: shellWord(`${name}=${gidColumns[level] ?? ''}`),
    };
  });
  return (
    `${levelName(level)} is of ${layers.length} layers; if each is a level of its own, tell them apart: ` +
    `--layer ${options.map(({ layer }) => layer).join(' ')} --gid-column ${options.map(({ column }) => column).join(' ')}, ` +
    `and --parent-by-place where no column has the parents`
  );
}

/** Maximum number of columns without repetition that are named. */
const LISTED_KEYS = 6;

/** The columns in which no value repeats, as the end of an advice; empty if there are none. */
export function keysAdvice(keys: readonly string[]): string {
  return keys.length === 0 ? '' : `; columns without repetition: ${keys.slice(0, LISTED_KEYS).join(', ')}`;
}
