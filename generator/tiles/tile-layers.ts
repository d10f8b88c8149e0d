// Encodes what lies in a tile as its layers: `units`, `borders` and `labels`.
import { grouped } from '../../format/grouped.ts';
import type { OpenRing } from '../rings/open-rings.ts';
import { TileLayer } from './mvt.ts';
import { TILE_BUFFER, type TileRun } from './quarter-tiles.ts';
import { TILE_EXTENT } from './tile-arcs.ts';
import type { TileAttributes } from './tile-attributes.ts';

/** What the layers of a level say. */
export interface TileLayers {
  attributes: TileAttributes;
  /** The attributes of borders, by group. */
  borders: ReadonlyMap<number, ReturnType<TileAttributes['border']>>;
  /** Have polygons the name of their unit? */
  hasNames: boolean;
}

/** Most labels of a tile: those of the least rank. */
const LABELS_MAX = 500;

/** The layers, written anew for each tile. */
const LAYERS = { units: new TileLayer('units'), borders: new TileLayer('borders'), labels: new TileLayer('labels') };

/** The layers of a tile, each of which may be empty. */
export function encodeTile({ left, top, content }: TileRun, { attributes, borders, hasNames }: TileLayers) {
  const units = LAYERS.units.begin(left, top);
  for (const { unit, polygons } of content.shapes)
    units.polygons(attributes.fidAt(unit), attributes.unit(unit, hasNames), polygons ?? [[squareAt(left, top)]]);
  const lines = LAYERS.borders.begin(left, top);
  const byGroup = grouped(content.borders, ({ group }) => group);
  for (const [group, own] of [...byGroup].sort(([a], [b]) => a - b)) {
    const border = borders.get(group);
    if (border === undefined) continue;
    lines.lines(
      border.attributes,
      own.map(({ line }) => line),
    );
  }
  const points = LAYERS.labels.begin(left, top);
  const ranked = content.labels.toSorted((a, b) => attributes.rankAt(a.unit) - attributes.rankAt(b.unit));
  for (const { unit, x, y } of ranked.slice(0, LABELS_MAX))
    points.point(attributes.fidAt(unit), attributes.label(unit), x, y);
  return { units: units.bytes(), borders: lines.bytes(), labels: points.bytes() };
}

/** A tile with its buffer, as a ring. */
function squareAt(left: number, top: number): OpenRing {
  const [west, north] = [left - TILE_BUFFER, top - TILE_BUFFER];
  const size = TILE_EXTENT + 2 * TILE_BUFFER;
  return [west, north, west + size, north, west + size, north + size, west, north + size];
}
