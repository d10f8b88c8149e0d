// The fields of a layer. Apart from the columns that are published of them, as it loads GDAL: what finds columns by
// their names is loaded where GDAL is not.
import type * as gdalTypes from 'gdal-async';
import { gdal } from '../gdal/gdal.ts';
import type { ColumnType, SourceField } from './level-source.ts';

/** GDAL's types of fields, by the names that gdal-async gives them; but for lists. */
const TYPES: Readonly<Record<string, ColumnType>> = {
  integer: 'integer',
  integer64: 'integer64',
  real: 'real',
  string: 'string',
  wideString: 'string',
  date: 'date',
  time: 'time',
  dateTime: 'dateTime',
  binary: 'binary',
};

/** The layer's fields, without its fid and geometry. */
export function sourceFields(dataset: gdalTypes.Dataset, layer: gdalTypes.Layer): SourceField[] {
  const booleans = booleanFields(dataset, layer);
  // GDAL's CSV driver keeps the columns that it reads geometries from: WKT, and those whose names begin with _WKT.
  const isCsv = dataset.driver.description === 'CSV';
  return layer.fields.map((field, i) => ({
    name: field.name,
    type: booleans.has(i) ? 'boolean' : (TYPES[field.type] ?? 'other'),
    isGeometry: isCsv && /^(WKT$|_WKT)/i.test(field.name),
  }));
}

// gdal-async does not expose subtypes; GDAL's CSV driver does, in the .csvt it writes beside an (empty) copy of the
// layer.
function booleanFields(dataset: gdalTypes.Dataset, layer: gdalTypes.Layer): Set<number> {
  const integers = layer.fields.map((field) => field.type).includes('integer');
  if (!integers || !dataset.layers.map(({ name }) => name).includes(layer.name)) return new Set();
  const copy = '/vsimem/schema.csv';
  gdal.vectorTranslate(copy, dataset, ['-f', 'CSV', '-lco', 'CREATE_CSVT=YES', '-limit', '0', layer.name]).close();
  const types = gdal.vsimem.release(`${copy}t`).toString().trim().split(',');
  gdal.vsimem.release(copy);
  return new Set(types.flatMap((type, i) => (type === 'Integer(Boolean)' ? [i] : [])));
}
