// The colours of the map: custom properties of map.css, which has a set for light and one for dark.

/**
 * @typedef {object} Palette
 * @property {string} sea
 * @property {string} land what is round the units that are shown
 * @property {string} landEdge
 * @property {string} edge borders between coloured units
 * @property {string} ink names
 * @property {string} quiet names of units in the background
 * @property {string} halo round names
 * @property {string} chosen outline of the selected unit
 * @property {string} chosenHalo
 * @property {string} hover
 * @property {string} landHovered land under the pointer
 * @property {string[]} units
 * @property {string[]} unitsHovered
 */

/** Colours of units: neighbours differ. */
const COLOURS = 6;
/** Part of the colour `hover` in that of the unit under the pointer. */
const HOVER_PART = 0.3;

/** @returns {Palette} */
export function readPalette() {
  const properties = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => {
    const value = properties.getPropertyValue(`--map-${name}`).trim();
    if (value === '') throw new Error(`map.css is not loaded: it has the colour --map-${name}`);
    return value;
  };
  const units = Array.from({ length: COLOURS }, (_, unit) => colour(`unit-${unit}`));
  const hovered = (/** @type {string} */ base) => mix(base, colour('hover'), HOVER_PART);
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
    hover: colour('hover'),
    landHovered: hovered(colour('land')),
    units,
    unitsHovered: units.map(hovered),
  };
}

/**
 * Calls back when the system changes between light and dark.
 * @param {() => void} use
 * @returns {() => void} ends it
 */
export function onPaletteChange(use) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', use);
  return () => dark.removeEventListener('change', use);
}

/**
 * A colour between two.
 * @param {string} a #rrggbb
 * @param {string} b
 * @param {number} part of b
 */
export function mix(a, b, part) {
  const channel = (/** @type {string} */ colour, /** @type {number} */ n) =>
    Number.parseInt(colour.slice(1 + 2 * n, 3 + 2 * n), 16);
  const mixed = [0, 1, 2].map((n) => Math.round(channel(a, n) * (1 - part) + channel(b, n) * part));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
