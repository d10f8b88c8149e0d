// Finds the layers of each level in the source, by the options or by their columns.
import { nearestFirst } from '../../format/command-line/nearest-names.ts';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import { gdal } from '../gdal/gdal.ts';
import { SAID_ENCODING } from '../gdal/open-dataset.ts';
import { BuildError } from '../report/errors.ts';
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
import { columnItems, fieldsOf, publishedColumns, type SourceField } from './layer-columns.ts';
import type { LayerCrs } from './layer-crs.ts';
import {
  type DissolvedLayer,
  foundIn,
  type LayerSource,
  type LevelSource,
  type MadeLevels,
  partLayer,
} from './level-source.ts';
import { countFeatures, crsOfLayer, openSelection } from './open-layer.ts';
import { tellingFields } from './same-unit.ts';
import { isBeside, isNamed, layersIn, type SeenLayer } from './seen-layers.ts';
import {
  type DissolveOption,
  dissolveToText,
  gidColumnToText,
  placeToText,
  type SourceOptions,
  sourceName,
  valuesFor,
} from './source-options.ts';

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
  refuseMissingColumns(
    sources.flatMap(({ missing }) => missing),
    sources[0]?.source.level ?? 0,
  );
  const found = sources.map(({ source }) => source);
  const knownOf = sources.map(({ source, names }) => knownDatasets(source, names, licences));
  const known = knownOf.flat();
  const [licence, ...otherLicences] = new Set(known.map((dataset) => dataset.licence));
  refuseOtherColumns(found);
  // Levels that were made lack columns, and their source may have no level that is left.
  if (made.length === 0) {
    refuseUnknownColumns(options, sources);
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
    const searchColumns = [...new Set(layers.flatMap((layer) => layer.searchColumns))];
    const typeName = valuesFor(options.typeNames, level).at(-1);
    return [
      {
        level,
        layers: layers.map((layer) => ({ ...layer, nameColumn, typeColumn, typeName, searchColumns })),
        keepFids: options.keepFids,
        ...(of !== undefined && { place: { of, file: '' } }),
      },
    ];
  });
  const unused = seen.filter((layer) => layer.levels.length === 0);
  return {
    levels,
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
    dissolved:
      made.length > 0 ? [] : options.dissolve?.length ? dissolvedLayers(sources, options) : findSingleLayer(found),
    findings,
    crs: sources.filter(({ source }) => options.levels.includes(source.level)).map(({ crs }) => crs),
    gdal: gdal.version,
  };
}

/** The levels of --dissolve that are published. */
function dissolvesOf({ dissolve = [], levels }: SourceOptions): readonly DissolveOption[] {
  return dissolve.filter(({ level }) => levels.includes(level));
}

/** The layers of the source; one from which another level is made is a layer of that one, too. */
function withDissolved(seen: readonly SeenLayer[], options: SourceOptions): SeenLayer[] {
  let layers = [...seen];
  // A level may be made from one that is made.
  for (const option of dissolvesOf(options).toSorted((a, b) => b.of - a.of)) {
    const { level, of } = option;
    if (!layers.some(({ levels }) => levels.includes(of)))
      throw new BuildError(
        `--dissolve ${dissolveToText(option)}: the source has no level ${of}`,
        `name its layer with --layer ${levelName(of)}=LAYER, or leave the option out`,
      );
    if (level === of) continue;
    const own = layers.find(({ levels }) => levels.includes(level));
    if (own !== undefined)
      throw new BuildError(
        `--dissolve ${dissolveToText(option)}: the source has a layer of level ${level}: ${own.path}: ${own.layer}`,
        'leave the option out, or that file',
      );
    layers = layers.map((layer) =>
      layer.levels.includes(of) ? { ...layer, levels: [...layer.levels, level].sort((a, b) => a - b) } : layer,
    );
  }
  return layers;
}

