// The paths of what is saved as a file, and those of whole listings.
import { FORMATS, type Format, LEVELS, levelName } from '../../../format/levels.ts';
import type { NamedRelease } from '../../data/hosted-releases.ts';
import { API_PATH } from '../../http/request.ts';
import { Parameter } from '../../query/parameter.ts';
import { type FeaturesEndpoint, type LevelEndpoint, selectionParameters } from '../pages/page-paths.ts';

/** The release of a download. */
export const RELEASE: Parameter<NamedRelease> = new Parameter({
  name: 'release',
  rule: () => 'the id of a hosted release',
  parse: ({ text }) => ({ release: text, content: '' }),
  document: () => ({
    component: 'release',
    description:
      'The id of a hosted release; the current one if absent. Name it to continue a download from the same release.',
    schema: { type: 'string', minLength: 1 },
    example: 'sample',
  }),
});

/** A path that returns a file that is saved. */
export interface SavedEndpoint extends LevelEndpoint {
  /** How names of files end: `.geojsonl.gz`. */
  extension: string;
}

/** A path that returns a whole listing as one file. */
export type DownloadEndpoint = FeaturesEndpoint & SavedEndpoint;

/** How names of whole listings end. */
export const EXTENSIONS: Readonly<Record<Format, string>> = { geojsonl: '.geojsonl.gz', fc: '.geojson.gz' };

/** The endpoints that return whole listings. @param filters the parameters of those that capabilities bring */
export function downloadEndpoints(filters: readonly Parameter<unknown>[]): DownloadEndpoint[] {
  return FORMATS.flatMap((format) =>
    LEVELS.map((level) => ({
      path: `${API_PATH}/download/${levelName(level)}${EXTENSIONS[format]}`,
      level,
      format,
      mediaType: 'application/gzip',
      parameters: [...selectionParameters(level, filters), RELEASE],
      extension: EXTENSIONS[format],
    })),
  );
}
