// The style of the map: the layers of each level over its vector tiles, from bottom to top, as functions of the style's
// global state. What is shown changes by `setGlobalStateProperty` alone.
import type {
  ExpressionSpecification,
  LayerSpecification,
  Map as LibraryMap,
  LineLayerSpecification,
} from 'maplibre-gl';
import { mix, type Palette } from './palette.ts';

type Expression = ExpressionSpecification;

type Layer = LayerSpecification;

/** What is shown. */
export interface MapState {
  /** Whose units have their colours, with the leaves of those above. */
  level: number;
  /** That are drawn: this one and those above. */
  levels: number[];
  /** The deepest level that has a GID in `gids`; -1 for none. */
  of: number;
  /** The parents whose units these are, as `gid_0`: others are quiet land. */
  gids: Record<string, string>;
  /** Level of the selected unit; -1 for none. */
  selected: number;
  /** Of the selected unit. */
  fid: number;
  /** The tag of the language of labels; empty for the default names. */
  lang: string;
}

export const NOTHING: MapState = { level: -1, levels: [], of: -1, gids: {}, selected: -1, fid: -1, lang: '' };

const UP = [0, 1, 2, 3, 4, 5];
const DOWN = UP.toReversed();
/** What covers the units of a level, if something does. */
export const COVER_STRIPES = 'cover-stripes';
export const COVER_FILL = 'cover-fill';
/** All layers, from bottom to top. */
const ORDER = [
  'sea',
  ...UP.map((level) => `land-${level}`),
  ...UP.map((level) => `fill-${level}`),
  COVER_STRIPES,
  COVER_FILL,
  ...DOWN.map((level) => `border-${level}`),
  'asked-box',
  ...UP.flatMap((level) => [`halo-${level}`, `chosen-${level}`]),
  ...DOWN.map((level) => `label-${level}`),
];
/** Layers whose units can be picked, topmost first. */
export const PICKABLE = [COVER_FILL, ...['fill', 'land'].flatMap((kind) => DOWN.map((level) => `${kind}-${level}`))];

/** The zooms about which the units of a level get as large as a word, unless it is the first one of the release. */
const LINE_ZOOMS = [0, 2.5, 4, 6, 8, 10];
/** A name may be wider than its unit until the next zoom: where there is no room for it, it is left out. */
const LABEL_ZOOMS = 1;
/** How much further apart, in ems, the letters of a level above are than those of the next one. */
const WIDE_STEP = 0.04;
/** A label of rank 1,000,000 is one of the next level. */
const RANKS = 1_000_000;

const LIT: Expression = [
  'any',
  ['boolean', ['feature-state', 'hover'], false],
  ['boolean', ['feature-state', 'chosen'], false],
];

/** Adds a layer where it belongs. */
export function addInOrder(map: LibraryMap, layer: Layer) {
  const above = ORDER.slice(ORDER.indexOf(layer.id) + 1).find((id) => map.getLayer(id) !== undefined);
  map.addLayer(layer, above);
}

/**
 * The layers of a level.
 * @param tiles the first zoom that has some; is no level above?
 */
