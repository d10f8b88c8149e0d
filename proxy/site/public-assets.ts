// The public files: the OpenAPI document and, unless it is disabled, the explorer.
import type { Assets } from './asset.ts';
import { makeAsset } from './asset.ts';
import { explorerAssets } from './explorer-files.ts';
import { openapiDocument } from './openapi/document.ts';

/**
 * Creates all public files, once.
 * @param publicUrl base URL of the service, if configured
 */
export function publicAssets(publicUrl: string | undefined, hasExplorer: boolean): Assets {
  const document = openapiDocument(publicUrl);
  const openapi = makeAsset('application/json', `${JSON.stringify(document, null, 1)}\n`);
  return new Map([['/openapi.json', openapi], ...(hasExplorer ? explorerAssets(document) : [])]);
}
