// The columns of a layer: their names, and how their values are written.
import type * as gdalTypes from 'gdal-async';
import { gdal } from './gdal.ts';

/** How a column's values are written. */
export type ColumnType = 'boolean' | 'date' | 'time' | 'dateTime' | 'binary' | 'plain';

/** One column, in the layer's order. */
export interface Column {
  name: string;
  type: ColumnType;
}

const TYPES: Readonly<Record<string, ColumnType>> = {
  date: 'date',
  time: 'time',
  dateTime: 'dateTime',
  binary: 'binary',
};

/** The layer's columns, without its fid and geometry. */
export function columnsOf(dataset: gdalTypes.Dataset, layer: gdalTypes.Layer): Column[] {
  const booleans = booleanColumns(dataset, layer);
  return layer.fields.map((field, i) => ({
    name: field.name,
    type: booleans.has(i) ? 'boolean' : (TYPES[field.type] ?? 'plain'),
  }));
}

// gdal-async does not expose subtypes; GDAL's CSV driver does, in the .csvt it writes beside an (empty) copy of the layer.
function booleanColumns(dataset: gdalTypes.Dataset, layer: gdalTypes.Layer): Set<number> {
  const integers = layer.fields.map((field) => field.type).includes('integer');
  if (!integers) return new Set();
  const copy = '/vsimem/schema.csv';
  gdal.vectorTranslate(copy, dataset, ['-f', 'CSV', '-lco', 'CREATE_CSVT=YES', '-limit', '0', layer.name]).close();
  const types = gdal.vsimem.release(`${copy}t`).toString().trim().split(',');
  gdal.vsimem.release(copy);
  return new Set(types.flatMap((type, i) => (type === 'Integer(Boolean)' ? [i] : [])));
}
