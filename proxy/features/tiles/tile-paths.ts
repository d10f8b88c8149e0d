// The paths of tiles: their description, and one tile.
import { LEVELS, type Level, levelName } from '../../../format/levels.ts';
import type { NamedRelease } from '../../data/hosted-releases.ts';
import { API_PATH } from '../../http/request.ts';
import { Parameter, wrong } from '../../query/parameter.ts';

/** Below this path are those of tiles. */
export const TILES_PATH = `${API_PATH}/tiles/`;

/** A path with tiles of a level. */
export interface TilesEndpoint {
  /** Of a tile up to its zoom. */
  path: string;
  level: Level;
  mediaType: string;
  parameters: readonly Parameter<unknown>[];
}

/** Digits of the digest of a release that a request has. */
const CONTENT = /^[0-9a-f]{12,64}$/;
const CONTENT_RULE = '12 to 64 hexadecimal digits, those with which the SHA-256 of a release.json begins';
/** As many are in the addresses of tiles. */
export const CONTENT_CHARS = 16;

/** The release of a tile, by its content: what the address of a tile stands for never changes. */
export const CONTENT_PARAMETER: Parameter<NamedRelease> = new Parameter({
  name: 'v',
  rule: () => CONTENT_RULE,
  parse(given) {
    if (!CONTENT.test(given.text)) throw wrong(given);
    return { release: '', content: given.text };
  },
  document: () => ({
    component: 'v',
    description: `The release of the tile: ${CONTENT_RULE}; the current release if absent. The address in the TileJSON has it, so that caches keep tiles for a year.`,
    schema: { type: 'string', pattern: CONTENT.source },
    example: '0123456789ab',
  }),
});

/** What describes the tiles of a level. */
export const TILE_JSON_ENDPOINTS: readonly TilesEndpoint[] = LEVELS.map((level) => ({
  path: `${TILES_PATH}${levelName(level)}.json`,
  level,
  mediaType: 'application/json',
  parameters: [],
}));

/** The tiles of a level. */
export const TILE_ENDPOINTS: readonly TilesEndpoint[] = LEVELS.map((level) => ({
  path: `${TILES_PATH}${levelName(level)}/`,
  level,
  mediaType: 'application/vnd.mapbox-vector-tile',
  parameters: [CONTENT_PARAMETER],
}));
