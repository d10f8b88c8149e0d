// The layers in the datasets of a source, and the level of each, by the options or by its columns: level-sources.ts
// makes the sources of the levels from them.
import { dirname } from 'node:path';
import { LEVELS, type Level } from '../../format/levels.ts';
import {
  datasetAttribution,
  newIsStoredQuery,
  openDataset,
  openFoundDataset,
  STORED_QUERY,
  storedQueryRefused,
} from '../gdal/open-dataset.ts';
import { BuildError } from '../report/errors.ts';
import type { FoundDataset } from './expand-source.ts';
import { refuseLeftOut } from './geojson-damage.ts';
import { gidFieldsFor, isBesideLines } from './gid-columns.ts';
import type { LevelLayer, SourceField } from './level-source.ts';
import { sourceFields } from './source-fields.ts';
import { type SourceOptions, valuesFor } from './source-options.ts';

/** A layer of the source. */
export interface SeenLayer {
  path: string;
  isInFolder: boolean;
  driver: string;
  layer: string;
  fields: readonly SourceField[];
  /** Their names, for messages. */
  columns: readonly string[];
  /** Empty for a layer that no level uses. */
  levels: readonly Level[];
  /** Does an option name it? */
  isChosen: boolean;
  /** May it hold areas, by the type that it declares? */
  isAreal: boolean;
  /** The layer that it was made from, by dissolving. */
  madeFrom?: Pick<LevelLayer, 'path' | 'layer'>;
}

/** Maximum number of layers in a dataset: each is opened and described, which takes minutes for tens of thousands. */
const LAYERS_MAX = 2_000;

/**
 * The layers of a dataset, with their levels, and its attribution.
 * @param isKnown whether it has been described before: its positions are not read again
 */
export function layersIn(
  { path, isInFolder }: FoundDataset,
  options: SourceOptions,
  isKnown = false,
): { layers: SeenLayer[]; attribution: string[] } {
  const dataset = isInFolder
    ? openFoundDataset(path, options.encoding)
    : openDataset(path, undefined, options.encoding);
  const driver = dataset.driver.description;
  const count = dataset.layers.count();
  if (count === 0)
    throw new BuildError(`${path}: has no layers`, 'check that the file is complete, or remove it from --source');
  if (count > LAYERS_MAX)
    throw new BuildError(
      `${path}: has ${count.toLocaleString('en')} layers, more than ${LAYERS_MAX.toLocaleString('en')}`,
      'copy the layers of the boundaries to a file of their own: ogr2ogr -f GPKG COPY.gpkg FILE LAYER ...',
    );
  const isStoredQuery = newIsStoredQuery(dataset);
  const layers = dataset.layers.map((layer) => {
    const seen = { path, isInFolder, driver, layer: layer.name, isAreal: isArealType(layer.geomType) };
    if (isStoredQuery(layer.name)) {
      if (levelsOf(seen, [], options).levels.length > 0) throw storedQueryRefused(path, layer.name);
      return { ...seen, fields: [], columns: [STORED_QUERY], levels: [], isChosen: false };
    }
    const fields = sourceFields(dataset, layer);
    return { ...seen, fields, columns: fields.map(({ name }) => name), ...levelsOf(seen, fields, options) };
  });
  const attribution = datasetAttribution(dataset);
  dataset.close();
  if (!isKnown && layers.some(({ levels }) => levels.length > 0)) refuseLeftOut(path, driver);
  return { layers, attribution };
}

/** Types of geometries by their codes (OGC 06-103r4, table 7): points and lines, also curved ones. */
const POINTS_AND_LINES: readonly number[] = [1, 2, 4, 5, 8, 9, 11];

/**
 * May a layer of this type hold areas? The codes of types with Z and M are larger by thousands, or by the highest bit.
 */
function isArealType(type: number): boolean {
  return !POINTS_AND_LINES.includes((type & 0x7fffffff) % 1000);
}

/** Does a layer hold points or lines that a download has beside the areas: of the same level, or without GIDs? */
export function isBeside(layer: SeenLayer, all: readonly SeenLayer[]): boolean {
  if (layer.isAreal || layer.isChosen) return false;
  return all.some(
    (other) =>
      other.isAreal &&
      (layer.levels.length > 0
        ? layer.levels.every((n) => other.levels.includes(n))
        : other.levels.length > 0 && isBesideLines(other.fields)) &&
      (other.path === layer.path ||
        (layer.isInFolder && other.isInFolder && dirname(other.path) === dirname(layer.path))),
  );
}

/** The levels of a layer: those whose option names it, otherwise the deepest level whose GIDs it has. */
function levelsOf(
  layer: NamedLayer,
  fields: readonly SourceField[],
  options: SourceOptions,
): Pick<SeenLayer, 'levels' | 'isChosen'> {
  const named = LEVELS.filter((level) => valuesFor(options.layers, level).length > 0);
  const claiming = named.filter((level) => isChosen(layer, valuesFor(options.layers, level)));
  if (claiming.length > 0) return { levels: claiming, isChosen: true };
  const level = LEVELS.findLast((n) => gidFieldsFor(n, n, fields, options) !== undefined);
  return { levels: level === undefined || named.includes(level) ? [] : [level], isChosen: false };
}

type NamedLayer = Pick<SeenLayer, 'path' | 'layer'>;

/** What begins the name of a layer that is left out. */
const NOT = '!';

/** Do the names of a level choose a layer: is one of them its name, or all only leave out others? */
function isChosen(layer: NamedLayer, names: readonly string[]): boolean {
  const [out, chosen] = [true, false].map((isOut) => names.filter((name) => name.startsWith(NOT) === isOut));
  if (out?.some((name) => isNamed(layer, name))) return false;
  return chosen?.length === 0 || chosen?.some((name) => isNamed(layer, name)) === true;
}

/** Does `--layer` name a layer: `LAYER`, or `FILE:LAYER` for that of one file, or `!` and either to leave it out? */
export function isNamed({ path, layer }: NamedLayer, given: string): boolean {
  const name = given.startsWith(NOT) ? given.slice(NOT.length) : given;
  if (matches(name, layer)) return true;
  // Names of layers may have colons, too.
  for (let colon = name.indexOf(':'); colon !== -1; colon = name.indexOf(':', colon + 1))
    if (matches(`*/${name.slice(0, colon)}`, `/${path}`) && matches(name.slice(colon + 1), layer)) return true;
  return false;
}

/** Does a text have this form? `*` in the pattern stands for any characters. Each part is looked for once. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === text;
  let at = first.length;
  if (!text.startsWith(first)) return false;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
