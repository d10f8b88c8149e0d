// The map of the explorer, drawn with MapLibre GL from the vector tiles of each level. One file, as what is shown, which
// tiles are known and which have failed decide together what is drawn.
import type { Map as LibraryMap } from 'maplibre-gl';
import { RefusalError } from '../api/client.ts';
import type { Point } from '../api/coordinates.ts';
import type { LevelTiles } from '../api/tiles.ts';
import type { View } from '../state/place.ts';
import { addAskedBox, showAskedBox } from './asked-box.ts';
import { type Camera, createCamera } from './camera.ts';
import { type FailedTile, failedTile, isOnItsWay, statusOf, toFault } from './faults.ts';
import type { Box } from './geometry/box.ts';
import { onPaletteChange, plain, readPalette } from './palette.ts';
import { followPointer, type Picked } from './pointer.ts';
import { startMap } from './start-map.ts';
import { addInOrder, layersOf, type MapState, NOTHING, sourceOf } from './style.ts';

/** What covers the units of a level: it has the colours then. */
export interface Cover {
  level: number;
  /** Adds its layers in place of those that it has, once the tiles of the level are there. */
  draw: (map: LibraryMap) => void;
  /** What it says of a unit; empty for nothing. */
  noteOf: (fid: number) => string;
}

interface Shows {
  /**
   * The units of a level in those parents; of the whole release, levels below them as one comes closer than it is.
   * Until the map is there, it asks for no tiles of levels that it has not shown: they would be of where it was.
   */
  show: (place: { level: number; filters: ReadonlyMap<number, string>; isWhole: boolean; isThere?: boolean }) => void;
  /** It is where what is shown is. */
  arrive: () => void;
  /** The boxes of the whole release; until then only its units are shown. */
  frame: (boxes: readonly Box[]) => void;
  select: (unit: { level: number; fid: number } | undefined) => void;
  /** Takes labels in a language, as far as the tiles have some; empty for the default names. */
  speak: (lang: string) => void;
  /** The box that the list is limited to. */
  outline: (box: Box | undefined) => void;
  /** The level of a cover is drawn whatever is listed; undefined takes it away. */
  cover: (cover: Cover | undefined) => void;
  /** Puts a mark there, or removes it. */
  mark: (point: Point | undefined) => void;
  /**
   * Asks again for tiles that did not arrive, once the map has been told what to show; for those that are damaged or
   * refused only where somebody tries it.
   */
  askAgain: (isTried: boolean) => void;
  /** Draws the map, and calls back with it while it is there: the library keeps no picture. */
  photograph: (use: (canvas: HTMLCanvasElement) => void) => void;
  remove: () => void;
}

export type UnitMap = Camera & Shows;

/** The tiles of a level: what they are is asked for, known, or could not be had. */
type LevelState = { is: 'coming' | 'failed' } | ({ is: 'there' } & LevelTiles);

export interface MapOptions {
  /** That have units, ascending. */
  levels: readonly number[];
  tilesOf: (level: number) => Promise<LevelTiles>;
  /** A request of the map. */
  headersFor: (url: string) => Record<string, string>;
  /** A unit that the page knows. */
  titleOf: (level: number, fid: number) => string | undefined;
  onPick: (picked: Picked) => void;
  /** Asks what is there. */
  onHere: (point: Point) => void;
  onView: (view: View) => void;
  /** Why the map does not show yet what it is to show; empty where it does. */
  onNote: (note: string) => void;
  /** The levels that are drawn or listed, ascending, whenever these are others. */
  onLevels: (levels: readonly number[]) => void;
  /** Something is wrong: each cause is told once, until something else is shown. */
  onError: (error: Error) => void;
  /** Pixels at its upper edge that something lies upon. */
  covered: () => number;
  /** Is it in a page of somebody else? */
  isFramed?: boolean;
}

/** The zooms from which the whole release shows a level, unless it has none above. */
const CLOSE_ZOOMS = [0, 3.5, 5.75, 8, 10, 12];
/**
 * How much closer one is than the whole release for each level below the first one: a press of plus shows the next.
 * Without, a release of a small country would never be seen by the level that is listed.
 */
const CLOSER = 0.75;
const LOADING = 'Loading the map…';
/** The style has no layer that ends before. */
const MOST_ZOOM = 24;
/** The status of tiles whose release is not there any more. */
const GONE = 410;
/**
 * Those of tiles that are asked for again only when somebody tries: the token is refused, the tile is damaged, or it
 * cannot be read.
 */
const LASTING: readonly (number | undefined)[] = [401, 502, undefined];

