// Opens datasets through GDAL (read-only), and GDAL's errors.
import type * as gdalTypes from 'gdal-async';
import { BuildError } from '../report/errors.ts';
import { gdal } from './gdal.ts';

/** The CPLErr level from which GDAL reports a failure. */
const CE_FAILURE = 3;

/** Names of the drivers that read vector data. With them, GDAL does not try PG: connections as rasters first. */
const VECTOR_DRIVERS: readonly string[] = gdal.drivers
  .map((driver) => driver)
  .filter((driver) => driver.getMetadata()['DCAP_VECTOR'] === 'YES')
  .map(({ description }) => description);

/** A message of GDAL. */
export interface GdalMessage {
  message: string;
  /** False for a warning. */
  isFailure: boolean;
}

/** Version of the GDAL in use, e.g. `3.6.2`. */
export function gdalVersion(): string {
  return gdal.version;
}

/** GDAL's last message since the last call of this function; undefined if there is none. */
export function takeGdalMessage(): GdalMessage | undefined {
  const error: unknown = gdal.lastError;
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  const message = String(error.message);
  const isFailure = !('level' in error) || Number(error.level) >= CE_FAILURE;
  gdal.lastError = null;
  return { message, isFailure };
}

/**
 * Opens a dataset.
 * @throws BuildError if GDAL cannot open it, or reports a failure
 */
export function openDataset(path: string): gdalTypes.Dataset {
  const { dataset, gdalMessage } = open(path, VECTOR_DRIVERS);
  if (!gdalMessage?.isFailure) return dataset;
  // GDAL tries one driver after the other: the message may be that of a driver before the one that opened the dataset.
  const { description } = dataset.driver;
  dataset.close();
  const again = open(path, [description]);
  if (!again.gdalMessage?.isFailure) return again.dataset;
  again.dataset.close();
  throw cannotOpen(path, again.gdalMessage.message);
}

/** Opens a dataset with one of some drivers; also returns the last message of GDAL. */
function open(
  path: string,
  drivers: readonly string[],
): { dataset: gdalTypes.Dataset; gdalMessage: GdalMessage | undefined } {
  takeGdalMessage();
  try {
    const dataset = gdal.open(path, 'r', [...drivers]);
    return { dataset, gdalMessage: takeGdalMessage() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw cannotOpen(path, takeGdalMessage()?.message ?? reason);
  }
}

function cannotOpen(path: string, reason: string): BuildError {
  return new BuildError(
    `${withoutSecrets(path)}: GDAL cannot open it: ${withoutSecrets(reason)}`,
    'check that the file is complete and in a format that GDAL reads (ogrinfo FILE)',
  );
}

/** A dataset's name without the passwords that connection strings and URLs may have. */
export function withoutSecrets(path: string): string {
  return path
    .replaceAll(/\b(password|passwd|pwd)\s*=\s*('[^']*'|[^\s'";]+)/gi, '$1=...')
    .replaceAll(/(\/\/[^/@:\s]*):[^/@\s]*@/g, '$1:...@');
}

/** The metadata item that holds the attribution texts, one per line. */
export const ATTRIBUTION_ITEM = 'ATTRIBUTION';

/** The attribution texts of a dataset; empty without the item. Any GDAL dataset may carry it. */
export function attributionOf(dataset: gdalTypes.Dataset): string[] {
  const text: unknown = dataset.getMetadata()[ATTRIBUTION_ITEM];
  return typeof text === 'string' ? text.split('\n').filter((line) => line !== '') : [];
}
