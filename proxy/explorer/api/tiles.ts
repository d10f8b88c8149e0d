// The vector tiles of a level: what the service says of them (TileJSON 3.0.0).
import type { Box } from '../map/geometry/box.ts';
import type { Client } from './client.ts';

export interface LevelTiles {
  /** The address of a tile, with {z}, {x} and {y}. */
  template: string;
  /** The first zoom at which the level has tiles. */
  minzoom: number;
  /** The last one. */
  maxzoom: number;
  /** Of its units. */
  bounds: Box;
}

/** @throws RefusalError */
export async function readTiles(level: number, client: Client, signal: AbortSignal): Promise<LevelTiles> {
  const { json } = await client.json(client.urlOf(`tiles/lv${level}.json`), signal);
  const { tiles, minzoom, maxzoom, bounds } = json as { tiles: [string] } & LevelTiles;
  // Only the query, because this page knows at which address it reaches the service.
  const template = `${client.urlOf(`tiles/lv${level}/`)}{z}/{x}/{y}.mvt${new URL(tiles[0]).search}`;
  return { template, minzoom, maxzoom, bounds };
}
