// The texts of a level's features with each geometry, put together where they are written of what a build keeps: their
// texts without geometry, and their rings, simplified polygons or points. Only long texts, which are deflated once, and
// those of features without polygons are kept whole.
import { elementAt } from '../../format/element-at.ts';
import type { Geometry } from '../../format/levels.ts';
import { positionsIn, positionsOfEach } from '../../format/positions.ts';
import { withGeometry } from '../geojson/feature.ts';
import { PolygonsText } from '../geojson/polygons-text.ts';
import { type StoreReader, storedText } from '../store/feature-store.ts';
import type { LevelStore } from '../store/level-store.ts';
import { isOfKind } from '../store/store-index.ts';
import { decimalsOf, type SimplifiedName } from './simplified-geometry.ts';

/** The features of a level with one geometry. Texts that are not deflated are not to be changed. */
export type FeatureTexts = Pick<StoreReader, 'read' | 'close'>;

/** Opens the features with a geometry. @param precision decimals of the full one */
export function openTexts(store: LevelStore, geometry: Geometry, precision: number): FeatureTexts {
  if (geometry === 'none') return store.openFeatures('none');
  if (geometry === 'full') return openFullTexts(store, precision);
  return geometry === 'point' ? openPointTexts(store) : openSimplifiedTexts(store, geometry, precision);
}

/** Texts that were put together are kept until they have so many bytes: the pages of several listings have them. */
const REMEMBERED_BYTES = 16 << 20;

function openFullTexts(store: LevelStore, precision: number): FeatureTexts {
  const [kept, others, rings] = [store.openFeatures('full'), store.openFeatures('none'), store.openRings()];
  const { fids, kinds } = store.readIndex();
  const numbers = store.readKept();
  const keptAt = (position: number): number | undefined => numbers.get(elementAt(fids, position));
  const polygons = new PolygonsText(precision);
  const made = new Map<number, Buffer>();
  let madeBytes = 0;

  function make(positions: readonly number[]): void {
    const ranges = positionsOfEach(positions).slice(0, positions.length);
    const [heads, units] = [others.read(ranges), rings.unitsAt(ranges)];
    for (const position of positions) {
      const [head, giveRings] = [storedText(nextOf(heads, position)), nextOf(units, position)];
      polygons.begin();
      giveRings(polygons);
      const text =
        polygons.polygons === 0 ? head : withGeometry(head, polygons.end(isOfKind(kinds, position, 'multiPolygon')));
      made.set(position, text);
      madeBytes += text.length;
    }
  }

  return {
    *read(ranges) {
      if (madeBytes > REMEMBERED_BYTES) {
        made.clear();
        madeBytes = 0;
      }
      make([...positionsIn(ranges)].filter((position) => !made.has(position) && keptAt(position) === undefined));
      for (const position of positionsIn(ranges)) {
        const text = made.get(position);
        const number = keptAt(position);
        if (text !== undefined) yield { bytes: text, deflated: undefined };
        else if (number !== undefined) yield* kept.read([number, number + 1]);
      }
    },
    close: () => closeAll(kept, others, rings),
  };
}

function openPointTexts(store: LevelStore): FeatureTexts {
  const [points, others] = [store.openFeatures('point'), store.openFeatures('none')];
  return {
    *read(ranges) {
      const [heads, units] = [others.read(ranges), points.read(ranges)];
      for (const position of positionsIn(ranges)) {
        const [head, point] = [nextOf(heads, position), nextOf(units, position)];
        yield { bytes: withGeometry(storedText(head), [storedText(point)]), deflated: undefined };
      }
    },
    close: () => closeAll(points, others),
  };
}

function openSimplifiedTexts(store: LevelStore, name: SimplifiedName, precision: number): FeatureTexts {
  const [shapes, others] = [store.openShapes(name), store.openFeatures('none')];
  const full = openFullTexts(store, precision);
  const kinds = store.readIndex().kinds;
  const polygons = new PolygonsText(decimalsOf(name, precision));
  return {
    *read(ranges) {
      const [heads, units] = [others.read(ranges), shapes.unitsAt(ranges)];
      for (const position of positionsIn(ranges)) {
        const [head, giveRings] = [storedText(nextOf(heads, position)), nextOf(units, position)];
        polygons.begin();
        giveRings(polygons);
        // What has no polygons with an area stays as it is.
        if (polygons.polygons === 0) yield* full.read([position, position + 1]);
        else
          yield {
            bytes: withGeometry(head, polygons.end(isOfKind(kinds, position, 'multiPolygon'))),
            deflated: undefined,
          };
      }
    },
    close: () => closeAll(shapes, others, full),
  };
}

/** The next of some items that are read by position. */
export function nextOf<Item>(items: Iterator<Item>, position: number): Item {
  const next = items.next();
  if (next.done === true) throw new RangeError(`position ${position}`);
  return next.value;
}

function closeAll(...readers: readonly { close(): void }[]): void {
  for (const reader of readers) reader.close();
}
