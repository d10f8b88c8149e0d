// What documents say of the files of names.
import { NAME_FIELDS } from '../../../format/names.ts';
import { API_PATH } from '../../http/request.ts';
import { COUNT, type PathDescription, schemaReference, TEXT_OR_NULL, UNITS_HEADERS } from '../../query/describe.ts';

/** The path. */
export const NAMES_DESCRIPTION: PathDescription = {
  path: `${API_PATH}/names/{level}`,
  operationId: 'names',
  tag: 'files',
  summary: 'The names of all units of a level, with their parents and what is inside them',
  parameters: [],
  answer: { description: 'The file.', mediaType: 'application/x-ndjson', schema: 'NameLines' },
  schemas: {
    NameLines: {
      type: 'string',
      description: `Each line is a JSON array and ends with a line feed. The first line has the names of the columns: ${NAME_FIELDS.join(', ')}. Each other line is a unit. Find a column by its name: later versions may add some.`,
      'x-line': schemaReference('NameLine'),
    },
    NameLine: {
      type: 'array',
      description: `A unit: ${NAME_FIELDS.join(', ')}.`,
      prefixItems: [COUNT, TEXT_OR_NULL, TEXT_OR_NULL, TEXT_OR_NULL, TEXT_OR_NULL, COUNT],
      items: {},
    },
  },
  headers: UNITS_HEADERS,
};
