// Finds the layers of each level in the source, by the options or by their columns.
import { elementAt } from '../../format/element-at.ts';
import type { Finding } from '../../format/findings.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { gdal } from '../gdal/gdal.ts';
import { BuildError } from '../report/errors.ts';
import {
  type AskedColumns,
  askedColumns,
  firstByTag,
  offeredTags,
  refuseUnknownTags,
  type TaggedKind,
} from './asked-columns.ts';
import { dissolvedLayers, featureLevel, findSingleLayer, withDissolved } from './dissolved-sources.ts';
import { expandSource } from './expand-source.ts';
import { settleFids } from './fid-column.ts';
import {
  findGids,
  gidFieldsBesidePlace,
  gidFieldsFor,
  labelFieldOf,
  type MissingColumns,
  otherNameFieldsOf,
  refuseMissingColumns,
} from './gid-columns.ts';
import { knownDatasets } from './known-datasets.ts';
import type { LayerCrs } from './layer-crs.ts';
import {
  type DissolvedLayer,
  isSameLayer,
  type LayerSource,
  type LevelSource,
  type MadeLevels,
  partLayer,
  type Selection,
  type SourceField,
} from './level-source.ts';
import { countFeatures, crsOfLayer, openSelection } from './open-layer.ts';
import { publishedColumns } from './published-columns.ts';
import {
  refuseListsOfGids,
  refuseOtherColumns,
  refuseOtherLabels,
  refuseTwins,
  refuseUnknownColumns,
  refuseUnknownGidColumns,
  refuseUnknownLayers,
  refuseUnusedDatasets,
  refuseUnusedEncoding,
} from './refuse-unfitting.ts';
import { isBeside, layersIn, type SeenLayer } from './seen-layers.ts';
import { sourceFields } from './source-fields.ts';
import { placeToText, type SourceOptions, sourceName, valuesFor } from './source-options.ts';

/** What a build needs to know of its dataset. */
export interface DatasetDescription {
  /** Ascending. */
  levels: readonly LevelSource[];
  /** The languages of names of some published level: their tags. */
  languages: readonly string[];
  /** The tags of columns that are known and that nobody asked for. */
  offered: Readonly<Record<TaggedKind, readonly string[]>>;
  /** Layers that no level uses, e.g. tables of styles. */
  unused: readonly string[];
  /** Files of operating systems that were skipped, e.g. `desktop.ini`. */
  systemFiles: readonly string[];
  /** The attribution texts in the metadata of all datasets. */
  attribution: readonly string[];
  /** The credits of the published datasets that it is recognised as. */
  credits: readonly string[];
  /** Both for each layer of a level. */
  owners: readonly { level: Level; attribution: readonly string[]; credits: readonly string[] }[];
  /** Their licence; undefined if it is not known, or they have several. */
  licence: string | undefined;
  /** The layers from which levels are made first. */
  dissolved: readonly DissolvedLayer[];
  /** What was found before the levels are read. */
  findings: readonly Finding[];
  /** The CRS of each layer of a level. */
  crs: readonly LayerCrs[];
  /** Version of GDAL. */
  gdal: string;
}

/** The options of the source, and the levels that have been made from it. */
export type DescribedOptions = SourceOptions & { made?: readonly MadeLevels[] };

/**
 * Describes a dataset before its features are read: finds the layers of every level in the source. Runs in a child
 * process, so that the parent process does not hold the memory of GDAL (some drivers load a whole file to count its
 * features).
 * @throws BuildError if a file cannot be read, a dataset has no layer with GIDs, two layers of one file have the same
 *   level, a layer lacks the column of a parent, or an option names a layer or column that does not exist
 */
