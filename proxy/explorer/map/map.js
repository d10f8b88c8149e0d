// The map of the explorer, drawn with MapLibre GL: the overview of the release, and the units of pages in front of it.
import { createCamera, isWorld } from './camera.js';
import { drawnOf, keyOf, outlinesOf } from './features.js';
import { createFront } from './front.js';
import { covers, overlaps, unionOf, widthOf } from './geometry/box.js';
import { mainBox } from './geometry/main-part.js';
import { createMark, followPointer } from './pointer.js';
import { createSources } from './sources.js';
import { startMap } from './start-map.js';
import { bordersOffset, bordersZoom } from './style/density.js';
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
 * @property {(overview: Overview) => void} showOverview everything in the background; [] forgets it
 * @property {(level: number, units: readonly Unit[]) => void} setUnits replaces what is in front; [] is the overview
 * alone
 * @property {(level: number, units: readonly Unit[]) => void} addUnits more units in front, of the same level
 * @property {(level: number, units: readonly Unit[]) => void} refine units that are in front, in finer shapes
 * @property {(level: number, units: readonly Unit[]) => void} placeNames units that are in front, with the points of
 * their names
 * @property {(units: readonly Unit[]) => void} showDetail units of the overview in finer shapes, replaces those before
 * @property {(unit: UnitKey | undefined, own?: Unit | undefined) => void} select draws its own shape once it is known
 * @property {(boxes?: readonly Box[]) => void} fit undefined or []: the world
 * @property {() => void} fitAll of what is selected, else in front, else of the overview
 * @property {(unit: UnitKey) => Box | undefined} boxOf of the main part of a unit that is drawn
 * @property {(boxes: readonly Box[]) => number} zoomOf at which they would be fitted
 * @property {() => View} view
 * @property {(view: View) => void} setView
 * @property {(point: import('../api/coordinates.js').Point | undefined) => void} mark puts a mark there, or removes it
 * @property {() => Box | undefined} seen the box that is in sight
 * @property {() => OverviewUnit[]} visibleOverview units of the overview that are seen too coarse
 * @property {() => number[]} unitsInSight fids of units in front
 * @property {() => number[]} namesInSight of those whose names have room
 * @property {() => void} resize
 * @property {() => void} remove
 */

/** From this zoom on the overview of the world is too coarse, for its first and its second level; others later. */
const DETAIL_ZOOMS = [4.5, 6];
const TURN = 360;
/** Drawing that takes longer is noted. */
const DRAWING_MS = 400;
/** Narrower releases, in degrees, count as so wide. */
const EXTENT_MIN = 0.01;
/** Borders of the second level are shown from this zoom on, where the first has several units. */
const REGIONS_ZOOM = 3.5;

/**
 * @param {HTMLElement} container
 * @param {object} options
 * @param {(picked: import('./pointer.js').Picked) => void} options.onPick
 * @param {(point: import('../api/coordinates.js').Point) => void} options.onHere asks what is there
 * @param {(view: View) => void} options.onView
 * @param {(isAllSeen: boolean) => void} [options.onSeen] is all in sight that `fitAll` would show?
 * @param {(isDrawing: boolean) => void} options.onDrawing it takes its time; and it is over
 * @param {() => { top: number, bottom: number }} [options.covered] pixels at its edges that something lies upon
 * @returns {Promise<UnitMap>}
 * @throws {Error} without WebGL 2
 */
