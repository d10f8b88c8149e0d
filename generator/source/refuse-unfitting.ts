// Refuses options that do not fit the source, and files that give no level, each with what to do.
import { shellWord } from '../../format/command-line/messages.ts';
import { nearestFirst } from '../../format/command-line/nearest-names.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { SAID_ENCODING } from '../gdal/open-dataset.ts';
import { BuildError } from '../report/errors.ts';
import { foundIn, type LayerSource, type LevelLayer, type SourceField } from './level-source.ts';
import { columnItems } from './published-columns.ts';
import { isBeside, isNamed, type SeenLayer } from './seen-layers.ts';
import { gidColumnToText, type SourceOptions } from './source-options.ts';

/** @throws BuildError if an encoding is said that no dataset takes */
export function refuseUnusedEncoding({ encoding }: SourceOptions, seen: readonly SeenLayer[]): void {
  if (encoding === undefined || seen.some(({ driver }) => SAID_ENCODING.includes(driver))) return;
  throw new BuildError(
    `--encoding ${encoding}: no file of the source has a format of which an encoding can be said (${SAID_ENCODING.join()})`,
    'leave out --encoding; or copy a file with wrong texts to UTF-8 before',
  );
}

/** Two layers of one file at the same level are variants of each other; layers of several files are merged. */
export function refuseTwins(layers: readonly SeenLayer[]): void {
  for (const level of LEVELS) {
    const [one, other] = layers.filter(({ levels }) => levels.includes(level));
    if (one === undefined || other === undefined) continue;
    throw new BuildError(
      `${one.path}: layers ${one.layer} and ${other.layer} are both level ${level}`,
      `choose one: add --layer ${levelName(level)}=${one.layer} or --layer ${levelName(level)}=${other.layer}`,
    );
  }
}

/** A GID is one value: a list would be several. */
export function refuseListsOfGids(
  { path, layer, level }: LevelLayer,
  fields: readonly SourceField[],
  gids: readonly (readonly number[])[],
): void {
  for (const n of LEVELS.slice(0, level + 1)) {
    const list = gids[n]?.map((at) => fields[at]).find((field) => field?.type === 'other');
    if (list === undefined) continue;
    const option = n === level ? levelName(n) : `${levelName(level)}:${levelName(n)}`;
    throw new BuildError(
      `${path}: layer ${layer} (level ${level}): column ${list.name} has lists, and no GIDs`,
      `name another column with --gid-column ${option}=COLUMN, or change the column to text in the source`,
    );
  }
}

