// The colours of the map: custom properties of map.css, which has a set for light and one for dark.

export interface Palette {
  sea: string;
  /** What is round the units that are shown. */
  land: string;
  landEdge: string;
  /** Borders between coloured units. */
  edge: string;
  /** Names. */
  ink: string;
  /** Names of units in the background. */
  quiet: string;
  /** Round names. */
  halo: string;
  /** Outline of the selected unit. */
  chosen: string;
  chosenHalo: string;
  /** Land under the pointer. */
  landHovered: string;
  units: string[];
  unitsHovered: string[];
  /** Units round those that are shown: the same colours, pale. */
  neighbours: string[];
  neighboursHovered: string[];
}

/** Colours of units: neighbours differ. */
const COLOURS = 6;
/** Part of the colour `hover` in that of the unit under the pointer. */
const HOVER_PART = 0.3;
/** Part of the land's colour in that of a unit round those that are shown. */
const PALE_PART = 0.65;

export function readPalette(): Palette {
  const properties = getComputedStyle(document.documentElement);
  const colour = (name: string) => {
    const value = properties.getPropertyValue(`--map-${name}`).trim();
    if (value === '') throw new Error(`map.css is not loaded: it has the colour --map-${name}`);
    return value;
  };
  const units = Array.from({ length: COLOURS }, (_, unit) => colour(`unit-${unit}`));
  const hovered = (base: string) => mix(base, colour('hover'), HOVER_PART);
  const neighbours = units.map((unit) => mix(unit, colour('land'), PALE_PART));
  return {
    sea: colour('sea'),
    land: colour('land'),
    landEdge: colour('land-edge'),
    edge: colour('edge'),
    ink: colour('ink'),
    quiet: colour('quiet'),
    halo: colour('halo'),
    chosen: colour('chosen'),
    chosenHalo: colour('chosen-halo'),
    landHovered: hovered(colour('land')),
    units,
    unitsHovered: units.map(hovered),
    neighbours,
    neighboursHovered: neighbours.map(hovered),
  };
}

/** One colour for all units, where another thing has the colours. */
export function plain(palette: Palette): Palette {
  const units = palette.units.map(() => palette.land);
  const unitsHovered = units.map(() => palette.landHovered);
  return { ...palette, units, unitsHovered, neighbours: units, neighboursHovered: unitsHovered };
}

/**
 * Calls back when the system changes between light and dark.
 * @returns ends it
 */
export function onPaletteChange(use: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', use);
  return () => dark.removeEventListener('change', use);
}

/**
 * A colour between two.
 * @param a #rrggbb
 * @param part of b
 */
export function mix(a: string, b: string, part: number) {
  const channel = (colour: string, n: number) => Number.parseInt(colour.slice(1 + 2 * n, 3 + 2 * n), 16);
  const mixed = [0, 1, 2].map((n) => Math.round(channel(a, n) * (1 - part) + channel(b, n) * part));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