/** The layers of --dissolve. @throws BuildError if one has no GIDs of a level that is to be made */
function dissolvedLayers(
  sources: readonly { source: LayerSource; names: readonly string[] }[],
  options: SourceOptions,
): DissolvedLayer[] {
  const dissolves = dissolvesOf(options);
  return sources.flatMap(({ source, names }) => {
    const own = dissolves.filter(({ of }) => of === source.level);
    if (own.length === 0) return [];
    const levels = LEVELS.filter((level) => own.some((option) => option.level === level));
    const without = own.find(({ level }) => source.gids[level]?.length === 0 || source.placed.includes(level));
    if (without !== undefined)
      throw new BuildError(
        `--dissolve ${dissolveToText(without)}: ${source.path}: layer ${source.layer} has no column of GIDs of level ${without.level}`,
        `name it with --gid-column ${levelName(without.level)}=COLUMN; the layer has ${names.join(', ')}`,
      );
    const kept = levels.map((level) =>
      [options.nameColumns, options.typeColumns, options.searchColumns].flatMap((columns) => valuesFor(columns, level)),
    );
    const telling = levels.map((level) => {
      // A level that only a column has gets the name of one of its units, unless an option says which column has its own.
      if (level !== source.level && valuesFor(options.nameColumns, level).length === 0) return [];
      const { path, layer } = source;
      const made = sources.find((other) => other.source.level === level && isSameLayer(other.source, { path, layer }));
      return made === undefined ? [] : tellingFields(made.source);
    });
    return [dissolvedLayer(source, levels, names, { isSingle: false, isZeroNone: false, kept, telling })];
  });
}

/** Some units of a single layer have no GID at its level: they belong to levels above. */
function findSingleLayer(found: readonly LayerSource[]): DissolvedLayer[] {
  const [only] = found;
  if (found.length !== 1 || only === undefined || only.level === 0 || only.gidColumns.includes('')) return [];
  const { level, where, sql, gids, placed } = only;
  // The split reads the whole layer.
  if (where !== undefined || sql !== undefined || placed.length > 0) return [];
  const plain = openSelection(only);
  const fields = plain.layer.fields.map(({ name, type }) => ({ name, type }));
  plain.dataset.close();
  const own = elementAt(gids, level);
  const last = elementAt(fields, elementAt(own, own.length - 1));
  const isNumber = last.type !== 'string';
  const isZeroNone = isNumber && own.length > 1 && GADM_2_COLUMN.test(last.name);
  const name = `"${last.name.replaceAll('"', '""')}"`;
  const none = isZeroNone ? [` OR ${name} = 0`] : isNumber ? [] : [` OR ${name} = ''`];
  const selection = { ...only, where: `${name} IS NULL${none.join('')}` };
  const opened = openSelection(selection);
  const shallower = countFeatures(opened, selection);
  opened.dataset.close();
  if (shallower === 0) return [];
  const levels = LEVELS.slice(0, level + 1);
  return [
    dissolvedLayer(
      only,
      levels,
      fields.map((field) => field.name),
      { isSingle: true, isZeroNone, kept: [], telling: [] },
    ),
  ];
}

/** The columns of GADM 2 that have 0 where a unit belongs to a level above. */
const GADM_2_COLUMN = /^ID_[1-5]$/i;

function dissolvedLayer(
  { path, driver, encoding, crs, layer, level, where, sql, gids, placed }: LayerSource,
  levels: readonly Level[],
  names: readonly string[],
  how: Pick<DissolvedLayer, 'isSingle' | 'isZeroNone' | 'kept' | 'telling'>,
): DissolvedLayer {
  // The GID of a parent that is found by place is in no column.
  const own = gids.map((fields, n) => (placed.some((by) => by === n) ? [] : fields));
  const columns = own.map((fields) => fields.map((at) => elementAt(names, at)).join('+'));
  return { path, driver, encoding, crs, layer, level, where, sql, levels, gids: own, columns, ...how };
}

function isSameLayer(one: Pick<LayerSource, 'path' | 'layer'>, other: Pick<LayerSource, 'path' | 'layer'>): boolean {
  return one.path === other.path && one.layer === other.layer;
}

