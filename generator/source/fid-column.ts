// A column `fid` of the source, which QGIS and GDAL write when a GeoPackage becomes another format: its values are the
// fids of the units where they can be. Used when the layers of a level are described, and wherever they are read.
import type * as gdalTypes from 'gdal-async';
import type { Finding } from '../../format/findings.ts';
import { takeGdalMessage } from '../gdal/open-dataset.ts';
import { BuildError } from '../report/errors.ts';
import { type LayerSource, layerToText } from './level-source.ts';
import { openSelection } from './open-layer.ts';
import { sourceName } from './source-options.ts';

/** The property that begins those of each unit. */
const FID = 'fid';
/** What a column of this name is called where its values are no fids. */
const OTHER_NAME = 'source_fid';
/** A whole number as text, as formats without types of columns have it. */
const DIGITS = /^(?:0|[1-9][0-9]{0,15})$/;

/**
 * The layers of a level with their columns `fid` settled: the units have the values as their fids, or, where these are
 * not whole, or not distinct in the level, the column has another name.
 */
export function settleFids(layers: readonly LayerSource[]): { layers: LayerSource[]; findings: Finding[] } {
  const having = layers.filter(({ columns }) => columns.some(({ name }) => name === FID));
  if (having.length === 0) return { layers: [...layers], findings: [] };
  if (haveFids(layers)) return { layers: layers.map(withFids), findings: [] };
  const taken = new Set(layers.flatMap(({ columns }) => columns.map(({ name }) => name)));
  let name = OTHER_NAME;
  for (let n = 2; taken.has(name); n++) name = `${OTHER_NAME}_${n}`;
  const findings = having.slice(0, 1).map(({ path, layer, level }): Finding => {
    const example = `${sourceName(path)}: layer ${layer}: fid is ${name} in the release`;
    return { level, kind: 'renamed-columns', count: having.length, example };
  });
  return { layers: layers.map((layer) => renamed(layer, name)), findings };
}

/** The fid of a feature: its value in the column of fids, or else that which GDAL gives it. */
export function fidOf(
  feature: gdalTypes.Feature,
  values: readonly unknown[],
  { fidField, ...levelLayer }: Pick<LayerSource, 'fidField' | 'path' | 'layer' | 'level'>,
): number {
  if (fidField === undefined) return feature.fid;
  const fid = wholeNumber(values[fidField]);
  if (fid !== undefined) return fid;
  throw new BuildError(
    `${layerToText(levelLayer)}: column fid is ${values[fidField]}, and was another value before`,
    CHANGED,
  );
}

const CHANGED = 'the source was changed while it was read: run the command again';

/** A value as a number that can be a fid, 0 to 2^53 - 1. */
function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/**
 * Are all values of the columns `fid` whole, and distinct from each other and from the fids of layers without the column?
 * What GDAL cannot read is said when the level is read.
 */
function haveFids(layers: readonly LayerSource[]): boolean {
  const seen = new Set<number>();
  return layers.every((source) => {
    const hasColumn = source.columns.some(({ name }) => name === FID);
    const field = fieldOf(source);
    if (hasColumn && field === undefined) return false;
    const { dataset, layer } = openSelection(source);
    try {
      for (let feature = layer.features.first(); feature; feature = layer.features.next()) {
        const fid = field === undefined ? feature.fid : wholeNumber(feature.fields.get(field));
        if (fid === undefined || seen.has(fid)) return false;
        seen.add(fid);
      }
      return true;
    } finally {
      dataset.close();
      takeGdalMessage();
    }
  });
}

/** The field of the column `fid`; undefined if several fields are joined in it, or it is that of a parent by place. */
function fieldOf({ columns, gids, placed }: LayerSource): number | undefined {
  const [field, ...others] = columns.find(({ name }) => name === FID)?.fields ?? [];
  const isPlaced = placed.some((n) => gids[n]?.[0] === field);
  return others.length > 0 || isPlaced ? undefined : field;
}

/** A layer whose fids are in the column: each unit has that property anyhow. */
function withFids(layer: LayerSource): LayerSource {
  const fidField = fieldOf(layer);
  if (fidField === undefined) return layer;
  return { ...layer, fidField, columns: layer.columns.filter(({ name }) => name !== FID) };
}

function renamed(layer: LayerSource, to: string): LayerSource {
  const other = (name: string): string => (name === FID ? to : name);
  return {
    ...layer,
    columns: layer.columns.map((column) => ({ ...column, name: other(column.name) })),
    gidColumns: layer.gidColumns.map(other),
    nameColumn: other(layer.nameColumn),
    typeColumn: other(layer.typeColumn),
    searchColumns: layer.searchColumns.map(other),
    languages: layer.languages.map(([tag, column]) => [tag, other(column)] as const),
    codes: layer.codes.map(([key, column]) => [key, other(column)] as const),
  };
}
