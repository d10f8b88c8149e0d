// Finds the layers of each level in the source, by the options or by their columns.
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import { BuildError } from '../report/errors.ts';
import { expandSource } from './expand-source.ts';
import { gdal } from './gdal.ts';
import { findGids, gidFieldsFor, labelFieldOf, type MissingColumns, refuseMissingColumns } from './gid-columns.ts';
import { knownDatasets } from './known-datasets.ts';
import { columnItems, fieldsOf, publishedColumns, type SourceField } from './layer-columns.ts';
import type { LayerSource, LevelSource, SingleLayer } from './level-source.ts';
import { countFeatures, openSelection } from './open-layer.ts';
import { isBeside, isNamed, layersIn, type SeenLayer } from './seen-layers.ts';
import { placeToText, type SourceOptions, sourceName, valuesFor } from './source-options.ts';

/** What a build needs to know of its dataset. */
export interface DatasetDescription {
  /** Ascending. */
  levels: readonly LevelSource[];
  /** Layers that no level uses, e.g. tables of styles. */
  unused: readonly string[];
  /** Files of operating systems that were skipped, e.g. `desktop.ini`. */
  systemFiles: readonly string[];
  /** The attribution texts in the metadata of all datasets. */
  attribution: readonly string[];
  /** The credits of the published datasets that it is recognised as. */
  credits: readonly string[];
  /** Their licence; undefined if it is not known, or they have several. */
  licence: string | undefined;
  /** The only layer, if it holds the deepest units of every area, of whatever level; undefined otherwise. */
  singleLayer: SingleLayer | undefined;
  /** What was found before the levels are read. */
  findings: readonly Finding[];
  /** Version of GDAL. */
  gdal: string;
}

/**
 * Describes a dataset before its features are read: finds the layers of every level in the source. Runs in a child process,
 * so that the parent process does not hold the memory of GDAL (some drivers load a whole file to count its features).
 * @throws BuildError if a file cannot be read, a dataset has no layer with GIDs, two layers of one file have the same
 *   level, a layer lacks the column of a parent, or an option names a layer or column that does not exist
 */
export function describeDataset(options: SourceOptions): DatasetDescription {
  const { datasets, systemFiles, copies, licences } = expandSource(options.source);
  const read = datasets.map((dataset) => layersIn(dataset, options));
  const all = read.flatMap(({ layers }) => layers);
  const used = read.map(({ layers }) =>
    layers.map((layer) => (isBeside(layer, all) ? { ...layer, levels: [] } : layer)),
  );
  for (const layers of used) refuseTwins(layers);
  const seen = used.flat();
  refuseUnknownLayers(options, seen);
  const sources: ReturnType<typeof layerSource>[] = [];
  const parents = new Map<Level, Level>();
  // The columns of a level may depend on those of the levels above.
  for (const level of LEVELS) {
    const above = levelAbove(level, sources, options);
    const layers = seen.filter(({ levels }) => levels.includes(level));
    if (above !== undefined && layers.length === 0)
      throw new BuildError(
        `--parent-by-place ${levelName(level)}: the source has no level ${level}`,
        'leave the level out, or add its file to --source',
      );
    sources.push(...layers.map((layer) => layerSource(layer, level, options, above)));
    if (above !== undefined) parents.set(level, above.level);
  }
  refuseMissingColumns(
    sources.flatMap(({ missing }) => missing),
    sources[0]?.source.level ?? 0,
  );
  const found = sources.map(({ source }) => source);
  const known = sources.flatMap(({ source, names }) => knownDatasets(source, names, licences));
  const [licence, ...otherLicences] = new Set(known.map((dataset) => dataset.licence));
  refuseUnknownColumns(options, [...new Set(sources.flatMap(({ names }) => names))]);
  refuseOtherColumns(found);
  refuseUnusedDatasets(options, seen, found);
  const levels = LEVELS.filter((level) => options.levels.includes(level)).flatMap((level) => {
    const layers = found.filter((layer) => layer.level === level);
    if (layers.length === 0) return [];
    const of = parents.get(level);
    return [{ level, layers, ...(of !== undefined && { place: { of, file: '' } }) }];
  });
  const unused = seen.filter((layer) => layer.levels.length === 0);
  return {
    levels,
    unused: [...unused.map(({ path, layer }) => `${sourceName(path)}: ${layer}`), ...copies.map(sourceName)],
    systemFiles,
    attribution: read.flatMap((dataset) => dataset.attribution),
    credits: [...new Set(known.map(({ credit }) => credit))],
    licence: otherLicences.length === 0 ? licence : undefined,
    singleLayer: findSingleLayer(found),
    findings: [],
    gdal: gdal.version,
  };
}

