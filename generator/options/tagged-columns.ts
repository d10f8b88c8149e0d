// Columns by level and tag, as `lv1,lv2:fr=NAME_FR`: names by language, and codes by key.
import { UsageError } from '../../format/command-line/messages.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { TaggedOption } from '../source/source-options.ts';

const TAGGED = /^((?:lv\d+|\d+)(?:,(?:lv\d+|\d+))*):([^=]*)=(.+)$/s;
/** A key of codes. */
const KEY = /^[a-z][a-z0-9-]*$/;

/** Has a text a tag? */
export function isTagged(text: string): boolean {
  return TAGGED.test(text);
}

/**
 * The columns of `--name-column` or `--code-column` with a tag.
 * @param levelFrom parses the name of a level
 * @throws UsageError for another form, a tag that is none, and two columns of a level for one tag
 */
export function taggedColumnsFrom(
  option: 'name-column' | 'code-column',
  texts: readonly string[],
  levelFrom: (option: string, name: string) => Level,
): TaggedOption[] {
  const tagOf = option === 'name-column' ? languageFrom : keyFrom;
  const columns = texts.flatMap((text) => {
    const [, names, tag, value] = TAGGED.exec(text) ?? [];
    if (names === undefined || tag === undefined || value === undefined)
      throw new UsageError(`--${option} ${text}: not LEVEL:KEY=COLUMN`, `e.g. --${option} lv3:ine=CC_3`);
    const own = tagOf(tag, `--${option} ${text}`);
    return names.split(',').map((name) => ({ level: levelFrom(option, name), tag: own, value }));
  });
  for (const [i, { level, tag, value }] of columns.entries()) {
    const other = columns.slice(0, i).find((before) => before.level === level && before.tag === tag);
    if (other === undefined || other.value === value) continue;
    throw new UsageError(
      `--${option}: ${levelName(level)} has two columns for ${tag}: ${other.value} and ${value}`,
      'leave one out',
    );
  }
  return columns;
}

/** The languages of an option; `all` has the form of a tag. @throws UsageError if one is no tag */
export function languagesFrom(option: 'languages' | 'tile-languages', texts: readonly string[]): string[] {
  return texts.map((text) => languageFrom(text, `--${option} ${text}`));
}

/** The keys of `--codes`; `all` has the form of a key. @throws UsageError if one is none */
export function keysFrom(texts: readonly string[]): string[] {
  return texts.map((text) => keyFrom(text, `--codes ${text}`));
}

/** As it is typed. */
export function taggedColumnToText({ level, tag, value }: TaggedOption): string {
  return `${levelName(level)}:${tag}=${value}`;
}

/** A language tag as it is kept. @throws UsageError if it is none */
function languageFrom(text: string, given: string): string {
  const tag = canonical(text);
  if (tag !== undefined) return tag;
  const proposal = canonical(text.replaceAll('_', '-'));
  throw new UsageError(
    `${given}: ${text || 'nothing'} is not a language tag`,
    proposal === undefined ? 'use one of BCP 47, e.g. fr, pt-BR, zh-Hant' : `use ${proposal}`,
  );
}

function canonical(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** A key of codes. @throws UsageError if it is none */
function keyFrom(text: string, given: string): string {
  if (KEY.test(text)) return text;
  throw new UsageError(
    `${given}: ${text || 'nothing'} is not a key`,
    'use small letters, then also digits and hyphens, e.g. ine',
  );
}
