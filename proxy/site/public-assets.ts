// The paths that are open to everyone: the document of the interface and, unless it is turned off, the explorer.
import type { JsonObject } from '../../format/parse.ts';
import type { Assets } from './asset.ts';
import { makeAsset } from './asset.ts';
import { explorerAssets } from './explorer-files.ts';
import { openapiDocument } from './openapi/document.ts';

/**
 * Makes all of them, once.
 * @param publicUrl how clients reach the service, where that is configured
 */
export function publicAssets(publicUrl: string | undefined, hasExplorer: boolean): Assets {
  const document = openapiDocument(publicUrl);
  return new Map([['/openapi.json', documentAsset(document)], ...(hasExplorer ? explorerAssets(document) : [])]);
}

function documentAsset(document: JsonObject) {
  return makeAsset('application/json', `${JSON.stringify(document, null, 1)}\n`);
}