/** Some units of a single layer have no GID at its level: they belong to levels above. */
function findSingleLayer(found: readonly LayerSource[]): SingleLayer | undefined {
  const [only] = found;
  if (found.length !== 1 || only === undefined || only.level === 0 || only.gidColumns.includes('')) return undefined;
  const { path, driver, layer, level, where, sql, gidColumns } = only;
  // The split reads the whole layer.
  if (where !== undefined || sql !== undefined) return undefined;
  const own = `"${elementAt(gidColumns, level).replaceAll('"', '""')}"`;
  const selection = { ...only, where: `${own} IS NULL OR ${own} = ''` };
  const opened = openSelection(selection);
  const shallower = countFeatures(opened, selection);
  opened.dataset.close();
  return shallower === 0 ? undefined : { path, driver, layer, gidColumns };
}

/** A layer as the source of a level, and the names of its columns, or of those of the statement that is read instead. */
function layerSource(
  { path, driver, layer, fields: layerFields }: SeenLayer,
  level: Level,
  options: SourceOptions,
  above: LayerSource | undefined,
): { source: LayerSource; names: string[]; missing: MissingColumns[] } {
  const where = valuesFor(options.where, level).at(-1);
  // The statement may name the layer as {layer}: that of NUTS has scale and year in its name.
  const sql = valuesFor(options.sql, level)
    .at(-1)
    ?.replaceAll('{layer}', `"${layer.replaceAll('"', '\\"')}"`);
  const selection = { path, driver, layer, level, where, sql };
  const opened = openSelection(selection);
  const fields = sql === undefined ? layerFields : fieldsOf(opened.dataset, opened.layer);
  const place = { path, layer, level };
  const placed = above === undefined ? [] : placedLevels(level, fields, options, above);
  const { gids, missing } = findGids(place, fields, options, placed);
  const own = placed.map((n): SourceField => ({ name: `GID_${n}`, type: 'plain', isGeometry: false }));
  const columns = publishedColumns(place, [...fields, ...own], gids, options.columns ?? []);
  const features = countFeatures(opened, selection);
  opened.dataset.close();
  const nameOf = (wanted: readonly number[]): string =>
    columns.find((column) => wanted.length > 0 && column.fields.join() === wanted.join())?.name ?? '';
  const nameOfField = (field: number | undefined): string => (field === undefined ? '' : nameOf([field]));
  const source: LayerSource = {
    ...selection,
    isMadeValid: options.makeValid === true,
    features,
    columns,
    gids,
    placed,
    gidColumns: gids.map(nameOf),
    nameColumn: nameOfField(labelFieldOf('name', place, fields, options)),
    typeColumn: nameOfField(labelFieldOf('type', place, fields, options)),
  };
  return { source, names: fields.map(({ name }) => name), missing };
}

/** A layer of the level whose units are the parents by place of those of a level; undefined if they are not found so. */
function levelAbove(
  level: Level,
  sources: readonly { source: LayerSource }[],
  { parentByPlace = [], levels }: SourceOptions,
): LayerSource | undefined {
  const option = parentByPlace.findLast((given) => given.level === level);
  if (option === undefined || !levels.includes(level)) return undefined;
  const { of } = option;
  const above = sources
    .map(({ source }) => source)
    .findLast((layer) => levels.includes(layer.level) && (of === undefined ? layer.level < level : layer.level === of));
  if (above !== undefined) return above;
  throw new BuildError(
    `--parent-by-place ${placeToText(option)}: the source has no level ${of ?? `above ${level}`} to find parents in`,
    'add the file of that level to --source, or leave the option out',
  );
}

/** The levels whose GIDs the units get from their parent: its own, and those above that only the parent has. */
function placedLevels(
  level: Level,
  fields: readonly SourceField[],
  options: SourceOptions,
  { level: of, gids }: LayerSource,
): Level[] {
  return LEVELS.slice(0, of + 1).filter(
    (n) => n === of || (elementAt(gids, n).length > 0 && gidFieldsFor(n, level, fields, options) === undefined),
  );
}

