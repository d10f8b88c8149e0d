// What documents say of downloads, and of every file that is saved.
import type { Format } from '../../../format/levels.ts';
import { API_PATH } from '../../http/request.ts';
import { type PathDescription, UNITS_HEADERS } from '../../query/describe.ts';
import type { Parameter } from '../../query/parameter.ts';
import { FORMAT_NAMES } from '../pages/description.ts';
import { EXTENSIONS, RELEASE } from './download-paths.ts';

/** What documents say of a file that is saved. */
export function savedDescription(
  extension: string,
  about: Pick<PathDescription, 'operationId' | 'summary'> & Partial<Pick<PathDescription, 'parameters'>>,
  mediaType: string,
  [schema, description]: readonly [name: string, description: string],
): PathDescription {
  return {
    path: `${API_PATH}/download/{level}${extension}`,
    tag: 'downloads',
    parameters: [RELEASE],
    ...about,
    answer: { description: 'The file.', mediaType, schema },
    schemas: { [schema]: { type: 'string', contentMediaType: mediaType, description } },
    headers: UNITS_HEADERS.filter((name) => name !== 'Vary'),
    hasRanges: true,
    namesRelease: true,
  };
}

/** The schema of a file that is compressed. */
export const GZIP_FILE = ['GzipFile', 'One gzip member (RFC 1952).'] as const;

/** The path of whole listings of a format. @param parameters those of the deepest level */
export function downloadDescription(format: Format, parameters: readonly Parameter<unknown>[]): PathDescription {
  const summary = `Bulk download: all units of a level in one gzip file, as ${FORMAT_NAMES[format]}`;
  return savedDescription(
    EXTENSIONS[format],
    { operationId: `download-${format}`, summary, parameters },
    'application/gzip',
    GZIP_FILE,
  );
}
