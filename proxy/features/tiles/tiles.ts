// Vector tiles: one tile of a level, and what describes all of them (TileJSON 3.0.0).
import { elementAt } from '../../../format/element-at.ts';
import { levelName } from '../../../format/levels.ts';
import { tileIdOf } from '../../../format/pmtiles.ts';
import { tileAttribution, vectorLayers } from '../../../format/tiles.ts';
import { type Answer, type Representation, tagOf } from '../../bodies/answer.ts';
import { crcCheck } from '../../bodies/checked-stream.ts';
import { withoutContent } from '../../bodies/conditions.ts';
import { codedAnswer, type FixedHeaders, fixedHeaders } from '../../bodies/headers.ts';
import type { Row } from '../../bodies/row.ts';
import { StoredBytes } from '../../bodies/stored-file.ts';
import { textAnswer } from '../../bodies/text-answer.ts';
import { Loads, withLoaded } from '../../data/loads.ts';
import { Problem } from '../../http/problem.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';
import { noTiles, TILES } from './level-tiles.ts';
import { CONTENT_CHARS, CONTENT_PARAMETER, TILES_PATH, type TilesEndpoint } from './tile-paths.ts';

/** Zoom, column and row of a tile, without leading zeros. */
const PLACE = /^(0|[1-9]\d?)\/(0|[1-9]\d{0,7})\/(0|[1-9]\d{0,7})\.mvt$/;

/** The row of the tiles of a level. Text of a path becomes three numbers, or is refused. */
export function tileRow(endpoint: TilesEndpoint): Row {
  const { path, level: number, mediaType, parameters } = endpoint;
  const headers = fixedHeaders(mediaType);
  const rules = queryRules(number, parameters);
  return {
    path,
    answer(sources, request, { base, coding }) {
      const place = PLACE.exec(request.path.slice(path.length));
      if (place === null) throw new Problem('not-found', `Available: ${path}{z}/{x}/{y}.mvt, whole numbers.`);
      const [zoom, x, y] = [Number(place[1]), Number(place[2]), Number(place[3])];
      const named = CONTENT_PARAMETER.of(parseQuery(request.query, rules));
      const fixed = headers[sources.audience];
      const loads = new Loads(sources, request);
      return withLoaded(loads.release(sources.releases, named), (release) => {
        const { tiles: described } = elementAt(release.summaries, number);
        if (described === undefined) throw noTiles(release.id);
        const { minzoom, maxzoom } = described;
        if (zoom < minzoom || zoom > maxzoom || x >= 2 ** zoom || y >= 2 ** zoom)
          throw new Problem(
            'not-found',
            `Tiles of ${levelName(number)} have zooms ${minzoom} to ${maxzoom}, and columns and rows from 0 to 2^z - 1.`,
          );
        const loading = withLoaded(loads.level(release, number), (level) => loads.part(level, TILES));
        return withLoaded(loading, (tiles) =>
          withLoaded(tiles.tileAt(tileIdOf(zoom, x, y), loads), (tile) => {
            const representation = { release, base, coding, isPinned: named !== undefined };
            if (tile === null) return nothingThere(fixed, representation);
            const body = new StoredBytes(tiles.path, tile, tile.digest, () => crcCheck(tile.crc), false);
            return codedAnswer(fixed, representation, body, tile, tiles.path, []);
          }),
        );
      });
    },
  };
}

/** 204: the answer where no unit is. */
function nothingThere(fixed: FixedHeaders, representation: Representation): Answer {
  const headers = fixed[representation.isPinned ? 'pinned' : 'current'].identity.concat(representation.release.id);
  return {
    status: 204,
    headers: withoutContent(headers),
    etag: undefined,
    body: undefined,
    representation,
  };
}

/** The answer with the TileJSON of a level. @throws Problem not-found if it has no tiles */
export function answerTileJson(
  { path, level }: TilesEndpoint,
  fixed: FixedHeaders,
  representation: Representation,
): Answer {
  const { release, base } = representation;
  const {
    tiles,
    extent = [-180, -90, 180, 90],
    attribution = release.attribution,
  } = elementAt(release.summaries, level);
  if (tiles === undefined) throw noTiles(release.id);
  const { minzoom, maxzoom, languages } = tiles;
  const [west = NaN, south = NaN, east = NaN, north = NaN] = extent;
  const text = `${JSON.stringify({
    tilejson: '3.0.0',
    name: `${release.id} ${levelName(level)}`,
    tiles: [`${base}${TILES_PATH}${levelName(level)}/{z}/{x}/{y}.mvt?v=${release.digest.slice(0, CONTENT_CHARS)}`],
    vector_layers: vectorLayers(level, minzoom, maxzoom, languages),
    minzoom,
    maxzoom,
    bounds: [west, south, east, north],
    center: [(west + east) / 2, (south + north) / 2, minzoom],
    ...(attribution.length > 0 && { attribution: tileAttribution(attribution) }),
  })}\n`;
  return textAnswer(fixed, representation, tagOf(`${path}\n${text}`), text);
}
