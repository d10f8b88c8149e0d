// What is wrong with the map, by its cause: the network, a refusal, a tile that cannot be read, or the style.
import type { ErrorEvent, Tile } from 'maplibre-gl';
import { NOT_REACHED, RefusalError, textToError } from '../api/client.ts';
import { levelIn } from '../api/unit.ts';

/** The map itself has a fault: no request failed. */
export class MapFault extends Error {}

/** A tile that did not arrive or cannot be read, and the status of the answer: 0 where there was none. */
export interface FailedTile {
  sourceId: string;
  id: Tile['tileID']['canonical'];
  status: number | undefined;
}

/** The tile that the library speaks of; its type of the event does not tell. */
export function failedTile(event: ErrorEvent): FailedTile | undefined {
  if (!('tile' in event && 'sourceId' in event)) return undefined;
  const { sourceId, tile, error } = event as ErrorEvent & { sourceId: string; tile: Tile };
  return { sourceId, id: tile.tileID.canonical, status: statusOf(error) };
}

/** A change of the style cannot redraw a tile that is on its way, which the library calls an error. */
export function isOnItsWay({ error }: ErrorEvent): boolean {
  return error.message.startsWith('Should not be trying to reload a tile');
}

/** @returns undefined of what is no request */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error ? Number(error.status) : undefined;
}

/**
 * Says what is wrong.
 * @param error of the library, or of a request of the page
 * @param tile the one that it is said of
 */
export async function toFault(error: unknown, tile: FailedTile | undefined): Promise<Error> {
  if (error instanceof RefusalError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const status = statusOf(error);
  if (status === 0) return new RefusalError({ detail: NOT_REACHED });
  if (status !== undefined) {
    const body = error instanceof Error && 'body' in error && error.body instanceof Blob ? error.body : undefined;
    return textToError(status, (await body?.text()) ?? '');
  }
  if (tile === undefined) return new MapFault(message);
  const { z, x, y } = tile.id;
  const detail = `The tile ${z}/${x}/${y} of level ${levelIn(tile.sourceId)} could not be read: ${message}`;
  return new RefusalError({ status: 200, code: 'tile-damaged', detail });
}
