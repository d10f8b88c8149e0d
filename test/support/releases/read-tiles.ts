// Reads the archives of vector tiles of a release with the packages that clients use.
import { readFileSync } from 'node:fs';
import { VectorTile, type VectorTileFeature, type VectorTileLayer } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles, type RangeResponse, type Source } from 'pmtiles';

class FileSource implements Source {
  readonly #file: string;
  readonly #bytes: Buffer;

  constructor(file: string) {
    this.#file = file;
    this.#bytes = readFileSync(file);
  }

  getKey(): string {
    return this.#file;
  }

  async getBytes(offset: number, length: number): Promise<RangeResponse> {
    const part = this.#bytes.subarray(offset, offset + length);
    return { data: new Uint8Array(part).buffer };
  }
}

/** A tile that was read. */
export interface ReadTile {
  zoom: number;
  x: number;
  y: number;
  tile: VectorTile;
}

/** Opens an archive. */
export function openTiles(file: string): PMTiles {
  return new PMTiles(new FileSource(file));
}

/** The features of a layer; none where a tile lacks it. */
export function featuresOf(layer: VectorTileLayer | undefined): VectorTileFeature[] {
  return Array.from({ length: layer?.length ?? 0 }, (_, i) => layer?.feature(i) ?? []).flat();
}

/** The tiles of an archive around its bounds, zoom by zoom, to the deepest one that is asked for. */
export async function* readTiles(archive: PMTiles, deepest = Infinity): AsyncGenerator<ReadTile> {
  const { minZoom, maxZoom, minLon, minLat, maxLon, maxLat } = await archive.getHeader();
  for (let zoom = minZoom; zoom <= Math.min(maxZoom, deepest); zoom++) {
    const last = 2 ** zoom - 1;
    const column = (longitude: number): number => Math.floor((longitude / 360 + 0.5) * 2 ** zoom);
    const row = (latitude: number): number => {
      const sine = Math.sin((latitude / 180) * Math.PI);
      return Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** zoom);
    };
    for (let x = Math.max(0, column(minLon) - 1); x <= Math.min(last, column(maxLon) + 1); x++)
      for (let y = Math.max(0, row(maxLat) - 1); y <= Math.min(last, row(minLat) + 1); y++) {
        const found = await archive.getZxy(zoom, x, y);
        if (found === undefined) continue;
        yield { zoom, x, y, tile: new VectorTile(new PbfReader(new Uint8Array(found.data))) };
      }
  }
}