export function describeDataset({ made = [], ...options }: DescribedOptions): DatasetDescription {
  const { datasets, systemFiles, copies, licences } = expandSource(options.source);
  const read = datasets.map((dataset) => layersIn(dataset, options, made.length > 0));
  const all = read.flatMap(({ layers }) => layers);
  refuseUnusedEncoding(options, all);
  const used = read.map(({ layers }) =>
    layers.map((layer) => (isBeside(layer, all) ? { ...layer, levels: [] } : layer)),
  );
  for (const layers of used) refuseTwins(layers);
  const ofSource = used.flat();
  refuseUnknownLayers(options, ofSource);
  if (made.length === 0) refuseUnknownGidColumns(options, ofSource);
  const seen =
    made.length === 0
      ? withDissolved(ofSource, options)
      : [...ofSource.map((layer) => withoutMade(layer, made)), ...made.flatMap((own) => layersOfParts(own, options))];
  const sources: ReturnType<typeof layerSource>[] = [];
  const parents = new Map<Level, Level>();
  const present = options.levels.filter((level) => seen.some(({ levels }) => levels.includes(level)));
  // The columns of a level may depend on those of the levels above.
  for (const level of LEVELS) {
    const above = levelAbove(level, sources, options);
    const layers = seen.filter(({ levels }) => levels.includes(level));
    if (above !== undefined && layers.length === 0)
      throw new BuildError(
        `--parent-by-place ${levelName(level)}: the source has no level ${level}`,
        'leave the level out, or add its file to --source',
      );
    for (const layer of layers) sources.push(layerSource(layer, level, options, present, above));
    if (above !== undefined) parents.set(level, above.level);
  }
  refuseMissingColumns(sources);
  const found = sources.map(({ source }) => source);
  const knownOf = sources.map(({ source, names }) => knownDatasets(source, names, licences));
  const known = knownOf.flat();
  const [licence, ...otherLicences] = new Set(known.map((dataset) => dataset.licence));
  refuseOtherColumns(found);
  refuseOtherLabels(found);
  const dissolved =
    made.length > 0 ? [] : options.dissolve?.length ? dissolvedLayers(sources, options) : findSingleLayer(found);
  const single = dissolved.find(({ isSingle }) => isSingle);
  // Options name columns of every level, also of those that are made of a single layer.
  const named = sources.flatMap((layer) =>
    (single?.levels ?? [layer.source.level]).map((level) => ({ ...layer, source: { ...layer.source, level } })),
  );
  const asked = named
    .filter(({ source }) => options.levels.includes(source.level))
    .map(({ source, askedAt }) => askedAt(source.level));
  // Levels that were made lack columns, and their source may have no level that is left.
  if (made.length === 0) {
    refuseUnknownColumns(options, named);
    refuseUnknownTags(options, asked);
    refuseUnusedDatasets(options, seen, found);
  }
  const findings: Finding[] = [];
  const levels = LEVELS.filter((level) => options.levels.includes(level)).flatMap((level) => {
    const settled = settleFids(found.filter((layer) => layer.level === level));
    const { layers } = settled;
    if (layers.length === 0) return [];
    findings.push(...settled.findings);
    const of = parents.get(level);
    // A column that only some layers have is that of the level.
    const [nameColumn = '', typeColumn = ''] = (['nameColumn', 'typeColumn'] as const).map((label) =>
      layers.map((layer) => layer[label]).find((name) => name !== ''),
    );
    const tagged = { languages: firstByTag(layers, 'languages'), codes: firstByTag(layers, 'codes') };
    const searchColumns = [...new Set(layers.flatMap((layer) => layer.searchColumns))];
    const typeName = valuesFor(options.typeNames, level).at(-1);
    return [
      {
        level,
        layers: layers.map((layer) => ({ ...layer, nameColumn, typeColumn, typeName, searchColumns, ...tagged })),
        keepFids: options.keepFids,
        ...(of !== undefined && { place: { of, file: '' } }),
      },
    ];
  });
  const unused = seen.filter((layer) => layer.levels.length === 0);
  return {
    levels,
    languages: [...new Set(asked.flatMap(({ languages }) => languages.taken.map(([tag]) => tag)))].sort(),
    offered: {
      languages: offeredTags(asked.map(({ languages }) => languages)),
      codes: offeredTags(asked.map(({ codes }) => codes)),
    },
    unused: [...unused.map(({ path, layer }) => `${sourceName(path)}: ${layer}`), ...copies.map(sourceName)],
    systemFiles,
    attribution: read.flatMap((dataset) => dataset.attribution),
    credits: [...new Set(known.map(({ credit }) => credit))],
    owners: sources.map(({ source: { level, path } }, i) => ({
      level,
      attribution: read[datasets.findIndex((dataset) => dataset.path === path)]?.attribution ?? [],
      credits: elementAt(knownOf, i).map(({ credit }) => credit),
    })),
    licence: otherLicences.length === 0 ? licence : undefined,
    dissolved,
    findings,
    crs: sources.filter(({ source }) => options.levels.includes(source.level)).map(({ crs }) => crs),
    gdal: gdal.version,
  };
}

/** A layer of the source without the levels that were made from it. */
function withoutMade(layer: SeenLayer, made: readonly MadeLevels[]): SeenLayer {
  const own = made.filter((one) => isSameLayer(one, layer));
  const levels = layer.levels.filter((level) => !own.some((one) => one.levels.includes(level)));
  return { ...layer, levels };
}

/** The layers of levels that were made. */
function layersOfParts({ parts, levels: made, fields: own, ...madeFrom }: MadeLevels, options: SourceOptions) {
  return parts.flatMap((path) =>
    layersIn({ path, isInFolder: false }, options).layers.map((layer): SeenLayer => {
      const at = made.findIndex((level) => partLayer(level) === layer.layer);
      const [level, fields] = [elementAt(made, at), elementAt(own, at)];
      const columns = fields.map(({ name }) => name);
      return { ...layer, fields, columns, levels: [level], isChosen: true, madeFrom };
    }),
  );
}

