// The parameters of a search.

import { foldText } from '../../../format/fold-text.ts';
import { LEVELS, type Level, levelName } from '../../../format/levels.ts';
import { badParameter, GID_FILTERS, Parameter, wrong } from '../../query/parameter.ts';
import { LANG } from '../names/languages.ts';
import { sizeOf } from '../pages/page-parameters.ts';
import { unitsGeometry } from '../places/units.ts';

/** The units that an answer brings if the request does not say, and at most; and the characters of its text. */
export const SEARCH_LIMIT = { default: 20, maximum: 100, characters: 100 } as const;

/** What is looked for. */
export const Q_RULE: string = `the beginning of a name or of one of its words: 1 to ${SEARCH_LIMIT.characters} characters, at least one of them a letter or digit`;

/** The text that is looked for. */
export const Q: Parameter<string> = new Parameter({
  name: 'q',
  rule: () => Q_RULE,
  parse(given) {
    const characters = Array.from(given.text).length;
    if (characters > SEARCH_LIMIT.characters) throw badParameter('q', `has ${characters} characters`, Q_RULE);
    if (foldText(given.text) === '') throw wrong(given);
    return given.text;
  },
  document: () => ({
    component: 'search-q',
    required: true,
    description:
      'Finds units with a word in their name that begins with this text, in any language, and units whose GID or code is this text. Case, marks and punctuation do not matter, except in a GID; a code may be in small letters. Order: first units with this GID, then with this code (the lowest level first), then with this whole name, then with a name that begins with it, then all others; in each group higher levels first. If nothing matches, up to four words at the end are matched against names of parents: toledo spain. What stands before them has at least four letters, or is a whole name.',
    schema: { type: 'string', minLength: 1, maxLength: SEARCH_LIMIT.characters, pattern: '[\\p{L}\\p{N}]' },
    example: 'toledo',
  }),
});

/** The most units of the answer. */
export const LIMIT: Parameter<number> = new Parameter({
  name: 'limit',
  rule: () => `a whole number from 1 to ${SEARCH_LIMIT.maximum}`,
  parse(given) {
    const size = sizeOf(given);
    if (size > SEARCH_LIMIT.maximum) throw wrong(given);
    return size;
  },
  document: () => ({
    component: 'search-limit',
    description: 'Maximum number of units.',
    schema: { type: 'integer', minimum: 1, maximum: SEARCH_LIMIT.maximum, default: SEARCH_LIMIT.default },
    example: SEARCH_LIMIT.default,
  }),
});

/** The levels that are searched, ascending. */
export const LEVEL: Parameter<readonly Level[]> = new Parameter({
  name: 'level',
  rule: () => `some of ${LEVELS.map(levelName).join(', ')}, with commas between them`,
  parse(given) {
    const names = given.text.split(',');
    const levels = LEVELS.filter((level) => names.includes(levelName(level)));
    if (levels.length !== names.length) throw wrong(given);
    return levels;
  },
  document: () => ({
    component: 'search-level',
    description:
      'Only units of these levels, separated by commas, each once; of all levels if absent. With gid-N, no unit is above level N.',
    schema: { type: 'string', pattern: `^lv[0-5](,lv[0-5]){0,${LEVELS.length - 1}}$` },
    example: 'lv2,lv3',
  }),
});

/** All of them, in the order of the documentation. */
export const SEARCH_PARAMETERS: readonly Parameter<unknown>[] = [
  Q,
  LIMIT,
  LEVEL,
  ...GID_FILTERS,
  unitsGeometry(
    'search-geometry',
    'Geometry of the units; if absent, none, or the smallest geometry that the release has.',
  ),
  LANG,
];
