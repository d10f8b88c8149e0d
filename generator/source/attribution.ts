// Who must be named where a dataset is shown, as its file says.
import type * as gdalTypes from 'gdal-async';

/** The metadata item that holds the attribution, one source a line. */
export const ATTRIBUTION_ITEM = 'ATTRIBUTION';

/** Who must be named where the dataset is shown; empty where it does not say. Any GDAL dataset may carry the item. */
export function attributionOf(dataset: gdalTypes.Dataset): string[] {
  const text: unknown = dataset.getMetadata()[ATTRIBUTION_ITEM];
  return typeof text === 'string' ? text.split('\n').filter((line) => line !== '') : [];
}
