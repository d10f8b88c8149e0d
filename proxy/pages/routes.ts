// The paths of the API. A request path is looked up byte by byte: it is not decoded, joined or normalised.
import type { Format, Level } from '../../format/levels.ts';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';

/** One of the twelve paths that return boundaries. */
export interface Endpoint {
  /** As in the request and in the Link header. */
  path: string;
  format: Format;
  level: Level;
}

/** Every path under it requires a token. */
const API_PREFIX = '/api/';

/** The endpoints by path. */
export const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  FORMATS.flatMap((format) =>
    LEVELS.map((level): [string, Endpoint] => {
      const path = `${API_PREFIX}v1/${format}/${levelName(level)}`;
      return [path, { path, format, level }];
    }),
  ),
);

/** Does this path require a token? Unknown paths under the prefix do too. */
export function isProtected(path: string): boolean {
  return path.startsWith(API_PREFIX);
}

/** The endpoint with exactly this path. */
export function endpointAt(path: string): Endpoint | undefined {
  return ENDPOINTS.get(path);
}