export function layersOf(
  level: number,
  { minzoom, isTop }: { minzoom: number; isTop: boolean },
  palette: Palette,
): Layer[] {
  const { land, landHovered, landEdge, units, unitsHovered, neighbours, neighboursHovered } = palette;
  const { edge, ink, quiet, halo, chosen, chosenHalo } = palette;
  const own = isInside(level);
  const isNear: Expression = ['==', state('of'), level];
  const isDrawn = shownIf(['in', level, ['array', state('levels')]]);
  const isListed: ExpressionSpecification = ['==', state('level'), level];
  const isChosen = shownIf(['==', state('selected'), level]);
  // Where units are a few pixels wide their borders would be a mist.
  const lines = isTop ? minzoom : Math.max(minzoom, LINE_ZOOMS[level] ?? 0);
  const outline = units.map((colour) => mix(colour, edge, 0.4));
  const of = (kind: string, layer = 'units') => ({
    id: `${kind}-${level}`,
    source: sourceOf(level),
    'source-layer': layer,
  });
  const chosenLine: Pick<LineLayerSpecification, 'type' | 'filter' | 'layout'> = {
    type: 'line',
    filter: ['==', ['id'], state('fid')],
    layout: { ...isChosen, 'line-join': 'round' },
  };
  return [
    {
      ...of('land'),
      type: 'fill',
      layout: isTop ? isDrawn : shownIf(isNear),
      paint: {
        'fill-color': ['case', LIT, byColour(neighboursHovered, landHovered), byColour(neighbours, land)],
        'fill-outline-color': landEdge,
      },
    },
    {
      ...of('fill'),
      type: 'fill',
      filter: ['all', ['any', ['==', state('level'), level], ['boolean', ['get', 'leaf'], false]], own],
      layout: isDrawn,
      paint: {
        'fill-color': ['case', LIT, byColour(unitsHovered, land), byColour(units, land)],
        'fill-outline-color': byColour(outline, edge),
        'fill-antialias': lines === 0 ? true : ['step', ['zoom'], false, lines, true],
      },
    },
    {
      ...of('border', 'borders'),
      type: 'line',
      filter: ['==', ['get', 'level'], level],
      layout: isDrawn,
      paint: {
        'line-color': ['case', own, edge, landEdge],
        'line-opacity': lines === 0 ? 1 : ['interpolate', ['linear'], ['zoom'], lines - 1.5, 0, lines + 1, 1],
        'line-width': ['interpolate', ['linear'], ['zoom'], lines - 1.5, 0.2, lines + 5, 2.4 - 0.3 * level],
      },
    },
    { ...of('halo'), ...chosenLine, paint: { 'line-color': chosenHalo, 'line-width': 6 } },
    { ...of('chosen'), ...chosenLine, paint: { 'line-color': chosen, 'line-width': 2.5 } },
    {
      ...of('label', 'labels'),
      type: 'symbol',
      filter: [
        'all',
        ['>=', ['zoom'], ['-', ['get', 'zoom'], LABEL_ZOOMS]],
        ['any', own, isNear],
        ['!', isOpened(level)],
      ],
      layout: {
        ...isDrawn,
        // Left out of tiles where it is the default name.
        'text-field': ['coalesce', ['get', ['concat', 'name:', state('lang')]], ['get', 'name']],
        // Without a `glyphs` URL text is drawn with fonts of the system.
        'text-font': ['system-ui', 'sans-serif'],
        'text-size': ['interpolate', ['linear'], ['zoom'], 0, 10, 3, isTop ? 13 : 11, 7, isTop ? 17 : 14],
        // A province and its capital have one name: that of the province is in capitals. Those of each level above are
        // wider apart, as on printed maps.
        'text-transform': ['case', isListed, 'none', 'uppercase'],
        'text-letter-spacing': ['case', isListed, 0, WIDE_STEP * (DOWN.length - level)],
        'text-max-width': 8,
        'text-padding': 3,
        'symbol-sort-key': ['+', level * RANKS, ['get', 'rank']],
      },
      paint: {
        'text-color': ['case', own, ink, quiet],
        'text-halo-color': halo,
        'text-halo-width': 1.3,
      },
    },
  ];
}

export function sourceOf(level: number) {
  return `lv${level}`;
}

function state(name: keyof MapState): Expression {
  return ['global-state', name];
}

/** Is a unit of this level, or a border in it, inside of all parents that are named? */
function isInside(level: number): Expression {
  const above = UP.slice(0, level).map((n) => isOf(n, ['get', `gid_${n}`]));
  return ['all', ...above, ['any', ['<', state('of'), level], ['all', isNamed(level), isOpened(level)]]];
}

/** Is this the unit itself that is opened? */
function isOpened(level: number): Expression {
  return ['all', isNamed(level), isOf(level, ['get', 'gid'])];
}

function isOf(level: number, gid: Expression): Expression {
  return ['any', ['!', isNamed(level)], ['==', gid, ['get', `gid_${level}`, ['object', state('gids')]]]];
}

/** Is a GID of this level among those of the parents? */
function isNamed(level: number): Expression {
  return ['has', `gid_${level}`, ['object', state('gids')]];
}

function shownIf(condition: Expression): { visibility: Expression } {
  return { visibility: ['case', condition, 'visible', 'none'] };
}

function byColour([first = '', ...rest]: readonly string[], other: string): Expression {
  return ['match', ['get', 'colour'], 0, first, ...rest.flatMap((colour, index) => [index + 1, colour]), other];
}
