// Names in a language: the parameter `lang`, and what the units of a level are called in the language that it says.

import type { LoadedLevel, LoadedRelease, Part } from '../../data/loaded-release.ts';
import { type Loads, together, withLoaded } from '../../data/loads.ts';
import { quote } from '../../http/problem.ts';
import { badParameter, Parameter, type Query } from '../../query/parameter.ts';
import type { JoinedJson } from './joined-json.ts';
import { jsonReader, type LevelNames, NAMES, type UnitNames } from './level-names.ts';
import { LevelTexts } from './level-texts.ts';
import { readNames } from './names-file.ts';

/** Of each level the names in so many languages stay in memory. */
const LANGUAGES = { most: 2 } as const;

/** The language of names, as it was written: which there are is known of the release. */
export const LANG: Parameter<string> = new Parameter({
  name: 'lang',
  rule: () => 'the tag of a language of the release, see `languages` of GET /api/v1/',
  parse: ({ text }) => text,
  document: () => ({
    component: 'lang',
    description:
      'The language of `names`: one of `languages` of `GET /api/v1/`, such as `fr` or `pt-BR`, in any case. A unit without a name in this language has its default name.',
    schema: { type: 'string', minLength: 1 },
    example: 'en',
  }),
});

/** A language of a release. */
export type Language = Part<LevelTexts> & { readonly tag: string };

/** The languages of a service. */
export class Languages {
  /** By the tags of releases: a part is the same in the next release. */
  readonly #known = new Map<string, Language>();

  /**
   * The language that a query asks for; undefined for the default names.
   * @throws Problem bad-parameter if the release does not have it
   */
  asked(query: Query, { languages }: LoadedRelease): Language | undefined {
    const text = LANG.of(query);
    if (text === undefined) return undefined;
    const tag = languages.find((known) => known.toLowerCase() === text.toLowerCase());
    if (tag === undefined)
      throw badParameter(LANG.name, `is ${quote(text)}`, languages.join(', ') || 'none: the release has no languages');
    const known = this.#known.get(tag) ?? languagePart(tag);
    this.#known.set(tag, known);
    return known;
  }
}

function languagePart(tag: string): Language {
  return {
    name: `names in ${tag}`,
    tag,
    type: LevelTexts,
    group: LANGUAGES,
    // The next release may not have a language that is in use.
    load: async (level) => {
      const texts = jsonReader(level.index, `name:${tag}`, '');
      return hasLanguage(level, tag) ? readNames(level, texts) : texts.end();
    },
  };
}

/** Names in a language, and default names where there is none. */
class NamesInLanguage implements UnitNames {
  readonly #names: LevelNames;
  readonly #own: LevelTexts;

  constructor(names: LevelNames, own: LevelTexts) {
    this.#names = names;
    this.#own = own;
  }

  get gids() {
    return this.#names.gids;
  }

  nameAt(position: number): Buffer {
    return this.#has(position) ? this.#own.at(position) : this.#names.nameAt(position);
  }

  hasName(position: number): boolean {
    return this.#has(position) || this.#names.hasName(position);
  }

  addName(json: JoinedJson, position: number): void {
    if (this.#has(position)) this.#own.addTo(json, position);
    else this.#names.addName(json, position);
  }

  #has(position: number): boolean {
    return this.#own.bytesAt(position) > 0;
  }
}

/** Has a level names in a language? */
export function hasLanguage({ summary: { nameColumns = {} } }: LoadedLevel, tag: string): boolean {
  return Object.hasOwn(nameColumns, tag);
}

/** What the units of a level are called in a language; their default names where the level does not have it. */
export function loadNames(
  level: LoadedLevel,
  language: Language | undefined,
  loads: Loads,
): UnitNames | Promise<UnitNames> {
  const names = loads.part(level, NAMES);
  if (language === undefined || !hasLanguage(level, language.tag)) return names;
  return withLoaded(together(names, loads.part(level, language)), ([known, own]) => new NamesInLanguage(known, own));
}