/** A layer of the source without the levels that were made from it. */
function withoutMade(layer: SeenLayer, made: readonly MadeLevels[]): SeenLayer {
  const own = made.filter((one) => isSameLayer(one, layer));
  const levels = layer.levels.filter((level) => !own.some((one) => one.levels.includes(level)));
  return { ...layer, levels };
}

/** The layers of levels that were made. */
function layersOfParts({ parts, levels: made, ...madeFrom }: MadeLevels, options: SourceOptions): SeenLayer[] {
  return parts.flatMap((path) =>
    layersIn({ path, isInFolder: false }, options).layers.map((layer) => {
      const levels = made.filter((level) => partLayer(level) === layer.layer);
      return { ...layer, levels, isChosen: true, madeFrom };
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
): { source: LayerSource; names: string[]; missing: MissingColumns[]; crs: LayerCrs } {
  // What was made has been selected before, and may lack columns.
  const isMade = madeFrom !== undefined;
  const where = isMade ? undefined : valuesFor(options.where, level).at(-1);
  const statement = isMade ? undefined : valuesFor(options.sql, level).at(-1);
  const chosen = isMade
    ? valuesFor(options.columns, level).map((value) => ({ level: undefined, value }))
    : (options.columns ?? []);
  // The statement may name the layer as {layer}: that of NUTS has scale and year in its name.
  const sql = statement?.replaceAll('{layer}', `"${layer.replaceAll('"', '\\"')}"`);
  // What was made has the CRS of its source.
  const crs = isMade ? undefined : valuesFor(options.crs, level).at(-1);
  const selection = { path, driver, encoding: options.encoding, crs, layer, level, where, sql };
  const opened = openSelection(selection);
  const layerCrs = crsOfLayer(opened.layer, selection);
  const fields = sql === undefined ? layerFields : fieldsOf(opened.dataset, opened.layer);
  const place = { path, layer, ...madeFrom, level };
  const placed = above === undefined ? [] : placedLevels(level, fields, options, above);
  const { gids, missing } = findGids(place, fields, options, present, placed);
  const own = placed.map((n): SourceField => ({ name: `GID_${n}`, type: 'plain', isGeometry: false }));
  const columns = publishedColumns(place, [...fields, ...own], gids, chosen);
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
    ...(madeFrom && { madeFrom }),
    gidColumns: gids.map(nameOf),
    nameColumn: nameOfField(labelFieldOf('name', level, fields, options)),
    typeColumn: nameOfField(labelFieldOf('type', level, fields, options)),
    searchColumns: otherNameFieldsOf(level, fields, options)
      .map(nameOfField)
      .filter((name) => name !== ''),
  };
  return { source, names: fields.map(({ name }) => name), missing, crs: layerCrs };
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

/** @throws BuildError if an encoding is said that no dataset takes */
function refuseUnusedEncoding({ encoding }: SourceOptions, seen: readonly SeenLayer[]): void {
  if (encoding === undefined || seen.some(({ driver }) => SAID_ENCODING.includes(driver))) return;
  throw new BuildError(
    `--encoding ${encoding}: no file of the source has a format of which an encoding can be said (${SAID_ENCODING.join()})`,
    'leave out --encoding; or copy a file with wrong texts to UTF-8 before',
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
  for (const one of found) {
    const { level, gidColumns } = one;
    const first = found.find((other) => other.level === level);
    const n = gidColumns.findIndex((name, i) => name !== first?.gidColumns[i]);
    if (first === undefined || n === -1) continue;
    throw new BuildError(
      `level ${level} is merged from layers with different GID columns: ${first.gidColumns[n] || 'none'} in ` +
        `${foundIn(first)}, ${gidColumns[n] || 'none'} in ${foundIn(one)}`,
      `rename one in the source, or leave one file out of --source`,
    );
  }
}

/** A column that an option names must be in one of the layers of its level, or of all. */
function refuseUnknownColumns(
  { columns = [], nameColumns = [], typeColumns = [], searchColumns = [] }: SourceOptions,
  sources: readonly { source: LayerSource; names: readonly string[] }[],
): void {
  const named = [
    ...columns.flatMap(({ level, value }) =>
      columnItems([value]).map(({ text, name }) => ({ option: 'columns', level, text, name, isExact: true })),
    ),
    ...Object.entries({
      'name-column': nameColumns,
      'type-column': typeColumns,
      'search-column': searchColumns,
    }).flatMap(([option, values]) =>
      values.map(({ level, value }) => ({ option, level, text: value, name: value, isExact: false })),
    ),
  ];
  for (const { option, level, text, name, isExact } of named) {
    const own = sources.filter(({ source }) => level === undefined || source.level === level);
    const known = [...new Set(own.flatMap(({ names }) => names))];
    const hasIt = known.some((other) => other === name || (!isExact && other.toLowerCase() === name.toLowerCase()));
    const [first] = own;
    if (first === undefined || hasIt) continue;
    const { path, layer } = first.source;
    const given = `--${option} ${level === undefined ? '' : `${levelName(level)}=`}${text}`;
    const isColumns = option === 'columns';
    const wanted = isColumns ? `a column ${name}` : 'such a column';
    const nowhere = level === undefined ? `no layer has ${wanted}` : `no layer of level ${level} has ${wanted}`;
    const notHere = `${path}: layer ${layer} has no ${isColumns ? `column ${name}` : 'such column'}`;
    throw new BuildError(
      `${given}: ${level !== undefined && own.length === 1 ? notHere : nowhere}`,
      `use one of: ${nearestFirst(known, name).join(', ')}${level === undefined ? `; of one level only: --${option} lv1=${text}` : ''}`,
    );
  }
}

/** A column of --gid-column must be in one of the layers. What a statement selects may have any columns. */
function refuseUnknownGidColumns({ gidColumns = [], sql = [] }: SourceOptions, seen: readonly SeenLayer[]): void {
  if (sql.length > 0) return;
  const known = [
    ...new Set(seen.filter(({ isAreal }) => isAreal).flatMap(({ fields }) => fields.map(({ name }) => name))),
  ];
  const all = new Set(seen.flatMap(({ fields }) => fields.map(({ name }) => name.toLowerCase())));
  for (const option of gidColumns) {
    const missing = option.columns.find((name) => !all.has(name.toLowerCase()));
    if (missing === undefined || known.length === 0) continue;
    throw new BuildError(
      `--gid-column ${gidColumnToText(option)}: no layer has a column ${missing}`,
      `use one of: ${nearestFirst(known, missing).join(', ')}`,
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

/**
 * Datasets that need options, by the names and columns of their layers, which the files in generator/examples/ need, and
 * such a file.
 */
const EXAMPLES: readonly [layer: RegExp, columns: readonly string[], file: string][] = [
  [/^ne_\d+m_admin_[01]_/i, ['adm0_a3', 'name'], 'natural-earth.json'],
  [/^geoBoundaries/i, ['shapegroup', 'shapeid'], 'geoboundaries.json'],
  [/^NUTS_RG_/i, ['nuts_id', 'levl_code'], 'nuts.json'],
];

function remedyFor(layers: readonly SeenLayer[]): string {
  const has = ({ columns }: SeenLayer, wanted: string): boolean =>
    columns.some((known) => known.toLowerCase() === wanted);
  const example = EXAMPLES.find(([name, columns]) =>
    layers.some((layer) => name.test(layer.layer) && columns.every((wanted) => has(layer, wanted))),
  )?.[2];
  if (example !== undefined)
    return `copy generator/examples/${example}, change the names of the files in it, and build with --config`;
  return 'name the column with the GIDs of each level, e.g. --gid-column lv1=REGION_ID lv2=TOWN_ID, and its layer where several have that column, e.g. --layer lv1=regions; or remove the file from --source';
}
