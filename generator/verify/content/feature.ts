// Checks one published feature: GeoJSON, with the fid and the GIDs that the manifest has for its position.
import type { Manifest } from '../../../format/manifest.ts';
import { valuesOf } from '../../../format/runs.ts';
import { gidFrom } from '../../geojson/property-values.ts';
import { FileError } from '../../reader/inflate.ts';
import { featureFrom, type JsonFeature, parsedToJson } from '../../reader/parse-feature.ts';

/** The fid and the GIDs of each position, from the manifest. */
export interface Positions {
  fidAt(position: number): number;
  /** The unit's GID in a column, or null. */
  gidAt(column: number, position: number): string | null;
}

/** Expands the manifest's runs for look-ups by position. */
export function positionsOf(manifest: Manifest): Positions {
  const fids = Float64Array.from(valuesOf(manifest.fids));
  const owners = manifest.columns.map(({ covers }) => {
    const owner = new Int32Array(manifest.features).fill(-1);
    for (let at = 0; at < covers.count; at++) for (const position of valuesOf(covers.at(at))) owner[position] = at;
    return owner;
  });
  return {
    fidAt: (position) => fids[position] ?? -1,
    gidAt: (column, position) => manifest.columns[column]?.gids[owners[column]?.[position] ?? -1] ?? null,
  };
}

/**
 * Checks the text of the feature at a position.
 * @param line its JSON and the line feed
 * @returns the feature
 * @throws FileError if it is not the feature of the manifest
 */
export function checkFeature(line: Buffer, position: number, { columns }: Manifest, positions: Positions): JsonFeature {
  const fid = positions.fidAt(position);
  const feature = featureFrom(line);
  const { id, properties } = feature;
  if (id !== fid) throw new FileError(`its id is ${parsedToJson(id)}, expected ${fid}`);
  if (properties['fid'] !== fid) throw new FileError(`properties.fid is ${parsedToJson(properties['fid'])}`);
  for (const [n, { name }] of columns.entries()) {
    const gid = gidFrom([properties[name]], [0]);
    const expected = positions.gidAt(n, position);
    if (gid !== expected)
      throw new FileError(`${name} is ${JSON.stringify(gid)}, the manifest has ${JSON.stringify(expected)}`);
  }
  return feature;
}
