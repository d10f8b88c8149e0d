// Reads the attributes of a level to find out whether the column of its GIDs holds codes of its units.
import { elementAt } from '../../format/element-at.ts';
import { takeGdalMessage } from '../gdal/open-dataset.ts';
import { gidFrom } from '../geojson/property-values.ts';
import type { LayerSource, LevelSource } from '../source/level-source.ts';
import { openSelection } from '../source/open-layer.ts';
import { differentUnits, tellingFields, textsIn } from '../source/same-unit.ts';
import { newWithParents } from '../store/placed-parents.ts';

/** What the GIDs of a level are. */
export interface Codes {
  /** Are features with the same GID in different layers? */
  isAcross: boolean;
  /** Two features with the same GID and parents that are no pieces of one unit. */
  different: { gid: string; units: readonly string[] } | undefined;
  /** Two features with the same GID that have different parents, at this level. */
  otherParents: { gid: string; level: number; parents: readonly string[] } | undefined;
  /** The name of a feature without a GID: it is probably a unit. */
  withoutGid: string | undefined;
  /** Has no feature a GID? */
  isEmpty: boolean;
  /** The columns in which no value repeats, or is missing. */
  keys: readonly string[];
}

/** Maximum length of a code, in characters. */
const CODE_LENGTH = 60;

interface Unit {
  at: number;
  texts: readonly (string | null)[];
  parents: readonly (string | null)[];
}

/** Reads the attributes of all features of a level. */
export function readCodes(source: LevelSource): Codes {
  const { level, layers } = source;
  const withParents = newWithParents(source);
  const keys = possibleKeys(layers[0]);
  const byGid = new Map<string, Unit>();
  /** By the GIDs of the parents, too. */
  const composed = new Map<string, Unit>();
  const codes: Codes = {
    isAcross: false,
    different: undefined,
    otherParents: undefined,
    withoutGid: undefined,
    isEmpty: true,
    keys: [],
  };
  for (const [at, layer] of layers.entries()) {
    const { dataset, layer: opened } = openSelection(layer);
    const telling = tellingFields(layer);
    const fields = new Map(layer.columns.map((column) => [column.name, column.fields]));
    for (const feature of opened.features) {
      const values = withParents(feature.fields.toArray(), feature.fid, layer);
      dropRepeated(keys, (name) => codeIn(values, fields.get(name) ?? [], layer));
      const texts = textsIn(values, telling);
      const gid = gidFrom(values, elementAt(layer.gids, level), layer);
      if (gid === null) {
        codes.withoutGid ??= nameIn(values, layer);
        continue;
      }
      const parents = layer.gids.slice(0, level).map((own) => gidFrom(values, own, layer));
      const unit = { at, texts, parents };
      const first = firstOf(byGid, gid, unit);
      if (first === undefined) {
        composed.set(JSON.stringify([...parents, gid]), unit);
        continue;
      }
      codes.isAcross ||= first.at !== at;
      const n = first.parents.findLastIndex((parent, i) => parent !== null && parent !== parents[i]);
      if (n !== -1)
        codes.otherParents ??= { gid, level: n, parents: [first, unit].map((own) => own.parents[n] ?? 'none') };
      const together = firstOf(composed, JSON.stringify([...parents, gid]), unit);
      const units = together && differentUnits(together.texts, texts);
      if (units !== undefined) codes.different ??= { gid, units };
    }
    dataset.close();
    takeGdalMessage();
  }
  return { ...codes, isEmpty: byGid.size === 0, keys: [...keys.keys()] };
}

function nameIn(values: readonly unknown[], { columns, nameColumn }: LayerSource): string | undefined {
  const column = columns.find(({ name }) => name === nameColumn);
  return column === undefined ? undefined : (textsIn(values, column.fields)[0] ?? undefined);
}

/** The unit that a map has under a key; undefined if it gets this one as the first. */
function firstOf(units: Map<string, Unit>, key: string, unit: Unit): Unit | undefined {
  const first = units.get(key);
  if (first === undefined) units.set(key, unit);
  return first;
}

/** The columns that may hold codes, each with the values that were seen: none of names or of GIDs. */
function possibleKeys(layer: LayerSource | undefined): Map<string, Set<string>> {
  const others = [layer?.nameColumn, ...(layer?.gidColumns ?? [])];
  const columns = layer?.columns.filter(({ name }) => !others.includes(name)) ?? [];
  return new Map(columns.map(({ name }) => [name, new Set()]));
}

function dropRepeated(keys: Map<string, Set<string>>, codeOf: (name: string) => string | undefined): void {
  for (const [name, seen] of keys) {
    const code = codeOf(name);
    if (code === undefined || seen.has(code)) keys.delete(name);
    else seen.add(code);
  }
}

/** A value that may be a code; undefined for an area or a length, or for a long text. */
function codeIn(values: readonly unknown[], fields: readonly number[], layer: LayerSource): string | undefined {
  const isMeasure = fields.some((field) => typeof values[field] === 'number' && !Number.isInteger(values[field]));
  const code = isMeasure ? null : gidFrom(values, fields, layer);
  return code === null || code.length > CODE_LENGTH ? undefined : code;
}