/** The manifest names the GID columns of a level once, for all its layers. */
export function refuseOtherColumns(found: readonly LayerSource[]): void {
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

/**
 * The manifest names the columns of names and of types of a level once, too: those of its first layer that has some. A
 * layer may lack them, but not have its names in another column.
 */
export function refuseOtherLabels(found: readonly LayerSource[]): void {
  for (const [label, what] of [
    ['nameColumn', 'names'],
    ['typeColumn', 'types'],
  ] as const)
    for (const one of found.filter((layer) => layer[label] !== '')) {
      const { level } = one;
      const first = found.find((other) => other.level === level && other[label] !== '') ?? one;
      const [column, own] = [first[label], one[label]];
      if (own === column || one.columns.some((published) => published.name === column)) continue;
      const name = levelName(level);
      const rename = `give them one name: --columns ${shellWord(`${name}=${own}:${column}`)}`;
      const option = `--${label === 'nameColumn' ? 'name' : 'type'}-column ${shellWord(`${name}=${column}`)}`;
      throw new BuildError(
        `level ${level} is merged from layers with different columns of ${what}: ${column} in ${foundIn(first)}, ${own} in ${foundIn(one)}`,
        // An option takes both where they differ by case alone.
        own.toLowerCase() === column.toLowerCase()
          ? rename
          : `${rename}; or leave out the ${what} of others: ${option}`,
      );
    }
}

/** A column that an option names must be in one of the layers of its level, or of all. */
export function refuseUnknownColumns(
  {
    columns = [],
    nameColumns = [],
    languageColumns = [],
    codeColumns = [],
    typeColumns = [],
    searchColumns = [],
  }: SourceOptions,
  sources: readonly { source: LayerSource; names: readonly string[] }[],
): void {
  const ofLevel = (level: Level | undefined) =>
    sources.filter(({ source }) => level === undefined || source.level === level);
  const knownAt = (level: Level | undefined) => [...new Set(ofLevel(level).flatMap(({ names }) => names))];
  const named = [
    ...columns.flatMap(({ level, value }) =>
      columnItems([value], knownAt(level)).map(({ text, name }) => ({
        option: 'columns',
        level,
        text,
        name,
        isExact: true,
      })),
    ),
    ...Object.entries({
      'name-column': [...nameColumns, ...languageColumns],
      'code-column': codeColumns,
      'type-column': typeColumns,
      'search-column': searchColumns,
    }).flatMap(([option, values]) =>
      values.map(({ level, value }) => ({ option, level, text: value, name: value, isExact: false })),
    ),
  ];
  for (const { option, level, text, name, isExact } of named) {
    const own = ofLevel(level);
    const known = knownAt(level);
    const hasIt = known.some((other) => other === name || (!isExact && other.toLowerCase() === name.toLowerCase()));
    const given = `--${option} ${level === undefined ? '' : `${levelName(level)}=`}${text}`;
    if (!isExact && !known.includes(name))
      for (const { source, names } of own) refuseSpellings(given, name, source, names);
    const [first] = own;
    if (first === undefined || hasIt) continue;
    const { path, layer } = first.source;
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

/** @throws BuildError if a layer has several columns whose names differ from this one, which none has, by case alone */
function refuseSpellings(
  given: string,
  name: string,
  { path, layer }: { path: string; layer: string },
  names: readonly string[],
): void {
  const spelled = names.filter((other) => other.toLowerCase() === name.toLowerCase());
  if (spelled.length < 2) return;
  throw new BuildError(
    `${given}: ${path}: layer ${layer} has ${spelled.join(' and ')}`,
    'write the name of one of them',
  );
}

/** A column of --gid-column must be in one of the layers. What a statement selects may have any columns. */
export function refuseUnknownGidColumns(
  { gidColumns = [], sql = [] }: SourceOptions,
  seen: readonly SeenLayer[],
): void {
  if (sql.length > 0) return;
  const known = [
    ...new Set(seen.filter(({ isAreal }) => isAreal).flatMap(({ fields }) => fields.map(({ name }) => name))),
  ];
  const all = new Set(seen.flatMap(({ fields }) => fields.map(({ name }) => name.toLowerCase())));
  for (const option of gidColumns) {
    const given = `--gid-column ${gidColumnToText(option)}`;
    for (const column of option.columns.filter((name) => !known.includes(name)))
      for (const layer of seen) refuseSpellings(given, column, layer, layer.columns);
    const missing = option.columns.find((name) => !all.has(name.toLowerCase()));
    if (missing === undefined || known.length === 0) continue;
    throw new BuildError(
      `${given}: no layer has a column ${missing}`,
      `use one of: ${nearestFirst(known, missing).join(', ')}`,
    );
  }
}

export function refuseUnknownLayers(options: SourceOptions, seen: readonly SeenLayer[]): void {
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
export function refuseUnusedDatasets(
  options: SourceOptions,
  seen: readonly SeenLayer[],
  found: readonly LayerSource[],
): void {
  // With --layer, the user has chosen from all files.
  if (options.layers?.length && found.length > 0) return;
  const files = [...new Set(seen.map(({ path }) => path))].flatMap((path) => {
    const layers = seen.filter((layer) => layer.path === path);
    if (layers.some(({ levels }) => levels.length > 0) || layers.every((layer) => isBeside(layer, seen))) return [];
    return [{ path, layers }];
  });
  const [first, ...others] = files;
  if (first === undefined) return;
  const lines = files.slice(0, LISTED_FILES).map(({ path, layers }) => {
    const described = layers.map(({ layer, columns }) => `${layer} (${columns.join(', ')})`);
    return `${path}: no layer has GID columns (GID_0 .. GID_5); it has ${described.join('; ') || 'no layers'}`;
  });
  if (files.length > LISTED_FILES) lines.push(`and ${files.length - LISTED_FILES} more files`);
  throw new BuildError(
    others.length === 0 ? lines : ['files have no columns of GIDs:', ...lines],
    remedyFor(files.flatMap(({ layers }) => layers)),
  );
}

/** Maximum number of files that are listed. */
const LISTED_FILES = 8;

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
