// What the download menu offers: all units of the listing that is shown, with the geometry that is chosen, as GeoJSON
// or as a table, the selected unit alone, and how large each is.
import type { About } from '../api/about.ts';
import type { Size } from '../api/client.ts';
import { GEOMETRY_NOTES } from '../api/geometry.ts';
import { downloadToPath, type WholeListing } from '../api/page-request.ts';
import { size, unitsText } from '../api/texts.ts';
import { type NamedUnit, titleOf } from '../api/unit.ts';
import { copy } from '../controls/copy-text.ts';
import { shownAddress } from '../state/address.ts';
import { showRequest } from '../state/page.ts';
import { isLinked, levelsWithUnits } from '../state/place.ts';
import type { Visit } from '../state/visit.ts';
import { type Content, toCsv, toGeoJson, toGeoJsonLines, type UnitsFile } from './units-file.ts';

/** An entry of the menu. */
export interface MenuItem {
  label: string;
  detail: string;
  run: (geometry: string) => void;
  /** How large the file will be. */
  size?: (geometry: string) => Promise<string>;
}

/** What is saved, in which geometries, and as what. */
export interface Offer {
  note: string;
  choices: { value: string; text: string }[];
  items: MenuItem[];
}

/** A file whose units the service has. */
export interface Download {
  title: string;
  listings: WholeListing[];
  toFile: (loaded: { features: string[]; release: string }) => UnitsFile;
  isAllLevels: boolean;
}

/** What entries of one unit are. */
const ONLY = 'the selected unit, GeoJSON';
const ALL = 'the unit and all inside it, GeoJSON';

/**
 * The file of one unit as the page has it, in full.
 * @param text its Feature, as the service sent it
 */
export function unitFile({ level, gid, fid }: NamedUnit, text: string, { attribution, release = '' }: About) {
  const parents = [gid ?? `fid-${fid}`];
  return toGeoJson({ features: [text], matched: 1, level, parents, attribution, release, geometry: 'full' });
}

export function downloadsOf(visit: Visit): Offer {
  const { shown, about, client, signal } = visit;
  const place = shown.place.value;
  const selected = shown.selected.value;
  const opened = shown.lineage.value.at(-1);
  const { total } = shown.list.value;
  const { geometries, levels, attribution, lightest, release = '' } = about;
  const { level, filters, bbox, contains } = place;
  const whole = selected ?? opened;
  const titleOfList = `${opened === undefined ? release : titleOf(opened)}, level ${level}`;
  const sizes = new Map<string, Promise<Size>>();
  const sizeText = async (listings: WholeListing[]) => {
    const asked = listings.map(downloadToPath).map((path) => {
      const known = sizes.get(path) ?? client.size(path, signal);
      sizes.set(path, known);
      return known;
    });
    const files = await Promise.all(asked);
    const sum = (of: 'matched' | 'bytes') => files.reduce((total, file) => total + file[of], 0);
    return `${unitsText(sum('matched'))}, ${size(sum('bytes'))} compressed`;
  };
  /** @param file `only`: the geometry that it has */
  const offer = (
    title: string,
    listings: Omit<WholeListing, 'geometry'>[],
    content: Pick<Content, 'level' | 'parents'> & Partial<Content>,
    { toFile = toGeoJson, only }: { toFile?: (content: Content) => UnitsFile; only?: string } = {},
  ) => {
    const inGeometry = (chosen: string) => listings.map((listing) => ({ ...listing, geometry: only ?? chosen }));
    return {
      size: (chosen: string) => sizeText(inGeometry(chosen)),
      run: (chosen: string) => {
        const geometry = only ?? chosen;
        void visit.download({
          title,
          listings: inGeometry(chosen),
          toFile: (loaded) => toFile({ attribution, geometry, ...content, ...loaded, matched: loaded.features.length }),
          isAllLevels: content.isAllLevels === true,
        });
      },
    };
  };
  const base = { level, parents: [...filters.values(), bbox, contains].filter((text) => text !== '') };
  const listed = (file: Parameters<typeof offer>[3] = {}) =>
    offer(titleOfList, [{ level, filters, bbox, contains }], base, file);
  const ofUnit = (unit: Pick<NamedUnit, 'level' | 'gid' | 'name'>, gid: string, isAllLevels: boolean) => {
    const own = new Map([[unit.level, gid]]);
    const inside = levelsWithUnits(levels).filter(
      (other) => other >= unit.level && levels[other]?.gidColumns[unit.level] !== '',
    );
    const listings = (isAllLevels ? inside : [unit.level]).map((other) => ({ level: other, filters: own }));
    const title = isAllLevels ? `${titleOf(unit)}, all levels` : titleOf(unit);
    return offer(title, listings, { level: unit.level, parents: [gid], isAllLevels });
  };
  const hasPoints = geometries.includes('point');
  const columns = hasPoints ? 'attributes, longitude, latitude' : 'attributes, as a table';
  const items: MenuItem[] = [
    { label: 'GeoJSON for QGIS or Datawrapper', detail: 'one FeatureCollection', ...listed() },
    { label: 'GeoJSONSeq for programs', detail: 'one Feature a line', ...listed({ toFile: toGeoJsonLines }) },
    {
      label: 'CSV for a spreadsheet',
      detail: columns,
      ...listed({ toFile: toCsv, only: hasPoints ? 'point' : lightest }),
    },
  ];
  // Most come for one unit.
  if (selected?.gid)
    items.unshift({ label: `Only ${titleOf(selected)}`, detail: ONLY, ...ofUnit(selected, selected.gid, false) });
  const isEmpty = selected === undefined ? total === 0 : selected.children === 0;
  if (whole?.gid && (!isEmpty || hasDeeper(whole, levels)))
    items.push({ label: `All of ${titleOf(whole)}`, detail: ALL, ...ofUnit(whole, whole.gid, true) });
  if (visit.hasMap)
    items.push({ label: 'PNG', detail: 'the map as it is on the screen', run: () => void visit.savePicture() });
  items.push({ label: 'Copy link', detail: 'to this place and view of the map', run: () => void copy(shownAddress()) });
  if (about.tiles)
    items.push({ label: 'Use this map', detail: 'on a page of yours', run: () => showRequest('map-code-heading') });
  const shapes = geometries.filter((geometry) => geometry !== 'none');
  return {
    note: `${unitsText(total)} of ${titleOfList}`,
    choices: shapes.map((value) => ({ value, text: `${value}, ${GEOMETRY_NOTES.get(value) ?? ''}` })),
    items,
  };
}

/** May a unit without children have units at a deeper level, where a parent is missing between? */
function hasDeeper({ level }: { level: number }, levels: About['levels']) {
  return !isLinked(levels) && levels.some((other) => other.level > level && (other.gidColumns[level] ?? '') !== '');
}
