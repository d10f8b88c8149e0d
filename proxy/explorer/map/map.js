// The map of the explorer, drawn with MapLibre GL: the overview of the release, and the units of pages in front of it.
import { createCamera } from './camera.js';
import { drawnOf, keyOf } from './features.js';
import { createFront } from './front.js';
import { overlaps } from './geometry/box.js';
import { followPointer } from './pointer.js';
import { createSources } from './sources.js';
import { startMap } from './start-map.js';
import { layersOf, OVERVIEW_SOURCES } from './style/layers.js';
import { onPaletteChange, readPalette } from './style/palette.js';
import { restyle } from './style/restyle.js';

/**
 * @typedef {import('../api/client.js').Unit} Unit
 * @typedef {import('../api/overview.js').Overview} Overview
 * @typedef {import('../api/overview.js').OverviewUnit} OverviewUnit
 * @typedef {import('./geometry/box.js').Box} Box
 * @typedef {import('./features.js').Drawn} Drawn
 * @typedef {import('./camera.js').View} View
 * @typedef {{ level: number, fid: number }} UnitKey
 *
 * @typedef {object} UnitMap
 * @property {(overview: Overview) => void} showOverview the world in the background
 * @property {(level: number, units: readonly Unit[]) => void} setUnits replaces what is in front; [] is the overview alone
 * @property {(level: number, units: readonly Unit[]) => void} addUnits more units in front, of the same level
 * @property {(units: readonly Unit[]) => void} showDetail units of the overview in full resolution, replaces those before
 * @property {(unit: UnitKey | undefined) => void} select
 * @property {(boxes?: readonly Box[]) => void} fit undefined or []: the world
 * @property {(unit: UnitKey) => Box | undefined} boxOf of a unit that is drawn; in one piece at the antimeridian
 * @property {() => View} view
 * @property {(view: View) => void} setView
 * @property {() => OverviewUnit[]} visibleOverview units of the overview that are seen too coarse
 * @property {() => void} resize
 * @property {() => void} remove
 */

/** From this zoom on the overview is too coarse, for levels 0 and 1. */
const DETAIL_ZOOMS = [4.5, 6];
/**
 * @param {HTMLElement} container
 * @param {{ onPick: (picked: import('./pointer.js').Picked) => void, onView: (view: View) => void }} listeners
 * @returns {Promise<UnitMap>}
 * @throws {Error} without WebGL 2
 */
export async function createMap(container, { onPick, onView }) {
  const map = await startMap(container);
  const sources = createSources(map);
  const look = {
    palette: readPalette(),
    filled: sources.filled,
    isFront: false,
    readableZoom: 0,
    detailed: /** @type {string[]} */ ([]),
    parents: /** @type {string[]} */ ([]),
  };
  let layers = layersOf(look);
  for (const layer of layers) map.addLayer(layer);
  /** @type {Map<string, { unit: OverviewUnit, drawn: Drawn }>} */
  const overview = new Map();
  /** @type {Map<string, Drawn>} */
  const detail = new Map();
  let front = createFront();
  /** @type {UnitKey | undefined} */
  let selected;

  const draw = () => {
    const before = layers;
    layers = layersOf(look);
    restyle(map, before, layers);
  };
  const endPalette = onPaletteChange(() => {
    look.palette = readPalette();
    draw();
  });
  followPointer(map, onPick);
  const camera = createCamera(map);
  map.on('moveend', () => onView(camera.view()));

  const find = (/** @type {UnitKey} */ unit) => {
    const key = keyOf(unit);
    return front.units.get(key) ?? detail.get(key) ?? overview.get(key)?.drawn;
  };
  /** After each change of what is drawn: the outline of the selected unit, and which layers there are. */
  const show = () => {
    sources.put('chosen', (selected && find(selected)?.shapes) ?? []);
    draw();
  };
  const addUnits = (/** @type {number} */ level, /** @type {readonly Unit[]} */ units) => {
    const added = front.add(level, units, (key) => overview.get(key)?.unit.colour);
    look.isFront = units.length > 0 || look.isFront;
    look.parents = [...front.parents];
    look.readableZoom = front.readableZoom();
    sources.add('units', shapesOf(added));
    sources.add('units-names', labelsOf(added));
    show();
  };

  return {
    showOverview({ lv0, lv1 }) {
      overview.clear();
      for (const unit of [...lv0, ...lv1]) {
        const { level, id: fid, colour, properties } = unit;
        const drawn = drawnOf(unit, { ...properties, level, fid, colour });
        if (drawn !== undefined) overview.set(drawn.key, { unit, drawn });
      }
      for (const [level, id] of OVERVIEW_SOURCES.entries()) {
        const drawn = [...overview.values()].filter(({ unit }) => unit.level === level).map((entry) => entry.drawn);
        sources.put(id, shapesOf(drawn));
        sources.put(`${id}-names`, labelsOf(drawn));
      }
      show();
    },
    setUnits(level, units) {
      front = createFront();
      look.isFront = false;
      sources.put('units', []);
      sources.put('units-names', []);
      addUnits(level, units);
    },
    addUnits,
    showDetail(units) {
      detail.clear();
      for (const unit of units) {
        const facts = { level: (unit.gids?.length ?? 1) - 1, fid: Number(unit.id) };
        const coarse = overview.get(keyOf(facts))?.unit;
        const drawn = coarse && drawnOf(unit, { ...facts, ...coarse.properties, colour: coarse.colour });
        if (drawn !== undefined) detail.set(drawn.key, drawn);
      }
      look.detailed = [...detail.keys()];
      sources.put('detail', shapesOf([...detail.values()]));
      show();
    },
    select(unit) {
      selected = unit;
      show();
    },
    fit: camera.fit,
    boxOf: (unit) => find(unit)?.box,
    view: camera.view,
    setView: camera.setView,
    visibleOverview() {
      const seen = camera.seen();
      const { zoom } = camera.view();
      return [...overview.values()]
        .filter(({ unit, drawn }) => zoom >= (DETAIL_ZOOMS[unit.level] ?? 0) && seen && overlaps(seen, drawn.box))
        .map(({ unit }) => unit);
    },
    resize: () => void map.resize(),
    remove() {
      endPalette();
      map.remove();
    },
  };
}

/** @param {readonly Drawn[]} drawn */
function shapesOf(drawn) {
  return drawn.flatMap(({ shapes }) => shapes);
}

/** @param {readonly Drawn[]} drawn */
function labelsOf(drawn) {
  return drawn.flatMap(({ label }) => (label === undefined ? [] : [label]));
}
