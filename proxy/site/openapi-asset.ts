// What describes the service as public files, with an explorer or without: /openapi.json, the catalogue of its APIs
// (RFC 9727), and /about.json.
import { OGC_PATH } from '../features/items/item-paths.ts';
import { OPENAPI_TYPE } from '../features/ogc/ogc-paths.ts';
import { ABOUT_PATH, aboutAsset, type ToldService } from './about.ts';
import { type Asset, makeAsset, type ReleaseAsset } from './asset.ts';
import { type DescribedService, openapiDocument } from './openapi/document.ts';

const OPENAPI_PATH = '/openapi.json';
const CATALOGUE_PATH = '/.well-known/api-catalog';
/** RFC 9727 section 4. */
const CATALOGUE_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The files by path. */
export function describingAssets(
  service: DescribedService & ToldService,
): [path: string, asset: Asset | ReleaseAsset][] {
  const { publicUrl } = service;
  const base = publicUrl ?? '';
  const linkset = [
    { anchor: `${base}/`, 'service-desc': [{ href: base + OPENAPI_PATH, type: 'application/json' }] },
    { anchor: base + OGC_PATH, 'service-desc': [{ href: `${base}${OGC_PATH}/api`, type: OPENAPI_TYPE }] },
  ];
  const link = ['Link', `<${base}${CATALOGUE_PATH}>; rel="api-catalog"`];
  return [
    [OPENAPI_PATH, makeAsset('application/json', `${JSON.stringify(openapiDocument(service))}\n`)],
    [CATALOGUE_PATH, makeAsset(CATALOGUE_TYPE, `${JSON.stringify({ linkset })}\n`, link)],
    [ABOUT_PATH, aboutAsset(service)],
  ];
}
