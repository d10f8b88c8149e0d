// The path of a unit and its children, with what its query may say.
import { LEVELS, type Level, levelName } from '../../../format/levels.ts';
import { API_PATH } from '../../http/request.ts';
import { badParameter, Parameter, wrong } from '../../query/parameter.ts';
import { LANG } from '../names/languages.ts';
import { PAGE_SIZE, refuseOtherLevel, STARTS_AT, type Start, startIn } from '../pages/page-parameters.ts';

/** The most children of a page, and the most characters of a GID. */
export const CHILDREN_MAX = 1000;
const GID_MAX_CHARS = 1000;

/** The unit whose children are asked for. */
export const GID: Parameter<string> = new Parameter({
  name: 'gid',
  rule: () => `the GID of a unit, at most ${GID_MAX_CHARS} characters`,
  parse(given) {
    const characters = Array.from(given.text).length;
    if (characters > GID_MAX_CHARS) throw badParameter(given.name, `has ${characters} characters`, GID.rule(0));
    return given.text;
  },
  document: () => ({
    component: 'children-gid',
    description:
      'The unit, by its GID. If absent, the answer has the units of the highest level. A GID that only a column of parents has is found, too.',
    schema: { type: 'string', minLength: 1, maxLength: GID_MAX_CHARS },
    example: 'ESP.1_1',
  }),
});

/** The level of this unit. */
export const UNIT_LEVEL: Parameter<Level> = new Parameter({
  name: 'level',
  rule: () => `one of ${LEVELS.map(levelName).join(', ')}, the level of the unit \`gid\``,
  parse(given, _, others) {
    const level = LEVELS.find((known) => levelName(known) === given.text);
    if (level === undefined) throw wrong(given);
    if (!others.some(({ name }) => name === GID.name)) throw badParameter(given.name, 'needs gid', 'with gid only');
    return level;
  },
  document: () => ({
    component: 'children-level',
    description:
      'The level of the unit, for GIDs that several levels have: that of the answer in which you found it. If absent, the highest level on which a unit with this GID has children.',
    schema: { type: 'string', enum: LEVELS.map(levelName) },
    example: 'lv1',
  }),
});

/** How many children. More than there may be count as that. */
export const CHILDREN_SIZE: Parameter<number> = PAGE_SIZE.as({
  document: () => ({
    component: 'children-page-size',
    description: `Number of children on the page. A larger number counts as the maximum, which is also the default: ${CHILDREN_MAX}. A page also ends at 2 MiB.`,
    schema: { type: 'integer', minimum: 1 },
    example: 100,
  }),
});

/** Where the page starts. Which level the children have is known only of the release. */
export const CHILDREN_START: Parameter<Start> = STARTS_AT.as({ parse: startIn });

/** @throws Problem bad-cursor if the page starts at a cursor of another level than the children have */
export function refuseOtherStart(start: Start | undefined, level: Level | undefined): void {
  if (start !== undefined) refuseOtherLevel(CHILDREN_START.name, start, level);
}

/** The path. */
export const CHILDREN_ENDPOINT = {
  path: `${API_PATH}/children`,
  mediaType: 'application/json',
  parameters: [GID, UNIT_LEVEL, LANG, CHILDREN_SIZE, CHILDREN_START] as readonly Parameter<unknown>[],
} as const;
