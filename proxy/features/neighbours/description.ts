// What documents say of the table of neighbours.
import { GZIP_FILE, savedDescription } from '../downloads/description.ts';
import { TABLE_EXTENSION } from './table.ts';

/** The path. */
export const TABLE_DESCRIPTION = savedDescription(
  TABLE_EXTENSION,
  {
    operationId: 'download-neighbours',
    summary: 'Adjacency: which units of a level share a border, and for how many metres, as CSV in one gzip file',
  },
  'application/gzip',
  GZIP_FILE,
);
