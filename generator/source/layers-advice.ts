// How layers are told apart that one option made a single level of: files of several levels often name the column of
// their codes alike.
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
      layer: quoted(`${name}=${isNamedOnce ? layer : `${sourceName(path)}:${layer}`}`),
      column: quoted(`${name}=${gidColumns[level] ?? ''}`),
    };
  });
  return (
    `${levelName(level)} is of ${layers.length} layers; if each is a level of its own, tell them apart: ` +
    `--layer ${options.map(({ layer }) => layer).join(' ')} --gid-column ${options.map(({ column }) => column).join(' ')}, ` +
    `and --parent-by-place where no column has the parents`
  );
}

function quoted(argument: string): string {
  return /^[\w=.:*+-]+$/.test(argument) ? argument : `"${argument.replaceAll('"', '\\"')}"`;
}
