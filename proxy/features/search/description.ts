// What documents say of a search.
import { type PathDescription, UNITS_HEADERS } from '../../query/describe.ts';
import { unitsSchema } from '../places/description.ts';
import { MATCHES } from './find-units.ts';
import { SEARCH_ENDPOINT } from './search.ts';

/** The answer. */
const FOUND_UNITS_SCHEMA = unitsSchema({
  matches: {
    type: 'array',
    items: { type: 'string', enum: MATCHES },
    description:
      'How each feature was found: code (q is its GID or one of its codes), name (a whole name, or one between slashes), start (the beginning of a name), word (the beginning of a word inside), divided (the last words of q are of its parents).',
  },
  parents: {
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    description: 'The names of the units above each feature, from the country down, in the language of lang.',
  },
});

/** The path. */
export const SEARCH_DESCRIPTION: PathDescription = {
  path: SEARCH_ENDPOINT.path,
  operationId: 'search',
  tag: 'units',
  summary: 'Name search: units of all levels by the beginning of a word of their name, by their GID, or by a code',
  parameters: SEARCH_ENDPOINT.parameters,
  answer: { description: 'The units.', mediaType: SEARCH_ENDPOINT.mediaType, schema: 'FoundUnits' },
  schemas: { FoundUnits: FOUND_UNITS_SCHEMA },
  headers: UNITS_HEADERS,
};