export async function createMap(
  container,
  { onPick, onHere, onView, onDrawing, onSeen, covered = () => ({ top: 0, bottom: 0 }) },
) {
  const map = await startMap(container);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  const sources = createSources(map, () => {
    waiting ??= setTimeout(() => onDrawing(true), DRAWING_MS);
  });
  map.on('idle', () => {
    clearTimeout(waiting);
    if (waiting !== undefined) onDrawing(false);
    waiting = undefined;
  });
  const look = {
    palette: readPalette(),
    filled: sources.filled,
    isFront: false,
    readableZoom: 0,
    detailed: /** @type {string[]} */ ([]),
    parents: /** @type {string[]} */ ([]),
    topLevel: 0,
    topOffset: 0,
    regionsZoom: REGIONS_ZOOM,
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
  /** The selected unit in its own shape. @type {Drawn | undefined} */
  let chosen;
  /** Units of the overview in finer shapes. @type {Drawn[]} */
  let fine = [];
  let detailZooms = DETAIL_ZOOMS;

  const draw = () => {
    const before = layers;
    layers = layersOf(look);
    restyle(map, before, layers);
  };
  const endPalette = onPaletteChange(() => {
    look.palette = readPalette();
    draw();
  });
  followPointer(map, { onPick, onHere });
  const camera = createCamera(map, covered);

  const find = (/** @type {UnitKey} */ unit) => {
    const key = keyOf(unit);
    const own = chosen?.key === key ? chosen : undefined;
    return own ?? front.units.get(key) ?? detail.get(key) ?? overview.get(key)?.drawn;
  };
  /** Boxes of what `fitAll` shows, far islands too. */
  const boxesOfAll = () => {
    const own = selected && find(selected);
    if (own !== undefined) return [own.box];
    if (front.units.size > 0) return [...front.units.values()].map(({ box }) => box);
    return [...overview.values()].filter(({ unit }) => unit.level === look.topLevel).map(({ drawn }) => drawn.box);
  };
  const tellSeen = () => {
    const seen = camera.seen();
    onSeen?.(seen === undefined || isWorld(seen) || boxesOfAll().every((box) => covers(seen, box)));
  };
  map.on('moveend', () => {
    tellSeen();
    onView(camera.view());
  });

  /** After each change of what is drawn: the outline of the selected unit, and which layers there are. */
  const show = () => {
    const outlined = selected && find(selected);
    sources.put('chosen', outlined === undefined ? [] : outlinesOf(outlined));
    look.parents = [...front.parents(look.topLevel)];
    draw();
    tellSeen();
  };
  /** Units in finer shapes in place of those of the overview: what is in sight, and the selected one. */
  const showFine = () => {
    const units = new Map(detail);
    if (chosen !== undefined && !front.units.has(chosen.key)) units.set(chosen.key, chosen);
    const drawn = [...units.values()];
    if (drawn.length !== fine.length || drawn.some((unit, i) => unit !== fine[i])) {
      look.detailed = [...units.keys()];
      sources.put('detail', shapesOf(drawn));
    }
    fine = drawn;
    show();
  };
  const finer = (/** @type {Unit} */ unit) => {
    const facts = { level: (unit.gids?.length ?? 1) - 1, fid: Number(unit.id) };
    const coarse = overview.get(keyOf(facts))?.unit;
    return coarse && drawnOf(unit, { ...facts, ...coarse.properties, colour: coarse.colour });
  };
  const addUnits = (/** @type {number} */ level, /** @type {readonly Unit[]} */ units) => {
    const added = front.add(level, units, (key) => overview.get(key)?.unit.colour);
    look.isFront = units.length > 0 || look.isFront;
    look.readableZoom = front.readableZoom();
    sources.add('units', shapesOf(added));
    sources.add('units-names', labelsOf(added));
    show();
  };

  const inSight = () => {
    const seen = camera.seen();
    return [...front.units.values()].filter(({ box }) => seen !== undefined && overlaps(seen, box));
  };

  /** @param {OverviewUnit} unit */
  const drawCoarse = (unit) => {
    const { level, id: fid, colour, properties } = unit;
    const drawn = drawnOf(unit, { ...properties, level, fid, colour });
    if (drawn === undefined) return [];
    overview.set(drawn.key, { unit, drawn });
    return [drawn];
  };

  return {
    showOverview(levels) {
      overview.clear();
      const drawn = levels.map((units) => units.flatMap(drawCoarse));
      for (const [at, id] of OVERVIEW_SOURCES.entries()) {
        sources.put(id, shapesOf(drawn[at] ?? []));
        sources.put(`${id}-names`, labelsOf(drawn[at] ?? []));
      }
      const [first = [], second = []] = drawn.map((units) => units.map(({ box }) => box));
      look.topLevel = levels[0]?.[0]?.level ?? 0;
      look.topOffset = bordersOffset(first);
      look.regionsZoom = Math.max(bordersZoom(second), first.length > 1 ? REGIONS_ZOOM : 0);
      const [west, , east] = unionOf(first) ?? [0, 0, TURN, 0];
      detailZooms = DETAIL_ZOOMS.map((zoom) => zoom + Math.log2(TURN / Math.max(widthOf(west, east), EXTENT_MIN)));
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
    refine(level, units) {
      sources.add('units', shapesOf(front.refine(level, units)));
      show();
    },
    placeNames(level, units) {
      sources.add('units-names', labelsOf(front.placeNames(level, units)));
    },
    showDetail(units) {
      detail.clear();
      for (const unit of units) {
        const drawn = finer(unit);
        if (drawn !== undefined) detail.set(drawn.key, drawn);
      }
      showFine();
    },
    select(unit, own) {
      selected = unit;
      chosen = unit && own && (finer(own) ?? drawnOf(own, { gid: null, name: null, colour: -1, ...unit }));
      if (unit && own) sources.add('units', shapesOf(front.refine(unit.level, [own])));
      showFine();
    },
    fit: camera.fit,
    fitAll: () => camera.fit(boxesOfAll()),
    boxOf(unit) {
      const [shape] = find(unit)?.shapes ?? [];
      return shape === undefined ? undefined : mainBox([shape]);
    },
    zoomOf: camera.zoomOf,
    view: camera.view,
    setView: camera.setView,
    mark: createMark(map),
    seen: camera.seen,
    visibleOverview() {
      const seen = camera.seen();
      const { zoom } = camera.view();
      return [...overview.values()]
        .filter(({ unit, drawn }) => {
          const from = detailZooms[unit.level === look.topLevel ? 0 : 1] ?? 0;
          return zoom >= from && seen && overlaps(seen, drawn.box);
        })
        .map(({ unit }) => unit);
    },
    unitsInSight: () => inSight().map(fidOf),
    namesInSight() {
      const { zoom } = camera.view();
      return inSight()
        .filter(({ label }) => zoom >= Number(label?.properties?.['from'] ?? Infinity) - 0.5)
        .map(fidOf);
    },
    resize: () => void map.resize(),
    remove() {
      endPalette();
      map.remove();
    },
  };
}

/** @param {Drawn} drawn */
function fidOf({ key }) {
  return Number(key.slice(key.indexOf('/') + 1));
}

/** @param {readonly Drawn[]} drawn */
function shapesOf(drawn) {
  return drawn.flatMap(({ shapes }) => shapes);
}

/** @param {readonly Drawn[]} drawn */
function labelsOf(drawn) {
  return drawn.flatMap(({ label }) => (label === undefined ? [] : [label]));
}
