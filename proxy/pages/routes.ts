// The paths of the service. They are looked up as they came, byte by byte: nothing is decoded, joined or normalised.
import type { Format, Level } from '../../format/levels.ts';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';

/** One of the twelve paths that answer with boundaries. */
export interface Endpoint {
  /** As it stands in the request and in the Link header. */
  path: string;
  format: Format;
  level: Level;
}

/** Everything under it needs a token. */
const API_PREFIX = '/api/';

/** Every endpoint by its path. */
export const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  FORMATS.flatMap((format) =>
    LEVELS.map((level): [string, Endpoint] => {
      const path = `${API_PREFIX}v1/${format}/${levelName(level)}`;
      return [path, { path, format, level }];
    }),
  ),
);

/** Does this path need a token? Whether there is anything behind it does not matter. */
export function isProtected(path: string): boolean {
  return path.startsWith(API_PREFIX);
}

/** The endpoint at exactly this path. */
export function endpointAt(path: string): Endpoint | undefined {
  return ENDPOINTS.get(path);
}
