// The parameters in the OpenAPI document: each says itself what there is to say of it. One component each, and several
// where it depends on the endpoint: for page-size one per page cap.
import { AT_ENDPOINT } from '../../features/places/at.ts';
import { DOWNLOAD_ENDPOINTS, PAGE_ENDPOINTS } from '../../features/rows.ts';
import { SEARCH_ENDPOINT } from '../../features/search/search.ts';
import { TILE_ENDPOINTS } from '../../features/tiles/endpoints.ts';
import type { DescribedEndpoint, Parameter } from '../../query/parameter.ts';

/** An endpoint with its parameters; those of all levels are described at none. */
type Endpoint = Partial<DescribedEndpoint> & { parameters: readonly Parameter<unknown>[] };

/** For lv2 before lv10. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

/** The parameters of pages and downloads, by component name. */
export function parameterComponents() {
  const entries = [...PAGE_ENDPOINTS, ...DOWNLOAD_ENDPOINTS, ...TILE_ENDPOINTS].flatMap(componentsOf);
  return Object.fromEntries(entries.sort(([a], [b]) => COLLATOR.compare(a, b)));
}

/** Those of endpoints with units of all levels, by component name. */
export function unitsComponents() {
  return Object.fromEntries([AT_ENDPOINT, SEARCH_ENDPOINT].flatMap(componentsOf));
}

function componentsOf(endpoint: Endpoint) {
  return endpoint.parameters.map((parameter) => {
    const { component, required, description, schema, example } = parameter.document({ level: 0, ...endpoint });
    const value = { name: parameter.name, in: 'query', ...(required && { required }), description, schema, example };
    return [component, value] as const;
  });
}

/** References to the parameters of an endpoint. */
export function parameterReferences(endpoint: Endpoint) {
  return componentsOf(endpoint).map(([component]) => ({ $ref: `#/components/parameters/${component}` }));
}
