// What documents say of a unit and its children.
import {
  COUNT,
  objectSchema,
  PAGE_HEADERS,
  type PathDescription,
  schemaReference,
  TEXT_OR_NULL,
} from '../../query/describe.ts';
import { CHILDREN_ENDPOINT } from './children-path.ts';

const LEVEL = { type: 'string', description: 'Such as lv1.' } as const;

const called = {
  gid: { ...TEXT_OR_NULL, description: 'Null for a child without one. It is then in no other list.' },
  name: { ...TEXT_OR_NULL, description: 'In the language of lang; null if it has none.' },
  type: { ...TEXT_OR_NULL, description: 'Such as Province.' },
};
const child = {
  ...called,
  fid: { ...COUNT, description: 'Holds within a release.' },
  children: { ...COUNT, description: 'How many children the unit has.' },
  inside: {
    type: 'array',
    items: { type: 'array', prefixItems: [LEVEL, COUNT, TEXT_OR_NULL], items: {} },
    description: 'For each level below with units inside it: the level, how many, and their commonest type.',
  },
  area: { type: ['number', 'null'], description: 'In km2; null without geometry.' },
  view: {
    type: ['array', 'null'],
    items: { type: 'number' },
    description: 'Where a map goes to see it: west, south, east, north. Null without geometry.',
  },
};
const codes = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Official codes by their key, if there are some.',
};
const parent = { ...called, level: LEVEL };
const unit = {
  ...parent,
  ...child,
  fid: { ...child.fid, type: ['integer', 'null'] },
  children: { ...child.children, type: ['integer', 'null'] },
  inside: { ...child.inside, type: ['array', 'null'] },
};
/** The GID is in a column of parents alone. */
const MISSING = 'null if only units below have the GID, as that of their parent.';

/** The path. */
export const CHILDREN_DESCRIPTION: PathDescription = {
  path: CHILDREN_ENDPOINT.path,
  operationId: 'children',
  tag: 'units',
  summary: 'The tree: a unit, its parents, and the units directly below it, by name and code',
  description:
    'Directly below are the units of the nearest deeper level that has some inside the unit. It is not always the next level. Children come by fid: sort them as your readers do, for example with Intl.Collator.',
  parameters: CHILDREN_ENDPOINT.parameters,
  answer: {
    description: 'The unit and a page of its children.',
    mediaType: CHILDREN_ENDPOINT.mediaType,
    schema: 'Children',
  },
  schemas: {
    Children: objectSchema(['unit', 'parents', 'level', 'children'], {
      unit: { anyOf: [schemaReference('TreeUnit'), { type: 'null' }], description: 'Null without gid.' },
      parents: { type: 'array', items: schemaReference('TreeParent'), description: 'From the country down.' },
      level: { ...LEVEL, type: TEXT_OR_NULL.type, description: 'The level of the children; null if there are none.' },
      children: { type: 'array', items: objectSchema(Object.keys(child), { ...child, codes }) },
    }),
    TreeUnit: objectSchema(
      Object.keys(unit),
      { ...unit, codes },
      `What a child has, and its level. All but GID and level is ${MISSING}`,
    ),
    TreeParent: objectSchema(Object.keys(parent), parent, `Name and type are ${MISSING}`),
  },
  headers: PAGE_HEADERS,
  namesRelease: true,
};