/** Two layers of one file at the same level are variants of each other; layers of several files are merged. */
function refuseTwins(layers: readonly SeenLayer[]): void {
  for (const level of LEVELS) {
    const [one, other] = layers.filter(({ levels }) => levels.includes(level));
    if (one === undefined || other === undefined) continue;
    throw new BuildError(
      `${one.path}: layers ${one.layer} and ${other.layer} are both level ${level}`,
      `choose one: add --layer ${levelName(level)}=${one.layer} or --layer ${levelName(level)}=${other.layer}`,
    );
  }
}

/** The manifest names the GID columns of a level once, for all its layers. */
function refuseOtherColumns(found: readonly LayerSource[]): void {
  for (const { level, path, layer, gidColumns } of found) {
    const first = found.find((other) => other.level === level);
    const n = gidColumns.findIndex((name, i) => name !== first?.gidColumns[i]);
    if (first === undefined || n === -1) continue;
    throw new BuildError(
      `level ${level} is merged from layers with different GID columns: ${first.gidColumns[n] || 'none'} in ` +
        `${first.path}: ${first.layer}, ${gidColumns[n] || 'none'} in ${path}: ${layer}`,
      `rename one in the source, or leave one file out of --source`,
    );
  }
}

/** A column that --columns names for all levels must be in one of them. */
function refuseUnknownColumns(options: SourceOptions, known: readonly string[]): void {
  for (const { level, value } of options.columns ?? []) {
    if (level !== undefined || known.length === 0) continue;
    const item = columnItems([value]).find(({ name }) => !known.includes(name));
    if (item === undefined) continue;
    throw new BuildError(
      `--columns ${item.text}: no layer has a column ${item.name}`,
      `use one of: ${known.join(', ')}; of one level only: --columns lv1=${item.text}`,
    );
  }
}

function refuseUnknownLayers(options: SourceOptions, seen: readonly SeenLayer[]): void {
  for (const { level, value } of options.layers ?? []) {
    if (seen.some((layer) => isNamed(layer, value))) continue;
    const known = [...new Set(seen.map(({ layer }) => layer))];
    throw new BuildError(
      `--layer ${level === undefined ? '' : `${levelName(level)}=`}${value}: the source has no such layer`,
      `use one of: ${known.join(', ') || 'none'}`,
    );
  }
}

/** Every file must contribute: one that does not was probably named or downloaded by mistake. */
function refuseUnusedDatasets(options: SourceOptions, seen: readonly SeenLayer[], found: readonly LayerSource[]): void {
  for (const path of new Set(seen.map((layer) => layer.path))) {
    const layers = seen.filter((layer) => layer.path === path);
    if (layers.some(({ levels }) => levels.length > 0) || layers.every((layer) => isBeside(layer, seen))) continue;
    // With --layer, the user has chosen from all files.
    if (options.layers?.length && found.length > 0) continue;
    const described = layers.map(({ layer, columns }) => `${layer} (${columns.join(', ')})`);
    throw new BuildError(
      `${path}: no layer has GID columns (GID_0 .. GID_5); it has ${described.join('; ') || 'no layers'}`,
      remedyFor(layers),
    );
  }
}

/** Datasets that need options, by the beginning of a layer's name or by a column; and the file in generator/examples/. */
const EXAMPLES: readonly [layer: RegExp, column: string, file: string][] = [
  [/^ne_\d+m_/i, 'adm0_a3', 'natural-earth.json'],
  [/^geoBoundaries/i, 'shapeGroup', 'geoboundaries.json'],
  [/^NUTS_RG_/i, 'NUTS_ID', 'nuts.json'],
];

function remedyFor(layers: readonly SeenLayer[]): string {
  const example = EXAMPLES.find(([name, column]) =>
    layers.some(
      ({ layer, columns }) => name.test(layer) || columns.some((known) => known.toLowerCase() === column.toLowerCase()),
    ),
  )?.[2];
  if (example !== undefined)
    return `copy generator/examples/${example}, change the names of the files in it, and build with --config`;
  return 'name the layer and the GID column of each level, e.g. --layer lv0=countries --gid-column lv0=ISO3; or remove the file from --source';
}
