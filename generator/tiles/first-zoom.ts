// At which zoom the tiles of a level begin: further up a tile would be too large. Which zooms are made depends on it,
// and which of them are published.
import { BORDERS_AFTER } from '../../format/tiles.ts';

/** A level begins at the first zoom from which on no tile has more bytes than this. */
const TILE_BYTES_MAX = 300_000;

/** Bytes of the largest tile of a zoom, without borders and as it is. */
export interface LargestTile {
  withoutBorders: number;
  whole: number;
}

/**
 * The first zoom from which on no tile is too large, at the latest the last one.
 * @param largest of each zoom; where it is not known yet, or never made, the result is a zoom that may become greater
 */
export function firstZoom(largest: readonly (LargestTile | undefined)[]): number {
  const fits = (first: number): boolean =>
    largest.every((own, zoom) => {
      if (own === undefined || zoom < first) return true;
      return (zoom < first + BORDERS_AFTER ? own.withoutBorders : own.whole) <= TILE_BYTES_MAX;
    });
  const first = largest.findIndex((_, zoom) => fits(zoom));
  return first === -1 ? largest.length - 1 : first;
}
