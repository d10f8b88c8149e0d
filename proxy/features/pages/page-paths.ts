// The paths of pages, and what endpoints of other capabilities with features of a level share with them.
import type { Format, Level } from '../../../format/levels.ts';
import { FORMATS, LEVELS, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import { API_PATH } from '../../http/request.ts';
import type { Parameter } from '../../query/parameter.ts';
import { GEOMETRY, GID_FILTERS } from '../../query/parameter.ts';
import { PAGE_SIZE, START } from './page-parameters.ts';

/** A path of a level. */
export interface LevelEndpoint {
  /** As in the request and in the Link header; of one feature up to its fid. */
  path: string;
  level: Level;
  mediaType: string;
  /** In the order of the documentation. */
  parameters: readonly Parameter<unknown>[];
}

/** A path that returns features of a level: pages of them, all of them, or one. */
export interface FeaturesEndpoint extends LevelEndpoint {
  format: Format;
}

/**
 * The parameters that select features of a level.
 * @param filters those of the filters that capabilities bring
 */
export function selectionParameters(level: Level, filters: readonly Parameter<unknown>[]): Parameter<unknown>[] {
  return [...GID_FILTERS.slice(0, level + 1), ...filters, GEOMETRY];
}

/** The endpoints that return pages. */
export function pageEndpoints(filters: readonly Parameter<unknown>[]): FeaturesEndpoint[] {
  return FORMATS.flatMap((format) =>
    LEVELS.map((level) => ({
      path: `${API_PATH}/${format}/${levelName(level)}`,
      level,
      format,
      mediaType: MEDIA_TYPES[format],
      parameters: [PAGE_SIZE, ...START, ...selectionParameters(level, filters)],
    })),
  );
}
