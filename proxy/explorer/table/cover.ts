// A table on the map: the units of its level in the colours of their classes, those without one striped.
import type { ExpressionSpecification, Map as LibraryMap } from 'maplibre-gl';
import type { Cover } from '../map/map.ts';
import { mix, readPalette } from '../map/palette.ts';
import { addInOrder, COVER_FILL, COVER_STRIPES, sourceOf } from '../map/style.ts';
import { NO_CLASS } from './classes.ts';
import { coloursOf } from './colours.ts';
import type { ReadTable } from './messages.ts';
import { shownText, valueAt } from './values.ts';

const PICTURE = 'stripes';
/** Sides of the picture, and width of its stripe, in pixels of which RATIO are one of the page. */
const SIDE = 16;
const STRIPE = 5;
const RATIO = 2;
/** Units whose class the map is told at a time: some 20 ms. */
const SLICE = 5000;
const HOVER_PART = 0.3;

let covers = 0;

/** @param signal ends it; another cover does so, too */
export function coverOf(table: ReadTable, signal: AbortSignal): Cover {
  const { level, within, kind, classes } = table;
  const units = { source: sourceOf(level), sourceLayer: 'units' };
  // A name of its own: nobody has to take back what the cover before has said of each unit.
  const number = ++covers;
  const name = `class-${number}`;
  const tell = async (map: LibraryMap) => {
    for (const [i, fid] of table.fids.entries()) {
      if (i % SLICE === 0) await new Promise((resolve) => setTimeout(resolve));
      if (signal.aborted || number !== covers || map.getSource(units.source) === undefined) return;
      const own = table.of[i] ?? NO_CLASS;
      if (own !== NO_CLASS) map.setFeatureState({ ...units, id: fid }, { [name]: own });
    }
  };
  return {
    level,
    noteOf: (fid) => noteOf(table, fid),
    draw(map) {
      for (const id of [COVER_FILL, COVER_STRIPES]) if (map.getLayer(id) !== undefined) map.removeLayer(id);
      showStripes(map);
      const { land, quiet, edge } = readPalette();
      const filter: ExpressionSpecification[] = within ? [['==', ['get', `gid_${within.level}`], within.gid]] : [];
      const layer = {
        type: 'fill' as const,
        source: units.source,
        'source-layer': units.sourceLayer,
        ...(filter[0] && { filter: filter[0] }),
      };
      addInOrder(map, { ...layer, id: COVER_STRIPES, paint: { 'fill-pattern': PICTURE } });
      const colours = coloursOf(kind, classes.length, isDark());
      const isHovered: ExpressionSpecification = ['boolean', ['feature-state', 'hover'], false];
      const lighter = colours.map((colour) => mix(colour, land, HOVER_PART));
      const paint = {
        'fill-color': ['case', isHovered, byClass(name, lighter), byClass(name, colours)] as ExpressionSpecification,
        'fill-outline-color': byClass(
          name,
          colours.map((colour) => mix(colour, edge, HOVER_PART)),
          quiet,
        ),
      };
      addInOrder(map, { ...layer, id: COVER_FILL, paint });
      void tell(map);
    },
  };
}

/** The value of a unit as far as it is shown; empty if it has none. */
export function noteOf({ values, numbers, fids }: ReadTable, fid: number): string {
  return shownText(valueAt(values, numbers[fids.indexOf(fid)]));
}

/** Of a unit without a class the stripes below are seen. */
function byClass(name: string, colours: readonly string[], other = 'rgba(0, 0, 0, 0)'): ExpressionSpecification {
  const [first = other, ...others] = colours;
  const rest = others.flatMap((colour, i): (number | string)[] => [i + 1, colour]);
  return ['match', ['feature-state', name], 0, first, ...rest, other] as ExpressionSpecification;
}

function showStripes(map: LibraryMap): void {
  const { land, quiet } = readPalette();
  const data = new Uint8ClampedArray(SIDE * SIDE * 4);
  for (let at = 0; at < SIDE * SIDE; at++) {
    const isStripe = ((at % SIDE) + Math.floor(at / SIDE)) % SIDE < STRIPE;
    const channels = Number.parseInt((isStripe ? mix(land, quiet, 0.6) : land).slice(1), 16);
    data.set([channels >> 16, (channels >> 8) & 255, channels & 255, 255], 4 * at);
  }
  if (map.hasImage(PICTURE)) map.removeImage(PICTURE);
  map.addImage(PICTURE, new ImageData(data, SIDE, SIDE), { pixelRatio: RATIO });
}

export function isDark(): boolean {
  return matchMedia('(prefers-color-scheme: dark)').matches;
}
