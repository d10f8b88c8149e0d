// The CRS of the layers that levels are read from: which it is, and who says so.
import type { SourceCrs } from '../../format/release-json.ts';
import { foundIn, type Selection } from './level-source.ts';

/** The CRS of a layer. Plain data. */
export interface LayerCrs extends Selection {
  /** Its code, or its name. */
  name: string;
  /** Who says so: the source, an option, or nobody. */
  origin: SourceCrs['origin'];
  /** The one that the source states, where an option says another. */
  replaced?: string | undefined;
  /** Is it WGS 84 itself, another one on its datum, or on another datum? */
  datum: 'same' | 'projected' | 'other';
  /** How it is brought to WGS 84; undefined before that is asked. */
  way?: CrsWay | undefined;
}

/** How the coordinates of a layer are brought to WGS 84. */
export interface CrsWay {
  /** PROJ's names of the operations at the first units. */
  operations: readonly string[];
  /** Of the worst one, in metres; undefined if it is not known. */
  accuracy: number | undefined;
  /** Of the first units those that lie outside of the area for which the CRS is made. */
  outside: number;
  units: number;
}

/** What release.json says of the CRS of a source: layers with the same one are together. */
export function sourceCrs(layers: readonly LayerCrs[]): SourceCrs[] {
  const together = new Map<string, SourceCrs>();
  for (const layer of layers) {
    const { name, origin, replaced, datum, way } = layer;
    const about = {
      crs: name,
      origin,
      ...(replaced !== undefined && { replaced }),
      operations: way?.operations ?? [],
      ...((datum !== 'other' || way?.accuracy !== undefined) && { accuracy: way?.accuracy ?? 0 }),
    };
    const key = JSON.stringify(about);
    const known = together.get(key)?.layers ?? [];
    together.set(key, { layers: [...known, foundIn(layer)], ...about });
  }
  return [...together.values()];
}

/** By which operations coordinates come to WGS 84, and how accurate these are. */
export function wayToText(operations: readonly string[], accuracy: number | undefined): string {
  const by = operations.length === 0 ? '' : ` by ${operations.join(' or ')}`;
  return `${by} (accuracy ${accuracy === undefined ? 'not known' : `${accuracy} m`})`;
}
