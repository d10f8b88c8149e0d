// The paths of tiles in the OpenAPI document.
import { levelName } from '../../../format/levels.ts';
import { schemaReference } from '../../features/ogc/schemas.ts';
import {
  ARCHIVE_ENDPOINTS,
  TILE_ENDPOINTS,
  TILE_JSON_ENDPOINTS,
  type TilesEndpoint,
} from '../../features/tiles/endpoints.ts';
import { parameterReferences } from './parameters.ts';
import { responseHeaders } from './responses.ts';

/** What the other paths of the document have in common with these. */
interface Common {
  /** What is said of 304. */
  notModified: string;
  /** References to the problems, but for some statuses. */
  problems(...without: number[]): object;
  /** The responses of a path with a file that is saved. */
  saved(mediaType: string, schema: string): object;
}

/** The place of a tile in its path, by component name. */
export const PLACE_COMPONENTS = Object.fromEntries(
  Object.entries({ z: 'Zoom.', x: 'Column, from the west.', y: 'Row, from the north.' }).map(([name, description]) => {
    const schema = { type: 'integer', minimum: 0 };
    return [`tile-${name}`, { name, in: 'path', required: true, description, schema, example: 0 }] as const;
  }),
);

const PLACE = Object.keys(PLACE_COMPONENTS).map((name) => ({ $ref: `#/components/parameters/${name}` }));

/** Three paths for each level: what describes its tiles, one tile, and all of them as a file. */
export function tilePaths({ notModified, problems, saved }: Common) {
  const headers = responseHeaders(['Link', 'Boundaries-Matched']);
  const described = ({ path, level, mediaType }: TilesEndpoint) => {
    const content = { [mediaType]: { schema: schemaReference('TileJson') } };
    const responses = {
      200: { description: 'The TileJSON.', headers, content },
      304: { description: notModified, headers },
      ...problems(410, 416),
    };
    const summary = `The vector tiles of level ${level}: address, zooms, layers (TileJSON 3.0.0)`;
    return [path, { get: { operationId: `tilejson-lv${level}`, tags: ['tiles'], summary, responses } }] as const;
  };
  return Object.fromEntries([
    ...TILE_JSON_ENDPOINTS.map(described),
    ...TILE_ENDPOINTS.map((endpoint) => {
      const content = { [endpoint.mediaType]: { schema: schemaReference('Tile') } };
      const responses = {
        200: { description: 'The tile.', headers, content },
        204: { description: 'No unit is there.' },
        304: { description: notModified, headers },
        ...problems(416),
      };
      const operation = {
        operationId: `tile-${levelName(endpoint.level)}`,
        tags: ['tiles'],
        summary: `A vector tile of level ${endpoint.level}, with the layers units, borders and labels`,
        parameters: [...PLACE, ...parameterReferences(endpoint)],
        responses,
      };
      return [`${endpoint.path}{z}/{x}/{y}.mvt`, { get: operation }] as const;
    }),
    ...ARCHIVE_ENDPOINTS.map((endpoint) => {
      const operation = {
        operationId: `download-tiles-${levelName(endpoint.level)}`,
        tags: ['downloads'],
        summary: `All vector tiles of level ${endpoint.level} as a PMTiles archive, of which clients read ranges`,
        parameters: parameterReferences(endpoint),
        responses: saved(endpoint.mediaType, 'TilesFile'),
      };
      return [endpoint.path, { get: operation }] as const;
    }),
  ]);
}
