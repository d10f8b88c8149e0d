// /openapi.json: the OpenAPI document as a public file.
import type { Asset } from './asset.ts';
import { makeAsset } from './asset.ts';
import { openapiDocument } from './openapi/document.ts';

/**
 * The document as a file.
 * @param publicUrl base URL of the service, if configured
 */
export function openapiAsset(publicUrl: string | undefined): Asset {
  return makeAsset('application/json', `${JSON.stringify(openapiDocument(publicUrl), null, 1)}\n`);
}
