// Whom a release credits, and whom each of its levels: a map of one level need not name the owners of all.
import { LEVELS, type Level } from '../../format/levels.ts';
import { problemOfShown } from '../../format/parse.ts';
import { BuildError } from '../report/errors.ts';
import type { DatasetDescription } from '../source/level-sources.ts';
import { valuesFor } from '../source/source-options.ts';
import { attributionsFrom } from './option-texts.ts';

/** The attribution of a release. */
export interface Attribution {
  release: readonly string[];
  /** Of the levels that have another one. */
  levels: ReadonlyMap<Level, readonly string[]>;
}

/**
 * The texts that are given, then those in the metadata of the source; where none are given, the credits of the known
 * datasets that it is of.
 * @param given `--attribution`: of all levels, or as `lv3=TEXT` of one
 * @param stated of each level, where the metadata of the source has those of all levels together
 */
export function attributionOf(
  given: readonly string[],
  described: Pick<DatasetDescription, 'attribution' | 'credits' | 'owners'>,
  stated?: readonly (readonly string[])[],
): Attribution {
  const options = attributionsFrom(given);
  const textsOf = (level: Level): string[] => {
    const named = valuesFor(options, level);
    const owners = described.owners.filter((own) => own.level === level);
    const metadata = stated?.[level] ?? owners.flatMap(({ attribution }) => attribution);
    return unique([...named, ...metadata, ...(named.length > 0 ? [] : owners.flatMap(({ credits }) => credits))]);
  };
  const levels = LEVELS.filter((level) => described.owners.some((own) => own.level === level));
  const whole = options.filter(({ level }) => level === undefined).map(({ value }) => value);
  const isOfAll = whole.length === options.length;
  const release = isOfAll
    ? unique([...whole, ...described.attribution, ...(whole.length > 0 ? [] : described.credits)])
    : unique([...whole, ...levels.flatMap(textsOf)]);
  const own = levels.map((level) => [level, textsOf(level)] as const);
  for (const texts of [release, ...own.map(([, ownTexts]) => ownTexts)]) {
    const problem = problemOfShown(texts);
    if (problem !== undefined)
      throw new BuildError(
        `the attribution ${problem}: it is shown with every map`,
        'name the owners in a few words, and link to the rest: --attribution TEXT',
      );
  }
  return { release, levels: new Map(own.filter(([, texts]) => texts.join('\n') !== release.join('\n'))) };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