/**
 * A layer as the source of a level, and the names of its columns, or of those of the statement that is read instead.
 */
function layerSource(
  { path, driver, layer, fields: layerFields, madeFrom }: SeenLayer,
  level: Level,
  options: SourceOptions,
  present: readonly Level[],
  above: LayerSource | undefined,
): {
  source: LayerSource;
  names: string[];
  missing: MissingColumns[];
  crs: LayerCrs;
  /** Its columns with a tag, also of a level that is made of it. */
  askedAt(level: Level): { [Kind in TaggedKind]: AskedColumns };
} {
  // What was made has been selected before, and may lack columns.
  const isMade = madeFrom !== undefined;
  const read = featureLevel(level, options);
  const where = isMade ? undefined : valuesFor(options.where, read).at(-1);
  const statement = isMade ? undefined : valuesFor(options.sql, read).at(-1);
  if (where !== undefined && statement !== undefined)
    throw new BuildError(
      `--where and --sql are both given for level ${read}: a statement has its own condition`,
      'write the condition into the statement of --sql, and leave out --where',
    );
  const chosen = isMade
    ? valuesFor(options.columns, level).map((value) => ({ level: undefined, value }))
    : (options.columns ?? []);
  // The statement may name the layer as {layer}: that of NUTS has scale and year in its name.
  const sql = statement?.replaceAll('{layer}', `"${layer.replaceAll('"', '\\"')}"`);
  // What was made has the CRS of its source.
  const crs = isMade ? undefined : valuesFor(options.crs, read).at(-1);
  const selection = { path, driver, encoding: options.encoding, crs, layer, level: read, where, sql };
  const opened = openSelection(selection);
  const layerCrs = crsOfLayer(opened.layer, { ...selection, level });
  const fields = sql === undefined ? layerFields : sourceFields(opened.dataset, opened.layer);
  const levelLayer = { path, layer, ...madeFrom, level };
  const placed = above === undefined ? [] : placedLevels(level, fields, options, above);
  const { gids, missing } = findGids(levelLayer, fields, options, present, placed);
  const own = placed.map((n): SourceField => ({ name: `GID_${n}`, type: 'string', isGeometry: false }));
  refuseListsOfGids(levelLayer, fields, gids);
  const all = [...fields, ...own];
  const columns = publishedColumns(levelLayer, all, gids, chosen);
  const features = countFeatures(opened, selection);
  opened.dataset.close();
  const leftOut = where === undefined || sql !== undefined ? 0 : countAll(selection) - features;
  const nameOf = (wanted: readonly number[]): string =>
    columns.find((column) => wanted.length > 0 && column.fields.join() === wanted.join())?.name ?? '';
  const nameOfField = (field: number | undefined): string => (field === undefined ? '' : nameOf([field]));
  const askedAt = (n: Level) => {
    const [gidField, ...others] = elementAt(gids, n);
    const asked = {
      level: n,
      fields,
      nameField: labelFieldOf('name', n, fields, options),
      gidField: others.length > 0 ? undefined : gidField,
      columnOf: (field: number) => nameOf([field]),
    };
    return { languages: askedColumns('languages', asked, options), codes: askedColumns('codes', asked, options) };
  };
  const { languages, codes } = askedAt(level);
  const source: LayerSource = {
    ...selection,
    level,
    isMadeValid: options.makeValid === true,
    features,
    leftOut,
    fields: all,
    columns,
    gids,
    placed,
    ...(madeFrom && { madeFrom }),
    gidColumns: gids.map(nameOf),
    nameColumn: nameOfField(labelFieldOf('name', level, fields, options)),
    languages: languages.taken,
    codes: codes.taken,
    typeColumn: nameOfField(labelFieldOf('type', level, fields, options)),
    searchColumns: otherNameFieldsOf(level, fields, options)
      .map(nameOfField)
      .filter((name) => name !== ''),
  };
  return { source, names: fields.map(({ name }) => name), missing, crs: layerCrs, askedAt };
}

/** Opened anew: of a CSV file, GDAL does not count the features again that a condition has left out. */
function countAll(selection: Selection): number {
  const whole = { ...selection, where: undefined };
  const opened = openSelection(whole);
  const count = countFeatures(opened, whole);
  opened.dataset.close();
  return count;
}

/**
 * A layer of the level whose units are the parents by place of those of a level; undefined if they are not found so.
 */
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
  { level: of, gids, placed }: LayerSource,
): Level[] {
  const isPlaced = (n: Level): boolean => {
    const find = placed.includes(n) ? gidFieldsBesidePlace : gidFieldsFor;
    return elementAt(gids, n).length > 0 && find(n, level, fields, options) === undefined;
  };
  return LEVELS.slice(0, of + 1).filter((n) => n === of || isPlaced(n));
}
