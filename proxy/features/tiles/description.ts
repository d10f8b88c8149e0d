// What documents say of vector tiles: what describes those of a level, and one tile.
import {
  LIST,
  objectSchema,
  type PathDescription,
  pathParameter,
  RELEASE_HEADERS,
  TEXT,
} from '../../query/describe.ts';
import { CONTENT_PARAMETER, TILES_PATH } from './tile-paths.ts';

const PLACE = { type: 'integer', minimum: 0 } as const;
const TILE_TYPE = 'application/vnd.mapbox-vector-tile';

/** The path of a TileJSON. */
export const TILE_JSON_DESCRIPTION: PathDescription = {
  path: `${TILES_PATH}{level}.json`,
  operationId: 'tilejson',
  tag: 'tiles',
  summary: 'The vector tiles of a level: their address, zooms and layers (TileJSON 3.0.0)',
  parameters: [],
  answer: { description: 'The TileJSON.', mediaType: 'application/json', schema: 'TileJson' },
  schemas: {
    TileJson: objectSchema(['tilejson', 'tiles', 'vector_layers', 'minzoom', 'maxzoom'], {
      tilejson: { const: '3.0.0' },
      name: TEXT,
      tiles: {
        type: 'array',
        items: TEXT,
        description: 'One address with {z}, {x} and {y}, whose tiles are of this release.',
      },
      vector_layers: LIST,
      minzoom: { type: 'integer' },
      maxzoom: { type: 'integer' },
      bounds: { type: 'array', items: { type: 'number' } },
      center: { type: 'array', items: { type: 'number' } },
      attribution: TEXT,
    }),
  },
  headers: RELEASE_HEADERS,
};

/** The path of a tile. */
export const TILE_DESCRIPTION: PathDescription = {
  path: `${TILES_PATH}{level}/{z}/{x}/{y}.mvt`,
  operationId: 'tile',
  tag: 'tiles',
  summary: 'A vector tile of a level, with the layers units, borders and labels',
  parameters: [CONTENT_PARAMETER],
  others: {
    'tile-z': pathParameter('z', 'Zoom.', PLACE, 0),
    'tile-x': pathParameter('x', 'Column, from the west.', PLACE, 0),
    'tile-y': pathParameter('y', 'Row, from the north.', PLACE, 0),
  },
  answer: { description: 'The tile.', mediaType: TILE_TYPE, schema: 'Tile' },
  schemas: { Tile: { ...TEXT, contentMediaType: TILE_TYPE, description: 'Mapbox Vector Tile 2.1.' } },
  headers: RELEASE_HEADERS,
  namesRelease: true,
  nothing: 'No unit is there.',
};
