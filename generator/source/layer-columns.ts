// The columns of a layer: its fields, and which of them are published under which names.
import type * as gdalTypes from 'gdal-async';
import { elementAt } from '../../format/element-at.ts';
import { levelName } from '../../format/levels.ts';
import { BuildError } from '../report/errors.ts';
import { gdal } from './gdal.ts';
import type { Column, ColumnType, GidFields, LayerPlace } from './level-source.ts';
import type { LevelOption } from './source-options.ts';

/** A field of a layer, at its place in the layer. */
export interface SourceField {
  name: string;
  type: ColumnType;
  /** Does it only repeat the geometry as text? */
  isGeometry: boolean;
}

const TYPES: Readonly<Record<string, ColumnType>> = {
  date: 'date',
  time: 'time',
  dateTime: 'dateTime',
  binary: 'binary',
  integer64: 'integer64',
};

/** The layer's fields, without its fid and geometry. */
export function fieldsOf(dataset: gdalTypes.Dataset, layer: gdalTypes.Layer): SourceField[] {
  const booleans = booleanFields(dataset, layer);
  // GDAL's CSV driver keeps the column that it reads the geometry from.
  const isCsv = dataset.driver.description === 'CSV';
  return layer.fields.map((field, i) => ({
    name: field.name,
    type: booleans.has(i) ? 'boolean' : (TYPES[field.type] ?? 'plain'),
    isGeometry: isCsv && /^_?WKT/i.test(field.name),
  }));
}

// gdal-async does not expose subtypes; GDAL's CSV driver does, in the .csvt it writes beside an (empty) copy of the layer.
function booleanFields(dataset: gdalTypes.Dataset, layer: gdalTypes.Layer): Set<number> {
  const integers = layer.fields.map((field) => field.type).includes('integer');
  if (!integers || !dataset.layers.map(({ name }) => name).includes(layer.name)) return new Set();
  const copy = '/vsimem/schema.csv';
  gdal.vectorTranslate(copy, dataset, ['-f', 'CSV', '-lco', 'CREATE_CSVT=YES', '-limit', '0', layer.name]).close();
  const types = gdal.vsimem.release(`${copy}t`).toString().trim().split(',');
  gdal.vsimem.release(copy);
  return new Set(types.flatMap((type, i) => (type === 'Integer(Boolean)' ? [i] : [])));
}

/** The lists of --columns, parsed. */
interface ColumnChoice {
  kept: Set<string>;
  dropped: Set<string>;
  /** New names. */
  renamed: Map<string, string>;
}

/**
 * The published columns of a layer: its fields as chosen by --columns, and a column GID_n for each GID that is joined from
 * several fields. The columns of GIDs are always published.
 * @param chosen --columns; one for all levels applies to the layers that have the column
 * @throws BuildError for a column that the layer lacks, and for two columns of the same name
 */
export function publishedColumns(
  place: LayerPlace,
  fields: readonly SourceField[],
  gids: readonly GidFields[],
  chosen: readonly LevelOption[],
): Column[] {
  const choice = parseChoice(place, fields, chosen);
  const gidFields = new Set(gids.flatMap((gid) => (gid.fields.length === 1 ? gid.fields : [])));
  const isPublished = ({ name, isGeometry }: SourceField, at: number): boolean => {
    if (gidFields.has(at)) return true;
    if (choice.kept.size > 0) return choice.kept.has(name) || choice.renamed.has(name);
    return !choice.dropped.has(name) && !isGeometry;
  };
  const columns = fields.flatMap((field, at): Column[] =>
    isPublished(field, at)
      ? [{ name: choice.renamed.get(field.name) ?? field.name, type: field.type, fields: [at] }]
      : [],
  );
  for (const gid of gids)
    if (gid.fields.length > 1) columns.push({ name: `GID_${gid.of}`, type: 'plain', fields: gid.fields });
  refuseSameNames(place, columns);
  return columns;
}

function parseChoice(place: LayerPlace, fields: readonly SourceField[], chosen: readonly LevelOption[]): ColumnChoice {
  const choice: ColumnChoice = { kept: new Set(), dropped: new Set(), renamed: new Map() };
  const known = new Set(fields.map(({ name }) => name));
  for (const { level, value } of chosen) {
    if (level !== undefined && level !== place.level) continue;
    for (const { text, name, isDropped, renamed } of columnItems([value])) {
      if (!known.has(name)) {
        if (level === undefined) continue;
        throw new BuildError(
          `--columns ${levelName(level)}=${text}: ${place.path}: layer ${place.layer} has no column ${name}`,
          `use one of: ${[...known].join(', ')}`,
        );
      }
      if (isDropped) choice.dropped.add(name);
      else if (renamed === undefined) choice.kept.add(name);
      else choice.renamed.set(name, renamed);
    }
  }
  return choice;
}

/** An item of --columns: keep a column (`NAME`), drop it (`-NAME`) or rename it (`NAME:new`). */
interface ColumnItem {
  text: string;
  name: string;
  isDropped: boolean;
  renamed: string | undefined;
}

/** The items of some values of --columns. */
export function columnItems(lists: readonly string[]): ColumnItem[] {
  const texts = lists.flatMap((list) => list.split(',')).map((text) => text.trim());
  return texts.map((text) => {
    if (text.startsWith('-')) return { text, name: text.slice(1), isDropped: true, renamed: undefined };
    const colon = text.indexOf(':');
    if (colon === -1) return { text, name: text, isDropped: false, renamed: undefined };
    return { text, name: text.slice(0, colon), isDropped: false, renamed: text.slice(colon + 1) };
  });
}

function refuseSameNames({ path, layer, level }: LayerPlace, columns: readonly Column[]): void {
  const at = columns.findIndex(({ name }, i) => columns.slice(0, i).some((other) => other.name === name));
  if (at === -1) return;
  const { name } = elementAt(columns, at);
  throw new BuildError(
    `${path}: layer ${layer} would have two columns named ${name}`,
    `rename or drop one with --columns, e.g. --columns ${levelName(level)}=${name}:${name}_2`,
  );
}
