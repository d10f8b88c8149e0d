// Where attribution comes from: the metadata of a dataset. Read by describe.ts, written by sample/write-geopackage.ts.
import type * as gdalTypes from 'gdal-async';

/** The metadata item that holds the attribution texts, one per line. */
export const ATTRIBUTION_ITEM = 'ATTRIBUTION';

/** The attribution texts of a dataset; empty without the item. Any GDAL dataset may carry it. */
export function attributionOf(dataset: gdalTypes.Dataset): string[] {
  const text: unknown = dataset.getMetadata()[ATTRIBUTION_ITEM];
  return typeof text === 'string' ? text.split('\n').filter((line) => line !== '') : [];
}
