// What documents say of a search.
import { type PathDescription, UNITS_HEADERS } from '../../query/describe.ts';
import { UNITS_SCHEMA } from '../places/description.ts';
import { SEARCH_ENDPOINT } from './search.ts';

/** The path. */
export const SEARCH_DESCRIPTION: PathDescription = {
  path: SEARCH_ENDPOINT.path,
  operationId: 'search',
  tag: 'units',
  summary: 'Name search: units of all levels by the beginning of a word of their name, or by their GID',
  parameters: SEARCH_ENDPOINT.parameters,
  answer: { description: 'The units.', mediaType: SEARCH_ENDPOINT.mediaType, schema: 'Units' },
  schemas: { Units: UNITS_SCHEMA },
  headers: UNITS_HEADERS,
};