/** @throws Error without WebGL 2 */
export async function createMap(container: HTMLElement, options: MapOptions): Promise<UnitMap> {
  const { levels, tilesOf, titleOf, onPick, onHere, onView, onNote, onLevels, onError, covered } = options;
  const [top = 0] = levels;
  /** Those that nobody has needed yet are not in it. */
  const known = new Map<number, LevelState>();
  /** What is wrong with what is shown, as far as it was said: statuses, and causes that have none. */
  const said = new Set<number | string>();
  /** Tiles that did not arrive. */
  let failed: FailedTile[] = [];
  let shown = { level: top, isWhole: true };
  /** Boxes of the whole release, and the zoom that they have in this window. */
  let whole: readonly Box[] | undefined;
  let wholeZoom = MOST_ZOOM;
  /** What waits for the map to be there; undefined when it is. */
  let waiting: (() => void)[] | undefined;
  let told = '';
  const tellLevels = (drawn: readonly number[]) => {
    if (told === drawn.join()) return;
    told = drawn.join();
    onLevels(drawn);
  };
  let state = { ...NOTHING };
  let cover: Cover | undefined;
  const palette = () => (cover === undefined ? readPalette() : plain(readPalette()));
  const { map, marker } = await startMap(container, options.headersFor, options.isFramed);
  const camera = createCamera(map, covered);

  const set = (change: Partial<MapState>) => {
    for (const [name, value] of Object.entries(change))
      if (JSON.stringify(Reflect.get(state, name)) !== JSON.stringify(value)) map.setGlobalStateProperty(name, value);
    state = { ...state, ...change };
  };
  const tilesAt = (level: number): LevelTiles | undefined => {
    const tiles = known.get(level);
    return tiles?.is === 'there' ? tiles : undefined;
  };
  const addLayers = (level: number) => {
    const tiles = tilesAt(level);
    if (tiles === undefined) return;
    for (const layer of layersOf(level, { ...tiles, isTop: level === top }, palette())) addInOrder(map, layer);
    if (cover?.level === level) cover.draw(map);
    limit(level);
  };
  const layerIds = (level: number) => map.getLayersOrder().filter((id) => id.endsWith(`-${level}`));
  const layersOver = (level: number) =>
    map.getLayersOrder().filter((id) => map.getLayer(id)?.source === sourceOf(level));
  /** The zoom from which a level is drawn. */
  const closeZoom = (level: number) => {
    if (!shown.isWhole || level <= top) return 0;
    return Math.min(MOST_ZOOM, Math.max(CLOSE_ZOOMS[level] ?? 0, wholeZoom + CLOSER * levels.indexOf(level)));
  };
  /**
   * Not by the global state: a layer whose visibility changes while the map moves asks for tiles of where it goes
   * first.
   */
  const limit = (level: number) => {
    for (const id of layerIds(level)) map.setLayerZoomRange(id, closeZoom(level), MOST_ZOOM);
  };
  const addAll = () => {
    const colours = palette();
    addInOrder(map, { id: 'sea', type: 'background', paint: { 'background-color': colours.sea } });
    addAskedBox(map, colours);
    for (const level of known.keys()) addLayers(level);
  };
  const need = async (level: number) => {
    if (known.has(level)) return;
    const coming: LevelState = { is: 'coming' };
    known.set(level, coming);
    const isWanted = () => known.get(level) === coming;
    try {
      const tiles = await tilesOf(level);
      await new Promise<void>((go) => (waiting === undefined ? go() : waiting.push(go)));
      // Meanwhile it was forgotten, and perhaps asked for again.
      if (!isWanted()) return;
      const { template, minzoom, maxzoom, bounds } = tiles;
      known.set(level, { is: 'there', ...tiles });
      map.addSource(sourceOf(level), { type: 'vector', tiles: [template], minzoom, maxzoom, bounds });
      addLayers(level);
      if (state.selected === level) light(true);
      follow();
    } catch (error) {
      if (!isWanted()) return;
      known.set(level, { is: 'failed' });
      void fail(error);
    }
  };
  /** Forgets the tiles of levels that could not be described, or of all. */
  const forget = (isAll: boolean) => {
    for (const [level, tiles] of known) {
      if (tiles.is !== 'failed' && !isAll) continue;
      known.delete(level);
      failed = failed.filter(({ sourceId }) => sourceId !== sourceOf(level));
      for (const id of layersOver(level)) map.removeLayer(id);
      if (tiles.is === 'there') map.removeSource(sourceOf(level));
    }
  };
  /** Says each cause once; tiles of a release that is gone are replaced. */
  const fail = async (error: unknown, tile?: FailedTile): Promise<void> => {
    const status = error instanceof RefusalError ? error.status : statusOf(error);
    const cause = status ?? (tile === undefined ? 'style' : 'tile');
    if (said.has(cause)) return;
    said.add(cause);
    if (status !== GONE) return onError(await toFault(error, tile));
    forget(true);
    follow();
  };
  /** Shows the level that was asked for, or the nearest one above that has tiles at this zoom. */
  const follow = () => {
    const zoom = map.getZoom();
    const wanted = levels.filter((level) => shown.isWhole || level <= shown.level);
    const close = wanted.filter((level) => level === top || zoom >= closeZoom(level));
    const covered = cover?.level ?? shown.level;
    for (const level of new Set([...close, ...(cover ? [covered] : [])])) void need(level);
    const there = close.filter((level) => level === top || zoom >= (tilesAt(level)?.minzoom ?? Infinity));
    set({ level: there.at(-1) ?? top, levels: wanted });
    tellLevels([...new Set([...there, shown.level, covered])].sort());
    const isSeen = covered === top || (cover ? zoom >= (tilesAt(covered)?.minzoom ?? 0) : there.includes(covered));
    const isTooFar = !isSeen && tilesAt(covered) !== undefined;
    onNote(isTooFar ? `Zoom in to see level ${covered}` : tilesAt(top) === undefined ? LOADING : '');
  };
  const arrive = () => {
    for (const go of waiting ?? []) go();
    waiting = undefined;
  };
  const light = (isChosen: boolean) => {
    const { selected, fid } = state;
    if (selected === -1 || tilesAt(selected) === undefined) return;
    map.setFeatureState({ source: sourceOf(selected), sourceLayer: 'units', id: fid }, { chosen: isChosen });
  };

  addAll();
  const drawAgain = () => {
    for (const id of map.getLayersOrder()) map.removeLayer(id);
    addAll();
  };
  const endPalette = onPaletteChange(drawAgain);
  const measure = () => {
    if (whole === undefined) return;
    wholeZoom = camera.zoomOf(whole);
    for (const level of known.keys()) limit(level);
    follow();
  };
  map.on('zoom', follow);
  map.on('resize', measure);
  map.on('moveend', () => onView(camera.view()));
  map.on('error', (event) => {
    if (isOnItsWay(event)) return;
    const tile = failedTile(event);
    if (tile !== undefined) failed.push(tile);
    void fail(event.error, tile);
  });
  const noteOf = (level: number, fid: number) => (cover?.level === level ? cover.noteOf(fid) : '');
  followPointer(map, { onPick, onHere, titleOf, noteOf });

  return {
    ...camera,
    show({ level, filters, isWhole, isThere = true }) {
      shown = { level, isWhole };
      if (isThere) arrive();
      else waiting ??= [];
      forget(false);
      said.clear();
      const gids = Object.fromEntries([...filters].map(([n, gid]) => [`gid_${n}`, gid]));
      set({ gids, of: Math.max(-1, ...filters.keys()) });
      for (const level of known.keys()) limit(level);
      follow();
    },
    arrive,
    frame(boxes) {
      whole = boxes;
      measure();
    },
    select(unit) {
      light(false);
      set({ selected: unit?.level ?? -1, fid: unit?.fid ?? -1 });
      light(true);
    },
    speak(lang) {
      set({ lang });
    },
    outline(box) {
      showAskedBox(map, box);
    },
    cover(next) {
      if (next === cover) return;
      const isSame = cover?.level === next?.level;
      cover = next;
      // With another level other units have no colours.
      if (!isSame) drawAgain();
      else if (tilesAt(next?.level ?? -1) !== undefined) next?.draw(map);
      follow();
    },
    mark(point) {
      if (point === undefined) marker.remove();
      else marker.setLngLat([point.longitude, point.latitude]).addTo(map);
    },
    askAgain(isTried) {
      const isAsked = ({ status }: FailedTile) => isTried || !LASTING.includes(status);
      const asked = failed.filter(isAsked);
      failed = failed.filter((tile) => !isAsked(tile));
      for (const sourceId of new Set(asked.map((tile) => tile.sourceId))) {
        const ids = asked.filter((tile) => tile.sourceId === sourceId).map(({ id }) => id);
        map.refreshTiles(sourceId, ids);
      }
    },
    photograph(use) {
      map.once('render', () => use(map.getCanvas()));
      map.triggerRepaint();
    },
    remove() {
      endPalette();
      map.remove();
    },
  };
}
