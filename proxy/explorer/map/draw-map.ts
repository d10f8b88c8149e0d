// Draws the map of a service on the page, or says there why it has none.
import type { About } from '../api/about.ts';
import type { Client } from '../api/client.ts';
import { readTiles } from '../api/tiles.ts';
import { NO_RELEASE, NO_TILES } from '../messages/messages.ts';
import { page } from '../state/page.ts';
import { levelsWithUnits } from '../state/place.ts';
import { createMap, type MapOptions, type UnitMap } from './map.ts';

type Listeners = Omit<MapOptions, 'levels' | 'tilesOf' | 'headersFor' | 'onNote' | 'onLevels'>;

/** @returns undefined where there is none */
export async function drawMap(
  container: HTMLElement | null,
  about: About,
  client: Client,
  signal: AbortSignal,
  listeners: Listeners,
): Promise<UnitMap | undefined> {
  page.noMap.value = '';
  page.firstZooms.value = {};
  try {
    if (about.release === undefined) throw new Error(NO_RELEASE);
    if (!about.tiles) throw new Error(NO_TILES);
    if (container === null) throw new Error('The page has no place for a map.');
    return await createMap(container, {
      ...listeners,
      levels: levelsWithUnits(about.levels),
      tilesOf: async (level) => {
        const tiles = await readTiles(level, client, signal);
        page.firstZooms.value = { ...page.firstZooms.value, [level]: tiles.minzoom };
        return tiles;
      },
      headersFor: client.headersFor,
      onNote: (note) => {
        page.mapNote.value = note;
      },
      onLevels: (levels) => {
        page.drawn.value = levels;
      },
    });
  } catch (error) {
    page.noMap.value = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}
