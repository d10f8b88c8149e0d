// What documents say of changes: the list of pairs of releases, and the file of each.
import { CHANGE_CLASSES, CHANGE_COLUMNS } from '../../../format/changes.ts';
import { objectSchema, type PathDescription, pathParameter, RELEASE_HEADERS, TEXT } from '../../query/describe.ts';
import { CHANGES_ENDPOINT, CHANGES_FILES } from './changes.ts';

/** A pair of releases. */
function changesSchema() {
  const counts = {
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'Numbers of rows by class.',
  };
  const members = {
    from: TEXT,
    to: TEXT,
    counts,
    href: { ...TEXT, format: 'uri', description: 'The address of the CSV.' },
  };
  return objectSchema(Object.keys(members), members);
}

/** The path that lists the pairs. */
export const CHANGES_DESCRIPTION: PathDescription = {
  path: CHANGES_ENDPOINT.path,
  operationId: 'changes',
  tag: 'changes',
  summary: 'The pairs of releases with published changes, and how many rows of each class they have',
  parameters: [],
  answer: { description: 'The pairs.', mediaType: CHANGES_ENDPOINT.mediaType, schema: 'ChangesList' },
  schemas: {
    ChangesList: objectSchema(['changes'], {
      changes: { type: 'array', items: changesSchema(), description: 'Oldest first.' },
    }),
  },
  headers: RELEASE_HEADERS,
};

/** The path of each pair. */
export const CHANGES_FILE_DESCRIPTION: PathDescription = {
  path: `${CHANGES_FILES.path}{from}..{to}.csv`,
  operationId: 'changes-file',
  tag: 'changes',
  summary: 'What became of the units of one release in another (a crosswalk): classes, and shares of area',
  parameters: [],
  others: {
    'changes-from': pathParameter('from', 'The id of the old release, as the list has it.', TEXT, '2025-11'),
    'changes-to': pathParameter('to', 'The id of the new release, as the list has it.', TEXT, '2026-11'),
  },
  answer: { description: 'A row for each pair of units.', mediaType: CHANGES_FILES.mediaType, schema: 'ChangesFile' },
  schemas: {
    ChangesFile: {
      ...TEXT,
      description: `CSV (RFC 4180) with the columns ${CHANGE_COLUMNS.join(', ')}. Classes: ${CHANGE_CLASSES.join(', ')}. Shares are of area. A unit that stayed the same has no row.`,
    },
  },
  headers: RELEASE_HEADERS,
};
