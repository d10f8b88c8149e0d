// The public files: the OpenAPI document and, unless it is disabled, the explorer.
import type { Assets } from './asset.ts';
import { explorerAssets } from './explorer-files.ts';
import { openapiDocument } from './openapi/document.ts';
import { openapiAsset } from './openapi-asset.ts';

/**
 * Creates all public files, once.
 * @param publicUrl base URL of the service, if configured
 */
export function publicAssets(publicUrl: string | undefined, hasExplorer: boolean): Assets {
  const openapi = openapiAsset(publicUrl);
  return new Map([['/openapi.json', openapi], ...(hasExplorer ? explorerAssets(openapiDocument(publicUrl)) : [])]);
}
